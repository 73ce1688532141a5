"""The plan that a human approves, its price and its hash."""

import hashlib
import json
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from contracts.base import Contract, Json, Note, Text
from contracts.documents import DayOrNone
from contracts.planning.assumptions import Assumptions
from contracts.planning.cost_estimate import CostEstimate
from contracts.tool_servers import PlannedServer
from contracts.words import Language

Depth = Literal["quick", "standard", "thorough"]


class PlanStep(Contract):
    """One item of the plan a human approves."""

    name: Text = Field(
        min_length=1,
        max_length=200,
        description="in a few words; of an independent step its subject alone, as `Kenya`",
    )
    description: Note = Field(default="", description="what is looked up or worked out, and where")
    agent_role: Text = Field(default="researcher", max_length=100, description="who does it")
    estimated_duration: Text = Field(
        default="", max_length=100, description="as a human says it, e.g. `3 min`; no model does"
    )
    independent: bool = Field(
        default=False,
        description="needs nothing that other steps find: an agent of its own does it, beside the others",
    )


class PlanRole(Contract):
    """A role that a plan's steps may name, and its task."""

    id: str
    does: str
    at_once: bool = Field(
        default=False,
        exclude_if=lambda at_once: not at_once,
        description="does independent steps at the same time",
    )


class PlanDraft(Contract):
    """The part of a plan that a model writes and a human may change."""

    title: Text = Field(min_length=1, max_length=300, description="of the report")
    goal: Note = Field(default="", description="what the reader can decide or do afterwards")
    requirements: list[Note] = Field(
        default=[], max_length=50, description="what the report must answer, one thing each"
    )
    steps: list[PlanStep] = Field(min_length=1, max_length=50)
    search_terms: list[Text] = Field(
        default=[], max_length=50, description="searched as they stand, once it is approved"
    )
    geographical_scope: Text = Field(default="", max_length=500)
    focus_areas: list[Text] = Field(default=[], max_length=50)
    expanded_queries: list[Text] = Field(
        default=[], max_length=50, description="searched as well: other words, one aspect each"
    )
    outline: list[Text] = Field(
        default=[], max_length=50, description="the headings of the report, in their order"
    )
    measures: list[Annotated[Text, Field(max_length=200)]] = Field(
        default=[],
        max_length=20,
        exclude_if=lambda measures: not measures,
        description="the facts that each independent step finds, the same for all, a few words each",
    )
    as_of: DayOrNone = Field(
        default=None,
        exclude_if=lambda day: not day,
        description="the last day of the past time as of which the request asks, as 2010-06-30 for “as of June 2010”;"
        " null: it asks about now",
    )
    max_age_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="how old a cited page may be, where the answer must be current; null: any age",
    )
    assumptions: Assumptions = Field(
        default=[],
        max_length=50,
        description="what nobody said and is taken for granted",
    )
    not_held: list[Note] = Field(
        default=[],
        max_length=20,
        exclude_if=lambda lines: not lines,
        description="what the answer needs and nothing that is searched seems to hold, a few words each",
    )
    depth: Depth = Field(default="standard", description="how much is searched, read and reviewed")
    wished_usd: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="most that the human said it may cost, in US dollars; null: they named no amount",
    )

    @field_validator("measures")
    @classmethod
    def _list_measures_once(cls, measures: list[str]) -> list[str]:
        """Keep each measure once and none that is empty: a tool lists them as the values of an enum."""
        return [*dict.fromkeys(filter(None, measures))]

    @property
    def searches(self) -> list[str]:
        """All that is searched, each once."""
        return list(dict.fromkeys([*self.search_terms, *self.expanded_queries]))

    @property
    def subjects(self) -> list[str]:
        """The steps' names, under which findings are filed, each once."""
        return list(dict.fromkeys(step.name for step in self.steps))

    @property
    def lookups(self) -> list[PlanStep]:
        """The steps, those that are independent with the measures in their descriptions."""
        told = "; ".join(self.measures)
        return [
            step.model_copy(update={"description": f"{step.description} {told}".strip()})
            if step.independent
            else step
            for step in self.steps
        ]

    def tell(self, language: Language, **fields: Any) -> Json:
        """Return it as models read it, in words; `fields` are the `include` and `exclude` of pydantic."""
        told: Json = self.model_dump(mode="json", **fields)
        told.pop("servers", None)  # their agents see the tools anyway
        if "assumptions" in told:
            told["assumptions"] = [assumed.tell(language) for assumed in self.assumptions]
        return told


SEARCHES = ("search_terms", "expanded_queries")
"""The lists of a plan's searches: all terms of both are searched."""


def join_searches(plan: Json) -> Json:
    """Return a plan's fields with all searches in the first of both lists."""
    first, second = SEARCHES
    given: list[Any] = [plan.get(name) or [] for name in SEARCHES]
    return {**plan, first: list(dict.fromkeys(chain(*given))), second: []}


class Plan(PlanDraft):
    """A priced plan."""

    estimated_duration: str = ""
    estimated_cost: CostEstimate = CostEstimate()
    servers: list[PlannedServer] = Field(
        default=[],
        exclude_if=lambda servers: not servers,
        description="whose tools agents may call once it is approved",
    )

    @property
    def hash(self) -> str:
        """Return the sha256 over all that is approved: everything but the time estimate and the ids of assumptions."""
        told = self.model_dump(
            exclude={"estimated_duration": True, "assumptions": {"__all__": {"id"}}}
        )
        body = json.dumps(told, sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()
