"""Sending of alerts: one channel at a time, in order, each under the id that it has for ever."""

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from temporalio import activity

from activities.alerts.decision_links import DecisionLinks
from activities.runs.schedule_changes import ScheduleChanges
from contracts.access.principal import Principal
from contracts.alerts import AlertTurn, ChannelRef, DueAlert, SendOutcome
from contracts.notices import Notice
from domain.alerts.messages import AlertMessage, write_message
from domain.alerts.payloads import build_mail, build_payload
from domain.alerts.webhook_signature import dump, sign

if TYPE_CHECKING:
    from activities.integrations.alert_senders import HttpSender, MailSender
    from store.alerts import AlertRepository

MAX_SENT = 20
"""Alerts of one turn."""
BACKOFF_FACTOR = 4
LONGEST_PAUSE = timedelta(hours=6)
LONGEST_ASKED = timedelta(days=1)
"""Maximum wait accepted from a receiver's `Retry-After`."""


class AlertActivities:
    """Sends what a channel has due; an alert that fails is tried again until `patience` is over."""

    def __init__(  # noqa: PLR0913 - each a client or a setting of its own
        self,
        alerts: "AlertRepository",
        http: "HttpSender",
        mail: "MailSender",
        links: DecisionLinks,
        changes: ScheduleChanges,
        first_pause: timedelta,
        patience: timedelta,
    ) -> None:
        self._alerts = alerts
        self._http = http
        self._mail = mail
        self._links = links
        self._changes = changes
        self._first_pause = first_pause
        self._patience = patience

    @activity.defn(name="alerts.deliver")
    async def deliver(self, channel: ChannelRef) -> AlertTurn:
        """Send a channel's due alerts in order; return when the next one is due.

        Where a worker dies between an answer and its record, the alert is sent again under the same id.
        """
        sent = 0
        while sent < MAX_SENT and (alert := await self._alerts.find_next(channel)):
            if alert.wait_seconds > 0:
                return AlertTurn(sent=sent, wait_seconds=alert.wait_seconds)
            if not await self._is_over(alert):
                await self._settle(alert, await self._send(alert))
                sent += 1
        wait = 0.0 if sent == MAX_SENT else await self._alerts.find_wait(channel)
        return AlertTurn(sent=sent, wait_seconds=wait)

    async def _is_over(self, alert: DueAlert) -> bool:
        """Return whether the deadline that an alert warns of no longer matters, or was put off; note it then."""
        if alert.type != "run.deadline_near" or alert.attempts:
            return False
        asked = alert.open_checkpoint
        if asked is None:
            await self._alerts.settle(alert, "lapsed")
            return True
        if not alert.facts.deadline or asked.deadline == alert.facts.deadline:
            return False
        lead = datetime.fromisoformat(alert.facts.deadline) - datetime.fromisoformat(alert.at)
        due_at = datetime.fromisoformat(asked.deadline) - lead
        if due_at <= datetime.now(UTC):
            return False
        await self._alerts.postpone(alert, due_at.isoformat())
        return True

    async def _send(self, alert: DueAlert) -> SendOutcome:
        if alert.type == "run.ended":
            who = Principal(tenant_id=alert.tenant_id)
            changes = await self._changes.find(who, alert.run_id or "", alert.facts.status)
            alert = alert.model_copy(update={"changes": changes})
        message = self._write(alert)
        if alert.kind == "email":
            return await self._mail.send(build_mail(alert, message, self._mail.sender))
        url, payload = build_payload(alert, message)
        body = dump(payload)
        is_signed = alert.kind == "webhook"
        headers = sign(alert.secret, alert.id, datetime.now(UTC), body) if is_signed else {}
        return await self._http.send(url, body, headers)

    def _write(self, alert: DueAlert) -> AlertMessage:
        run_url = self._links.build_run_url(alert.run_id) if alert.run_id else ""
        decide_url = self._links.build_decide_url(alert)
        return write_message(alert, run_url, decide_url, self._links.build_compare_url(alert))

    async def _settle(self, alert: DueAlert, outcome: SendOutcome) -> None:
        failure = outcome.failure
        if failure is None:
            await self._alerts.settle(alert, "delivered")
        elif outcome.is_gone:
            await self._alerts.settle(alert, "failed", failure)
            await self._alerts.disable(alert, Notice.of("channel-gone"))
        elif outcome.is_final or alert.age_seconds >= self._patience.total_seconds():
            await self._alerts.settle(alert, "failed", failure)
        else:
            pause = self._compute_pause(alert.attempts, outcome.retry_after)
            await self._alerts.retry_later(alert, pause, failure)

    def _compute_pause(self, attempts: int, asked: float | None) -> float:
        """Return the seconds until the next attempt: four times as long each time, or as the receiver asks."""
        first, longest = self._first_pause.total_seconds(), LONGEST_PAUSE.total_seconds()
        pause = min(first * float(BACKOFF_FACTOR) ** min(attempts, 20), longest)
        spread = random.uniform(0.9, 1.1)  # noqa: S311 - no secret
        return max(pause * spread, min(asked or 0.0, LONGEST_ASKED.total_seconds()))
