"""Payloads of a run's events, by type; agents' events have LlamaIndex's field names."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter, field_serializer

from contracts.base import Contract, Json
from contracts.errors import ErrorInfo
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.models.call import Message
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.planning.plan_changes import PlanChange
from contracts.report.checks import ReportChecked
from contracts.runs.lost_inputs import LostInput
from contracts.runs.records import Event, EventType
from contracts.runs.statuses import RunStatus


class StepStart(Contract):
    """An attempt at a phase starts."""

    title: str
    kind: str


class StepComplete(Contract):
    """A phase ends; the event's `status` says how."""

    title: str
    notices: list[Notice] = Field(default=[], description="what it lacks and why")
    warnings: list[str] = Field(description="the same in English")
    lost_inputs: list[LostInput] = Field(default=[], description="what it went on without")
    usage: Usage
    error: ErrorInfo | None
    reused_from: str | None = Field(default=None, description="the run whose output it reuses")
    snippet: str = Field(
        default="", description="beginning of its report, else of its texts: up to 300 characters"
    )


class WorkflowComplete(Contract):
    """The run ends; the last event of every run."""

    status: RunStatus
    message: str = Field(default="", description="the reason, if the run was ended from outside")


class AgentEvent(Contract):
    """Base class of the events of agents."""

    current_agent_name: str = Field(description="its role")
    call: str = Field(default="", description="the name of the call within the attempt")


class AgentInput(AgentEvent):
    """A model is called."""

    input: list[Message] = Field(description="what is new in this turn")
    model: str

    @field_serializer("input")
    def _leave_out_defaults(self, messages: list[Message]) -> list[Json]:
        return [message.model_dump(mode="json", exclude_defaults=True) for message in messages]


class TextBlock(Contract):
    """A text block of an answer."""

    block_type: Literal["text"] = "text"
    text: str


class AgentResponse(Contract):
    """An answer of a model."""

    role: Literal["assistant"] = "assistant"
    blocks: list[TextBlock]


class ToolOutput(Contract):
    """Result of a tool call, or the reason of its failure."""

    tool_name: str
    raw_input: Json
    raw_output: Json | str
    content: str = Field(
        description="a word on it, or why it failed; empty where `raw_output` says all"
    )
    is_error: bool
    notice: Notice | None = Field(
        default=None,
        exclude_if=lambda notice: notice is None,
        description="why it failed, as a code with parameters",
    )


class ToolCall(Contract):
    """A tool is called."""

    tool_id: str
    tool_name: str
    tool_kwargs: Json

    def fail(self, notice: Notice) -> "ToolCallResult":
        """Return the event of the call's failure."""
        ended = self.finish(notice.text, notice.text, is_error=True)
        output = ended.tool_output.model_copy(update={"notice": notice})
        return ended.model_copy(update={"tool_output": output})

    def finish(
        self, output: Json | str, content: str = "", *, is_error: bool = False
    ) -> "ToolCallResult":
        """Return the event of the call's end."""
        return ToolCallResult(
            **dict(self),
            return_direct=False,
            tool_output=ToolOutput(
                tool_name=self.tool_name,
                raw_input=self.tool_kwargs,
                raw_output=output,
                content=content,
                is_error=is_error,
            ),
        )


class AgentOutput(AgentEvent):
    """A model answers; carries the cost of the call."""

    response: AgentResponse
    tool_calls: list[ToolCall]
    model: str
    stop_reason: str
    usage: Usage
    usd: float


class AgentStream(AgentEvent):
    """A piece of an answer, or of the sentences in its changes of a report; both are whole in its `AgentOutput`."""

    delta: str


class ToolCallResult(ToolCall):
    """A tool returns its result."""

    return_direct: bool
    tool_output: ToolOutput


class StopEvent(Contract):
    """An agent ends."""

    result: str = Field(description="the reason: completed, max_turns …")
    turns: int
    agent: str = Field(
        default="", description="where several work: the agent's id in a crew, else its plan steps"
    )


class WorkflowCancelledEvent(Contract):
    """The run is cancelled."""


class Status(Contract):
    """A notice to those who follow the run."""

    level: Literal["info", "warning", "error"]
    message: str
    waits: bool = Field(default=False, description="a batch is waited for, maybe for hours")
    notice: Notice | None = Field(
        default=None, description="the same as a code with parameters; null: somebody else's words"
    )

    @classmethod
    def of(cls, notice: Notice) -> "Status":
        """Return the event of a notice."""
        return cls(level=notice.severity, message=notice.text, notice=notice)


class InputRequiredEvent(Checkpoint):
    """A human must answer or decide."""

    again: str = Field(default="", description="the reason of a repeated notification")


KeyId = Annotated[
    str | None,
    Field(description="the API key by which `by` came; null: a token, none, or several votes"),
]


class HumanResponse(Contract):
    """Base class of the events of humans; `by` is their user id."""

    by: str = ""
    key_id: KeyId = None


class AnsweredEvent(HumanResponse):
    """A human answers questions."""

    checkpoint_id: str
    answers: dict[str, str | None]


class DecidedEvent(Decision):
    """A checkpoint is decided."""

    key_id: KeyId = None


class VotedEvent(HumanResponse):
    """An approver votes, or a changed plan awaits approval at its higher price."""

    vote: str
    missing: int
    feedback: str
    plan_hash: str | None
    checkpoint_id: str
    changed: list[PlanChange]


class DelegatedEvent(HumanResponse):
    """An approver delegates a vote."""

    delegate: str


class SteeredEvent(HumanResponse):
    """A human steers the agents."""

    steer: str


class UndoneEvent(HumanResponse):
    """A patch of the living report is reverted."""

    undo: int = Field(description="its number")


class PausedEvent(HumanResponse):
    """The run is paused or resumed."""

    paused: bool


class CancelledEvent(HumanResponse):
    """A human cancels the run."""

    cancel: str


class RetryEvent(AgentEvent):
    """A call is retried, so what it streamed before is void."""

    attempt: int


HumanResponseEvent = (
    AnsweredEvent
    | DecidedEvent
    | VotedEvent
    | DelegatedEvent
    | SteeredEvent
    | UndoneEvent
    | PausedEvent
    | CancelledEvent
)

EventPayload = (
    StepStart
    | StepComplete
    | WorkflowComplete
    | ErrorInfo
    | AgentInput
    | AgentOutput
    | AgentStream
    | ToolCall
    | ToolCallResult
    | StopEvent
    | WorkflowCancelledEvent
    | Status
    | InputRequiredEvent
    | HumanResponseEvent
    | RetryEvent
    | ReportChecked
)
"""The payload of an event; its class determines the event's type."""

_NAMES: dict[type[Contract], EventType] = {
    StepStart: "step_start",
    StepComplete: "step_complete",
    WorkflowComplete: "workflow_complete",
    ErrorInfo: "error",
    **dict.fromkeys(get_args(HumanResponseEvent), "HumanResponseEvent"),
}
"""Types of events that are not named as the classes of their payloads."""
_TYPES: dict[type[Contract], EventType] = {
    payload: _NAMES.get(payload, payload.__name__) for payload in get_args(EventPayload)
}

PAYLOADS: dict[EventType, TypeAdapter[Any]] = {
    type: TypeAdapter(HumanResponseEvent if type == "HumanResponseEvent" else payload)
    for payload, type in _TYPES.items()
}
"""Event type -> the schema of its `payload`."""


def build_event(payload: EventPayload, key: str, at: str, **fields: Any) -> Event:
    """Return an event for the log, of the type that its payload's class names."""
    said = payload.model_dump(mode="json")
    return Event(type=_TYPES[type(payload)], payload=said, key=key, at=at, **fields)
