"""What may come between a phase and what it would take over."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.definitions import Definition
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.typed_answers import AnalysisPhase
from contracts.runs.state_view import StateView
from tests.support.words import en
from tests.workflows.support.listed_company import INPUTS
from tests.workflows.support.memory_step_cache import Remembering
from tests.workflows.support.phase_harness import DONE
from tests.workflows.support.run_harness import Handle, Harness, harness

FED = Definition(id="fed", phases=[PlanningPhase(), AnalysisPhase()])
SHOWN = Definition(id="shown", phases=[*FED.phases, HitlCheckpointPhase(id="checkpoint")])


@pytest.fixture
async def runs(local_temporal: Client) -> AsyncIterator[Harness]:
    async with harness(local_temporal, Remembering(FED, SHOWN, hours=24)) as made:
        yield made


async def start(runs: Harness, definition: str = "fed") -> Handle:
    return await runs.start(definition_id=definition, given={"planning": DONE["planning"]})


async def ended(runs: Harness, handle: Handle) -> str | None:
    """See a run complete, and return the run that its analysis was taken over from."""
    assert (await handle.result()).status == "completed"
    return (await runs.state(handle)).phases[1].reused_from


async def test_a_run_is_spared_what_another_has_done(runs: Harness) -> None:
    first = await start(runs)
    assert await ended(runs, first) is None
    assert await ended(runs, await start(runs)) == first.id
    assert len(runs.fakes.requests) == 1


async def test_whoever_cannot_look_does_it_and_says_so(runs: Harness) -> None:
    await ended(runs, await start(runs))

    def broken(kind: str, _: Any) -> None:
        if kind == "find":
            raise ApplicationError("no such table", type="broken", non_retryable=True)

    runs.fakes.before = broken
    assert await ended(runs, await start(runs)) is None
    assert len(runs.fakes.requests) == 2
    told = [e.payload["message"] for e in runs.fakes.events if e.type == "Status"]
    assert en("cache-unread", reason="no such table") in told


async def test_what_no_longer_has_the_kinds_form_is_left_alone(runs: Harness) -> None:
    await ended(runs, await start(runs))
    rows = [row for batch in runs.fakes.batches for row in batch.phases if row.cache_key]
    for row in rows:
        assert row.output
        row.output.pop("analysis")
    assert await ended(runs, await start(runs)) is None


async def test_what_a_human_sends_back_is_no_longer_the_other_runs(runs: Harness) -> None:
    first = await start(runs, "shown")
    await runs.decide(first, "approve")
    await ended(runs, first)
    again = await start(runs, "shown")
    state = await runs.asked(again, "checkpoint")
    assert state.phases[1].reused_from == first.id
    await runs.decide(again, "revise", feedback="cheaper")
    state = await runs.until(again, lambda s: s.pending and s.phases[1].attempt == 2)
    assert state.phases[1].reused_from is None
    await runs.decide(again, "approve")
    await ended(runs, again)


async def analysed(runs: Harness, **options: Any) -> StateView:
    handle = await runs.start(definition_id="investment_analysis", inputs=INPUTS, **options)
    await handle.result()
    return await runs.state(handle)


def made(runs: Harness) -> tuple[int, int, int]:
    return len(runs.fakes.requests), len(runs.fakes.searches), len(runs.fakes.fetches)


async def test_a_whole_analysis_is_taken_over_with_its_warnings(runs: Harness) -> None:
    first = await analysed(runs)
    assert first.status == "completed"
    before = made(runs)
    again = await analysed(runs)
    assert made(runs) == before
    assert {phase.reused_from for phase in again.phases} == {first.run_id}
    assert [p.warnings for p in again.phases] == [p.warnings for p in first.phases]
    assert any(phase.warnings for phase in again.phases)
    assert (again.results, again.status) == (first.results, "completed")


async def test_pages_of_two_runs_keep_their_numbers(runs: Harness) -> None:
    """Each branch was made where its page was the first; together they cannot both have it."""
    for branch in ("fundamental", "news"):
        await analysed(runs, only=[branch])
    before = len(runs.fakes.searches)
    both = await analysed(runs, only=["fundamental", "news"])
    taken = [phase.reused_from for phase in both.phases[1:3]]
    assert sorted(map(bool, taken)) == [False, True]
    [sources] = [b.sources for b in runs.fakes.batches if b.run_id == both.run_id and b.sources][
        -1:
    ]
    assert len({source.url for source in sources}) == 3
    assert len(runs.fakes.searches) - before <= 1


@pytest.mark.parametrize("while_", [pytest.param("it looks", marks=pytest.mark.full), "it works"])
async def test_who_is_steered_on_the_way_gives_its_own_and_to_nobody(
    runs: Harness, while_: str
) -> None:
    if while_ == "it looks":
        await ended(runs, await start(runs))
    under_way, go_on = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        under_way.set()
        await go_on.wait()

    held = {"it looks": "find", "it works": "model"}[while_]
    runs.fakes.before = lambda kind, _: hold() if kind == held else None
    steered = await start(runs)
    await under_way.wait()
    await runs.update(steered, "steer", {"text": "Mind the price."})
    go_on.set()
    assert await ended(runs, steered) is None
    if while_ == "it works":
        assert await ended(runs, await start(runs)) is None
    heard = runs.fakes.told("analyst", "steering")
    assert heard == {"it looks": ["", "Mind the price."], "it works": ["", ""]}[while_]
