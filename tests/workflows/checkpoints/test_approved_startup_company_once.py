"""A run that has a startup, or may have one, keeps no other."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from contracts.definitions import PhaseOverride
from contracts.notices import Notice
from contracts.runs.request import RunRequest
from tests.workflows.support.phase_harness import parent_of
from tests.workflows.support.run_harness import Handle, Harness, harness
from tests.workflows.support.startup_company_runs import PLAIN, approved, ended, keepers, startup
from workflows.phases.clarification import NO_ONE


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, keepers()) as made:
        yield made


async def test_only_startup_is_not_taken_for_the_runs_own(runs: Harness) -> None:
    runs.fakes.startups = [startup("Sea")]
    handle = await approved(runs)
    assert (await runs.state(handle)).startup is None
    assert not runs.fakes.saved


async def test_requested_startup_is_not_saved_again(runs: Harness) -> None:
    runs.fakes.startups = [startup("Sea"), startup("Sun")]
    handle = await runs.start(definition_id="plain", startup_id="sea")
    shown = await runs.asked(handle, "checkpoint")
    asks = [
        Notice.of("ask-after_planning", "info"),
        Notice.of("ask-about-startup", "info", name="Sea"),
    ]
    assert shown.pending[0].asks == asks
    await runs.decide(handle, "approve")
    assert await ended(handle) == "completed"
    assert (await runs.state(handle)).startup == startup("Sea")
    assert not runs.fakes.saved


async def test_run_that_is_about_no_startup_is_asked_about_none(runs: Harness) -> None:
    runs.fakes.startups = [startup("Sea")]
    handle = await runs.start(definition_id="silent", startup_id="none")
    asked = await runs.asked(handle, "clarification")
    assert [question.id for question in asked.pending[0].questions] == ["q1", "q2"]
    await handle.terminate()


@pytest.mark.parametrize(
    ("said", "keep", "kept"),
    [
        ("Sea", None, 0),
        (NO_ONE, True, 1),
        *(
            pytest.param(*case, marks=pytest.mark.full)
            for case in [(None, None, 0), (NO_ONE, False, 0), (None, True, 1)]
        ),
    ],
)
async def test_startup_is_saved_beside_others_if_a_human_says_so(
    runs: Harness, said: str | None, keep: bool | None, kept: int
) -> None:
    runs.fakes.startups = [startup("Sea"), startup("Sun")]
    handle = await runs.start(definition_id="idea")
    await runs.answer(handle, startup=said)
    await runs.decide(handle, "approve", keep_startup=keep)
    await ended(handle)
    assert len(runs.fakes.saved) == kept


async def test_nothing_is_saved_if_no_human_chose_a_startup(runs: Harness) -> None:
    runs.fakes.startups = [startup("Sea"), startup("Sun")]
    await approved(runs)
    assert not runs.fakes.saved


async def test_nothing_is_saved_without_a_recall(runs: Harness) -> None:
    overrides = {"recall": PhaseOverride(enabled=False)}
    handle = await runs.start(definition_id="plain", config_overrides=overrides)
    await runs.decide(handle, "approve")
    await ended(handle)
    assert not runs.fakes.saved


async def decide_second(runs: Harness, handle: Handle, action: str, **more: Any) -> None:
    state = await runs.asked(handle, "second")
    body = {"action": action, "plan_hash": state.plan_hash, "checkpoint_id": "second-1", **more}
    await runs.update(handle, "decide", body)


async def test_second_approval_of_a_plan_saves_nothing(runs: Harness) -> None:
    handle = await runs.start(definition_id="twice")
    await runs.decide(handle, "approve", keep_startup=True)
    await decide_second(runs, handle, "approve")
    assert await ended(handle) == "completed"
    assert len(runs.fakes.saved) == 1


@pytest.mark.full
async def test_another_plan_of_the_run_updates_the_startup(runs: Harness) -> None:
    handle = await runs.start(definition_id="twice")
    await runs.decide(handle, "approve", keep_startup=True)
    await runs.asked(handle, "second")
    runs.fakes.answers["PlanDraft"] = {**runs.fakes.answers["PlanDraft"], "title": "Sea pumps"}
    await decide_second(runs, handle, "revise", feedback="at sea")
    await runs.until(handle, lambda s: s.phases[2].attempt == 2 and s.pending)
    await runs.decide(handle, "approve")
    shown = await runs.asked(handle, "second")
    assert [s.name for s in runs.fakes.startups] == ["Sea pumps"]
    assert shown.startup == runs.fakes.startups[0]
    first, second = runs.fakes.saved
    assert first.id == second.id
    await handle.terminate()


async def test_fork_knows_the_startup_of_its_parent(runs: Harness) -> None:
    handle = await approved(runs, save_startup=True)
    phases = {p.id: p for batch in runs.fakes.batches for p in batch.phases}
    outputs = {name: p.output for name, p in phases.items() if p.output}
    asked = RunRequest(query="Where to sell pumps?", from_run=handle.id)
    runs.fakes.parents[handle.id] = parent_of(asked, PLAIN, outputs, [])
    fork = await approved(runs, from_run=handle.id, redo=["planning"])
    [kept] = runs.fakes.saved
    assert (await runs.state(fork)).startup == kept
