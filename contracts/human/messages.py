"""Messages of humans to a run: one body each, for the update and the signal of the same name."""

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from contracts.base import Contract, ExternalJson, Name, Note, Wrong

Action = Literal["approve", "reject", "modify", "revise"]
ACTIONS: tuple[Action, ...] = get_args(Action)
Label = Annotated[str, Field(min_length=1, max_length=100)]


class Choice(Contract):
    """A checkpoint's own option, and the action it stands for."""

    label: Label
    action: Literal["approve", "reject", "revise"]


class HumanMessage(Contract):
    """Base class of all messages; with API keys, `by` is the key's user."""

    by: str = Field(default="", max_length=200)
    key_id: SkipJsonSchema[str | None] = Field(default=None, max_length=200)
    """The API key by which `by` came; the gateway replaces what a client writes here."""


class AnswerQuestions(HumanMessage):
    """Answers by question id, replacing earlier ones of the round.

    None leaves a question to the run; omitted and blank questions stay open.
    """

    answers: dict[str, Note | None] = Field(default={}, max_length=50)
    rest: Literal["open"] | None = Field(
        default="open", description="null: leave to the run what is not answered here"
    )
    checkpoint_id: Name | None = None


class Decide(HumanMessage):
    """A decision at a checkpoint; to approve or modify a shown plan requires its `plan_hash`."""

    action: Action | None = Field(default=None, description="left out: that of the `choice`")
    plan_hash: str | None = Field(default=None, max_length=64)
    feedback: Note = ""
    modifications: ExternalJson | None = Field(default=None, description="whole plan fields")
    choice: str | None = Field(default=None, max_length=100, description="an option's label")
    keep_startup: bool | None = Field(
        default=None, description="with an approval, where it is offered; null: as offered"
    )
    cap_usd: float | None = Field(
        default=None, gt=0, description="with the choice `raise`: the new cap; null: as offered"
    )
    checkpoint_id: Name | None = None

    @model_validator(mode="after")
    def _require_action(self) -> Self:
        if self.action is None and self.choice is None:
            raise Wrong("action-missing", at="action", allowed=ACTIONS)
        return self


class DecidePlan(HumanMessage):
    """The optional body of the signals `approve_plan` and `reject_plan`."""

    plan_hash: str | None = Field(
        default=None, max_length=64, description="refused unless it is the plan shown now"
    )
    feedback: Note = ""


class Steer(HumanMessage):
    """Guidance for the agents, read before their next call."""

    text: Note = Field(min_length=1)


class Undo(HumanMessage):
    """Revert a patch of the living report, by another patch."""

    patch: int = Field(ge=1, description="its number")


class SetPaused(HumanMessage):
    """Pause before the next call, or resume."""

    paused: bool


class Cancel(HumanMessage):
    """Cancel the run now, or once its running phases have ended."""

    mode: Literal["now", "after_phase"] = "now"
