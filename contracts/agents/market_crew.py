"""The answers of the market crew's agents; market_crew.json has the agents and their tasks."""

import json
from importlib.resources import files
from typing import Any

from pydantic import Field

from contracts.agents.crews import CrewAgent, CrewTask, PlacedSection, Superseded
from contracts.base import Contract, Json
from contracts.evidence.claims import Claim
from contracts.models.answer_json_schema import get_answer_schema
from contracts.report.report import Comparison


class Competitor(Contract):
    """A firm or a product that serves the same customers."""

    name: str
    claim: Claim = Field(description="one sentence that names them: their offer, or how they stand")
    price: Claim | None = Field(default=None, description="what they charge, if a page says it")


class Segment(Contract):
    """A group of customers."""

    name: str
    claim: Claim = Field(description="one sentence that names them: who they are")
    number: Claim | None = Field(default=None, description="how many, if a page says it")
    need: Claim | None = Field(default=None, description="what they need, if a page says it")
    obstacle: Claim | None = Field(
        default=None, description="what keeps them from buying, likewise"
    )


class LabelledFact(Contract):
    """A fact from a page that belongs in none of the other lists, with a label for it."""

    label: str = Field(description="what it is about, in a few words")
    claim: Claim = Field(description="one sentence, a figure or a line that says how or why")


FACTS: list[LabelledFact] = Field(
    default=[],
    description="what else the answer needs and no other list is for: population, growth, how it is supplied"
    " today, what speaks for or against",
)


class Sizing(Contract):
    """The answer of the market sizing agent."""

    sizes: list[Claim] = Field(
        description="figures that say how large it is and how fast it grows, a sentence each,"
        " with unit and year as the source states them"
    )
    facts: list[LabelledFact] = FACTS
    gaps: list[str] = []


class Competition(Contract):
    """The answer of the competition agent."""

    competitors: list[Competitor]
    facts: list[LabelledFact] = FACTS
    gaps: list[str] = []


class Customers(Contract):
    """The answer of the customers agent."""

    segments: list[Segment]
    facts: list[LabelledFact] = FACTS
    gaps: list[str] = []


class Strategy(Contract):
    """The answer of the strategist, from what the others found alone: the report's sections."""

    sections: list[PlacedSection]
    superseded: list[Superseded] = Field(
        default=[], description="the analysts' sentences that one of yours replaces"
    )
    comparison: Comparison | None = Field(
        default=None,
        description="the figures that decide, side by side: a column for each choice of the question,"
        " at most five rows, a cell `not_found` where nobody found it; null where there is one choice",
    )


def _whole(model: type[Contract]) -> Json:
    """Return a model's schema without references: pydantic follows those it finds in defaults."""
    schema = get_answer_schema(model)
    parts: Any = schema.get("$defs", {})

    def inlined(value: Any) -> Any:
        if isinstance(value, list):
            return [inlined(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return inlined(parts[value["$ref"].rpartition("/")[2]])
        return {name: inlined(part) for name, part in value.items() if name != "$defs"}

    whole: Json = inlined(schema)
    return whole


_CREW: Any = json.loads(files(__package__).joinpath("market_crew.json").read_text("utf-8"))
_ANSWERS = {model.__name__: _whole(model) for model in (Sizing, Competition, Customers, Strategy)}

AGENTS = [CrewAgent(**agent) for agent in _CREW["agents"]]
TASKS = [
    CrewTask(**task | {"output_schema": _ANSWERS[task["output_schema"]]}) for task in _CREW["tasks"]
]
