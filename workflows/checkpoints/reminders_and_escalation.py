"""Reminders and the escalation of a checkpoint with approvers: who is notified when. Pure."""

from datetime import datetime, timedelta

from contracts.human.checkpoints import Checkpoint


def add_seconds(now: datetime, seconds: float | None) -> str | None:
    """Return the ISO time `seconds` after `now`; None without seconds."""
    return (now + timedelta(seconds=seconds)).isoformat() if seconds else None


def postpone(checkpoint: Checkpoint, by: timedelta) -> Checkpoint:
    """Return a checkpoint with all its times shifted by `by`."""

    def later(time: str) -> str:
        return (datetime.fromisoformat(time) + by).isoformat()

    poll = checkpoint.poll
    if poll is not None:
        moments = {n: getattr(poll, n) for n in ("reminds_at", "escalates_at")}
        poll = poll.model_copy(update={name: later(t) for name, t in moments.items() if t})
    return checkpoint.model_copy(update={"deadline": later(checkpoint.deadline), "poll": poll})


def advance(checkpoint: Checkpoint, now: datetime) -> tuple[Checkpoint, str]:
    """Return the checkpoint once a moment has come, and what that moment was.

    Moments that passed while no worker was up come once, not one after the other.
    """
    poll = checkpoint.poll
    assert poll is not None
    if poll.escalates_at and now >= datetime.fromisoformat(poll.escalates_at):
        more = poll.escalate_to
        assert more is not None
        out = {*poll.asked, *poll.handed_over, poll.requester}
        asked = [*poll.asked, *(name for name in more.of if name not in out)]
        roles = list(dict.fromkeys([*poll.roles, *filter(None, [more.role])]))
        poll = poll.model_copy(update={"asked": asked, "roles": roles, "escalates_at": None})
        return checkpoint.model_copy(update={"poll": poll}), "escalation"
    poll = poll.model_copy(update={"reminds_at": add_seconds(now, poll.remind_every_seconds)})
    return checkpoint.model_copy(update={"poll": poll}), "reminder"
