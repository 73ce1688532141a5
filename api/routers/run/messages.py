"""Messages from a human to a run; each responds 202 with the state after it."""

from pydantic import Field

from api.errors import responses
from api.json_bodies import Router
from api.runs.service import CommandView, Run, Wait
from contracts.base import Note
from contracts.errors import Conflict
from contracts.human.approvers import Delegate
from contracts.human.messages import (
    AnswerQuestions,
    Cancel,
    Decide,
    HumanMessage,
    SetPaused,
    Steer,
    Undo,
)
from contracts.notices import Notice
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from workflows.checkpoints.decision_checks import list_allowed_actions

router = Router(
    prefix="/v1/runs/{run_id}",
    tags=["messages"],
    responses=responses(403, 404, 409, 422, 503),
)


class Feedback(HumanMessage):
    """Free text that answers open questions, or says what to change in a plan or result."""

    text: Note = Field(min_length=1)


class UndoAt(HumanMessage):
    """The patch of the living report to undo."""

    seq: int = Field(ge=1, le=2**53, description="of the patch's event")


@router.post("/answers", status_code=202)
async def answer_questions(run: Run, body: AnswerQuestions, wait: Wait = 0) -> CommandView:
    """Answer the open questions."""
    return await run.send("answer_questions", body, wait)


@router.post("/decision", status_code=202)
async def decide(run: Run, body: Decide, wait: Wait = 0) -> CommandView:
    """Approve, reject, modify or revise the subject of a checkpoint."""
    return await run.send("decide", body, wait)


@router.post("/delegate", status_code=202)
async def delegate(run: Run, body: Delegate, wait: Wait = 0) -> CommandView:
    """Delegate the caller's vote at a checkpoint with approvers."""
    return await run.send("delegate", body, wait)


@router.post("/feedback", status_code=202)
async def give_feedback(run: Run, body: Feedback, wait: Wait = 0) -> CommandView:
    """Answer the open questions in free text, or send back what a decision is awaited on."""
    message = _interpret_feedback(await run.get_state(), body)
    name = "decide" if isinstance(message, Decide) else "answer_questions"
    return await run.send(name, message, wait)


@router.post("/steer", status_code=202)
async def steer(run: Run, body: Steer, wait: Wait = 0) -> CommandView:
    """Guide the agents from their next call on."""
    return await run.send("steer", body, wait)


@router.post("/undo", status_code=202)
async def undo(run: Run, body: UndoAt, wait: Wait = 0) -> CommandView:
    """Undo a patch of the living report while agents are writing it."""
    number = await run.open_history().find_patch_number(body.seq)
    return await run.send("undo", Undo(patch=number, by=body.by), wait)


@router.post("/pause", status_code=202)
async def pause(run: Run, body: HumanMessage | None = None, wait: Wait = 0) -> CommandView:
    """Pause the run before its next call."""
    return await run.send("set_paused", SetPaused(paused=True, by=body.by if body else ""), wait)


@router.post("/resume", status_code=202)
async def resume(run: Run, body: HumanMessage | None = None, wait: Wait = 0) -> CommandView:
    """Resume a paused run."""
    return await run.send("set_paused", SetPaused(paused=False, by=body.by if body else ""), wait)


@router.post("/cancel", status_code=202)
async def cancel(run: Run, body: Cancel | None = None, wait: Wait = 0) -> CommandView:
    """Cancel the run now, or once the running phases have ended."""
    return await run.send("cancel", body or Cancel(), wait)


def _interpret_feedback(state: StateView, feedback: Feedback) -> AnswerQuestions | Decide:
    """Turn feedback into an answer, or into a revision if no questions are open."""
    text, by = feedback.text, feedback.by
    for checkpoint in state.pending:
        if checkpoint.kind == "questions":
            accepted = {q.id: not q.strict or text in q.choices for q in checkpoint.questions}
            answers = {name: text if is_valid else None for name, is_valid in accepted.items()}
            return AnswerQuestions(answers=answers, checkpoint_id=checkpoint.checkpoint_id, by=by)
    for checkpoint in state.pending:
        if "revise" in list_allowed_actions(checkpoint):
            return Decide(
                action="revise", feedback=text, checkpoint_id=checkpoint.checkpoint_id, by=by
            )
    has_ended = state.status in ENDED
    raise Conflict(
        Notice.of("no-checkpoint-run-ended" if has_ended else "no-checkpoint-for-feedback")
    )
