"""`retrieval`: what a listed company filed and the news on it, gathered by code."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from temporalio.exceptions import ActivityError

from contracts.evidence.company import CompanyInputs, Fundamentals
from contracts.phases.retrieval import RetrievalOutput, RetrievalPhase
from workflows.company import collect_fundamentals, collect_news, wait
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, Need

NAME_SECONDS = 10
"""How long the news waits for the name under which the company files."""
T = TypeVar("T")


async def retrieval(phase: RetrievalPhase, run: PhaseContext) -> RetrievalOutput:
    """Gather both; what cannot be had is a warning while the other can."""
    config = phase.config
    run.require_web_approval()
    filing = asyncio.create_task(
        _tried(collect_fundamentals(run) if "fundamentals" in config.gather else _nothing())
    )
    await wait([filing], NAME_SECONDS)
    name = _name(filing.result()) if filing.done() else ""
    search = collect_news(run, config.news_limit, name) if "news" in config.gather else _nothing()
    figures, news = await asyncio.gather(filing, _tried(search))
    failures = [found for found in (figures, news) if isinstance(found, ActivityError)]
    if len(failures) == len(config.gather):
        raise failures[0]
    for failure in failures:
        run.warn(run.fail_info(failure).message)
    read = None if isinstance(news, ActivityError) else news
    return RetrievalOutput(
        fundamentals=None if isinstance(figures, ActivityError) else figures,
        news=read and read[0],
        sources=list(run.state.sources),
        searches=read[1] if read else [],
        artifacts=list(run.state.artifacts),
    )


def _name(filed: Fundamentals | ActivityError | None) -> str:
    return filed.company.name if isinstance(filed, Fundamentals) else ""


async def _tried(work: Awaitable[T]) -> T | ActivityError:
    try:
        return await work
    except ActivityError as error:
        return error


async def _nothing() -> None:
    """Gather what was not asked for."""


KIND = Kind(
    phase=RetrievalPhase,
    handler=retrieval,
    output=RetrievalOutput,
    title="Gather",
    description="Gathers what a listed company filed and the news on it; no model takes part.",
    category="execute",
    icon="download",
    needs=lambda _: (Need("plan", required=False),),
    inputs=lambda _: CompanyInputs,
    web=lambda _: True,
    cacheable=lambda _: True,
)
