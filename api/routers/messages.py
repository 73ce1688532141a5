"""What a human says to a run: 202 with the state after it."""

from fastapi import APIRouter
from pydantic import Field

from api.errors import responses
from api.reports.report_history import Living
from api.runs.service import CommandView, Run, Wait
from contracts.base import Note
from contracts.errors import Conflict
from contracts.human.approvers import Delegate
from contracts.human.messages import AnswerQuestions, Cancel, Decide, Said, SetPaused, Steer, Undo
from contracts.runs.state import StateView

router = APIRouter(
    prefix="/v1/runs/{run_id}",
    tags=["messages"],
    responses=responses(403, 404, 409, 422, 503),
)


class Feedback(Said):
    """Free text: it answers what is asked, or says how the shown plan should change."""

    text: Note = Field(min_length=1)


class UndoAt(Said):
    """Which patch of the living report is to be taken back."""

    seq: int = Field(ge=1, le=2**53, description="of the event that tells it")


@router.post("/answers", status_code=202)
async def answer_questions(run: Run, body: AnswerQuestions, wait: Wait = 0) -> CommandView:
    """Answer the open questions."""
    return await run.tell("answer_questions", body, wait)


@router.post("/decision", status_code=202)
async def decide(run: Run, body: Decide, wait: Wait = 0) -> CommandView:
    """Approve, reject, modify or revise what is shown."""
    return await run.tell("decide", body, wait)


@router.post("/delegate", status_code=202)
async def delegate(run: Run, body: Delegate, wait: Wait = 0) -> CommandView:
    """Give one's say at a checkpoint with approvers to somebody else."""
    return await run.tell("delegate", body, wait)


@router.post("/feedback", status_code=202)
async def give_feedback(run: Run, body: Feedback, wait: Wait = 0) -> CommandView:
    """Answer the open questions in one's own words, or ask for another plan."""
    message = _meant(await run.state(), body)
    name = "decide" if isinstance(message, Decide) else "answer_questions"
    return await run.tell(name, message, wait)


@router.post("/steer", status_code=202)
async def steer(run: Run, body: Steer, wait: Wait = 0) -> CommandView:
    """Guide the agents from their next call on."""
    return await run.tell("steer", body, wait)


@router.post("/undo", status_code=202)
async def undo(run: Run, body: UndoAt, wait: Wait = 0) -> CommandView:
    """Take a patch of the living report back, while agents write it."""
    number = await Living(run).number_at(body.seq)
    return await run.tell("undo", Undo(patch=number, by=body.by), wait)


@router.post("/pause", status_code=202)
async def pause(run: Run, body: Said | None = None, wait: Wait = 0) -> CommandView:
    """Hold the run before its next call."""
    return await run.tell("set_paused", SetPaused(paused=True, by=body.by if body else ""), wait)


@router.post("/resume", status_code=202)
async def resume(run: Run, body: Said | None = None, wait: Wait = 0) -> CommandView:
    """Let a paused run go on."""
    return await run.tell("set_paused", SetPaused(paused=False, by=body.by if body else ""), wait)


@router.post("/cancel", status_code=202)
async def cancel(run: Run, body: Cancel | None = None, wait: Wait = 0) -> CommandView:
    """End the run now, or once the phases that run have ended."""
    return await run.tell("cancel", body or Cancel(), wait)


def _meant(state: StateView, feedback: Feedback) -> AnswerQuestions | Decide:
    """Return what feedback means at this moment; questions come before decisions."""
    text, by = feedback.text, feedback.by
    for asked in state.pending:
        if asked.kind == "questions":
            takes = {q.id: not q.strict or text in q.choices for q in asked.questions}
            answers = {name: text if taken else None for name, taken in takes.items()}
            return AnswerQuestions(answers=answers, checkpoint_id=asked.checkpoint_id, by=by)
    for asked in state.pending:
        if asked.plan_hash:
            place = asked.checkpoint_id
            return Decide(action="revise", feedback=text, checkpoint_id=place, by=by)
    raise Conflict("nothing waits for feedback now; use /steer to guide the agents")
