"""The seven messages: which body each has, when the run refuses it, and what it changes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.approvals import ApprovalActivities, SealVerification, VerifyRequest
from contracts.base import Contract, Json
from contracts.errors import Conflict, NotAllowed
from contracts.human.approvers import Sealed, SealedDecide, SealedDelegate
from contracts.human.messages import AnswerQuestions, Cancel, SetPaused, Steer, Undo
from contracts.report.patches import Patch
from contracts.report.research import Plan
from contracts.runs.state import SETTLED, Checkpoint, Decision, RunState
from workflows.checkpoints.decisions import (
    CheckedDecision,
    check_answers,
    check_decision,
    close_with_answers,
    close_with_decision,
    decide,
    find_checkpoint,
    require_live,
)
from workflows.checkpoints.votes import (
    cast_vote,
    check_sealed,
    count_votes,
    delegate,
    require_asked,
)
from workflows.interpreter.interpreter import Engine
from workflows.report.patch_log import check_undo, undo
from workflows.runtime.activity_execution import execute_activity
from workflows.runtime.human_wait import pause, replace

MAX_STEERS, MAX_STEERING_CHARS = 50, 40_000
"""All of a run's steering stands in every prompt that follows."""


@dataclass(frozen=True)
class Message:
    """One message: `check` refuses it or returns what `apply` goes on from."""

    body: type[Contract]
    check: Callable[[RunState, Any], Any]
    apply: Callable[[Engine, Any, Any], Awaitable[None]]
    example: str


async def accept(engine: Engine, name: str, body: Contract) -> None:
    """Check a message against the state as it is at this moment, then change it.

    Raises:
        InvalidInput, Conflict, StalePlan, NotAllowed: The run cannot take the message now.
    """
    message = MESSAGES[name]
    await message.apply(engine, body, message.check(engine.state, body))


async def _answer(engine: Engine, body: AnswerQuestions, checkpoint: Checkpoint) -> None:
    close_with_answers(engine.state, checkpoint, body)
    answers = engine.state.answers[checkpoint.checkpoint_id]
    payload: Json = {"checkpoint_id": checkpoint.checkpoint_id, "answers": dict(answers)}
    engine.recorder.heard(body.by, payload, checkpoint.phase_id)


def _check_decide(state: RunState, body: SealedDecide) -> CheckedDecision:
    checked = check_decision(state, body)
    if checked.checkpoint.poll:
        check_sealed(checked.checkpoint, body)
    return checked


async def _decide(engine: Engine, body: SealedDecide, checked: CheckedDecision) -> None:
    if checked.checkpoint.poll:
        await _vote(engine, body)
    else:
        decision = decide(checked, body, workflow.now().isoformat())
        _close(engine, decision, checked.modified)


def _close(engine: Engine, decision: Decision, modified: Plan | None) -> None:
    close_with_decision(engine.state, decision, modified)
    for provider in engine.state.providers(decision.phase_id, "plan"):
        engine.recorder.touch(provider.id)
    engine.recorder.heard(decision.by, decision.model_dump(mode="json"), decision.phase_id)


async def _vote(engine: Engine, body: SealedDecide) -> None:
    """Count a vote once it is verified, and take the decision that it makes complete."""
    proof = await _verify(engine.state, body)
    checked = _check_decide(engine.state, body)  # again: much may have been said meanwhile
    before, now = checked.checkpoint, workflow.now().isoformat()
    assert before.poll is not None
    require_asked(before.poll, body.by, proof.role)
    after = cast_vote(checked, body, now)
    assert after.poll is not None
    told: Json = {"vote": body.action, "missing": after.poll.missing, "feedback": body.feedback}
    told |= {"plan_hash": after.plan_hash, "checkpoint_id": after.checkpoint_id}
    engine.recorder.heard(body.by, told, after.phase_id)
    if decision := count_votes(after, body, now):
        changed = Plan.model_validate(after.subject) if decision.action == "modify" else None
        _close(engine, decision, changed)
    else:
        replace(engine, after, "change" if after.plan_hash != before.plan_hash else "")


def _check_delegate(state: RunState, body: SealedDelegate) -> Checkpoint:
    checkpoint = find_checkpoint(state, "decision", body.checkpoint_id)
    check_sealed(checkpoint, body)
    return checkpoint


async def _delegate(engine: Engine, body: SealedDelegate, _: Checkpoint) -> None:
    proof = await _verify(engine.state, body)
    checkpoint = _check_delegate(engine.state, body)  # again: much may have been said meanwhile
    assert checkpoint.poll is not None
    require_asked(checkpoint.poll, body.by, proof.role)
    replace(engine, delegate(checkpoint, body, proof.roles_of_delegate), "delegation")
    engine.recorder.heard(body.by, {"delegate": body.to}, checkpoint.phase_id)


async def _verify(state: RunState, said: Sealed) -> SealVerification:
    """Return as whose a message counts; raise NotAllowed where the gateway does not vouch for it."""
    request = VerifyRequest(tenant_id=state.tenant_id, run_id=state.run_id, message=said)
    try:
        proof = await execute_activity(
            ApprovalActivities.verify, request, summary=f"is it {said.by}?"
        )
    except ActivityError as error:  # a failure in a signal's handler would fail the run
        raise Conflict(f"the signature could not be checked: {error.cause}") from None
    if proof.refused:
        raise NotAllowed(proof.refused)
    return proof


def _check_steer(state: RunState, body: Steer) -> None:
    require_live(state)
    if body not in state.steering:
        _require_room(state, len(body.text))


def _require_room(state: RunState, chars: int = 0) -> None:
    total = sum(len(steer.text) for steer in state.steering) + chars
    if len(state.steering) >= MAX_STEERS or total > MAX_STEERING_CHARS:
        raise Conflict(
            f"text: a run is steered at most {MAX_STEERS} times and by {MAX_STEERING_CHARS} "
            f"characters in all; it would be {len(state.steering) + 1} times and {total}"
        )


async def _steer(engine: Engine, body: Steer, _: None) -> None:
    if body in engine.state.steering:
        return  # an update that timed out may arrive after the signal that stood in for it
    _guide(engine.state, body)
    engine.recorder.heard(body.by, {"steer": body.text})


def _guide(state: RunState, body: Steer) -> None:
    """Tell the agents; what is under way began without it, and is no answer to it."""
    state.steering.append(body)
    for phase in state.phases:
        if phase.status not in SETTLED:
            phase.cache_key = ""


def _check_undo(state: RunState, body: Undo) -> Patch:
    require_live(state)
    _require_room(state)
    return check_undo(state, body.patch, body.by)


async def _undo(engine: Engine, body: Undo, patch: Patch) -> None:
    """Take a patch back; the agents are told, or they would write the same again."""
    engine.recorder.heard(body.by, {"undo": body.patch})
    told = undo(engine.state, patch, engine.recorder.emit)
    _guide(engine.state, Steer(text=told, by=body.by))


def _check_live(state: RunState, _: SetPaused | Cancel) -> None:
    require_live(state)


async def _set_paused(engine: Engine, body: SetPaused, _: None) -> None:
    pause(engine.state, workflow.now(), paused=body.paused)
    engine.recorder.heard(body.by, {"paused": body.paused})


async def _cancel(engine: Engine, body: Cancel, _: None) -> None:
    engine.state.cancelling = body.mode
    engine.recorder.heard(body.by, {"cancel": body.mode})


MESSAGES: dict[str, Message] = {
    "answer_questions": Message(
        AnswerQuestions, check_answers, _answer, '{"answers": {"q1": "text or null"}}'
    ),
    "decide": Message(
        SealedDecide, _check_decide, _decide, '{"action": "approve", "plan_hash": "…"}'
    ),
    "delegate": Message(
        SealedDelegate, _check_delegate, _delegate, "the gateway alone can: it signs the message"
    ),
    "steer": Message(Steer, _check_steer, _steer, '{"text": "…"}'),
    "undo": Message(Undo, _check_undo, _undo, '{"patch": 3}'),
    "set_paused": Message(SetPaused, _check_live, _set_paused, '{"paused": true}'),
    "cancel": Message(Cancel, _check_live, _cancel, '{"mode": "now"} or {"mode": "after_phase"}'),
}
"""By the name of both the update and the signal; `example` is what Temporal's CLI shows of it."""
