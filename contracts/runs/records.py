"""Records of a run: its events, its row, the rows of its phases, the journal of its calls."""

from typing import Literal

from pydantic import BaseModel, Field

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract, Json
from contracts.errors import ErrorInfo
from contracts.evidence.sources import Source
from contracts.models.call import Scope
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.lost_inputs import LostInput
from contracts.runs.statuses import PhaseStatus

EventType = Literal[
    "step_start",
    "step_complete",
    "workflow_complete",
    "error",
    "AgentInput",
    "AgentOutput",
    "AgentStream",
    "ToolCall",
    "ToolCallResult",
    "StopEvent",
    "WorkflowCancelledEvent",
    "Status",
    "InputRequiredEvent",
    "HumanResponseEvent",
    "RetryEvent",
    "ReportChecked",
]


class EventFields(Contract):
    """Fields of every event."""

    type: EventType
    phase_id: str | None = None
    plan_step: str | None = None
    status: str | None = None
    attempt: int = 1
    at: str = Field(description="ISO 8601, UTC")
    payload: Json = {}


class Event(EventFields):
    """An event before it has its position in the log.

    Idempotent by `key`: `w-<n>` from the workflow's outbox,
    `<phase>/<attempt>/<call>/<n>` from an activity.
    """

    key: str


class LoggedEvent(EventFields):
    """An event in the log; `seq` counts from 1 without gaps in each run."""

    seq: int
    run_id: str


class EarlyEnd(Contract):
    """Why a phase stopped before it had done all of its work."""

    reason: Literal["budget", "time"]
    pages_read: int = Field(default=0, description="in this phase, until then")


class PhaseFields(BaseModel):
    """Common fields of a phase's state and its view."""

    id: str
    kind: str
    title: str
    title_code: str = Field(default="", description="the title as a code; empty: a user's own")
    status: PhaseStatus = "pending"
    attempt: int = 1
    notices: list[Notice] = Field(
        default=[], description="what it lacks, and why it did less than it was to"
    )
    lost_inputs: list[LostInput] = Field(
        default=[], description="what it went on without; settles status and caching"
    )
    error: ErrorInfo | None = None
    started_at: str | None = None
    ended_at: str | None = None
    usage: Usage = Usage()
    reused_from: str | None = Field(default=None, description="the run whose output it reuses")
    early_end: EarlyEnd | None = Field(default=None, description="null: nothing cut it short")
    undone: list[str] = Field(default=[], description="steps of the plan that it has not done")

    @property
    def called(self) -> str | Notice:
        """Its title, as a notice if it is a shipped one."""
        return Notice.of(self.title_code) if self.title_code else self.title or self.id


class PhaseView(PhaseFields, Contract):
    """A phase as people see it."""

    warnings: list[str] = Field(default=[], description="its notices in English")


class PhaseRecord(PhaseView):
    """The row of a phase."""

    active_seconds: float = Field(default=0, description="of this attempt, without waits")
    config: Json = {}
    input: Json = Field(default={}, description="bound need -> providing phase ids")
    output: Json | None = None
    cache_key: str | None = Field(default=None, description="input hash; None: not reusable")
    expires_at: str | None = Field(default=None, description="end of that time; ISO 8601, UTC")


LAST_VERSION = 2**31 - 1
"""Version of a batch that no later one replaces: the end of a run that Temporal closed."""


class Batch(Contract):
    """One call of the recorder: the current rows of the run and its phases, and new events."""

    tenant_id: str
    run_id: str
    version: int = Field(description="increases; an older batch never overwrites a newer one")
    status: str
    snapshot: Json = Field(description="the `state` query's answer, for when no worker is running")
    ended_at: str | None = None
    usage: Usage
    phases: list[PhaseRecord]
    sources: list[Source] = Field(default=[], description="all so far; upserted by position")
    artifacts: list[Artifact] = Field(default=[], description="all so far; upserted by position")
    events: list[Event]


class Recorded(Contract):
    """The answer to a batch."""

    usage: Usage = Field(description="what the run has spent")
    rejected: str = Field(default="", description="why the batch was set aside, if it was")


class CallSpec(Contract):
    """A call to be claimed; scope, less its name, and request hash are its idempotency key."""

    scope: Scope
    kind: Literal["model", "tool", "search"]
    request_hash: str
    model: str = ""
    reserved_usd: float = Field(default=0.0, description="most that it may cost")
    cap_usd: float = Field(default=0.0, description="a call that would pass it is not claimed")
    kept_usd: float = Field(default=0.0, ge=0, description="of the cap, for later phases")
    batch: bool = Field(default=False, description="asked for again and again until it is settled")
    events: list[Event] = Field(default=[], description="appended to the run's log with the claim")


class CallResult(Contract):
    """A call's result, cost and events, which are settled together."""

    result: Json
    usage: Usage
    events: list[Event] = []
    reused: bool = Field(default=False, description="an earlier attempt made and paid it")


def set_aside(reason: str) -> Notice:
    """Return the notice of a run for a batch that was stored for an operator."""
    return Notice.of("record-set-aside", reason=reason[:1_000])
