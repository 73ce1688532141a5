"""The signals `approve_plan` and `reject_plan`: they decide on the plan they name, and on nothing else."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import JsonValue
from temporalio.client import Client, WorkflowUpdateFailedError

from contracts.base import Json
from contracts.definitions import Definition
from tests.support.words import opening, phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness, harness

HITL, FULL = "deep_research_hitl", "deep_research_full_hitl"


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


def list_ignored(runs: Harness) -> list[str]:
    told = [str(e.payload["message"]) for e in runs.fakes.events if e.type == "Status"]
    return [message for message in told if phrase("signal-ignored") in message]


async def send(runs: Harness, handle: Handle, name: str, *body: JsonValue) -> str:
    """Send a signal that the run cannot take; return what its log says of it."""
    before = len(list_ignored(runs))
    await handle.signal(name, *body)
    await runs.until(handle, lambda _: len(list_ignored(runs)) > before)
    return list_ignored(runs)[-1]


@pytest.mark.parametrize(
    "name", ["approve_plan", pytest.param("reject_plan", marks=pytest.mark.full)]
)
async def test_a_signal_with_any_other_body_is_refused_and_says_what_is_allowed(
    runs: Harness, name: str
) -> None:
    handle = await runs.start(definition_id=HITL)
    shown = (await runs.asked(handle, "checkpoint")).pending[0]
    others: list[Any] = [
        "not yet!",
        *(shown.plan_hash, [shown.plan_hash], 1, 0, False, True, "", []),
        {"action": "reject"},
        {"plan_hash": 7},
        {"plan_hash": "0" * 64},
        {"plan_hash": ""},
        {"plan_hash": shown.plan_hash, "action": "approve"},
        {"plan_hash": shown.plan_hash, "checkpoint_id": shown.checkpoint_id},
        {"by": "x" * 201},
    ]
    for body in others:
        told = await send(runs, handle, name, body)
        assert opening("signal-ignored", "name", name=repr(name)) in told, body
        assert '{"plan_hash": "…", "feedback": "…", "by": "…"}' in told, body
    assert not (await runs.state(handle)).decisions
    await handle.signal("reject_plan")
    await handle.result()


STALE: tuple[Json, ...] = (
    {"action": "approve"},
    {"action": "modify", "modifications": {"title": "Other"}},
    {"action": "revise", "feedback": "only Kenya"},
    {"action": "reject"},
)


async def test_the_hash_of_an_earlier_plan_decides_nothing(runs: Harness) -> None:
    handle = await runs.start(definition_id=HITL)
    old = (await runs.asked(handle, "checkpoint")).pending[0].plan_hash
    answers = runs.fakes.answers
    answers["PlanDraft"] = {**answers["PlanDraft"], "title": "Pumps in Kenya"}
    await runs.decide(handle, "revise", feedback="only Kenya")
    await runs.until(handle, lambda s: s.pending and s.pending[0].plan_hash != old)
    for name in ("approve_plan", "reject_plan"):
        assert phrase("plan-stale") in await send(runs, handle, name, {"plan_hash": old})
    for said in STALE:
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await runs.update(handle, "decide", {**said, "plan_hash": old})
        assert phrase("plan-stale") in str(refused.value.cause), said
    [sent_back] = (await runs.state(handle)).decisions
    assert sent_back.action == "revise"
    await handle.signal("approve_plan", {"plan_hash": (await runs.state(handle)).plan_hash})
    assert (await handle.result()).status == "completed"


@pytest.mark.parametrize(
    "body",
    [[], pytest.param([None], marks=pytest.mark.full), pytest.param([{}], marks=pytest.mark.full)],
)
async def test_a_signal_without_a_hash_approves_the_plan_shown(
    runs: Harness, body: list[JsonValue]
) -> None:
    handle = await runs.start(definition_id=HITL)
    await runs.asked(handle, "checkpoint")
    await handle.signal("approve_plan", args=body)
    assert (await handle.result()).status == "completed"


@pytest.mark.parametrize(
    ("name", "action"), [("approve_plan", "approve"), ("reject_plan", "reject")]
)
async def test_name_and_feedback_of_a_signal_reach_the_decision(
    runs: Harness, name: str, action: str
) -> None:
    handle = await runs.start(definition_id=HITL)
    shown = (await runs.asked(handle, "checkpoint")).pending[0]
    said: JsonValue = {"plan_hash": shown.plan_hash, "feedback": "only Kenya", "by": "ana"}
    await handle.signal(name, said)
    await handle.result()
    [decision] = (await runs.state(handle)).decisions
    assert (decision.action, decision.by, decision.feedback) == (action, "ana", "only Kenya")
    assert decision.plan_hash == shown.plan_hash


@pytest.mark.parametrize("named", [True, False])
async def test_a_repeated_signal_does_not_decide_at_the_gate_of_a_step(
    runs: Harness, named: bool
) -> None:
    handle = await runs.start(definition_id=FULL)
    shown = (await runs.asked(handle, "checkpoint")).pending[0]
    body: JsonValue = {"plan_hash": shown.plan_hash} if named else None
    for _ in range(2):
        await handle.signal("approve_plan", body)
    await runs.asked(handle, "control")
    for name in ("approve_plan", "reject_plan"):
        assert phrase("no-plan-open") in await send(runs, handle, name, body)
    again: Json = {"action": "approve", "plan_hash": shown.plan_hash}
    assert phrase("approved-already") in await send(runs, handle, "decide", again)
    state = await runs.state(handle)
    assert [d.phase_id for d in state.decisions] == ["checkpoint"]
    gate = state.pending[0].checkpoint_id
    await handle.signal("decide", {**again, "checkpoint_id": gate})
    assert (await handle.result()).status == "completed"


async def test_a_repeated_signal_does_not_approve_the_next_checkpoint_of_a_plan(
    temporal: Client,
) -> None:
    twice = Definition.model_validate(
        {
            "id": "twice",
            "phases": [
                {"kind": "planning"},
                {"kind": "hitl_checkpoint", "id": "checkpoint"},
                {
                    "kind": "hitl_checkpoint",
                    "id": "start",
                    "config": {"checkpoint_type": "before_execution"},
                },
                {"kind": "research"},
            ],
        }
    )
    async with harness(temporal, Fakes(twice)) as runs:
        handle = await runs.start(definition_id="twice")
        plan_hash = (await runs.asked(handle, "checkpoint")).plan_hash
        await handle.signal("approve_plan")
        await runs.asked(handle, "start")
        named: JsonValue = {"plan_hash": plan_hash}
        for body in (None, named):
            assert phrase("approved-already") in await send(runs, handle, "approve_plan", body)
        await handle.signal("reject_plan", named)
        assert (await handle.result()).status == "rejected"
