"""Alerts: messages about runs through a user's channels, and the status of each delivery."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from contracts.access.budgets import MetBudget
from contracts.base import Contract, Name, Text
from contracts.human.checkpoints import Checkpoint
from contracts.notices import Notice
from contracts.planning.cost_estimate import CostEstimate
from contracts.runs.schedules import RunChanges
from contracts.runs.statuses import RunStatus
from contracts.words import Language

RunAlertType = Literal[
    "run.waiting", "run.deadline_near", "run.cap_reached", "run.ended", "run.failed"
]
RUN_ALERTS: tuple[RunAlertType, ...] = get_args(RunAlertType)
AlertType = Literal[RunAlertType, "channel.test"]
ChannelKind = Literal["webhook", "slack", "teams", "ntfy", "email"]
CHANNEL_KINDS: tuple[ChannelKind, ...] = get_args(ChannelKind)
AlertStatus = Literal["queued", "delivered", "failed", "lapsed"]

ChannelName = Annotated[Text, Field(max_length=100)]
Target = Annotated[Text, Field(min_length=3, max_length=2_000)]
Events = Annotated[list[RunAlertType], Field(min_length=1, max_length=len(RUN_ALERTS))]


class ChannelChange(Contract):
    """The changeable fields of a channel."""

    name: ChannelName = ""
    events: Events = list(RUN_ALERTS)
    language: Language = "en"
    enabled: bool = Field(
        default=True, description="false keeps its alerts back until it is true again"
    )


class ChannelBody(ChannelChange):
    """A new channel."""

    kind: ChannelKind
    target: Target = Field(
        description="an address of http or https, which is never shown again; of `ntfy` with the topic "
        "as its path; of `email` a mail address"
    )


class Channel(ChannelChange):
    """A channel as its user sees it: without its address's path and its secret."""

    id: Name
    kind: ChannelKind
    shown_target: str = Field(description="the host that it leads to, or the mail address")
    disabled: Notice | None = Field(
        default=None, description="why it was disabled by its receiver; null: it was not"
    )
    queued: int = Field(default=0, description="alerts that wait to be sent")
    created_at: str


class NewChannel(Channel):
    """A channel with its secret, which is shown only now."""

    secret: str = Field(
        description="of `webhook`: verifies its signatures (Standard Webhooks); empty for other kinds"
    )


class AlertFacts(Contract):
    """The facts of an event that an alert reports."""

    checkpoint_id: str = ""
    asks: Literal["questions", "decision", ""] = ""
    questions: int = Field(default=0, description="that are open")
    plan_hash: str | None = None
    subject: str = Field(default="", description="type of what is decided on")
    price: CostEstimate | None = None
    deadline: str | None = None
    spent_usd: float | None = None
    cap_usd: float | None = None
    budget: MetBudget | None = Field(
        default=None, description="an operator's budget that is used up"
    )
    status: RunStatus | None = Field(default=None, description="with which the run ended")
    query: str = Field(default="", description="of a scheduled run that could not start")
    reason: Notice | None = Field(default=None, description="why it could not")


class NewAlert(Contract):
    """An alert to be queued for the channels of all its recipients."""

    id: str = Field(description="the same for one event for ever; receivers drop what they know")
    type: AlertType
    at: str
    due_at: str
    deciders: list[str] | None = Field(
        default=None, description="users who may decide, besides those with a role; null: the owner"
    )
    roles: list[str] = []
    facts: AlertFacts = AlertFacts()


class Delivery(Contract):
    """An alert in a channel's log."""

    id: str = Field(description="sent as `webhook-id`")
    type: AlertType
    run_id: str | None
    at: str
    status: AlertStatus = Field(
        description="`lapsed`: what it announced was over before it was due"
    )
    attempts: int
    next_at: str | None = Field(description="when it is tried again; null: it is settled")
    settled_at: str | None
    failure: Notice | None = Field(description="of the last attempt")


class DueAlert(Contract):
    """An alert with everything needed to send it; contains the channel's secret, so it enters no history."""

    tenant_id: str
    channel_id: str
    user_id: str
    key_id: str | None
    kind: ChannelKind
    target: str
    secret: str
    language: Language
    id: str
    type: AlertType
    at: str
    attempts: int
    wait_seconds: float = Field(description="until its next attempt; at most 0: now")
    age_seconds: float = Field(description="since it was first due")
    decides: bool
    facts: AlertFacts
    run_id: str | None
    query: str
    definition_id: str
    notices: list[Notice] = Field(description="of the run's end")
    changes: RunChanges | None = Field(
        default=None, description="of a scheduled run: what differs from the one before"
    )
    open_checkpoint: Checkpoint | None = Field(
        description="the one that the alert is about, as long as it is open"
    )


class ChannelRef(Contract):
    """Identifies a channel with due alerts."""

    tenant_id: str
    channel_id: str


class AlertTurn(Contract):
    """Outcome of a turn of sending."""

    sent: int = 0
    wait_seconds: float | None = Field(
        default=None, description="until the next alert is due; null: none is queued"
    )


class SendOutcome(Contract):
    """The outcome of a sending attempt; without a failure the receiver has the alert."""

    failure: Notice | None = None
    retry_after: float | None = Field(
        default=None, description="seconds that the receiver asks for"
    )
    is_gone: bool = Field(default=False, description="the receiver wants no more")
    is_final: bool = Field(default=False, description="another attempt cannot help")
