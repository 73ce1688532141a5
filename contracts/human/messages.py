"""What a human can send to a run: one body each, as update and as signal."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, GivenJson, Name, Note

Action = Literal["approve", "reject", "modify", "revise"]


class Said(Contract):
    """What somebody says; with API keys, `by` is the key's user."""

    by: str = Field(default="", max_length=200)


class AnswerQuestions(Said):
    """Answers by question id; None or a missing one means "you decide"."""

    answers: dict[str, Note | None] = Field(max_length=50)
    checkpoint_id: Name | None = None


class Decide(Said):
    """A decision at a checkpoint; `plan_hash` is required to approve or modify a shown plan."""

    action: Action
    plan_hash: str | None = Field(default=None, max_length=64)
    feedback: Note = ""
    modifications: GivenJson | None = Field(default=None, description="plan fields, whole values")
    choice: str | None = Field(default=None, max_length=100)
    checkpoint_id: Name | None = None


class Steer(Said):
    """Guidance for the agents, read before their next call."""

    text: Note = Field(min_length=1)


class Undo(Said):
    """Take back a patch of the living report; that is a patch of its own."""

    patch: int = Field(ge=1, description="its number")


class SetPaused(Said):
    """Hold before the next call, or go on."""

    paused: bool


class Cancel(Said):
    """Stop now, or once the phases that run have ended."""

    mode: Literal["now", "after_phase"] = "now"
