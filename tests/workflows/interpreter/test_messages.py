"""What reaches a run from outside, well-formed or not, neither wedges nor fails it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client, WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.common import RawValue

from contracts.base import Json
from contracts.runs.samples import Sample
from contracts.runs.state_view import StateView
from tests.support.words import opening, phrase
from tests.workflows.support import fake_activities
from tests.workflows.support.run_harness import Harness, harness
from workflows.interpreter.message_handlers import MESSAGES
from workflows.runtime.failures import describe_failure


@pytest.fixture
async def runs(local_temporal: Client) -> AsyncIterator[Harness]:
    async with harness(local_temporal) as made:
        yield made


BINARY = RawValue(Payload(metadata={"encoding": b"binary/plain"}, data=b"\xff\x00"))
TEXT, NULL = (
    RawValue(Payload(metadata={"encoding": b"json/plain"}, data=data))
    for data in (b"not json", b"null")
)


MALFORMED: tuple[tuple[str, list[object]], ...] = (
    ("decide", []),
    ("decide", [{"action": "approve"}, {"by": "me"}]),
    ("decide", [7]),
    ("decide", [BINARY]),
    ("decide", [TEXT]),
    ("decide", [{"action": "approve", "plan_hash": "old"}]),
    ("answer_questions", [{"answers": {"q1": "late"}}]),
    ("steer", [{}]),
    ("undo", [{"patch": 0}]),
    ("undo", [{"patch": 1}]),
    ("set_paused", [{"paused": "perhaps"}]),
    ("cancel", [{"mode": "later"}]),
    ("approve_plan", [1, 2, 3]),
)


async def test_a_malformed_signal_is_dropped_and_told(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    await runs.asked(handle, "checkpoint")
    for number, (name, arguments) in enumerate(MALFORMED, start=1):
        await handle.signal(name, args=arguments)
        await runs.until(handle, lambda _, number=number: len(ignored(runs)) == number)  # type: ignore[misc]
        assert opening("signal-ignored", "name", name=repr(name)) in ignored(runs)[-1], arguments
    await runs.decide(handle, "reject")
    assert (await handle.result()).status == "rejected"


def ignored(runs: Harness) -> list[str]:
    said = [str(e.payload) for e in runs.fakes.events]
    return [each for each in said if phrase("signal-ignored") in each]


async def test_signals_alone_drive_a_run(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    await handle.signal("answer_questions", {"answers": {"q1": "here"}, "rest": None})
    await runs.asked(handle, "checkpoint")
    await handle.signal("approve_plan")
    assert (await handle.result()).status == "completed"
    assert (await runs.state(handle)).answers == {"clarification-1": {"q1": "here", "q2": None}}


async def test_signals_sent_while_no_worker_is_up_count(temporal: Client) -> None:
    async with harness(temporal) as runs:
        handle = await runs.start()
        await runs.answer(handle)
        await runs.asked(handle, "checkpoint")
        await runs.quiet(handle)
    await handle.signal("approve_plan")
    async with harness(temporal, runs.fakes, queue=runs.queue):
        assert (await handle.result()).status == "completed"


async def test_message_that_arrives_as_update_and_as_signal_is_heard_once(runs: Harness) -> None:
    """An update that timed out remains admitted, while a signal is sent in its place."""
    said: list[tuple[str, dict[str, Any]]] = [
        *(("set_paused", {"paused": True}), ("set_paused", {"paused": False})),
        *(("steer", {"text": "mind the prices"}), ("cancel", {"mode": "after_phase"})),
        ("cancel", {"mode": "now"}),
    ]
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    for name, body in said[:-1]:
        await runs.update(handle, name, body)
        await handle.signal(name, body)
    await asyncio.gather(*(handle.signal(*said[-1]) for _ in range(2)))
    assert (await handle.result()).status == "cancelled"
    heard = [e.payload for e in runs.fakes.events if e.type == "HumanResponseEvent"]
    assert [{k: v for k, v in p.items() if k not in {"by", "key_id"}} for p in heard] == [
        *({"paused": True}, {"paused": False}, {"steer": "mind the prices"}),
        *({"cancel": "after_phase"}, {"cancel": "now"}),
    ]


async def test_update_returns_the_state_that_it_led_to(runs: Harness) -> None:
    handle = await runs.start()
    asked = await runs.asked(handle, "clarification")
    answers: Json = {"answers": {}, "rest": None, "checkpoint_id": asked.pending[0].checkpoint_id}
    state = await handle.execute_update("answer_questions", answers, result_type=StateView)
    status = {phase.id: phase.status for phase in state.phases}
    assert (status["clarification"], status["planning"]) == ("completed", "running")
    assert state.pending == []
    assert [*state.answers] == [asked.pending[0].checkpoint_id]


async def test_the_first_of_two_decisions_at_once_wins(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    plan_hash = (await runs.asked(handle, "checkpoint")).plan_hash
    bodies = [{"action": action, "plan_hash": plan_hash} for action in ("approve", "reject")]
    outcomes = await asyncio.gather(
        *(handle.execute_update("decide", body) for body in bodies), return_exceptions=True
    )
    assert sum(isinstance(outcome, Exception) for outcome in outcomes) == 1
    await handle.result()
    assert len((await runs.state(handle)).decisions) == 1


async def start_raw(runs: Harness, arguments: list[object], name: str = "run") -> str:
    handle = await runs.client.start_workflow(
        "Research", args=arguments, id=f"{name}-{uuid.uuid4()}", task_queue=runs.queue
    )
    with pytest.raises(WorkflowFailureError) as failed:
        await asyncio.wait_for(handle.result(), 10)
    return str(failed.value.cause)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], f"input: {phrase('input-missing')}"),
        ([{"query": "?"}, {"query": "!"}], phrase("input-several")),
        ([{"query": "?", "definition_id": "nothing_like_it"}], "unknown"),
        ([{"query": "?", "surprise": True}], "surprise"),
        *(
            pytest.param(*wrong, marks=pytest.mark.full)
            for wrong in [
                ([None], f"input: {phrase('input-missing')}"),
                ([NULL], "RunInput"),
                ([{}], "query"),
                ([{"query": ""}], "query"),
                ([{"query": "x" * 100_000}], "query"),
                ([{"query": "bell \x07"}], "query"),
                ([{"query": "?", "budget": -1}], "budget"),
                ([{"query": "?", "inputs": {"x": float("inf")}}], "inputs"),
            ]
        ),
    ],
)
async def test_a_wrong_start_fails_cleanly(
    runs: Harness, arguments: list[object], reason: str
) -> None:
    assert reason in await start_raw(runs, arguments)


@pytest.mark.full
async def test_a_question_in_any_script_is_taken(runs: Harness) -> None:
    handle = await runs.start("Où vendre des pompes solaires ? 太陽光ポンプ 🌞\n\tзавтра")
    assert (await runs.complete(handle)).status == "completed"


async def test_a_run_that_the_gateway_could_not_name_does_not_start(runs: Harness) -> None:
    assert "run_id" in await start_raw(runs, [{"query": "?"}], "my run/1")


async def test_steering_is_refused_beyond_its_number_and_size(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    await runs.update(handle, "steer", {"text": "x" * 20_000})
    await runs.update(handle, "steer", {"text": "y" * 19_000})
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await runs.update(handle, "steer", {"text": "z" * 1_001})
    [problem] = describe_failure(refused.value).problems
    assert problem.params == {"most": 50, "chars": 40_000, "n": 3, "total": 40_001}
    for number in range(48):
        await runs.update(handle, "steer", {"text": str(number)})
    with pytest.raises(WorkflowUpdateFailedError, match="Workflow update failed"):
        await runs.update(handle, "steer", {"text": "one too many"})
    await handle.signal("steer", {"text": "one too many"})
    await runs.until(handle, lambda _: len(ignored(runs)) == 1)
    await runs.update(handle, "steer", {"text": "7"})  # sent before: nothing is added


async def test_temporal_shows_how_each_message_is_written(runs: Harness) -> None:
    handle = await runs.start()
    await runs.asked(handle, "clarification")
    told = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    updates = {u.name: u.description for u in told.definition.update_definitions}
    assert "until a human is asked" in (updates.pop("wait") or "")
    assert "once it is opened" in (updates.pop("opened") or "")
    assert updates == {name: message.example for name, message in MESSAGES.items()}
    signals = {s.name for s in told.definition.signal_definitions}
    assert signals == {*MESSAGES, "approve_plan", "reject_plan"}


SAID: dict[str, tuple[str, Json]] = {
    "answers": ("clarification", {"answers": {"q1": "inland"}, "rest": None}),
    "plan": ("checkpoint", {"action": "modify", "modifications": {"goal": "Else"}}),
    "feedback": ("checkpoint", {"action": "approve", "feedback": "mind the prices"}),
    "steering": ("clarification", {"text": "mind the prices"}),
    "nothing": ("", {}),
    "off record": ("", {}),
}


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(said, marks=pytest.mark.full)
        if said in ("plan", "feedback", "steering")
        else said
        for said in SAID
    ],
)
async def test_a_human_or_a_call_without_an_answer_ends_the_replay_of_recorded_answers(
    local_temporal: Client, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, body = SAID[said]
    if said == "off record":
        usage = fake_activities.USAGE.model_copy(update={"off_record_calls": 1})
        monkeypatch.setattr(fake_activities, "USAGE", usage)
    async with harness(local_temporal) as runs:
        sample = Sample(
            id="pumps", definition="d", query="?", answers={"q1": "here"}, model="m", date="today"
        )
        runs.fakes.terms = runs.fakes.terms.model_copy(update={"recorded": sample})
        handle = await runs.start()
        await runs.asked(handle, "clarification")
        if said == "steering":
            await runs.update(handle, "steer", body)
        answers: Json = {"answers": {"q1": "here"}, "rest": None}
        first = body if place == "clarification" and said != "steering" else answers
        await runs.update(handle, "answer_questions", first)
        pending = await runs.asked(handle, "checkpoint")
        decision = body if place == "checkpoint" else {"action": "approve"}
        await runs.update(handle, "decide", {"plan_hash": pending.plan_hash, **decision})
        await handle.result()
        state = await runs.state(handle)
        codes = [notice.code for notice in state.notices]
        samples = [request.scope.sample for request in runs.fakes.requests]
    is_kept = said == "nothing"
    assert (state.recorded == sample, "recorded" in codes) == (is_kept, is_kept)
    assert codes.count("recorded-left") == (not is_kept)
    assert (samples[0], samples[-1]) == ("pumps", "pumps" if is_kept else "")
