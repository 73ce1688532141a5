"""The five messages: which body each has, when it is refused, what it changes."""

from temporalio import workflow

from contracts.base import Json
from contracts.messages import AnswerQuestions, Cancel, Decide, SetPaused, Steer
from contracts.state import RunState
from workflows.checkpoint import (
    check_answers,
    check_decision,
    close_with_answers,
    close_with_decision,
    require_live,
)
from workflows.engine import Engine

Message = AnswerQuestions | Decide | Steer | SetPaused | Cancel

BODIES: dict[str, type[Message]] = {
    "answer_questions": AnswerQuestions,
    "decide": Decide,
    "steer": Steer,
    "set_paused": SetPaused,
    "cancel": Cancel,
}


def check(state: RunState, body: Message) -> None:
    """Raise Conflict, StalePlan or InvalidInput when the run cannot take this message now."""
    match body:
        case AnswerQuestions():
            check_answers(state, body)
        case Decide():
            check_decision(state, body)
        case _:
            require_live(state)


def accept(engine: Engine, body: Message) -> None:
    """Check a message against the state as it is at this moment, then change it."""
    state = engine.state
    check(state, body)
    match body:
        case AnswerQuestions():
            checkpoint = check_answers(state, body)
            close_with_answers(state, checkpoint, body)
            answers = state.answers[checkpoint.checkpoint_id]
            payload: Json = {"checkpoint_id": checkpoint.checkpoint_id, "answers": dict(answers)}
            engine.recorder.heard(body.by, payload, checkpoint.phase_id)
        case Decide():
            checkpoint = check_decision(state, body)
            decision = close_with_decision(state, checkpoint, body, workflow.now().isoformat())
            engine.recorder.heard(body.by, decision.model_dump(mode="json"), checkpoint.phase_id)
        case Steer() if body in state.steering:
            pass  # an update that timed out may arrive after the signal that stood in for it
        case Steer():
            state.steering.append(body)
            engine.recorder.heard(body.by, {"steer": body.text})
        case SetPaused():
            state.paused = body.paused
            engine.recorder.heard(body.by, {"paused": body.paused})
        case Cancel():
            state.cancelling = body.mode
            engine.recorder.heard(body.by, {"cancel": body.mode})
