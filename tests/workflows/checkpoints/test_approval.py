"""Nothing reaches the web before a human's decision names the current plan."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from temporalio.client import Client

from contracts.base import Json
from contracts.definitions import Definition, PhaseOverride
from contracts.errors import InvalidInput
from contracts.human.checkpoints import Decision
from contracts.preset_definitions import PRESETS
from contracts.runs.request import RunRequest
from contracts.runs.start import ParentRun
from tests.support.words import pattern
from tests.workflows.support.fake_activities import TERMS
from tests.workflows.support.phase_harness import parent_of
from tests.workflows.support.run_harness import Harness, harness
from workflows.start.resolution import open_run, resolve

DEEP = PRESETS["deep_research"]


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


BY_TIMEOUT: Json = {"wait_seconds": 0.2, "default_on_timeout": "approve"}
TWO_PLANS = Definition.model_validate(
    {
        "id": "two_plans",
        "phases": [
            {"kind": "planning", "id": "sketch"},
            {"kind": "hitl_checkpoint", "id": "checkpoint"},
            {"kind": "planning"},
            {"kind": "hitl_checkpoint", "id": "late", "config": BY_TIMEOUT},
            {"kind": "research"},
        ],
    }
)


async def test_a_timeout_that_approves_unlocks_nothing(runs: Harness) -> None:
    runs.fakes.definitions["two_plans"] = TWO_PLANS
    handle = await runs.start(definition_id="two_plans")
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "failed"
    state = await runs.state(handle)
    assert [decision.default for decision in state.decisions] == [False, True]
    assert state.phases[4].error
    assert state.phases[4].error.type == "approval-required"
    assert state.stage == "execute"
    assert not runs.fakes.searches


def test_a_deadline_cannot_be_the_only_approval_ahead_of_the_web() -> None:
    with pytest.raises(InvalidInput) as refused:
        resolve(
            RunRequest(
                query="?", config_overrides={"checkpoint": PhaseOverride(config=BY_TIMEOUT)}
            ),
            DEEP,
            None,
        )
    assert [p.path for p in refused.value.problems] == ["phases[3].config.default_on_timeout"]
    assert [each.code for each in refused.value.problems] == ["timeout-unlocks-nothing"]


async def test_a_timeout_rejects_by_default(runs: Harness) -> None:
    overrides = {"checkpoint": PhaseOverride(config={"wait_seconds": 0.2})}
    handle = await runs.start(config_overrides=overrides)
    await runs.answer(handle)
    assert (await handle.result()).status == "rejected"
    assert not runs.fakes.searches


@pytest.mark.parametrize(
    "request_",
    [
        RunRequest(query="?", config_overrides={"checkpoint": PhaseOverride(enabled=False)}),
        RunRequest(
            query="?",
            config_overrides={"checkpoint": PhaseOverride(config={"require_approval": False})},
        ),
        RunRequest(query="?", only=["planning", "research", "synthesis"]),
    ],
    ids=["disabled", "not required", "left out"],
)
def test_a_start_that_takes_the_approval_away_is_refused(request_: RunRequest) -> None:
    with pytest.raises(InvalidInput) as refused:
        resolve(request_, DEEP, None)
    reach_the_web = ["phases[4]", "phases[6]"] if request_.only is None else ["phases[4]"]
    assert [p.path for p in refused.value.problems] == reach_the_web


async def finished(runs: Harness) -> ParentRun:
    """Return a completed run as a parent."""
    handle = await runs.start()
    await runs.complete(handle)
    phases = {p.id: p for batch in runs.fakes.batches for p in batch.phases}
    outputs = {name: p.output for name, p in phases.items() if p.output}
    state = await runs.state(handle)
    runs.fakes.searches.clear()
    asked = RunRequest(query=state.query, from_run=handle.id)
    parent = parent_of(asked, DEEP, outputs, state.decisions)
    runs.fakes.parents[handle.id] = parent
    return parent


async def test_a_fork_keeps_the_approval_of_the_same_plan(runs: Harness) -> None:
    parent = await finished(runs)
    handle = await runs.start(from_run=parent.run_id, redo=["research"])
    assert (await handle.result()).status == "completed"
    assert runs.fakes.searches == ["pumps"]


@pytest.mark.full
async def test_a_fork_of_a_fork_keeps_it_too(runs: Harness) -> None:
    parent = await finished(runs)
    again = RunRequest(query=parent.query, from_run=parent.run_id, redo=["research"])
    child = open_run(again, DEEP, parent, TERMS)
    assert [d.reused_from for d in child.decisions] == [parent.run_id]
    forked = parent.model_copy(update={"run_id": "fork", "decisions": child.decisions})
    assert open_run(again, DEEP, forked, TERMS).decisions == child.decisions


async def test_a_fork_that_plans_again_asks_again(runs: Harness) -> None:
    parent = await finished(runs)
    handle = await runs.start(from_run=parent.run_id, redo=["planning"])
    await runs.asked(handle, "checkpoint")
    assert not runs.fakes.searches
    await runs.decide(handle, "reject")


async def test_a_fork_of_a_defaulted_approval_is_locked(runs: Harness) -> None:
    parent = await finished(runs)
    defaulted = [Decision(**{**dict(parent.decisions[0]), "default": True})]
    with pytest.raises(InvalidInput, match=pattern("web-needs-approval")):
        resolve(
            RunRequest(query=parent.query, from_run=parent.run_id, redo=["research"]),
            DEEP,
            parent.model_copy(update={"decisions": defaulted}),
        )


async def test_a_given_plan_is_not_an_approved_one(runs: Harness) -> None:
    parent = await finished(runs)
    given = {name: parent.seeds[name].output for name in ("planning", "checkpoint")}
    with pytest.raises(InvalidInput, match=pattern("web-needs-approval")):
        resolve(RunRequest(query="?", given=given, only=["research"]), DEEP, None)


async def test_what_is_given_may_leave_out_what_has_a_default(runs: Harness) -> None:
    report: Json = {"report": {"title": "Known", "sections": []}}
    handle = await runs.start(given={"synthesis": report}, only=["planning"])
    assert (await asyncio.wait_for(handle.result(), 10)).report_title == "Known"
    assert (await runs.state(handle)).results.report
