"""The events of a run that its users are alerted of."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from contracts.alerts import AlertFacts, AlertType, NewAlert
from contracts.human.checkpoint_subjects import BudgetSubject
from contracts.notices import Notice
from contracts.runs.events import InputRequiredEvent, WorkflowComplete
from contracts.runs.records import Event

LONGEST_LEAD = timedelta(days=1)
SHORTEST_WAIT = timedelta(minutes=1)
"""A checkpoint with less time than this gets no warning before its end."""
LEAD_SHARE = 4
"""The warning comes when this fraction of the time is left."""


def list_alerts(tenant_id: str, run_id: str, events: Iterable[Event]) -> list[NewAlert]:
    """Return the alerts that a run's new events call for."""
    return [
        alert.model_copy(update={"id": _hash_id(tenant_id, run_id, event.key, alert.type)})
        for event in events
        for alert in _list_of_event(event)
    ]


def build_failed_start(
    tenant_id: str, run_id: str, query: str, at: str, reason: Notice
) -> NewAlert:
    """Return the alert of a scheduled run that could not start, and is recorded nowhere."""
    return NewAlert(
        id=_hash_id(tenant_id, run_id, "start"),
        type="run.failed",
        at=at,
        due_at=at,
        facts=AlertFacts(query=query, reason=reason),
    )


def _hash_id(*parts: str) -> str:
    return "msg_" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _list_of_event(event: Event) -> Iterator[NewAlert]:
    if event.type == "InputRequiredEvent":
        yield from _list_of_checkpoint(event, InputRequiredEvent.model_validate(event.payload))
    if event.type == "workflow_complete":
        status = WorkflowComplete.model_validate(event.payload).status
        type_: AlertType = "run.failed" if status == "failed" else "run.ended"
        facts = AlertFacts(status=status)
        yield NewAlert(id="", type=type_, at=event.at, due_at=event.at, facts=facts)


def _list_of_checkpoint(event: Event, asked: InputRequiredEvent) -> Iterator[NewAlert]:
    """Yield the alert of a checkpoint, and the one that is due shortly before its deadline."""
    subject, plan, poll = asked.subject, asked.plan, asked.poll
    budget = subject if isinstance(subject, BudgetSubject) else None
    facts = AlertFacts(
        checkpoint_id=asked.checkpoint_id,
        asks=asked.kind,
        questions=len(asked.questions),
        plan_hash=asked.plan_hash,
        subject=subject.type if subject else "",
        price=plan.estimated_cost if plan else None,
        deadline=asked.deadline,
        spent_usd=budget.spent_usd if budget else None,
        cap_usd=budget.cap_usd if budget else None,
        budget=budget.budget if budget else None,
    )
    alert = NewAlert(
        id="",
        type="run.cap_reached" if budget else "run.waiting",
        at=event.at,
        due_at=event.at,
        deciders=poll.asked if poll else None,
        roles=poll.roles if poll else [],
        facts=facts,
    )
    yield alert
    if asked.again:
        return
    wait = datetime.fromisoformat(asked.deadline) - datetime.fromisoformat(event.at)
    if wait >= SHORTEST_WAIT:
        due_at = _compute_warning(asked.deadline, wait)
        near = {"type": "run.deadline_near", "at": due_at, "due_at": due_at}
        yield alert.model_copy(update=near)


def _compute_warning(deadline: str, wait: timedelta) -> str:
    """Return when to warn of a deadline: at a quarter of the time, at most a day, before it."""
    return (datetime.fromisoformat(deadline) - min(wait / LEAD_SHARE, LONGEST_LEAD)).isoformat()
