"""Inputs that a phase continued without: the reason for its `partial` status and its warnings."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.notices import Notice


class LossCause(Contract):
    """Why inputs were lost, and how many for this reason."""

    reason: str = Field(description="type of the error, e.g. `fetch-failed`, `worker-lost`")
    status: int | None = Field(default=None, description="HTTP status; None: there was no answer")
    passing: bool = Field(
        default=False, description="an outage: the same request may succeed later"
    )
    count: int = Field(default=1, ge=1)


LostKind = Literal[
    "value",
    "articles",
    "filings",
    "pages",
    "cut_pages",
    "cut_values",
    "searches",
    "unmade_searches",
    "search_service",
    "tool_server",
    "exhibit",
    "price",
    "figures",
    "check",
]


class LostInput(Contract):
    """An input that a phase went on without, in whole or in part."""

    kind: LostKind
    name: str = Field(
        description="`phase.value` of a value, the model of cut pages, the address of a checked source, "
        "the company of prices, the search service, the code of another check, else what was lost; of a cut "
        "value its name as the model saw it"
    )
    phase_id: str = Field(
        default="", description="the phase that lost it; phases after it that lack it repeat it"
    )
    value: str = Field(
        default="",
        description="output field of that phase that is incomplete without it; empty: all of them",
    )
    subject: str = Field(
        default="", description="the company that it is on, where there are several"
    )
    found: int = Field(default=1, ge=1, description="how many there were to read")
    lost: int = Field(default=1, ge=1, description="how many of them were lost")
    names: list[str] = Field(default=[], description="of what was lost, where a reader knows it")
    window_tokens: int = Field(
        default=0, description="of cut pages: the context window to which the model's were cut"
    )
    causes: list[LossCause] = []
    told: Notice | None = Field(
        default=None, description="what was lost and why, where the other fields do not say it"
    )
    optional: bool = Field(
        default=False, description="a check or review; its loss leaves the status as it is"
    )

    @property
    def key(self) -> tuple[str, ...]:
        """Return its key among the losses of a run."""
        told = self.told.model_dump_json() if self.told else ""
        return self.phase_id, self.kind, self.name, self.subject, told

    @property
    def is_whole(self) -> bool:
        """Return True if every item of the input was lost."""
        return self.lost >= self.found

    @property
    def may_pass(self) -> bool:
        """Return whether an outage took some of it: no later run may reuse what was made without it."""
        return any(cause.passing for cause in self.causes)

    @property
    def is_cut(self) -> bool:
        """Return whether the input was read, but not to its end."""
        return self.kind in {"cut_pages", "cut_values"}

    @property
    def degrades(self) -> bool:
        """Return whether a phase without it ends `partial`.

        A few pages that refuse to be read are usual; an outage, or the loss of all, is not. Inputs that
        were cut were read in part.
        """
        if self.is_cut:
            return False
        return not self.optional and (self.may_pass or self.is_whole)
