"""The market crew: four agents, their tasks, and what each of them answers."""

from typing import Any

from pydantic import Field

from contracts.agents.crews import CrewAgent, CrewTask
from contracts.base import Contract, Json, get_answer_schema
from contracts.evidence.claims import Claim


class MarketSize(Contract):
    """A figure that says how large something is."""

    claim: Claim = Field(description="one sentence that says it as the source does")
    value: str = Field(description="the figure with its unit, as the source states it")
    year: str = Field(
        description="the year it is for, as the source states it; empty if it says none"
    )


class Competitor(Contract):
    """A firm or a product that serves the same customers."""

    name: str
    claim: Claim = Field(description="one sentence that names them: their offer, or how they stand")


class Segment(Contract):
    """A group of customers."""

    name: str
    claim: Claim = Field(description="one sentence that names them: who they are, what they need")


class Sizing(Contract):
    """The answer of the market sizing agent."""

    sizes: list[MarketSize]
    gaps: list[str] = []


class Competition(Contract):
    """The answer of the competition agent."""

    competitors: list[Competitor]
    gaps: list[str] = []


class Customers(Contract):
    """The answer of the customers agent."""

    segments: list[Segment]
    gaps: list[str] = []


class Strategy(Contract):
    """The answer of the strategist, from what the others found alone."""

    opportunities: list[Claim]
    risks: list[Claim]
    gaps: list[str] = []


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


_WEB = (
    " Search with the plan's terms that bear on this, several at once, read the most telling pages,"
    " several at once, and copy every quote to the letter. Say nothing that no page says."
)

AGENTS = [
    CrewAgent(
        id="market_sizing",
        role="Market sizing analyst",
        goal="Say how large the market is and how fast it grows, in figures that can be checked",
        backstory="You trust statistics that name their year and their origin, and no others.",
    ),
    CrewAgent(
        id="competition",
        role="Competition analyst",
        goal="Say who serves these customers today, and how",
        backstory="You look for what is sold and used now, and take no announcement for a product.",
    ),
    CrewAgent(
        id="customers",
        role="Customer analyst",
        goal="Say who the customers are, what they need and what keeps them from buying",
        backstory="You count people and farms and firms before you speak of a segment.",
    ),
    CrewAgent(
        id="strategy",
        works_as="strategist",
        role="Strategist",
        goal="Draw opportunities and risks from what the others found, and from nothing else",
        backstory="You have no access to the web and make no claim without a quote.",
    ),
]

TASKS = [
    CrewTask(
        id="market_sizing",
        agent="market_sizing",
        title="Market size",
        description="Find the figures that say how large the market of the question is." + _WEB,
        expected_output="Figures with unit, year, source number and quote; what was not found.",
        output_schema=_whole(Sizing),
    ),
    CrewTask(
        id="competition",
        agent="competition",
        title="Competition",
        description="Find who competes for the customers of the question, and with what." + _WEB,
        expected_output="Competitors with source number and quote; what was not found.",
        output_schema=_whole(Competition),
    ),
    CrewTask(
        id="customers",
        agent="customers",
        title="Customers",
        description="Find who the customers of the question are and what they need." + _WEB,
        expected_output="Segments with source number and quote; what was not found.",
        output_schema=_whole(Customers),
    ),
    CrewTask(
        id="strategy",
        agent="strategy",
        title="Strategy",
        description=(
            "Weigh what the analysts found. Every opportunity and every risk is one sentence that"
            " rests on quotes they gave, cited with the same source number."
        ),
        expected_output="Opportunities and risks, each with its quotes; what cannot be said.",
        output_schema=_whole(Strategy),
    ),
]
