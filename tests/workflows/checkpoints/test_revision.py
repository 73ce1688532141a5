"""Order: a plan that is taken back takes back what rests on it; nothing overtakes another."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.recall import RecallPhase
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.runs.state_view import StateView
from tests.support.words import en
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, harness

TWO = Definition(
    id="two",
    phases=[
        PlanningPhase(after=[], max_retries=1),
        HitlCheckpointPhase(id="first"),
        ResearchPhase(),
        SynthesisPhase(),
        HitlCheckpointPhase(id="second", after=["planning"]),
    ],
)
AFTERWARDS = Definition(
    id="afterwards",
    phases=[
        PlanningPhase(),
        RecallPhase(enabled=False),
        HitlCheckpointPhase(id="first"),
        ResearchPhase(config={"max_sources": 1}),  # type: ignore[arg-type]
        HitlCheckpointPhase(id="second"),
    ],
)


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Fakes(TWO, AFTERWARDS)) as made:
        yield made


async def decide(runs: Harness, handle: Handle, where: str, action: str) -> None:
    state = await runs.until(
        handle, lambda s: where in {c.checkpoint_id for c in s.pending} and s.plan_hash
    )
    more = {"feedback": "cheaper"} if action == "revise" else {"plan_hash": state.plan_hash}
    await runs.update(handle, "decide", {"action": action, "checkpoint_id": where, **more})


def standing(state: StateView) -> dict[str, tuple[str, int]]:
    return {phase.id: (phase.status, phase.attempt) for phase in state.phases}


@pytest.mark.full
async def test_research_on_a_plan_that_is_revised_elsewhere_stops_and_waits(runs: Harness) -> None:
    searching, go_on = asyncio.Event(), asyncio.Event()

    def before(kind: str, _: Any) -> Any:
        if kind == "search":
            searching.set()
            return go_on.wait()
        return None

    runs.fakes.before = before
    handle = await runs.start(definition_id="two")
    await decide(runs, handle, "first-1", "approve")
    await searching.wait()
    await decide(runs, handle, "second-1", "revise")
    state = await runs.until(handle, lambda s: len(s.pending) == 2)
    assert standing(state) == {
        "planning": ("completed", 2),
        "first": ("waiting", 2),
        "research": ("pending", 2),
        "synthesis": ("pending", 1),
        "second": ("waiting", 2),
    }
    go_on.set()
    await decide(runs, handle, "first-2", "approve")
    await decide(runs, handle, "second-2", "approve")
    assert (await handle.result()).status == "completed"


async def test_an_older_plan_is_not_up_for_approval_while_another_is_made(runs: Harness) -> None:
    handle = await runs.start(definition_id="two")
    state = await runs.until(handle, lambda s: len(s.pending) == 2)
    planned = asyncio.Event()
    runs.fakes.before = lambda kind, _: planned.wait() if kind == "model" else None
    await decide(runs, handle, "second-1", "revise")
    late: Json = {"action": "approve", "checkpoint_id": "first-1", "plan_hash": state.plan_hash}
    with pytest.raises(Exception) as refused:
        await runs.update(handle, "decide", late)
    assert en("checkpoint-closed", checkpoint="first-1") in str(refused.value.__cause__)
    planned.set()
    await decide(runs, handle, "second-2", "approve")
    await decide(runs, handle, "first-2", "approve")
    assert (await handle.result()).status == "completed"


async def test_a_second_look_reads_anew_and_runs_nothing_that_was_left_out(runs: Harness) -> None:
    handle = await runs.start(definition_id="afterwards")
    await decide(runs, handle, "first-1", "approve")
    runs.fakes.turn_size = 2
    await decide(runs, handle, "second-1", "revise")
    await decide(runs, handle, "first-2", "approve")
    await decide(runs, handle, "second-2", "approve")
    await handle.result()
    state = await runs.state(handle)
    assert standing(state)["recall"] == ("skipped", 1)
    assert standing(state)["research"] == ("completed", 2)
    assert runs.fakes.fetches[-1] == "https://example.org/1"
    [*_, last] = [batch.sources for batch in runs.fakes.batches if batch.sources]
    assert [source.url[-1] for source in last] == ["0", "1"]


async def test_a_revised_phase_has_its_retries_again(runs: Harness) -> None:
    handle = await runs.start(definition_id="two")
    await runs.until(handle, lambda s: len(s.pending) == 2)
    failed: list[str] = []

    def before(kind: str, _: Any) -> None:
        if kind == "model" and not failed:
            failed.append("once")
            raise ApplicationError("bad answer", type="output-invalid", non_retryable=True)

    runs.fakes.before = before
    await decide(runs, handle, "second-1", "revise")
    state = await runs.until(handle, lambda s: len(s.pending) == 2)
    assert standing(state)["planning"] == ("completed", 3)


async def test_a_phase_that_is_left_out_lets_nobody_pass(runs: Harness) -> None:
    handle = await runs.start(definition_id="afterwards", until="first")
    await decide(runs, handle, "first-1", "approve")
    assert (await handle.result()).status == "partial"


@pytest.mark.full
async def test_what_is_being_stopped_is_not_started_by_another_branch_that_ends(
    runs: Harness,
) -> None:
    beside = PlanningPhase(id="beside", after=[])
    runs.fakes.definitions["two"] = TWO.model_copy(update={"phases": [beside, *TWO.phases]})
    searching, go_on, ends = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def before(kind: str, request: Any) -> Any:
        if kind == "search":
            searching.set()
            return go_on.wait()
        return ends.wait() if kind == "model" and request.scope.phase_id == "beside" else None

    runs.fakes.before = before
    handle = await runs.start(definition_id="two")
    await decide(runs, handle, "first-1", "approve")
    await searching.wait()
    await decide(runs, handle, "second-1", "revise")
    ends.set()
    await runs.until(handle, lambda s: s.phases[0].status == "completed")
    go_on.set()
    await decide(runs, handle, "first-2", "approve")
    await decide(runs, handle, "second-2", "approve")
    assert (await handle.result()).status == "completed"
    events = (await handle.fetch_history()).events
    assert not [e for e in events if e.HasField("workflow_task_failed_event_attributes")]


def list_changed(state: StateView) -> list[str]:
    return [change.path for change in state.pending[0].differences or []]


async def _revise(runs: Harness, **fields: Any) -> tuple[Handle, StateView]:
    """Return a run whose plan was sent back, and its state when the revised plan is shown."""
    handle = await runs.start(definition_id="afterwards")
    state = await runs.asked(handle, "first")
    assert state.pending[0].differences is None, "nothing was shown before"
    runs.fakes.answers["PlanDraft"] = {**runs.fakes.answers["PlanDraft"], **fields}
    await runs.update(handle, "decide", {"action": "revise", "feedback": "otherwise"})
    return handle, await runs.until(
        handle, lambda s: s.pending and s.pending[0].differences is not None
    )


@pytest.mark.parametrize(
    ("fields", "path", "line"),
    [
        ({"max_age_days": 90}, "max_age_days", "Age of sources in days:** none → 90"),
        (
            {"steps": [{"name": "Look", "description": "at prices"}]},
            "steps[0].description",
            "Step 1, description:** none → at prices",
        ),
    ],
)
async def test_a_planners_change_of_a_single_field_is_told_wherever_the_plan_is_shown(
    runs: Harness, fields: Json, path: str, line: str
) -> None:
    step = {"name": "Look", "agent_role": "researcher"}
    draft = {**runs.fakes.answers["PlanDraft"], "steps": [step], "max_age_days": None}
    runs.fakes.answers["PlanDraft"] = draft
    handle, state = await _revise(runs, **fields)
    assert list_changed(state) == [path, "estimated_cost"], "what the planner cost counts, too"
    told = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    assert line in told.current_details.replace("\\", "")
    await decide(runs, handle, "first-2", "approve")
    later = await runs.until(handle, lambda s: s.pending and s.pending[0].phase_id == "second")
    assert later.pending[0].differences is None, "it is approved"


async def test_a_revision_that_leaves_the_plan_as_it_is_changes_its_price_alone(
    runs: Harness,
) -> None:
    handle, state = await _revise(runs)
    assert list_changed(state) == ["estimated_cost"]
    await handle.terminate()
