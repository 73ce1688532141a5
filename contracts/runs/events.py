"""What each type of event carries; the agents' have LlamaIndex's field names."""

from typing import Any, Literal

from pydantic import Field, TypeAdapter

from contracts.base import Contract, Json
from contracts.errors import ErrorInfo
from contracts.models.call import Message
from contracts.runs.records import EventType
from contracts.runs.state import Checkpoint, Decision, RunStatus
from contracts.terms import Usage


class StepStart(Contract):
    """A phase begins."""

    title: str
    kind: str


class StepComplete(Contract):
    """A phase has settled; the event's `status` says how."""

    title: str
    warnings: list[str]
    usage: Usage
    error: ErrorInfo | None
    reused_from: str | None = Field(
        default=None, description="the run that its output was taken over from"
    )


class WorkflowComplete(Contract):
    """The run has ended; every run's last event."""

    status: RunStatus
    message: str = Field(default="", description="where the run was ended from outside")


class Spoken(Contract):
    """Something that an agent does."""

    current_agent_name: str = Field(description="its role")
    call: str = Field(default="", description="which of this attempt's calls it belongs to")


class AgentInput(Spoken):
    """A model is asked."""

    input: list[Message] = Field(description="what is new in this turn")
    model: str


class TextBlock(Contract):
    """A part of an answer."""

    block_type: Literal["text"]
    text: str


class ChatMessage(Contract):
    """An answer."""

    role: Literal["assistant"]
    blocks: list[TextBlock]


class ToolCall(Contract):
    """A tool is called."""

    tool_id: str
    tool_name: str
    tool_kwargs: Json


class AgentOutput(Spoken):
    """A model has answered, and what that cost."""

    response: ChatMessage
    tool_calls: list[ToolCall]
    model: str
    stop_reason: str
    usage: Usage
    usd: float


class AgentStream(Spoken):
    """A piece of an answer; all of a call's make up its `AgentOutput`."""

    delta: str


class ToolOutput(Contract):
    """What a tool gave, or why it gave nothing."""

    tool_name: str
    raw_input: Json
    raw_output: Json | str
    content: str
    is_error: bool


class ToolCallResult(ToolCall):
    """A tool has answered."""

    return_direct: bool
    tool_output: ToolOutput


class StopEvent(Contract):
    """An agent has ended."""

    result: str = Field(description="why: completed, max_turns …")
    turns: int
    agent: str = Field(default="", description="of a crew")


class WorkflowCancelledEvent(Contract):
    """Somebody ended the run before its end."""


class Status(Contract):
    """A word to whoever watches."""

    level: Literal["info", "warning", "error"]
    message: str


class InputRequiredEvent(Checkpoint):
    """A human is asked."""

    again: str = Field(default="", description="why those who are asked are told once more")


class Heard(Contract):
    """Something that a human said."""

    by: str = ""


class AnsweredEvent(Heard):
    """Answers to questions."""

    checkpoint_id: str
    answers: dict[str, str | None]


class DecidedEvent(Decision):
    """A decision."""


class VotedEvent(Heard):
    """A vote, where several decide."""

    vote: str
    missing: int
    feedback: str
    plan_hash: str | None
    checkpoint_id: str


class DelegatedEvent(Heard):
    """Somebody has handed over their say."""

    delegate: str


class SteeredEvent(Heard):
    """Guidance for the agents."""

    steer: str


class UndoneEvent(Heard):
    """A patch of the living report is taken back."""

    undo: int = Field(description="its number")


class PausedEvent(Heard):
    """The run is held, or goes on."""

    paused: bool


class CancelledEvent(Heard):
    """The run is to end."""

    cancel: str


class RetryEvent(Spoken):
    """A call is made again: what it streamed before is void."""

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

PAYLOADS: dict[EventType, TypeAdapter[Any]] = {
    "step_start": TypeAdapter(StepStart),
    "step_complete": TypeAdapter(StepComplete),
    "workflow_complete": TypeAdapter(WorkflowComplete),
    "error": TypeAdapter(ErrorInfo),
    "AgentInput": TypeAdapter(AgentInput),
    "AgentOutput": TypeAdapter(AgentOutput),
    "AgentStream": TypeAdapter(AgentStream),
    "ToolCall": TypeAdapter(ToolCall),
    "ToolCallResult": TypeAdapter(ToolCallResult),
    "StopEvent": TypeAdapter(StopEvent),
    "WorkflowCancelledEvent": TypeAdapter(WorkflowCancelledEvent),
    "Status": TypeAdapter(Status),
    "InputRequiredEvent": TypeAdapter(InputRequiredEvent),
    "HumanResponseEvent": TypeAdapter(HumanResponseEvent),
    "RetryEvent": TypeAdapter(RetryEvent),
}
"""What stands in an event's `payload`, by its type."""
