"""A crew: its plan is parted by the roles offered, its lists hold what the sources carry."""

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contracts.agents.crews import CrewAgent
from contracts.agents.market import AGENTS, Customers, Sizing, Strategy
from contracts.base import get_answer_schema
from greenlight.offline.model.regions import meant, regions
from tests.offline.asking import Json, instance
from tests.offline.conftest import Services, serving
from tests.offline.crewing import Crew, Done, planned

QUESTION = "I want to sell solar irrigation pumps to farms in East Africa"
SUPPLIERS = """# Solar pump suppliers in Kenya

SunCulture sells the RainMaker2 solar irrigation pump in Kenya for $500, paid over 30 months.
Futurepump, a rival from the UK, sold 4,000 pumps in East Africa in 2023.

| Supplier | Price | Warranty |
|---|---|---|
| Davis & Shirtliff | $740 | 1 year |
"""
MARKET = """The market for solar irrigation pumps in East Africa

About 20,000 solar irrigation pumps were sold in East Africa in 2023, 30% more than in 2022."""
FARMERS = """# What smallholder farmers say about solar pumps

Smallholder farmers in western Kenya irrigate 0.8 hectares on average.

Farmers complain that solar pumps are too expensive to buy outright."""


def roles(plan: Json) -> list[str]:
    steps: Any = plan["steps"]
    return [step["agent_role"] for step in steps]


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_each_role_gets_one_step_while_there_is_room(most: int) -> None:
    found = roles(planned(QUESTION, most=most))
    assert len(set(found)) == len(found) == min(most, len(AGENTS))
    assert set(found) <= {agent.id for agent in AGENTS}


def test_a_role_with_much_to_look_up_gets_more_steps_where_there_is_room() -> None:
    plan: Any = planned(QUESTION, most=9)
    found = roles(plan)
    assert list(dict.fromkeys(found)) == [agent.id for agent in AGENTS]
    assert len(AGENTS) < len(found) <= 9
    assert len({step["name"] for step in plan["steps"]}) == len(found)


def test_other_roles_get_the_steps_that_their_goals_name() -> None:
    named = {"zeta": "Find the rivals and competitors", "eta": "Find what customers need"}
    agents = [CrewAgent(id=n, role=n, goal=goal) for n, goal in named.items()]
    plan: Any = planned(QUESTION, [*agents, CrewAgent(id="theta", role="t", goal="Conclude")])
    told = {step["agent_role"]: step["description"] for step in plan["steps"]}
    assert list(told) == ["zeta", "eta", "theta"]
    assert "competitors" in told["zeta"]
    assert "customer needs" in told["eta"]


@pytest.mark.parametrize(
    ("text", "some", "none"),
    [
        ("farms in east africa", ["Kenya", "Ethiopia"], "Nigeria"),
        ("Southeast Asian shops", ["Indonesia", "Vietnam"], "India"),
        ("Latin America", ["Brazil", "Mexico"], "United States"),
        ("the Nordics", ["Sweden", "Norway"], "Germany"),
        ("the EU", ["Germany", "France"], "United Kingdom"),
        ("GCC", ["Saudi Arabia", "Qatar"], "Iran"),
        ("Kenya and the rest of East Africa", ["Kenya"], "Ethiopia"),
        ("South Africa", ["South Africa"], "Nigeria"),
        ("Central African Republic", ["Central African Republic"], "Nigeria"),
    ],
)
def test_a_region_means_its_largest_countries(text: str, some: list[str], none: str) -> None:
    found = meant(text)
    assert set(some) <= set(found)
    assert none not in found
    assert len(found) <= 6


def test_no_region_is_seen_where_none_is_named() -> None:
    assert regions("a northern light over the eastern gate, worldwide") == []


def test_the_scope_names_the_region_and_its_countries() -> None:
    scope = str(planned(QUESTION)["geographical_scope"])
    assert "East Africa" in scope
    assert "Kenya" in scope


@pytest.fixture(scope="module")
async def done(sample: Services) -> Done:
    return await Crew(sample, QUESTION).work()


async def test_the_sample_gives_figures_and_owns_up_to_gaps(done: Done) -> None:
    assert done.unsupported() == []
    told = " ".join(claim.text for claim in done.claims)
    assert all(part in told for part in ("Irrigated land, Kenya", "Real GDP per capita, Uganda"))
    assert "CIA" not in told
    assert done.outputs["competition"]["competitors"] == []
    assert "no competitors" in str(done.outputs["competition"]["gaps"])
    assert done.outputs["strategy"]["opportunities"]
    assert done.outputs["strategy"]["risks"]


async def test_agents_do_not_all_send_the_same_searches(done: Done) -> None:
    sent = [set(done.queries[n]) for n in ("market_sizing", "competition", "customers")]
    assert all(sent)
    assert len(set.intersection(*sent)) == 1
    assert set().union(*sent) == set(done.plan["search_terms"])


@pytest.mark.full
async def test_the_readers_own_documents_name_competitors(tmp_path: Path) -> None:
    for name, text in {"a.md": SUPPLIERS, "b.txt": MARKET, "c.md": FARMERS}.items():
        (tmp_path / name).write_text(text)
    async with serving("--library", str(tmp_path)) as services:
        done = await Crew(services, QUESTION).work()
    outputs: Any = done.outputs
    assert done.unsupported() == []
    assert {"SunCulture", "Futurepump", "Davis & Shirtliff"} == {
        found["name"] for found in outputs["competition"]["competitors"]
    }
    assert "20,000" in str(outputs["market_sizing"]["sizes"])
    assert "Smallholder farmers" in [found["name"] for found in outputs["customers"]["segments"]]
    assert "too expensive" in str(outputs["strategy"]["risks"])


async def test_a_subject_that_nobody_knows_gives_nothing_but_gaps(sample: Services) -> None:
    done = await Crew(sample, "Market for QZXW?").work()
    assert done.claims == []
    assert "QZXW" in str(done.outputs["market_sizing"]["gaps"])
    assert done.outputs["strategy"]["gaps"]


def test_every_text_of_an_item_stands_in_its_quote() -> None:
    line = "Irrigated land, Kenya: 1,030 sq km (2012)"
    page = f"title: Kenya: Energy\n\n{line}\nClimate, Kenya: hot"
    schema = get_answer_schema(Sizing)
    question = "How large is the market for irrigation pumps in Kenya?"
    [size] = instance(schema, question=question, **{"source-4": page})["sizes"]
    assert size == {
        "claim": {"text": line, "citations": [{"source": 4, "quote": line}]},
        "value": "1,030 sq km",
        "year": "2012",
    }


def test_what_is_weighed_is_what_was_handed_over() -> None:
    quotes = [
        "Farmers complain that pumps are too expensive.",
        "Demand for pumps grows by 9% a year.",
    ]
    found = {"things": [{"source": n, "quote": quote} for n, quote in enumerate(quotes, 3)]}
    made = instance(get_answer_schema(Strategy), question=QUESTION, **{"found-x": found})
    assert [c["citations"] for c in made["risks"]] == [[{"source": 3, "quote": quotes[0]}]]
    assert [c["citations"] for c in made["opportunities"]] == [[{"source": 4, "quote": quotes[1]}]]


@pytest.mark.parametrize("model", [Sizing, Customers, Strategy])
def test_without_evidence_there_are_gaps_alone(model: Any) -> None:
    made = instance(get_answer_schema(model), question=QUESTION, plan=planned(QUESTION))
    assert made.pop("gaps")
    assert not any(made.values())


def test_lists_that_must_not_be_empty_stay_valid() -> None:
    schema: Any = copy.deepcopy(get_answer_schema(Strategy))
    schema["properties"]["risks"]["minItems"] = 2
    jsonschema.validate(instance(schema, question=QUESTION), schema)
