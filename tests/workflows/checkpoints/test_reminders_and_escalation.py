"""Whom a checkpoint's moments bring in, and what a pause puts off."""

from datetime import UTC, datetime, timedelta

from contracts.human.approvers import Approvers, Audience
from contracts.human.checkpoints import Checkpoint
from workflows.checkpoints.eligible_approvers import open_poll
from workflows.checkpoints.reminders_and_escalation import advance, postpone

OPENED = datetime(2026, 3, 1, tzinfo=UTC)
POLICY = Approvers(
    of=["ana", "ben"],
    forbid_requester=True,
    remind_every_seconds=60,
    escalate_after_seconds=90,
    escalate_to=Audience(of=["cy", "ana", "eve"], role="board"),
)
ASKED = Checkpoint(
    checkpoint_id="c",
    phase_id="p",
    kind="decision",
    deadline=(OPENED + timedelta(hours=1)).isoformat(),
    poll=open_poll(POLICY, "eve", OPENED),
)


def test_an_escalation_asks_those_who_were_not_asked_and_not_who_started_the_run() -> None:
    escalated, moment = advance(ASKED, OPENED + timedelta(seconds=90))
    assert moment == "escalation"
    assert escalated.poll
    assert (escalated.poll.asked, escalated.poll.roles) == (["ana", "ben", "cy"], ["board"])
    assert escalated.poll.escalates_at is None


def test_reminders_that_were_missed_come_once() -> None:
    late = OPENED + timedelta(seconds=80)
    reminded, moment = advance(ASKED, late)
    assert moment == "reminder"
    assert reminded.poll
    assert reminded.poll.reminds_at == (late + timedelta(seconds=60)).isoformat()


def test_a_pause_puts_off_every_moment() -> None:
    by = timedelta(hours=2)
    later = postpone(ASKED, by)
    assert later.poll
    assert later.deadline == (OPENED + timedelta(hours=3)).isoformat()
    assert later.poll.reminds_at == (OPENED + timedelta(seconds=60) + by).isoformat()
    assert later.poll.escalates_at == (OPENED + timedelta(seconds=90) + by).isoformat()
