"""The wait for a human at a checkpoint: until its deadline, with reminders and an escalation on the way."""

from collections.abc import Callable
from datetime import datetime, timedelta

from temporalio import workflow

from contracts.human.checkpoints import Checkpoint
from contracts.runs.state import RunState
from workflows.checkpoints.reminders_and_escalation import advance


def compute_deadline(now: str, wait_seconds: float) -> str:
    """Return the moment, ISO 8601, at which a checkpoint opened now runs out."""
    return (datetime.fromisoformat(now) + timedelta(seconds=wait_seconds)).isoformat()


def find_next_moment(checkpoint: Checkpoint) -> datetime:
    """Return when something happens by itself: a reminder, the escalation, the deadline."""
    poll = checkpoint.poll
    times = [checkpoint.deadline, poll and poll.reminds_at, poll and poll.escalates_at]
    return min(datetime.fromisoformat(time) for time in times if time)


async def wait_until_closed(
    state: RunState, checkpoint_id: str, update: Callable[[Checkpoint, str], None]
) -> bool:
    """Wait until a checkpoint is closed; `update` takes it once a reminder or the escalation changed it.

    Once its time has run out it is closed here, and False returned.
    """

    def find() -> Checkpoint | None:
        return next((c for c in state.pending if c.checkpoint_id == checkpoint_id), None)

    while (asked := find()) is not None:
        moment = find_next_moment(asked)
        try:
            await workflow.wait_condition(
                lambda: find() is None,
                timeout=max(moment - workflow.now(), timedelta(0)),
                timeout_summary=f"{checkpoint_id} waits for a human",
            )
        except TimeoutError:
            await workflow.wait_condition(lambda: not state.paused or find() is None)
            asked = find()
            if asked is None or find_next_moment(asked) > moment:
                continue  # closed, or put off by a pause
            if moment < datetime.fromisoformat(asked.deadline):
                update(*advance(asked, workflow.now()))
                continue
            if (
                asked.poll
            ):  # votes that arrived in time count, even if their verification takes longer
                await workflow.wait_condition(workflow.all_handlers_finished)
            if (left := find()) is not None:
                state.pending.remove(left)
                return False
    return True
