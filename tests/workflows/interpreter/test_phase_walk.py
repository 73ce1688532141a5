"""How the interpreter walks: branches, failures, time, pauses, endings."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError

from contracts.base import Json
from contracts.definitions import Definition, PhaseOverride
from contracts.notices import Notice
from contracts.phases.clarification import ClarificationPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.runs.events import Status
from contracts.runs.records import EarlyEnd
from tests.support.words import en, opening, phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Harness, harness
from workflows.agents.agent import WRITE_NOW

BRANCHES = Definition(
    id="branches",
    phases=[
        PlanningPhase(after=[]),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(),
        SynthesisPhase(),
        ClarificationPhase(after=[]),
    ],
)


@pytest.fixture
async def runs(local_temporal: Client) -> AsyncIterator[Harness]:
    async with harness(local_temporal, Fakes(BRANCHES)) as made:
        yield made


@pytest.fixture
async def served(temporal: Client) -> AsyncIterator[Harness]:
    """A harness of runs on the server, for what it does before a run is opened and after it has ended."""
    async with harness(temporal, Fakes(BRANCHES)) as made:
        yield made


def fail(name: str, error: ApplicationError) -> Any:
    """Return a hook that raises for the calls of one phase."""

    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.phase_id == name:
            raise error

    return before


FINAL = ApplicationError("no", type="model-rejected", non_retryable=True)


async def test_a_branch_that_waits_does_not_hold_the_other_up(runs: Harness) -> None:
    handle = await runs.start(definition_id="branches")
    await runs.decide(handle, "approve")
    state = await runs.until(handle, lambda s: s.phases[3].status == "completed")
    assert state.phases[4].status == "waiting"
    assert state.status == "waiting"
    await runs.answer(handle)
    assert (await handle.result()).status == "completed"


async def test_a_failed_branch_leaves_the_other_alone(runs: Harness) -> None:
    runs.fakes.before = fail("research", FINAL)
    handle = await runs.start(definition_id="branches")
    await runs.decide(handle, "approve")
    await runs.answer(handle)
    assert (await handle.result()).status == "failed"
    state = await runs.state(handle)
    assert {p.id: p.status for p in state.phases} == {
        "planning": "completed",
        "checkpoint": "completed",
        "research": "failed",
        "synthesis": "skipped",
        "clarification": "completed",
    }
    error = state.phases[2].error
    assert error
    assert (error.type, error.message) == ("model-rejected", "no")


async def test_a_failure_is_told_as_a_status_and_then_as_an_error(runs: Harness) -> None:
    runs.fakes.before = fail("research", FINAL)
    handle = await runs.start(definition_id="branches")
    await runs.decide(handle, "approve")
    await runs.answer(handle)
    await handle.result()
    told = [e for e in runs.fakes.events if e.phase_id == "research"]
    assert [e.type for e in told[-3:]] == ["Status", "error", "step_complete"]
    reason = Notice.of("text", text="no")
    failed = Notice.of(
        "phase-failed", "error", n=1, phase=Notice.of("kind-research"), reason=reason
    )
    assert Status.model_validate(told[-3].payload) == Status.of(failed)
    assert told[-2].payload == {"type": "model-rejected", "message": "no"}


async def test_who_needs_a_failed_output_is_skipped_and_says_why(runs: Harness) -> None:
    runs.fakes.before = fail("planning", FINAL)
    handle = await runs.start()
    await runs.answer(handle)
    assert (await handle.result()).status == "failed"
    state = await runs.state(handle)
    assert [p.status for p in state.phases[2:]] == ["failed", *["skipped"] * 5]
    assert opening("need-missing", "need", need="'plan'") in state.phases[3].warnings[0]
    left = ("hitl_checkpoint", "research", "synthesis", "validation", "summary")
    names = [en(f"kind-{kind}") for kind in left]
    why = en("phase-blocked", n=5, phase=names, without=en("kind-planning"))
    assert state.warnings[-1] == why, "who was to decide is no exception"
    assert not state.decisions


async def test_a_phase_that_runs_out_of_time_fails_alone(runs: Harness) -> None:
    """Who could use what it was to give ends `partial`, and says so."""

    async def hang() -> None:
        await asyncio.sleep(30)

    runs.fakes.before = lambda kind, request: (
        hang() if kind == "model" and request.scope.phase_id == "clarification" else None
    )
    overrides = {"clarification": PhaseOverride(timeout_seconds=0.3)}
    handle = await runs.start(config_overrides=overrides)
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "failed"
    state = await runs.state(handle)
    assert state.phases[1].error
    assert state.phases[1].error.type == "phase-timeout"
    assert state.phases[2].status == "partial"
    assert f"{phrase('lost-value')} clarification.brief" in state.phases[2].warnings[0]
    [lost] = state.phases[2].lost_inputs
    assert (lost.phase_id, lost.name) == ("clarification", "clarification.brief")


async def test_waiting_and_pauses_use_no_time(runs: Harness) -> None:
    overrides = {name: PhaseOverride(timeout_seconds=1) for name in ("clarification", "planning")}
    handle = await runs.start(config_overrides=overrides)
    await runs.asked(handle, "clarification")
    await asyncio.sleep(1.2)
    await runs.update(handle, "set_paused", {"paused": True})
    await runs.answer(handle)
    await asyncio.sleep(1.2)
    state = await runs.state(handle)
    assert (state.status, state.phases[2].status) == ("paused", "running")
    await runs.update(handle, "set_paused", {"paused": False})
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"


async def test_an_attempt_more_is_a_new_one(runs: Harness) -> None:
    failed: list[str] = []

    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.phase_id == "planning" and not failed:
            failed.append("once")
            raise ApplicationError("bad answer", type="output-invalid", non_retryable=True)

    runs.fakes.before = before
    definition = BRANCHES.model_copy(
        update={"id": "retried", "phases": [PlanningPhase(max_retries=1)]}
    )
    runs.fakes.definitions["retried"] = definition
    handle = await runs.start(definition_id="retried")
    assert (await handle.result()).status == "completed"
    assert [r.scope.attempt for r in runs.fakes.requests] == [2, 2]


@pytest.mark.parametrize("steps", [1, 2], ids=["one agent", "two agents"])
async def test_further_attempt_makes_no_finished_call_again(runs: Harness, steps: int) -> None:
    """An agent's second turn fails, or that of both: they continue with the pages that they have read."""
    failed: set[str] = set()

    def before(kind: str, request: Any) -> None:
        name = request.scope.name if kind == "model" else ""
        if name.endswith("turn-2") and name not in failed:
            failed.add(name)
            raise ApplicationError("busy", type="model-busy", non_retryable=True)

    runs.fakes.before = before
    plan: Json = runs.fakes.answers["PlanDraft"]
    named = [{"name": name, "independent": True} for name in ("Kenya", "Ghana")[:steps]]
    runs.fakes.answers = {**runs.fakes.answers, "PlanDraft": {**plan, "steps": named}}
    runs.fakes.definitions["retried"] = Definition(
        id="retried",
        phases=[
            PlanningPhase(),
            HitlCheckpointPhase(id="checkpoint"),
            ResearchPhase(max_retries=1),
        ],
    )
    handle = await runs.start(definition_id="retried")
    await runs.decide(handle, "approve")
    assert (await handle.result()).status == "completed"
    assert len(failed) == steps
    assert len(runs.fakes.calls) == len(set(runs.fakes.calls))
    assert len(runs.fakes.searches) == len(set(runs.fakes.searches))
    assert len(runs.fakes.fetches) == steps
    research = (await runs.state(handle)).phases[-1]
    assert (research.attempt, research.lost_inputs) == (2, [])
    turns = {r.scope.name: r.scope.attempt for r in runs.fakes.requests if "turn" in r.scope.name}
    assert {attempt for name, attempt in turns.items() if name.endswith("turn-1")} == {1}


@pytest.mark.parametrize("mode", ["now", "after_phase"])
async def test_cancel_stops_what_runs_or_lets_it_end(runs: Harness, mode: str) -> None:
    release = asyncio.Event()
    runs.fakes.before = lambda kind, _: release.wait() if kind == "search" else None
    handle = await runs.start()
    await runs.answer(handle)
    await runs.decide(handle, "approve")
    await runs.until(
        handle, lambda s: len(runs.fakes.calls) == 3 and s.phases[4].status == "running"
    )
    await runs.update(handle, "cancel", {"mode": mode})
    release.set()
    assert (await handle.result()).status == "cancelled"
    state = await runs.state(handle)
    ended = {"now": "skipped", "after_phase": "completed"}
    assert state.phases[4].status == ended[mode]
    assert state.phases[5].status == "skipped"
    types = [event.type for event in runs.fakes.events]
    assert types[-2:] == ["WorkflowCancelledEvent", "workflow_complete"]


async def test_temporal_cancel_is_a_cancel_now(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    await handle.cancel()
    with pytest.raises(WorkflowFailureError) as ended:
        await handle.result()
    assert isinstance(ended.value.cause, CancelledError)
    assert (await runs.state(handle)).status == "cancelled"
    assert runs.fakes.events[-1].type == "workflow_complete"


async def test_cancelled_run_ends_although_its_recorder_has_failed_for_good(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")

    def refuse(kind: str, _: Any) -> None:
        if kind == "record":
            raise ApplicationError("no", type="record-refused", non_retryable=True)

    runs.fakes.before = refuse
    await handle.cancel()
    with pytest.raises(WorkflowFailureError) as ended:
        await asyncio.wait_for(handle.result(), 10)
    assert "record-refused" in repr(ended.value.cause.__cause__)


async def test_run_warns_of_a_batch_that_was_set_aside(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    runs.fakes.rejected = "too large"
    await runs.complete(handle)
    assert "too large" in (await runs.state(handle)).warnings[0]


async def test_temporal_cancel_is_heeded_while_the_run_is_opened(served: Harness) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    def before(kind: str, _: Any) -> Any:
        if kind == "open":
            asked.set()
            return answered.wait()
        return None

    served.fakes.before = before
    handle = await served.start()
    await asked.wait()
    await handle.cancel()
    await served.quiet(handle)
    answered.set()
    with pytest.raises(WorkflowFailureError) as ended:
        await asyncio.wait_for(handle.result(), 20)
    assert isinstance(ended.value.cause, CancelledError)
    assert served.fakes.events[-1].payload["status"] == "cancelled"


async def test_steering_reaches_the_next_call(runs: Harness) -> None:
    handle = await runs.start()
    await runs.update(handle, "steer", {"text": "mind the prices"})
    await runs.complete(handle)
    agent = [r for r in runs.fakes.requests if r.role == "researcher"]
    heard = [i.text for m in agent[-1].messages for b in m.content for i in b.inputs]
    assert heard.count("mind the prices") == 1


async def test_a_message_after_the_end_is_refused(served: Harness) -> None:
    handle = await served.start()
    await served.update(handle, "cancel", {})
    await handle.result()
    with pytest.raises(Exception, match="already completed"):
        await served.update(handle, "steer", {"text": "more"})


@pytest.mark.parametrize(
    "reason", ["budget-exceeded", pytest.param("model-truncated", marks=pytest.mark.full)]
)
async def test_what_ends_an_agent_early_keeps_what_it_read(runs: Harness, reason: str) -> None:
    def before(kind: str, request: Any) -> None:
        if kind == "model" and f"{request.role} {request.scope.name}".startswith(
            "researcher turn-2"
        ):
            raise ApplicationError("cap", type=reason, non_retryable=True)

    runs.fakes.before = before
    handle = await runs.start()
    budget = "finish" if reason == "budget-exceeded" else ""
    assert (await runs.complete(handle, budget)).status == "partial"
    state = await runs.state(handle)
    assert [p.status for p in state.phases[4:]] == ["partial"] * 4
    assert all(
        f"{phrase('lost-value')} research.findings" in p.warnings[0] for p in state.phases[5:]
    )
    assert state.results.sources == 1


async def test_agent_writes_down_what_it_read_in_a_turn_that_was_kept_for_it(
    runs: Harness,
) -> None:
    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.kept_turns and request.scope.name == "turn-3":
            raise ApplicationError("cap", type="budget-exceeded", non_retryable=True)

    runs.fakes.before = before
    handle = await runs.start()
    assert (await runs.complete(handle, "finish")).status == "partial"
    last = [r for r in runs.fakes.requests if r.role == "researcher"][-1]
    assert (last.scope.name, last.kept_turns, last.fits_budget) == ("turn-3-last", 0, True)
    told = json.loads(last.messages[-1].content[-1].inputs[0].text)
    assert told == {"turns_left": 1, "note": WRITE_NOW}
    research = next(p for p in (await runs.state(handle)).phases if p.id == "research")
    assert research.early_end == EarlyEnd(reason="budget", pages_read=1)
    assert "Pumps sell." in await handle.query("report")


async def test_an_agent_that_has_read_nothing_fails_with_its_reason(runs: Harness) -> None:
    runs.fakes.before = fail("research", FINAL)
    handle = await runs.start()
    assert (await runs.complete(handle)).status == "failed"
    state = await runs.state(handle)
    assert [p.status for p in state.phases[4:]] == ["failed", *["skipped"] * 3]


@pytest.mark.parametrize("living", [True, False])
async def test_the_last_turn_may_write_and_declares_the_tools(runs: Harness, living: bool) -> None:
    overrides = {"research": PhaseOverride(config={"max_turns": 2, "living": living})}
    handle = await runs.start(config_overrides=overrides)
    await runs.complete(handle)
    turns = [r for r in runs.fakes.requests if r.role == "researcher"]
    assert [(bool(r.tools), r.may_call) for r in turns] == [(True, True), (True, living)]
    assert runs.fakes.searches == ["pumps"]
    left = [json.loads(r.messages[-1].content[-1].inputs[0].text) for r in turns]
    assert [(told["turns_left"], told["pages_left"]) for told in left] == [(2, 20), (1, 19)]
    assert 0 < left[1]["usd_left"] <= left[0]["usd_left"] < 1
    assert "Pumps sell." in await handle.query("report")


@pytest.mark.full
async def test_nothing_is_fetched_in_the_last_turn(runs: Harness) -> None:
    overrides = {"research": PhaseOverride(config={"max_turns": 1})}
    handle = await runs.start(config_overrides=overrides)
    assert (await runs.complete(handle)).status == "partial"
    assert not runs.fakes.fetches


async def test_a_tool_outside_the_role_is_answered_and_not_done(runs: Harness) -> None:
    runs.fakes._tool_calls = lambda request: []  # type: ignore[method-assign]
    handle = await runs.start()
    assert (await runs.complete(handle)).status == "partial"
    assert not runs.fakes.fetches
    planner = next(r for r in runs.fakes.requests if r.role == "planner")
    assert planner.tools == []
