"""Checks of cited sources when a report is validated: reachable, recent, independent, unchanged."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from temporalio.exceptions import ActivityError

from activities.web.web_activities import WebActivities
from contracts.errors import CallTimedOut, OutOfTime, WorkerLost
from contracts.evidence.sources import ProbeRequest, ProbeResult, Source
from contracts.notices import Notice, list_once
from contracts.phases.validation import CheckedSource
from contracts.runs.lost_inputs import LostInput
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_cause, describe_failure

FRESH = timedelta(hours=1)
"""A page that was read so recently is live, and has the quotes that were found in it."""
OWN_FAULTS = {WorkerLost.type(), CallTimedOut.type()}
"""Failures of the check itself, which say nothing about the page."""


async def check_sources(
    run: PhaseContext,
    max_age_days: int,
    cited: Mapping[int, Source],
    quotes: Mapping[int, Sequence[str]],
) -> list[CheckedSource]:
    """Check each cited source; pages not read within the last hour are fetched again, concurrently."""
    checks = (
        _check_source(run, max_age_days, n, source, quotes.get(n, ()))
        for n, source in cited.items()
    )
    return await asyncio.gather(*checks)


async def _check_source(
    run: PhaseContext, max_age_days: int, position: int, source: Source, quotes: Sequence[str]
) -> CheckedSource:
    now = datetime.fromisoformat(run.clock.now())
    if _is_fresh(source, now):
        reached: ProbeResult | None = ProbeResult(url=source.url, status=200, changed=False)
    else:
        reached = await _probe(run, f"source-{position}", source, quotes)
    age: int | None = None
    with suppress(ValueError):
        published = datetime.fromisoformat(source.published or "").date()
        age = (now.date() - published).days
    answered = reached is not None and reached.status < 400
    is_live = reached is not None and reached.is_live
    gone = reached.quotes_gone if reached else 0
    recent = age is not None and age <= max_age_days
    notes = [
        (not answered, Notice.of("source-away")),
        (reached and reached.leads_home, Notice.of("source-leads-home")),
        (gone, Notice.of("source-lost-quote")),
        (reached and reached.changed and not gone, Notice.of("source-changed")),
        (age is not None and not recent, Notice.of("source-old", n=max_age_days)),
    ]
    return CheckedSource(
        position=position,
        url=source.url,
        publisher=source.named_publisher,
        age_days=age,
        status=reached.status if reached else None,
        is_live=is_live,
        counts=is_live and recent,
        changed=reached.changed if reached else None,
        quotes_gone=gone,
        notes=[note for holds, note in notes if holds],
    )


def _is_fresh(source: Source, now: datetime) -> bool:
    """Return True if a page was read within the last hour, so that its stored text is current."""
    with suppress(ValueError, TypeError):  # a source that a start gave may say anything
        return abs(now - datetime.fromisoformat(source.retrieved_at)) < FRESH
    return False


async def _probe(
    run: PhaseContext, name: str, source: Source, quotes: Sequence[str]
) -> ProbeResult | None:
    """Fetch a page again and compare it; return None if its server does not answer."""
    request = ProbeRequest(
        scope=run.calls.scope(name),
        url=source.url,
        content_hash=source.content_hash,
        text_key=source.text_key,
        quotes=[*dict.fromkeys(quotes)],
    )
    probe = run.calls.execute_activity(
        name, WebActivities.probe, request, summary=f"still there: {source.url}"
    )
    try:
        async with run.timer.leave_a_reserve():
            return await probe
    except OutOfTime:
        probe.close()
        run.log.tell(Notice.of("page-unanswered", url=source.url))
    except ActivityError as error:
        run.log.tell(describe_failure(error).words)
        cause = describe_cause(error)
        if cause.reason in OWN_FAULTS:
            run.losses.record(LostInput(kind="check", name=source.url, causes=[cause]))
    return None


def list_notes(checked: Sequence[CheckedSource]) -> dict[int, list[Notice]]:
    """Return what checks say against sources, by the numbers of these."""
    return {source.position: source.notes for source in checked if source.notes}


def add_notes(sources: Sequence[Source], checked: Sequence[CheckedSource]) -> list[Source]:
    """Return sources with the notes of their checks, each note once."""
    found = list_notes(checked)
    return [
        source.model_copy(update={"notes": list_once([*source.notes, *found[number]])})
        if number in found
        else source
        for number, source in enumerate(sources, start=1)
    ]
