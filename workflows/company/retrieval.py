"""`retrieval`: a listed company's filings and news, collected by code."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from contracts.company.figures import Fundamentals
from contracts.company.inputs import CompanyInputs
from contracts.errors import InputLost, OutOfTime
from contracts.notices import Notice
from contracts.phases.research import RetrievalInput, RetrievalOutput, RetrievalPhase
from contracts.runs.lost_inputs import LostInput
from workflows.company.evidence import (
    LOST,
    build_additions,
    catch_failure,
    collect_fundamentals,
    collect_news,
    count_companies,
    list_companies,
    list_nameless,
    record_failure,
    wait,
)
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import Searches
from workflows.phase_context.kind import Kind

T = TypeVar("T")
NAME_WAIT_SECONDS = 10
"""How long the news search waits for company names from filings, if it can do without."""


async def retrieval(phase: RetrievalPhase, _: RetrievalInput, run: PhaseContext) -> RetrievalOutput:
    """Collect filings and news at once; if only one of them fails, the phase ends `partial`."""
    config = phase.config
    filing = asyncio.create_task(
        catch_failure(_gather(run, "fundamentals", collect_fundamentals(run)))
        if "fundamentals" in config.gather
        else _skip()
    )
    is_nameless = list_nameless(list_companies(run, None))
    await wait([filing], None if is_nameless else NAME_WAIT_SECONDS)
    filed = filing.result() if filing.done() else None
    named = filed if isinstance(filed, Fundamentals) else None
    search = (
        _gather(run, "news", collect_news(run, config.news_limit, named))
        if "news" in config.gather
        else _skip()
    )
    figures, news = await asyncio.gather(filing, catch_failure(search))
    outcomes = {"fundamentals": figures, "news": news}
    failures = {n: each for n, each in outcomes.items() if isinstance(each, LOST)}
    if len(failures) == len(config.gather):
        raise next(iter(failures.values()))
    for name, failure in failures.items():
        record_failure(run, name, failure)
    found = None if isinstance(figures, LOST) else figures
    return RetrievalOutput(
        fundamentals=found,
        news=None if isinstance(news, LOST) else news,
        sources=list(run.state.sources),
        searches=run.me.progress.searches,
        artifacts=list(run.state.artifacts),
        additions=build_additions(found, run.today, run.language) if found else None,
    )


async def _gather(run: PhaseContext, name: str, work: Coroutine[Any, Any, T]) -> T:
    """Await one of several gathering tasks; if it hangs, only its own result is lost.

    Raises:
        InputLost: Most of the phase's time is used up.
    """
    try:
        async with run.timer.leave_a_reserve():
            return await work
    except OutOfTime as late:
        work.close()
        given_up = Notice.of("gathering-late", name=name)
        told = {"kind": "value", "name": f"{run.me.id}.{name}", "value": name, "told": given_up}
        lost = LostInput.model_validate({**told, "causes": [late.loss_cause]})
        raise InputLost(given_up, lost) from None


async def _skip() -> Any:
    """Do nothing, in the place of a source that the phase was not asked to gather."""


KIND = Kind(
    handler=retrieval,
    category="execute",
    heeds_feedback=False,
    gathers=True,
    icon="download",
    inputs=lambda _: CompanyInputs,
    subjects=count_companies,
    web=lambda _: True,
    filings=lambda phase: "fundamentals" in phase.config.gather,
    searches=lambda phase: (
        Searches(once=1, subject=1) if "news" in phase.config.gather else Searches()
    ),
    cacheable=lambda _: True,
)
