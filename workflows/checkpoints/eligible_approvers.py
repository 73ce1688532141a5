"""Eligible approvers of a checkpoint: who may vote, and never the requester where two must decide (four eyes). Pure."""

from datetime import datetime

from contracts.errors import NotAllowed
from contracts.human.approvers import Approvers, Poll
from contracts.notices import Notice, Told
from contracts.problems import Problem
from workflows.checkpoints.reminders_and_escalation import add_seconds


def open_poll(policy: Approvers, requester: str, now: datetime) -> Poll:
    """Return the poll that a checkpoint opens with."""
    return Poll(
        asked=[name for name in policy.of if not (policy.forbid_requester and name == requester)],
        roles=[policy.role] if policy.role else [],
        needed=policy.needed,
        rejects_needed=policy.rejects_needed,
        missing=policy.needed,
        requester=requester if policy.forbid_requester else None,
        remind_every_seconds=policy.remind_every_seconds,
        reminds_at=add_seconds(now, policy.remind_every_seconds),
        escalates_at=add_seconds(now, policy.escalate_after_seconds),
        escalate_to=policy.escalate_to,
    )


def require_asked(poll: Poll, user: str, role: str) -> None:
    """Refuse a user who may not vote here."""
    if user == poll.requester:
        raise NotAllowed(Problem.at("by", "requester-decides-not", user=user))
    if user in poll.handed_over:
        raise NotAllowed(Problem.at("by", "handed-over", user=user, to=poll.handed_over[user]))
    if user not in poll.asked and role not in poll.roles:
        audience = list_audience(poll)
        raise NotAllowed(Problem.at("by", "not-asked", user=user, audience=audience))


def list_audience(poll: Poll) -> list[Told]:
    """Return who is asked: users by name, and roles."""
    return [*poll.asked, *(Notice.of("the-role", role=role) for role in poll.roles)]
