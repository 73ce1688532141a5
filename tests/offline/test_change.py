"""What answers and feedback change: what counts most, what is added, what is left out."""

import pytest

from tests.offline.conftest import Services
from tests.offline.test_plan import QUESTION, everything, plan
from tests.offline.walking import Walker

FLAGSHIP = (
    "Which of Kenya, Ethiopia and Tanzania should we enter first with solar irrigation pumps?"
)


@pytest.mark.full
async def test_what_counts_most_opens_plan_and_report(services: Services) -> None:
    done = await Walker(services, FLAGSHIP, ["Size of the market"]).walk()
    assert "Size of the market" in done.plan.goal
    assert done.plan.outline[1].startswith("Size of the market")
    opening = done.report.sections[0]
    assert opening.claims[0].text.startswith("GDP (official exchange rate): highest for Ethiopia")
    assert opening.claims[0].text.endswith("The figures are of different years.")
    assert all("GDP" in claim.text for claim in opening.claims)
    assert "Size of the market" in opening.missing
    assert done.unsupported() == []


@pytest.mark.parametrize(
    "feedback",
    ["drop People", "less about people", "Without people, please", "skip GDP and people"],
)
def test_what_is_to_be_dropped_is_gone(feedback: str) -> None:
    assert any(heading.startswith("People") for heading in plan().outline)
    made = plan(feedback=feedback)
    assert not any("people" in heading.lower() for heading in made.outline)
    assert not any("people" in area.lower() for area in made.focus_areas)
    assert any(feedback in line for line in made.requirements)


def test_one_measure_can_be_dropped() -> None:
    made = plan(feedback="leave out inflation, poverty")
    assert "inflation" not in " ".join([*made.outline, *made.search_terms])
    assert "poverty" not in " ".join([*made.outline, *made.search_terms])
    assert "GDP per capita" in " ".join(made.outline)


def test_what_is_to_be_included_is_a_section() -> None:
    assert "grid fees" in plan(feedback="Please include grid fees").outline


def test_other_guidance_is_no_topic() -> None:
    said = "Be careful with old figures and do not forget that we prefer official sources"
    made = plan(feedback=said)
    assert made.outline == plan().outline
    assert any(said in line for line in made.requirements)


def test_no_two_sections_are_about_the_same() -> None:
    answers = [{"id": "q1", "question": "What should count most?", "answer": "Cost"}]
    names = [heading.split(":")[0] for heading in plan(answers=answers).outline]
    assert [name for name in names if "Cost" in name] == ["Cost and ease of entry"]


@pytest.mark.parametrize("question", [QUESTION, FLAGSHIP, "What do we know about our churn?"])
def test_the_plan_names_the_searches_that_it_lists(question: str) -> None:
    made = plan(question)
    listed = {*made.search_terms, *made.expanded_queries}
    assert f"Send {len(listed)} search" in made.steps[0].description


def test_buyers_place_and_time_are_not_the_topic() -> None:
    made = plan("For smallholder farmers in Kenya, should we start selling cold storage in 2026?")
    assert made.title == "Cold storage: Kenya"


def test_a_question_in_another_language_stays_whole() -> None:
    question = "Welcher Markt eignet sich für Wärmepumpen?"
    made = plan(question)
    assert question.strip("?") in made.title
    assert any("English" in line for line in made.assumptions)
    assert not any("English" in line for line in plan().assumptions)


@pytest.mark.full
async def test_power_is_not_purchasing_power(services: Services) -> None:
    done = await Walker(services, "Is Brazil or Argentina better for wind power?", []).walk()
    [section] = [s for s in done.report.sections if s.heading == "Wind power"]
    assert section.claims
    assert all("wind" in claim.text for claim in section.claims)


@pytest.mark.parametrize("question", ["🦄🦄 ???", "qwxz vbnm?"])
async def test_nonsense_finds_nothing_and_says_so(services: Services, question: str) -> None:
    done = await Walker(services, question, []).walk()
    assert done.texts == []
    assert done.report.comparison is None
    assert not any(section.claims for section in done.report.sections)
    assert "Nothing was found" in done.findings.gaps[0]
    assert "budget" not in everything(done.plan)
