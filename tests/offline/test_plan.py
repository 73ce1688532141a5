"""Plans: from the question, the answers and what a human asked to change."""

from typing import Any

import pytest

from contracts.base import get_answer_schema
from contracts.report.drafts import PlanReview
from contracts.report.research import PlanDraft
from tests.offline.asking import instance

QUESTION = "Is Peru or Chile better for olive presses?"
ANSWERS = [
    {"id": "q1", "question": "What should count most?", "answer": "Ability to pay"},
    {"id": "q2", "question": "Which customers?", "answer": "family farms"},
    {"id": "q3", "question": "How soon?", "answer": None},
]


def plan(question: str = QUESTION, **inputs: Any) -> PlanDraft:
    given = {"question": question, "max_plan_steps": "3", **inputs}
    return PlanDraft.model_validate(instance(get_answer_schema(PlanDraft), **given))


def everything(draft: PlanDraft) -> str:
    return draft.model_dump_json()


def test_a_plan_has_every_part() -> None:
    made = plan(answers=ANSWERS)
    assert all(getattr(made, name) for name in PlanDraft.model_fields if name != "expanded_queries")
    assert made.expanded_queries == []
    assert {"researcher", "synthesizer"} == {step.agent_role for step in made.steps}


def test_each_compared_thing_is_searched_for() -> None:
    terms = plan().search_terms
    assert sum("Peru" in term for term in terms) == sum("Chile" in term for term in terms) >= 3
    assert any("olive presses" in term for term in terms)


def test_answers_enter_the_plan() -> None:
    made = plan(answers=ANSWERS)
    assert any("Ability to pay" in line for line in made.requirements)
    assert any("family farms" in term for term in made.search_terms)
    assert "family farms" in made.outline
    assert any("How soon?" in line for line in made.assumptions)


@pytest.mark.parametrize(
    ("feedback", "there", "gone"),
    [
        ("Also look at Bolivia", "Bolivia olive presses", "Uruguay"),
        ("Please drop Chile", "Peru olive presses", "Chile olive presses"),
        ("Only Chile, please", "Chile olive presses", "Peru olive presses"),
        ("Bolivia instead of Chile", "Bolivia olive presses", "Chile olive presses"),
        ("Add more on water rights", "water rights", "Bolivia"),
    ],
)
def test_feedback_changes_the_plan(feedback: str, there: str, gone: str) -> None:
    made = plan(feedback=feedback)
    terms = " | ".join(made.search_terms)
    assert there in terms
    assert gone not in terms
    assert any(feedback in line for line in made.requirements)


def test_times_and_sums_are_no_subject() -> None:
    said = ["in one to three years", "$2 million", "to present it to the board"]
    asked = ["How soon?", "What budget do you have?", "What will you decide or do with it?"]
    answers = [
        {"id": f"q{n}", "question": question, "answer": answer}
        for n, (question, answer) in enumerate(zip(asked, said, strict=True))
    ]
    made = plan(answers=answers)
    assert made.outline == plan().outline
    assert made.search_terms == plan().search_terms
    assert all(any(answer in line for line in made.requirements) for answer in said)


def test_feedback_drops_one_of_any_compared_things() -> None:
    made = plan("Compare React, Vue and Svelte for a dashboard", feedback="Leave out Vue")
    assert any("Svelte" in term for term in made.search_terms)
    assert not any("Vue" in term for term in made.search_terms)


def test_a_place_from_the_answers_scopes_the_plan() -> None:
    answers = [{"id": "q1", "question": "Where?", "answer": "in Norway"}]
    made = plan("I want to explore the AI market", answers=answers)
    assert made.geographical_scope == "Norway"
    assert all("Norway" in term for term in made.search_terms)


def test_instructions_are_taken_over() -> None:
    assert "Prefer data from 2020 on." in everything(plan(instructions="Prefer data from 2020 on."))


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_no_more_steps_than_allowed(most: int) -> None:
    assert 1 <= len(plan(max_plan_steps=str(most)).steps) <= most


def test_what_is_asked_of_a_country_depends_on_the_subject() -> None:
    about_power = everything(plan("Is Peru or Chile better for wind power?"))
    about_care = everything(plan("Is Peru or Chile better for a chain of clinics?"))
    assert "electricity" in about_power
    assert "electricity" not in about_care
    assert "physician density" in about_care


def test_a_good_plan_is_accepted_and_a_poor_one_is_not() -> None:
    schema = get_answer_schema(PlanReview)
    made = plan(answers=ANSWERS)
    review = instance(schema, question=QUESTION, answers=ANSWERS, plan=made.model_dump())
    assert review == {"accepted": True, "issues": []}
    poor = made.model_copy(update={"search_terms": [], "outline": [], "focus_areas": []})
    review = instance(schema, question=QUESTION, answers=ANSWERS, plan=poor.model_dump())
    assert not review["accepted"]
    assert review["issues"]


@pytest.mark.parametrize("question", ["x", "?!", "ペルー", "olive " * 4_000, "a\tb\nc"])
def test_any_question_gets_a_plan(question: str) -> None:
    made = plan(question)
    assert made.search_terms
    assert made.outline
