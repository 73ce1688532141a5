"""The catalogues of words: the same codes and holes in each language."""

import re
from typing import get_args

import pytest

from contracts.evidence.reasons import Reason, ReasonCode, join_reasons
from contracts.notices import Code, Notice
from contracts.report.document import MarkCode
from contracts.words import CATALOGUES, Language, detect_language, say

LANGUAGES: tuple[Language, ...] = get_args(Language)


def list_holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_each_code_with_the_same_holes(language: Language) -> None:
    words = CATALOGUES[language]
    assert words.keys() == CATALOGUES["en"].keys()
    for code, text in CATALOGUES["en"].items():
        assert list_holes(words[code]) == list_holes(text), code


def test_each_notice_mark_and_doubt_has_words() -> None:
    marks = {f"mark-{code}" for code in get_args(MarkCode)}
    doubts = {f"doubt-{code}" for code in get_args(ReasonCode)}
    assert {*get_args(Code), *marks, *doubts} <= CATALOGUES["en"].keys()


def test_reasons_are_joined_in_their_order_and_a_language() -> None:
    told = [Reason(code="uncited"), Reason(code="source-unknown", params={"source": 3})]
    assert join_reasons(told) == "no source is cited; source 3 does not exist"
    assert join_reasons(told, "de") == "keine Quelle ist angegeben; Quelle 3 gibt es nicht"


def test_one_and_several_have_words_of_their_own() -> None:
    one, two = (say("de", "sources-read", n=n) for n in (1, 2))
    assert (one, two) == ("1 Quelle gelesen", "2 Quellen gelesen")


def test_what_stands_in_brackets_needs_its_value() -> None:
    known = Notice(code="unread-images", params={"name": "a.pdf", "n": 2, "of": 3, "names": "x"})
    assert "of 3" in known.text
    assert "von 3" in known.say("de")
    assert "[" not in Notice(code="unread-images", params={"name": "a.pdf", "n": 2}).say("de")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Where to sell pumps?", "en"),
        ("What was the revenue of Siemens in 2024?", "en"),
        ("Wo lohnt sich der Verkauf von Solarpumpen?", "de"),
        ("Was ist der Mindestlohn 2026?", "de"),
        ("Marktanteil von Tesla in Deutschland", "de"),
        ("Strompreise für Wärmepumpen", "de"),
        ("Is AAPL a buy?", "en"),
        ("¿Dónde vender bombas?", "en"),
        ("Vertical farming", "en"),
    ],
)
def test_language_is_that_of_the_questions_function_words(
    question: str, language: Language
) -> None:
    assert detect_language(question) == language
