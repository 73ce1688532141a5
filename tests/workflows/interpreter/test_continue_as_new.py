"""A run continues as new from any whole state, and nobody notices."""

import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import WorkflowExecutionStatus
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from contracts.base import Json
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, harness
from workflows.research import Research


@pytest.fixture(scope="module")
async def impatient() -> AsyncIterator[WorkflowEnvironment]:
    """A server that suggests continue-as-new after a few events."""
    program = Path(sysconfig.get_path("scripts")) / "temporal"
    started = await WorkflowEnvironment.start_local(
        dev_server_existing_path=str(program),
        dev_server_extra_args=[
            "--dynamic-config-value",
            "limit.historyCount.suggestContinueAsNew=20",
        ],
        dev_server_log_level="error",
    )
    async with started:
        yield started


@pytest.fixture
async def runs(impatient: WorkflowEnvironment) -> AsyncIterator[Harness]:
    fakes = Fakes()
    fakes.turn_size = 8
    async with harness(impatient.client, fakes) as made:
        yield made


async def test_a_run_continues_as_new_without_losing_or_repeating(runs: Harness) -> None:
    steps = [{"name": name, "independent": True} for name in ("Kenya", "Ghana")]
    plan: Json = runs.fakes.answers["PlanDraft"]
    runs.fakes.answers = {**runs.fakes.answers, "PlanDraft": {**plan, "steps": steps}}
    handle = await runs.start()
    asked = await runs.asked(handle, "clarification")
    result = await runs.complete(handle)
    assert result.status == "completed"
    first = runs.client.get_workflow_handle(handle.id, run_id=handle.first_execution_run_id)
    assert (await first.describe()).status == WorkflowExecutionStatus.CONTINUED_AS_NEW
    assert len(runs.fakes.calls) == len(set(runs.fakes.calls)) == 12
    assert len(set(runs.fakes.fetches)) == 8
    state = await runs.client.get_workflow_handle(handle.id).query("state")
    assert sum(phase["usage"]["calls"] for phase in state["phases"]) == 12
    ends = [e for e in runs.fakes.events if e.type == "StopEvent"]
    assert sorted(str(e.plan_step) for e in ends) == ["Ghana", "Kenya", "None"]
    keys = [event.key for event in runs.fakes.events]
    assert keys == [f"w-{n + 1}" for n in range(len(keys))]
    assert [e.type for e in runs.fakes.events].count("InputRequiredEvent") == 2
    assert state["started_at"] == asked.started_at
    assert [s["url"][-1] for s in (await sources(runs))] == list("01234567")
    report = await runs.client.get_workflow_handle(handle.id).query("report")
    assert [report.count(f"{text} [") for text in ("Pumps sell.", "And more.")] == [1, 1]


@pytest.mark.full
async def test_a_run_that_waits_at_its_cap_continues_as_new_and_asks_once(runs: Harness) -> None:
    refused: list[float] = []

    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.plan_step == "Kenya" and request.cap_usd < 2:
            refused.append(request.cap_usd)
            raise ApplicationError("cap", type="budget-exceeded", non_retryable=True)

    steps = [{"name": name, "independent": True} for name in ("Kenya", "Ghana")]
    plan: Json = runs.fakes.answers["PlanDraft"]
    runs.fakes.answers = {**runs.fakes.answers, "PlanDraft": {**plan, "steps": steps}}
    runs.fakes.before = before
    handle = await runs.start()
    await runs.answer(handle)
    await runs.decide(handle, "approve")
    again = runs.client.get_workflow_handle_for(Research.run, handle.id)
    await runs.until(again, lambda _: len(refused) > 1)  # while Ghana is read
    await runs.decide_on_budget(again, "raise", cap_usd=2)
    assert (await again.result()).status == "completed"
    state = await runs.state(again)
    assert [d.cap_usd for d in state.decisions] == [None, 2]
    asked = [e.payload["kind"] for e in runs.fakes.events if e.type == "InputRequiredEvent"]
    assert asked == ["questions", "decision", "decision"]


@pytest.mark.full
async def test_a_startup_is_kept_once_however_often_a_run_continues(runs: Harness) -> None:
    handle = await runs.start(save_startup=True)
    await runs.answer(handle)
    await runs.decide(handle, "approve", keep_startup=True)
    assert (await handle.result()).status == "completed"
    [kept] = runs.fakes.saved
    state = await runs.client.get_workflow_handle(handle.id).query("state")
    assert state["startup"]["id"] == kept.id
    said = [e.payload["message"] for e in runs.fakes.events if e.type == "Status"]
    assert sum("saved as startup" in str(message) for message in said) == 1


async def sources(runs: Harness) -> list[dict[str, str]]:
    told = [batch.sources for batch in runs.fakes.batches if batch.sources]
    return [source.model_dump() for source in told[-1]]


async def test_a_deadline_outlives_continue_as_new(runs: Harness) -> None:
    handle = await runs.start()
    before = (await runs.asked(handle, "clarification")).pending[0].deadline
    for _ in range(15):
        await handle.signal("steer", {"text": "mind the price"})
    latest = runs.client.get_workflow_handle(handle.id)
    state = await latest.query("state")
    assert state["pending"][0]["deadline"] == before
    await latest.signal("cancel", {})
    assert (await latest.result())["status"] == "cancelled"


@pytest.mark.full
async def test_steps_go_on_where_they_were_and_no_decision_is_carried_out_twice(
    runs: Harness,
) -> None:
    runs.fakes.turn_size = 2
    handle = await runs.start(definition_id="deep_research_full_hitl")
    await runs.decide(handle, "approve")
    for number in range(1, 4):
        state = await runs.asked(handle, "control")
        assert state.pending[0].checkpoint_id == f"control-1-after-{number}-1"
        body: Json = {"action": "approve", "plan_hash": state.pending[0].plan_hash}
        if number < 3:  # completed steps are unchanged
            done = ["Look", "Part 2-1"][:number]
            names = [*done, *(f"Part {n}-{number}" for n in range(number + 1, 4))]
            steps: Any = [{"name": name} for name in names]
            body |= {"action": "modify", "modifications": {"steps": steps}}
        await runs.update(handle, "decide", body)
        if number == 1:  # two steps more cost more, which a human sees before it counts
            await approve_price(runs, handle, state.pending[0].plan_hash)
    assert (await handle.result()).status == "completed"
    first = runs.client.get_workflow_handle(handle.id, run_id=handle.first_execution_run_id)
    assert (await first.describe()).status == WorkflowExecutionStatus.CONTINUED_AS_NEW
    assert len(runs.fakes.calls) == len(set(runs.fakes.calls))
    records = [p for batch in runs.fakes.batches for p in batch.phases if p.id == "control"]
    output: Any = records[-1].output
    assert [step["name"] for step in output["steps"]] == ["Look", "Part 2-1", "Part 3-2"]


async def approve_price(runs: Harness, handle: Handle, old: str | None) -> None:
    state = await runs.until(handle, lambda s: s.pending and s.pending[0].plan_hash != old)
    await runs.update(
        handle, "decide", {"action": "approve", "plan_hash": state.pending[0].plan_hash}
    )
