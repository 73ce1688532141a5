"""The catalogues of words: the same codes and holes in each language."""

import re
from typing import get_args

import pytest
from pydantic import ValidationError

from contracts.evidence.reasons import Reason, ReasonCode, join_reasons
from contracts.notices import Notice
from contracts.report.document import MarkCode
from contracts.words import CATALOGUES, Language, say
from contracts.words.question_language import detect_language
from domain.prompts import load_prompts

LANGUAGES: tuple[Language, ...] = get_args(Language)


def list_holes(text: str) -> set[str]:
    """Return the holes of a text; `:a` in one asks for an article, which only English does."""
    plain = re.sub(r"\{(\w+), plural, one", r"{\1}", text.replace("#", ""))
    return set(re.findall(r"(?<!\} other )\{(\w+(?::[,$])?)(?::a)?\}", plain))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_each_code_with_the_same_holes(language: Language) -> None:
    words = CATALOGUES[language]
    assert words.keys() == CATALOGUES["en"].keys()
    for code, text in CATALOGUES["en"].items():
        assert list_holes(words[code]) == list_holes(text), code


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_is_an_icu_message_whose_forms_are_all_chosen(language: Language) -> None:
    forms = r"\{\w+, plural, one \{((?:[^{}]|\{[^{}]*\})+)\} other \{((?:[^{}]|\{[^{}]*\})+)\}\}"
    for code, text in CATALOGUES[language].items():
        plain = re.sub(r"\{\w+(?::[,a$])?\}", "", re.sub(forms, r"\1\2", text))
        assert not set("{}|") & set(plain), code
        assert "'{" not in text, f"{code}: ICU takes what an apostrophe begins for no hole"


def test_each_mark_and_doubt_has_words() -> None:
    marks = {f"mark-{code}" for code in get_args(MarkCode)}
    doubts = {f"doubt-{code}" for code in get_args(ReasonCode)}
    assert {*marks, *doubts} <= CATALOGUES["en"].keys()


def test_a_code_without_words_is_no_notice() -> None:
    with pytest.raises(ValidationError, match="no code of the catalogues"):
        Notice.of("no-such-code")


def test_a_notice_names_others_in_its_own_language() -> None:
    lacks = [Notice.of("unread-more", n=1), Notice.of("unread-more", n=2)]
    told = Notice.of("phase-partial", n=1, phase="X", reason=lacks)
    assert told.say("de") == f"X ist unvollständig: {lacks[0].say('de')}; {lacks[1].say('de')}"
    assert Notice.model_validate_json(told.model_dump_json()) == told


def test_a_notice_includes_itself_and_those_that_it_names() -> None:
    inner, other = Notice.of("unread-more", n=1), Notice.of("unread-more", n=2)
    outer = Notice.of(
        "because", what=Notice.of("phase-skipped", phase="X", reason=[inner]), why="y"
    )
    assert outer.includes(outer)
    assert outer.includes(inner)
    assert not outer.includes(other)


def test_numbers_are_written_as_the_language_does() -> None:
    written = [say(language, "unread-more", n=n) for language in LANGUAGES for n in (2_500, 12_500)]
    assert [text.split()[0] for text in written] == ["2500", "12,500", "2500", "12.500"]


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


@pytest.mark.parametrize(
    "code", ["company-dividend-run", "company-charged-dividends", "metric-dividend-run-yield"]
)
def test_the_yearly_rate_of_a_dividend_is_called_as_the_prompts_call_it(code: str) -> None:
    prompts = load_prompts("workflows.prompts", "typed_answers").values()
    name = "yearly rate"
    assert any(f"gives the {name} of a dividend" in " ".join(text.split()) for text in prompts)
    assert name in CATALOGUES["en"][code]
