"""The seven messages: which body each has, when it is refused, what it changes."""

from temporalio import workflow

from contracts.base import Json
from contracts.human.approvers import Sealed, SealedDecide, SealedDelegate
from contracts.human.messages import AnswerQuestions, Cancel, SetPaused, Steer, Undo
from contracts.runs.state import SETTLED, RunState
from workflows.checkpoints.rules import (
    check_answers,
    check_decision,
    close_with_answers,
    close_with_decision,
    find,
    require_live,
)
from workflows.checkpoints.votes import check_sealed
from workflows.interpreter.interpreter import Engine
from workflows.interpreter.vote_handler import count, verified
from workflows.report.patch_log import undo, undone
from workflows.runtime.human_wait import pause

Message = AnswerQuestions | SealedDecide | SealedDelegate | Steer | Undo | SetPaused | Cancel

BODIES: dict[str, type[Message]] = {
    "answer_questions": AnswerQuestions,
    "decide": SealedDecide,
    "delegate": SealedDelegate,
    "steer": Steer,
    "undo": Undo,
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
        case Undo():
            require_live(state)
            undone(state, body.patch, body.by)
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
            _answer(engine, body)
        case SealedDecide():
            checkpoint = check_decision(state, body)
            decision = close_with_decision(state, checkpoint, body, workflow.now().isoformat())
            engine.recorder.heard(body.by, decision.model_dump(mode="json"), checkpoint.phase_id)
        case Steer() if body in state.steering:
            pass  # an update that timed out may arrive after the signal that stood in for it
        case Steer():
            _steer(state, body)
            engine.recorder.heard(body.by, {"steer": body.text})
        case Undo():
            _undo(engine, body)
        case SetPaused():
            pause(state, workflow.now(), paused=body.paused)
            engine.recorder.heard(body.by, {"paused": body.paused})
        case Cancel():
            state.cancelling = body.mode
            engine.recorder.heard(body.by, {"cancel": body.mode})


def _answer(engine: Engine, body: AnswerQuestions) -> None:
    checkpoint = check_answers(engine.state, body)
    close_with_answers(engine.state, checkpoint, body)
    answers = engine.state.answers[checkpoint.checkpoint_id]
    payload: Json = {"checkpoint_id": checkpoint.checkpoint_id, "answers": dict(answers)}
    engine.recorder.heard(body.by, payload, checkpoint.phase_id)


def _undo(engine: Engine, body: Undo) -> None:
    """Take a patch back; the agents are told, or they would write the same again."""
    engine.recorder.heard(body.by, {"undo": body.patch})
    told = undo(engine.state, body.patch, body.by, engine.recorder.emit)
    _steer(engine.state, Steer(text=told, by=body.by))


def _steer(state: RunState, body: Steer) -> None:
    """Guide the agents; what is under way began without it, and is no answer to it."""
    state.steering.append(body)
    for phase in state.phases:
        if phase.status not in SETTLED:
            phase.cache_key = ""


async def _vote(engine: Engine, body: Sealed) -> None:
    proof = await verified(engine.state, body)
    check(engine.state, body)  # again: much may have been said meanwhile
    count(engine, body, proof)
