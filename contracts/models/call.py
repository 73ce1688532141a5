"""A model call: the workflow's request, its messages and its result."""

from typing import Any, Literal, Self

from pydantic import Field
from pydantic_core import to_json

from contracts.base import Contract, Json
from contracts.blobs import BlobKey
from contracts.evidence.claims import CitablePage, JudgeTerms, RefusedClaim
from contracts.models.batch import Form
from contracts.models.prices import MAX_ANSWER_TOKENS, TokenCount
from contracts.models.usage import Usage
from contracts.runs.lost_inputs import LostInput


class Scope(Contract):
    """Place of a call in a run; less its name, and with the request's hash, its idempotency key."""

    tenant_id: str = "default"
    run_id: str
    phase_id: str
    attempt: int = Field(ge=1, description="of the phase; the same on a Temporal retry")
    plan_step: str = ""
    name: str = Field(description="the call's name within the phase, e.g. `turn-3`")
    starts: int = Field(
        default=1, ge=1, description="of its activity; more than one: it was started anew"
    )
    sample: str = Field(default="", description="whose recorded answers are asked for; empty: none")
    told: list[Json] = Field(
        default=[], description="events that come before the call's own, if they are not logged yet"
    )
    told_from: int = Field(
        default=0, description="number of the first of these among the workflow's events"
    )


class WebRequest(Contract):
    """Base of the requests that reach the web; the gate of a phase's calls names the approved plan in them."""

    scope: Scope
    plan_hash: str = Field(
        default="", description="the approved plan; empty where starting the run was the consent"
    )

    @property
    def reaches_web(self) -> bool:
        """Whether this request reaches the web; subclasses may decide by their own fields."""
        return True


class BlobRef(Contract):
    """Reference to a text in the blob store, which only activities expand."""

    blob_key: BlobKey = Field(default="", description="empty in what the gateway shows")
    start: int = Field(default=0, ge=0, description="first character")
    chars: int = Field(default=12_000, gt=0, description="maximum number of characters")
    is_excerpt: bool = Field(
        default=False, description="shown as whole sentences and rows, below their table's head"
    )


class Input(Contract):
    """A named input of a prompt, fenced as `<input name="...">`: data, never instructions.

    A human's steering is fenced as `<guidance>`: it is followed, but is not a subject.
    """

    tag: Literal["input", "guidance"] = "input"
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    about: str = Field(
        default="",
        exclude_if=lambda about: not about,
        description="the entry of its tag's description, if that is not its name",
    )
    text: str = ""
    blob: BlobRef | None = Field(default=None, description="appended to `text`")


class FoundInSearch(Contract):
    """The titles that a search newly showed a conversation, the number of known ones, or its error."""

    new: list[str] = []
    seen_before: int = 0
    error: str = ""

    @property
    def as_told(self) -> Json:
        """It as reviewers see it."""
        if self.error:
            return {"error": self.error}
        return {"new": [*self.new], "seen_before": self.seen_before}


PLANNED = "planned-"
"""Begins the id of a call of a tool that code made before an agent's first turn."""

LAST = "last"
"""Ends the name of a turn that is asked in place of one that the cap refused, or sooner than planned."""


class Block(Contract):
    """A part of a message; the inputs of a `tool_result` are fenced like those of a prompt."""

    type: Literal["text", "inputs", "tool_use", "tool_result"]
    text: str = ""
    id: str = Field(default="", description="id of the tool call, in tool_use and tool_result")
    name: str = ""
    input: Json = {}
    inputs: list[Input] = []
    is_error: bool = False
    artifact: str = Field(
        default="",
        description="of a `tool_result`: id of the table or chart it made; no model sees it",
    )
    search: FoundInSearch | None = Field(
        default=None, description="of a search's `tool_result`, as reviewers see it"
    )


class Message(Contract):
    """A turn of a conversation."""

    role: Literal["user", "assistant"]
    content: list[Block]


class Tool(Contract):
    """A tool as described to the model."""

    name: str
    description: str
    input_schema: Json


class ModelRequest(Contract):
    """A model call, identified by a hash of the canonical JSON that the model receives."""

    scope: Scope
    role: str
    model: str
    system: str
    messages: list[Message]
    tools: list[Tool] = []
    may_call: bool = Field(default=True, description="off: it must answer; tools are only declared")
    keeps_history: bool = Field(
        default=True,
        description="off: no later turn repeats these messages, so they are not cached",
    )
    output_schema: Json | None = Field(default=None, description="JSON Schema of a typed answer")
    max_tokens: int = Field(default=4_096, gt=0, le=MAX_ANSWER_TOKENS)
    thinking_tokens: int = Field(
        default=0,
        ge=0,
        exclude_if=lambda tokens: not tokens,
        description="of `max_tokens`, for thinking before the answer, by a model that can",
    )
    batch: bool = Field(default=False, description="asked in a batch: later, for less")
    cap_usd: float = Field(gt=0, description="the run's cap; no call is made that exceeds it")
    kept_usd: float = Field(default=0.0, ge=0, description="of the cap, for later phases")
    kept_turns: int = Field(
        default=0, ge=0, description="further turns of its conversation that the cap must still pay"
    )
    fits_budget: bool = Field(
        default=False, description="pages are cut until what is left of the cap pays for the call"
    )
    seconds_left: float | None = Field(
        default=None, description="of the phase's time; optional work for the answer yields to it"
    )
    pages: list[CitablePage] | None = Field(
        default=None, description="what the answer may cite; None: its claims are not verified"
    )
    judge: JudgeTerms | None = Field(
        default=None, description="who judges what code cannot settle; None: nobody"
    )

    def derive(self, name: str, **changes: Any) -> Self:
        """Return a call that comes of this one, named after it; `changes` are fields."""
        scope = self.scope.model_copy(update={"name": f"{self.scope.name}-{name}"})
        return self.model_copy(update={"scope": scope, **changes})


class Reply(TokenCount):
    """A model's answer as journaled, also a refused or truncated one."""

    content: list[Block]
    form: Form = Field(
        default="enforced", description="in which an answer of a schema was asked for"
    )
    stop_reason: str
    cut_to_tokens: int = Field(
        default=0, description="the context window to which what it read was cut; 0: it was not"
    )
    is_estimated: bool = Field(
        default=False,
        exclude_if=lambda estimated: not estimated,
        description="its server counts no tokens: they are estimated by length",
    )
    off_record: bool = Field(
        default=False, description="of a replayed run: the stand-in's, no recorded answer fits"
    )


class ModelResult(Contract):
    """A settled call: the assistant's blocks and, if typed, its validated output."""

    content: list[Block]
    output: Json | None = Field(default=None, description="with its claims verified, if asked for")
    verified_inputs: dict[str, Json] = Field(
        default={}, description="tool call id -> input of a call that claims something, verified"
    )
    refused: list[RefusedClaim] = Field(
        default=[], description="sentences that did not hold and that their writer left out"
    )
    lost_inputs: list[LostInput] = Field(default=[], description="pages that were cut")
    usage: Usage
    turn_usd: float = Field(
        default=0.0, description="most that one more turn of its conversation may cost"
    )
    reused: bool = Field(default=False, description="journaled: an earlier attempt paid for it")


def to_input(name: str, value: object) -> Input:
    """Return a named input: text unchanged, other values as compact JSON, which saves tokens."""
    text = value if isinstance(value, str) else to_json(value, by_alias=False).decode()
    return Input(name=name, text=text)


def build_inputs(**values: object) -> list[Input]:
    """Return the named inputs of all values except None and empty texts."""
    return [to_input(name, value) for name, value in values.items() if value not in (None, "")]


def build_message(inputs: list[Input], steering: list[str]) -> Message:
    """Return the user message of the inputs and of the guidance that humans gave meanwhile."""
    given = [*inputs, *build_guidance(steering)]
    return Message(role="user", content=[Block(type="inputs", inputs=given)])


def build_guidance(steering: list[str]) -> list[Input]:
    """Return the input with humans' guidance; an empty list if there is none."""
    told = Input(tag="guidance", name="steering", text="\n".join(steering))
    return [told] if steering else []
