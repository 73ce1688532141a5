"""The worker is killed after events of every kind: the same report, each finished call paid once."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial

import pytest

from contracts.runs.records import LoggedEvent
from tests.chaos.fragile_stack import FragileStack
from tests.support.offline_services import eventually
from tests.support.stack import Run, Undisturbed, Whole

Kind = tuple[str, object]
"""Type of an event, and the tool that it reports."""
Moment = tuple[Kind, str | None]
"""The first event of a kind in a phase."""

RUNS = 5


def moment_of(event: LoggedEvent) -> Moment:
    return (event.type, event.payload.get("tool_name")), event.phase_id


def moments_of(run: Undisturbed) -> list[Moment]:
    """Return a moment of each kind but the run's end, spread over phases, and one of each phase."""
    seen = [*dict.fromkeys(moment_of(e) for e in run.watched if e.type != "workflow_complete")]
    struck: Counter[str | None] = Counter()
    chosen = []
    for kind in dict.fromkeys(kind for kind, _ in seen):
        moment = min((m for m in seen if m[0] == kind), key=lambda m: struck[m[1]])
        struck[moment[1]] += 1
        chosen.append(moment)
    chosen += [next(m for m in seen if m[1] == phase) for _, phase in seen if not struck[phase]]
    return sorted(set(chosen), key=seen.index)


async def strike(stack: FragileStack, run: Run, moments: Sequence[Moment]) -> None:
    """Kill the worker at each of these moments, after it has recovered from the previous kill."""
    left = [*moments]
    async for event in run.stream():
        if moment_of(event) in left:
            await eventually(partial(stack.is_at_work, "worker"))
            left.remove(moment_of(event))
            stack.kill("worker")
    assert not left


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("nth", range(RUNS))
async def test_killed_after_events_of_each_kind(
    whole: Whole, undisturbed: Undisturbed, nth: int
) -> None:
    """A few kills a run, far from each other: a call survives five of them, not all."""
    run = await whole.start()
    human = asyncio.create_task(run.finish(280))
    await strike(whole.stack, run, moments_of(undisturbed)[nth::RUNS])
    await human
    assert await run.report() == undisturbed.report
    assert len(await whole.ledger(run)) == undisturbed.models
    await whole.paid_once(run, undisturbed)
    seqs = [event.seq for event in await run.events()]
    assert seqs == list(range(1, len(seqs) + 1))
