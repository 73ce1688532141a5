"""Two questions are the same by their words alone, or differ in what no wording explains."""

import json
from typing import Any

import pytest

from bench.semantic_cache import PAIRS
from domain.text_matching.question_match import find_difference, is_same_question, is_time_bound

KINDS = ["paraphrase", "number", "name", "place", "year", "negation", "direction", "one word"]


def list_pairs(*, same: bool) -> list[Any]:
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    assert {pair["kind"] for pair in pairs} == set(KINDS)
    return [pair for pair in pairs if pair["same"] is same]


def test_no_two_different_questions_hold_the_same_words() -> None:
    pairs = list_pairs(same=False)
    assert len(pairs) >= 200
    assert not [pair for pair in pairs if is_same_question(pair["a"], pair["b"])]


def test_code_sees_most_differences_and_hardly_one_in_a_paraphrase() -> None:
    different, same = list_pairs(same=False), list_pairs(same=True)
    assert sum(find_difference(p["a"], p["b"]) is None for p in different) <= len(different) / 8
    assert sum(find_difference(p["a"], p["b"]) is not None for p in same) <= len(same) / 20


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is the capital of Peru?", "what is the capital of peru"),
        ("Price of tea!", "  price of “tea”"),
        ("Quelle est la capitale du Pérou ?", "quelle est la capitale du pérou?"),
        ("肯尼亚的市场有多大？", "肯尼亚的市场有多大"),
    ],
)
def test_case_and_punctuation_make_no_difference(one: str, other: str) -> None:
    assert is_same_question(one, other)
    assert is_same_question(other, one)
    assert find_difference(one, other) is None


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        (
            "How large were investments in China?",
            "How large were investments of China?",
            "prepositions",
        ),
        ("Which states have inflation > 10 %?", "Which states have inflation < 10 %?", "signs"),
        ("Effect of prices on jobs in Peru?", "Effect on prices of jobs in Peru?", "prepositions"),
        ("How many lived there in the 1990s?", "How many lived there in 1990?", "numbers"),
        ("How common is hepatitis A?", "How common is hepatitis?", "letters"),
        ("What is the tax on profits?", "What is the tax profits?", "prepositions"),
        ("Was kostet es für 1,050 Euro?", "Was kostet es für 1050 Euro?", "numbers"),
        ("Name three risks", "Name 4 risks", "numbers"),
        ("What costs $5?", "What costs €5?", "signs"),
        ("What was the debt of Togo?", "What is the debt of Togo?", "tense"),
        ("What isn't taxed in Mali?", "What is taxed in Mali?", "negation"),
        ("Was ist in Kenia erlaubt?", "Was ist in Kenia nicht erlaubt?", "negation"),
        ("Does supply drive demand?", "Does demand drive supply?", "direction"),
        ("How big is the market in Niger?", "How big is the market in Nigeria?", "names"),
    ],
)
def test_difference_that_no_wording_explains_is_seen(one: str, other: str, difference: str) -> None:
    assert not is_same_question(one, other)
    assert find_difference(one, other) == find_difference(other, one) == difference


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many people live in Kenya?", "Please tell me the population of Kenya."),
        ("In 2023, how much power did Kenya make?", "How much electricity did Kenya make in 2023?"),
        ("Which countries in East Africa grow tea?", "Which East African countries grow tea?"),
        ("Name three risks of oil", "Name 3 risks of oil"),
        ("What is the GDP of Ghana?", "What is Ghana's gross domestic product?"),
        ("Is tea legal in Kenya?", "Which tea is legal in Kenya?"),
    ],
)
def test_another_wording_is_left_to_a_model(one: str, other: str) -> None:
    assert not is_same_question(one, other)
    assert find_difference(one, other) is None


def test_nothing_is_no_question() -> None:
    assert not is_same_question("", "")
    assert not is_same_question("?!", "?")
    assert find_difference("", "") is None


def test_acronym_is_not_the_word_in_lower_case() -> None:
    assert not is_same_question("Who funds the study?", "WHO funds the study?")


def test_questions_on_the_present_are_time_bound() -> None:
    assert is_time_bound("What is the latest on Tesla?")
    assert is_time_bound("Who won yesterday?")
    assert not is_time_bound("Who won in 1998?")
