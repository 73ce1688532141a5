"""The messages to a run: which body each has, when it is refused, what it changes, and their handlers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ActivityError

from activities.runs.seal_verification import ApprovalActivities, SealVerification, VerifyRequest
from contracts.base import Contract, Json
from contracts.errors import Conflict, GreenlightError, InvalidInput, NotAllowed
from contracts.human.approvers import LinkedDecide, Sealed, SealedDecide, SealedDelegate
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.human.messages import AnswerQuestions, Cancel, Decide, SetPaused, Steer, Undo
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.report.patches import Patch
from contracts.runs.events import (
    AnsweredEvent,
    CancelledEvent,
    DecidedEvent,
    DelegatedEvent,
    PausedEvent,
    SteeredEvent,
    UndoneEvent,
    VotedEvent,
)
from contracts.runs.state import RunState
from contracts.runs.statuses import SETTLED
from workflows.checkpoints.decision_checks import (
    check_answers,
    find_cap,
    find_checkpoint,
    find_keep,
    find_meant,
    require_first_approval,
    require_live,
    require_shown_plan,
    take_answers,
)
from workflows.checkpoints.eligible_approvers import require_asked
from workflows.checkpoints.plan_edits import (
    find_beside,
    modify_plan,
    replace_plan,
)
from workflows.checkpoints.prices.price_rise import forget_price, is_dearer, tell_price
from workflows.checkpoints.reminders_and_escalation import postpone
from workflows.checkpoints.revision import check_revision
from workflows.checkpoints.votes import cast_vote, check_sealed, count_votes, delegate
from workflows.interpreter.phase_walk import Interpreter, find_plan_roles
from workflows.message_parser import NO_BODY, parse_body, refusal
from workflows.patch_log import check_undo, undo
from workflows.runtime.activity_timeouts_and_retries import execute_activity
from workflows.runtime.event_outbox import wait_until_settled
from workflows.runtime.failures import describe_failure
from workflows.runtime.state_view import dump_view

MAX_STEERS, MAX_STEERING_CHARS = 50, 40_000
"""All of a run's steering is part of every later prompt."""
DECIDED_BY_MESSAGE = set(LinkedDecide.model_fields) - {"checkpoint_id", "plan_hash", "key_id"}
"""What a decision takes over from its message; the key is for the event alone, which the audit log is written from."""


@dataclass(frozen=True)
class MessageHandler:
    """One message: `check` refuses it, `apply` checks it against the state at that moment and changes it.

    Both raise InvalidInput, Conflict, StalePlan or NotAllowed where the run cannot take it now.
    """

    body: type[Contract]
    check: Callable[[RunState, Any], object]
    apply: Callable[[Interpreter, Any], Awaitable[None]]
    example: str


async def _answer(run: Interpreter, body: AnswerQuestions) -> None:
    checkpoint = check_answers(run.state, body)
    taken = take_answers(run.state, checkpoint, body)
    if not taken:
        return
    recorded = run.state.terms.recorded
    if recorded and any(said != recorded.answers.get(name) for name, said in taken.items()):
        run.state.leave_recording()
    place = checkpoint.checkpoint_id
    answered = AnsweredEvent(
        by=body.by, key_id=body.key_id, checkpoint_id=place, answers=dict(taken)
    )
    run.recorder.emit(answered, phase=run.state.phase(checkpoint.phase_id))
    run.recorder.publish_status()


def _check_decide(state: RunState, body: SealedDecide) -> tuple[Checkpoint, SealedDecide]:
    """Return the checkpoint, its plan as the decision changes it, and the decision with its action and its choice."""
    checkpoint = find_checkpoint(state, "decision", body.checkpoint_id)
    action, choice = find_meant(checkpoint, body.action, body.choice)
    keep = find_keep(checkpoint, action, body.keep_startup)
    if action == "revise":
        if not body.feedback.strip():
            raise InvalidInput(Problem.at("feedback", "feedback-missing"))
        check_revision(state, checkpoint)
    shown, named = checkpoint.plan_hash, body.plan_hash
    if shown and named is None and action in ("approve", "modify"):
        raise InvalidInput(Problem.at("plan_hash", "plan-hash-missing", shown=shown))
    if shown and named is not None:  # also of a rejection, which ends the run
        require_shown_plan(checkpoint, named)
    cap_usd = find_cap(checkpoint, choice, body.cap_usd)
    told = {"action": action, "choice": choice, "keep_startup": keep, "cap_usd": cap_usd}
    said = body.model_copy(update=told)
    if _guides(said):
        _require_room(state, len(said.feedback), "feedback")
    if checkpoint.poll:
        check_sealed(state, body)
    if action == "modify":
        checkpoint = modify_plan(state, checkpoint, said, find_plan_roles)
    return checkpoint, said


async def decide(run: Interpreter, body: SealedDecide) -> None:
    """Take a decision: close its checkpoint, ask again at a higher price, or count a vote."""
    checkpoint, said = _check_decide(run.state, body)
    if checkpoint.poll:
        await _vote(run, body)
        return
    if _guides(said):
        checkpoint = _keep_remark(checkpoint, said)
    if said.action == "modify" and is_dearer(
        run.state.terms, _find_shown(run, checkpoint), checkpoint
    ):
        _ask_again(run, said, checkpoint)
        return
    decision = Decision(
        checkpoint_id=checkpoint.checkpoint_id,
        phase_id=checkpoint.phase_id,
        at=workflow.now().isoformat(),
        plan_hash=checkpoint.plan_hash,  # the new hash, for a modified plan
        changed=checkpoint.changed,
        **said.model_dump(include=DECIDED_BY_MESSAGE),
    )
    _close(run, decision, checkpoint, said.key_id)


def _guides(said: Decide) -> bool:
    """Return whether a decision lets the run continue and comments on it, which counts as steering."""
    return said.action in ("approve", "modify") and bool(said.feedback.strip())


def _keep_remark(checkpoint: Checkpoint, said: Decide) -> Checkpoint:
    """Return the checkpoint with a decision's comment, which becomes steering once the plan is approved."""
    remarks = [*checkpoint.remarks, Steer(text=said.feedback, by=said.by)]
    return checkpoint.model_copy(update={"remarks": remarks})


def _close(
    run: Interpreter, decision: Decision, checkpoint: Checkpoint, key_id: str | None = None
) -> None:
    recorded = run.state.terms.recorded
    chosen = recorded and recorded.choices.get(decision.phase_id)
    if decision.action in ("modify", "revise") or decision.choice not in (None, chosen):
        run.state.leave_recording()
    if decision.action in ("approve", "modify"):
        for remark in checkpoint.remarks:
            _add_steering(run.state, remark)
    run.state.decisions.append(decision)
    pending = run.state.pending
    pending[:] = [c for c in pending if c.checkpoint_id != decision.checkpoint_id]
    if decision.action == "modify":
        _replace_plan(run, checkpoint)
    place = run.state.phase(decision.phase_id)
    run.recorder.emit(DecidedEvent(**dict(decision), key_id=key_id), phase=place)


def _replace_plan(run: Interpreter, checkpoint: Checkpoint) -> None:
    """Put the modified plan in place, and send back what others did or decided on the one before."""
    for planner in replace_plan(run.state, checkpoint):
        run.recorder.mark_changed(planner.id)
    run.send_back(find_beside(run.state, checkpoint.phase_id))


def _find_shown(run: Interpreter, changed: Checkpoint) -> Checkpoint:
    pending = run.state.pending
    return next(c for c in pending if c.checkpoint_id == changed.checkpoint_id)


def _ask_again(run: Interpreter, said: SealedDecide, checkpoint: Checkpoint) -> None:
    """Show a modified plan at its higher price, which nobody has approved yet, and ask again."""
    checkpoint = tell_price(_find_shown(run, checkpoint), checkpoint)
    checkpoint = checkpoint.model_copy(update={"keep_startup": said.keep_startup})
    _replace_plan(run, checkpoint)
    _log_vote(run, said, checkpoint, missing=1)
    run.recorder.update_checkpoint(checkpoint, "price")


def _log_vote(run: Interpreter, said: SealedDecide, checkpoint: Checkpoint, missing: int) -> None:
    assert said.action is not None  # it was checked
    vote = VotedEvent(
        by=said.by,
        key_id=said.key_id,
        vote=said.action,
        missing=missing,
        feedback=said.feedback,
        plan_hash=checkpoint.plan_hash,
        checkpoint_id=checkpoint.checkpoint_id,
        changed=checkpoint.changed,
    )
    run.recorder.emit(vote, phase=run.state.phase(checkpoint.phase_id))


async def _vote(run: Interpreter, body: SealedDecide) -> None:
    """Count a vote once it is verified, and take the decision that it makes complete."""
    proof = await _verify(run.state, body)
    now = workflow.now().isoformat()
    changed, said = _check_decide(run.state, body)
    shown = _find_shown(run, changed)
    again = is_dearer(run.state.terms, shown, changed)
    changed = tell_price(shown, changed) if again else forget_price(changed)
    after = cast_vote(changed, said, now, approves=not again)
    after = _keep_remark(after, said) if _guides(said) else after
    assert after.poll is not None
    require_asked(after.poll, body.by, proof.role)
    _log_vote(run, said, after, after.poll.missing)
    if decision := None if again else count_votes(after, said, now):
        _close(run, decision, after)
    else:
        reason = "price" if again else "change" if after.plan_hash != body.plan_hash else ""
        run.recorder.update_checkpoint(after, reason)


async def _delegate(run: Interpreter, body: SealedDelegate) -> None:
    check_sealed(run.state, body)
    proof = await _verify(run.state, body)
    checkpoint = check_sealed(run.state, body)
    changed = delegate(checkpoint, body, proof.role, proof.roles_of_delegate)
    run.recorder.update_checkpoint(changed, "delegation")
    delegated = DelegatedEvent(by=body.by, key_id=body.key_id, delegate=body.to)
    run.recorder.emit(delegated, phase=run.state.phase(checkpoint.phase_id))


async def _verify(state: RunState, said: Sealed) -> SealVerification:
    """Return the user that a message counts for; the caller rechecks, since other messages may have arrived.

    Raises:
        NotAllowed: The gateway did not sign it.
        Conflict: The signature could not be checked.
    """
    request = VerifyRequest(tenant_id=state.tenant_id, run_id=state.run_id, message=said)
    try:
        proof = await execute_activity(
            ApprovalActivities.verify, request, summary=f"is it {said.by}?"
        )
    except ActivityError as error:  # a failure in a signal's handler would fail the run
        reason = describe_failure(error).words
        raise Conflict(Notice.of("seal-unchecked", reason=reason)) from None
    if proof.refused:
        raise NotAllowed(proof.refused)
    return proof


def _check_steer(state: RunState, body: Steer) -> None:
    require_live(state)
    if body not in state.steering:
        _require_room(state, len(body.text))


def _require_room(state: RunState, chars: int = 0, field: str = "text") -> None:
    told = [*state.steering, *(remark for shown in state.pending for remark in shown.remarks)]
    total = sum(len(steer.text) for steer in told) + chars
    if len(told) >= MAX_STEERS or total > MAX_STEERING_CHARS:
        limits = {"most": MAX_STEERS, "chars": MAX_STEERING_CHARS}
        found = {"n": len(told) + 1, "total": total}
        raise Conflict(Problem.at(field, "steering-full", **limits, **found))


async def _steer(run: Interpreter, body: Steer) -> None:
    _check_steer(run.state, body)
    if body in run.state.steering:
        return  # an update that timed out may arrive after the signal that stood in for it
    _add_steering(run.state, body)
    run.recorder.emit(SteeredEvent(by=body.by, key_id=body.key_id, steer=body.text))


def _add_steering(state: RunState, body: Steer) -> None:
    """Pass it to the agents; calls that already started did not see it."""
    state.leave_recording()
    state.steering.append(body)
    for phase in state.phases:
        if phase.status not in SETTLED:
            phase.cache_key = ""


def _check_undo(state: RunState, body: Undo) -> Patch:
    require_live(state)
    _require_room(state)
    return check_undo(state, body.patch, body.by)


async def _undo(run: Interpreter, body: Undo) -> None:
    """Undo a patch; the agents are informed, or they would write it again."""
    patch = _check_undo(run.state, body)
    run.recorder.emit(UndoneEvent(by=body.by, key_id=body.key_id, undo=body.patch))
    told = undo(run.state, patch, run.recorder.emit)
    _add_steering(run.state, Steer(text=told, by=body.by))


def _check_live(state: RunState, _: Contract) -> None:
    require_live(state)


async def _set_paused(run: Interpreter, body: SetPaused) -> None:
    """Pause or resume; deadlines of open checkpoints are extended by the pause's length."""
    require_live(run.state)
    state, now = run.state, workflow.now()
    if body.paused == state.paused:
        return  # an update may arrive after the signal of the same name
    if state.paused_at and not body.paused:
        lasted = now - datetime.fromisoformat(state.paused_at)
        state.pending[:] = [postpone(checkpoint, lasted) for checkpoint in state.pending]
    state.paused_at = now.isoformat() if body.paused else None
    state.paused = body.paused
    run.recorder.emit(PausedEvent(by=body.by, key_id=body.key_id, paused=body.paused))


async def _cancel(run: Interpreter, body: Cancel) -> None:
    require_live(run.state)
    if run.state.cancelling in {body.mode, "now"}:
        return
    run.state.cancelling = body.mode
    run.recorder.emit(CancelledEvent(by=body.by, key_id=body.key_id, cancel=body.mode))


MESSAGES: dict[str, MessageHandler] = {
    "answer_questions": MessageHandler(
        AnswerQuestions, check_answers, _answer, '{"answers": {"q1": "text or null"}}'
    ),
    "decide": MessageHandler(
        SealedDecide, _check_decide, decide, '{"action": "approve", "plan_hash": "…"}'
    ),
    "delegate": MessageHandler(
        SealedDelegate, check_sealed, _delegate, "the gateway alone can: it signs the message"
    ),
    "steer": MessageHandler(Steer, _check_steer, _steer, '{"text": "…"}'),
    "undo": MessageHandler(Undo, _check_undo, _undo, '{"patch": 3}'),
    "set_paused": MessageHandler(SetPaused, _check_live, _set_paused, '{"paused": true}'),
    "cancel": MessageHandler(
        Cancel, _check_live, _cancel, '{"mode": "now"} or {"mode": "after_phase"}'
    ),
}
"""By name of update and signal; `example` is shown by Temporal's CLI."""


class Inbox:
    """A run's messages: each as update, which answers, and as signal, which always gets through."""

    def __init__(self) -> None:
        self._interpreter: Interpreter | None = None

    async def _wait_until_opened(self) -> Interpreter:
        await workflow.wait_condition(lambda: self._interpreter is not None)
        return self._require_opened()

    async def report_ignored_signal(self, name: str, reason: Notice) -> None:
        """Say in the run's log that a signal was dropped, and why."""
        interpreter = await self._wait_until_opened()
        ignored = Notice.of("signal-ignored", name=repr(name), reason=reason)
        interpreter.recorder.tell(ignored)

    def _require_opened(self) -> Interpreter:
        if self._interpreter is None:
            raise refusal(Conflict(Notice.of("run-being-opened")))
        return self._interpreter


def _add_handlers(name: str, message: MessageHandler) -> None:
    """Add a message's update, with its validator, and its signal."""

    class Handlers(Inbox):
        @workflow.update(name=name, description=message.example)
        async def update(self, value: RawValue = NO_BODY) -> Json:
            """Take a message and return the new state without defaults, or the reason for its refusal."""
            run = await self._wait_until_opened()
            try:
                await message.apply(run, parse_body(value, message.body))
                await workflow.wait_condition(
                    lambda: True
                )  # yield, so that tasks waiting for the change run now
                await wait_until_settled(run.state)
                return dump_view(run.state)
            except GreenlightError as error:
                if isinstance(error, NotAllowed):  # show it in the run's log too
                    refused = Notice.of("message-refused", name=repr(name), reason=error.words)
                    run.recorder.tell(refused)
                raise refusal(error) from None

        @update.validator
        def _validate(self, value: RawValue = NO_BODY) -> None:
            """Refuse what the run cannot take now: the update leaves no history."""
            try:
                body = parse_body(value, message.body)
                if self._interpreter is not None:
                    message.check(self._interpreter.state, body)
            except GreenlightError as error:
                raise refusal(error) from None

        @workflow.signal(name=name, description="as the update, also while no worker is up")
        async def signal(self, value: RawValue = NO_BODY) -> None:
            """Take a message, or have it dropped and logged; an approval is not taken twice."""
            run = await self._wait_until_opened()
            body = parse_body(value, message.body)
            if isinstance(body, Decide) and body.action not in ("reject", "revise"):
                require_first_approval(run.state, body.checkpoint_id, body.plan_hash)
            await message.apply(run, body)

    setattr(Inbox, f"update_{name}", Handlers.update)
    setattr(Inbox, f"signal_{name}", Handlers.signal)


for _name, _message in MESSAGES.items():
    _add_handlers(_name, _message)
