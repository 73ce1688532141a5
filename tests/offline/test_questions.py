"""Questions back: about what is open, in the user's words, never about what is said."""

from typing import Any

import pytest

from tests.offline.asking import instance

STRING = {"type": "string"}
QUESTION = {
    "type": "object",
    "properties": {
        "question": STRING,
        "context": STRING,
        "choices": {"type": "array", "items": STRING},
    },
    "required": ["question", "context", "choices"],
}
SCHEMA = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": QUESTION}},
    "required": ["questions"],
}

PLACE = ("country", "region")
PEOPLE = ("customers",)
TIME = ("how soon",)
CRITERION = ("count most",)


def ask(question: str, **inputs: Any) -> list[dict[str, Any]]:
    given = {"question": question, "max_questions": "3", **inputs}
    return list(instance(SCHEMA, **given)["questions"])


def asks_about(asked: list[dict[str, Any]], words: tuple[str, ...]) -> bool:
    return any(word in question["question"].lower() for question in asked for word in words)


@pytest.mark.parametrize(
    "question",
    [
        "Which of Peru, Chile and Ecuador should we enter first with olive presses?",
        "I want to explore the AI market",
        "Is React or Vue better for a small dashboard?",
        "x",
        "Welcher Markt eignet sich für Wärmepumpen?",
        "ペルーの市場",
        "drone delivery " * 1_000,
    ],
)
def test_two_or_three_questions_each_with_its_reason(question: str) -> None:
    asked = ask(question)
    assert 2 <= len(asked) <= 3
    assert all(q["question"].endswith("?") and len(q["question"]) < 250 for q in asked)
    assert all(q["context"].endswith(".") for q in asked)
    assert len({q["question"] for q in asked}) == len(asked)


@pytest.mark.parametrize(
    "question",
    [
        "Should we sell olive presses to small farmers in Peru within two years?",
        "How big will the market for e-bikes among commuters in Germany be by 2030?",
        "Is it worth launching a meal kit for students in Lagos next year?",
    ],
)
def test_stated_place_people_and_time_are_not_asked_for(question: str) -> None:
    asked = ask(question)
    assert len(asked) >= 2
    assert not asks_about(asked, PLACE + PEOPLE + TIME)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the market for e-bikes among commuters by 2030?", PLACE),
        ("Should we launch meal kits in Peru next year?", PEOPLE),
        ("Should we launch meal kits for students in Peru?", TIME),
        ("Is Peru or Chile the better market for meal kits?", CRITERION),
    ],
)
def test_what_is_open_is_asked_for(question: str, words: tuple[str, ...]) -> None:
    assert asks_about(ask(question), words)


def test_questions_speak_of_the_subject() -> None:
    for question in ask("Is Peru or Chile better for olive presses?"):
        assert "olive presses" in question["question"]


def test_an_answered_point_is_not_asked_again() -> None:
    question = "I want to explore the AI market"
    [first, *_] = [q for q in ask(question) if asks_about([q], PLACE)]
    answers = [{"id": "q1", "question": first["question"], "answer": "Norway"}]
    assert not asks_about(ask(question, answers=answers), PLACE)
    declined = [{"id": "q1", "question": first["question"], "answer": None}]
    assert not asks_about(ask(question, answers=declined), PLACE)


def test_what_the_startup_says_is_not_asked() -> None:
    startup = {"name": "Presto", "description": "For small farmers", "geographical_scope": "Peru"}
    asked = ask("I want to explore the market for olive presses", startup=startup)
    assert not asks_about(asked, PLACE + PEOPLE)


def test_no_more_questions_than_allowed() -> None:
    assert len(ask("I want to explore the AI market", max_questions="1")) == 1


def test_a_clear_request_is_asked_nothing_where_nothing_need_be_asked() -> None:
    clear = "How large will the market for solar pumps sold to smallholders in Kenya be by 2027?"
    priced = f"{clear} Price matters most."
    assert ask(priced, min_questions="0") == []
    assert ask(priced, min_questions="2")
    assert asks_about(ask("Should we sell solar pumps?", min_questions="0"), PLACE)
    assert ask("How fast does the population of Kenya grow?", min_questions="0") == []
