"""The six messages: which body each has, when it is refused, what it changes."""

from temporalio import workflow

from contracts.approvers import Sealed, SealedDecide, SealedDelegate
from contracts.base import Json
from contracts.messages import AnswerQuestions, Cancel, SetPaused, Steer
from contracts.state import RunState
from workflows.checkpoint import (
    check_answers,
    check_decision,
    close_with_answers,
    close_with_decision,
    find,
    require_live,
)
from workflows.engine import Engine
from workflows.poll import check_sealed
from workflows.voting import count, verified
from workflows.waiting import pause

Message = AnswerQuestions | SealedDecide | SealedDelegate | Steer | SetPaused | Cancel

BODIES: dict[str, type[Message]] = {
    "answer_questions": AnswerQuestions,
    "decide": SealedDecide,
    "delegate": SealedDelegate,
    "steer": Steer,
    "set_paused": SetPaused,
    "cancel": Cancel,
}


def check(state: RunState, body: Message) -> None:
    """Raise Conflict, StalePlan, InvalidInput or NotAllowed when the run cannot take it now."""
    match body:
        case AnswerQuestions():
            check_answers(state, body)
        case SealedDecide():
            checkpoint = check_decision(state, body)
            if checkpoint.poll:
                check_sealed(checkpoint, body)
        case SealedDelegate():
            check_sealed(find(state, "decision", body.checkpoint_id), body)
        case _:
            require_live(state)


async def accept(engine: Engine, body: Message) -> None:
    """Check a message against the state as it is at this moment, then change it."""
    state = engine.state
    check(state, body)
    match body:
        case SealedDelegate():
            await _vote(engine, body)
        case SealedDecide() if check_decision(state, body).poll:
            await _vote(engine, body)
        case AnswerQuestions():
            checkpoint = check_answers(state, body)
            close_with_answers(state, checkpoint, body)
            answers = state.answers[checkpoint.checkpoint_id]
            payload: Json = {"checkpoint_id": checkpoint.checkpoint_id, "answers": dict(answers)}
            engine.recorder.heard(body.by, payload, checkpoint.phase_id)
        case SealedDecide():
            checkpoint = check_decision(state, body)
            decision = close_with_decision(state, checkpoint, body, workflow.now().isoformat())
            engine.recorder.heard(body.by, decision.model_dump(mode="json"), checkpoint.phase_id)
        case Steer() if body in state.steering:
            pass  # an update that timed out may arrive after the signal that stood in for it
        case Steer():
            state.steering.append(body)
            engine.recorder.heard(body.by, {"steer": body.text})
        case SetPaused():
            pause(state, workflow.now(), paused=body.paused)
            engine.recorder.heard(body.by, {"paused": body.paused})
        case Cancel():
            state.cancelling = body.mode
            engine.recorder.heard(body.by, {"cancel": body.mode})


async def _vote(engine: Engine, body: Sealed) -> None:
    proof = await verified(engine.state, body)
    check(engine.state, body)  # again: much may have been said meanwhile
    count(engine, body, proof)
