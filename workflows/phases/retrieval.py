"""`retrieval`: a listed company's filings and news, collected by code."""

import asyncio

from temporalio.exceptions import ActivityError

from contracts.evidence.company import CompanyInputs, Fundamentals
from contracts.phases.research import RetrievalOutput, RetrievalPhase
from workflows.company import (
    catch_failure,
    collect_fundamentals,
    collect_news,
    needs_names,
    wait,
)
from workflows.runtime.context import PhaseContext
from workflows.runtime.kind import Kind, optional

NAME_WAIT_SECONDS = 10
"""How long the search for news waits for the companies' names from their filings, where it can do without."""


async def retrieval(phase: RetrievalPhase, run: PhaseContext) -> RetrievalOutput:
    """Collect filings and news at once; if only one of them fails, the phase ends `partial`."""
    config = phase.config
    run.require_web_approval()
    filing = asyncio.create_task(
        catch_failure(collect_fundamentals(run) if "fundamentals" in config.gather else _skip())
    )
    await wait([filing], None if needs_names(run) else NAME_WAIT_SECONDS)
    filed = filing.result() if filing.done() else None
    named = filed if isinstance(filed, Fundamentals) else None
    search = collect_news(run, config.news_limit, named) if "news" in config.gather else _skip()
    figures, news = await asyncio.gather(filing, catch_failure(search))
    failures = [result for result in (figures, news) if isinstance(result, ActivityError)]
    if len(failures) == len(config.gather):
        raise failures[0]
    for failure in failures:
        run.warn(run.describe_failure(failure).message)
    articles, searches = (None, []) if isinstance(news, ActivityError) or not news else news
    return RetrievalOutput(
        fundamentals=None if isinstance(figures, ActivityError) else figures,
        news=articles,
        sources=list(run.state.sources),
        searches=searches,
        artifacts=list(run.state.artifacts),
    )


async def _skip() -> None:
    """Collect nothing."""


KIND = Kind(
    phase=RetrievalPhase,
    handler=retrieval,
    output=RetrievalOutput,
    title="Gather",
    description="Collects a listed company's filings and news; no model takes part.",
    category="execute",
    heeds_feedback=False,
    icon="download",
    needs=lambda _: optional("plan"),
    inputs=lambda _: CompanyInputs,
    web=lambda _: True,
    filings=lambda phase: "fundamentals" in phase.config.gather,
    cacheable=lambda _: True,
)
