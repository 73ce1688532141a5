"""Waiting for a checkpoint to be closed: reminders and escalation on the way, the deadline last."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from temporalio import workflow

from contracts.base import Json
from contracts.runs.state import Checkpoint
from workflows.checkpoints.votes import advance, find_next_moment

if TYPE_CHECKING:
    from workflows.interpreter.interpreter import Interpreter


async def wait_until_closed(run: "Interpreter", checkpoint_id: str) -> bool:
    """Wait until a checkpoint is closed; close it and return False when its time has run out."""

    def standing() -> Checkpoint | None:
        return next((c for c in run.state.pending if c.checkpoint_id == checkpoint_id), None)

    while (asked := standing()) is not None:
        moment = find_next_moment(asked)
        try:
            await workflow.wait_condition(
                lambda: standing() is None,
                timeout=max(moment - workflow.now(), timedelta(0)),
                timeout_summary=f"{checkpoint_id} waits for a human",
            )
        except TimeoutError:
            asked = standing() or asked
            await workflow.wait_condition(lambda: not run.state.paused or standing() is None)
            if standing() is None or find_next_moment(standing() or asked) > moment:
                continue  # closed, or put off by a pause
            if moment < datetime.fromisoformat(asked.deadline):
                update_checkpoint(run, *advance(asked, workflow.now()))
                continue
            if asked.poll:  # what came in time is counted, however long its check takes
                await workflow.wait_condition(workflow.all_handlers_finished)
            if (left := standing()) is not None:
                run.state.pending.remove(left)
                return False
    return True


def update_checkpoint(run: "Interpreter", changed: Checkpoint, again: str = "") -> None:
    """Show a checkpoint as it is now; `again` says why everybody who is asked is told so."""
    pending = run.state.pending
    pending[:] = [changed if c.checkpoint_id == changed.checkpoint_id else c for c in pending]
    if again:
        payload: Json = {**changed.model_dump(mode="json"), "again": again}
        phase = run.state.phase(changed.phase_id)
        run.recorder.emit("InputRequiredEvent", payload, phase=phase)
    run.recorder.publish_status()
