"""Reasons why documents cannot be read: data, with words in each language."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from contracts.read_failures import FORMATS, KINDS, WORDS, FailureCode, FormatName, ReadFailure

STRINGS = Path(__file__).parents[2] / "web" / "src" / "strings"
HOLE = re.compile(r"\{(?:a_)?(\w+)\}")


def read_words(name: str) -> dict[str, str]:
    """Return the page's words of a language, by key."""
    text = (STRINGS / f"{name}.ts").read_text("utf-8")
    found = re.findall(r'^  "(failure\.[\w.]+)": ("(?:[^"\\]|\\.)*"),$', text, re.MULTILINE)
    return {key: json.loads(value) for key, value in found}


def test_each_code_has_english_words() -> None:
    assert WORDS.keys() == {*get_args(FailureCode)}
    assert FORMATS.keys() == {*get_args(FormatName)}


def test_the_page_says_in_english_what_the_gateway_says() -> None:
    words = {f"failure.{code}": text for code, text in WORDS.items()}
    words |= {f"failure.format.{name}": text for name, text in FORMATS.items()}
    words |= {f"failure.kind.{name}": text for name, text in KINDS.items()}
    assert read_words("en-views") == words


def test_german_words_name_the_same_parameters() -> None:
    english, german = read_words("en-views"), read_words("de")
    assert german.keys() == english.keys()
    for key, text in english.items():
        assert {*HOLE.findall(german[key])} == {*HOLE.findall(text)}, key


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (ReadFailure(code="empty"), "is empty"),
        (ReadFailure(code="picture", params={"name": "AVIF"}), "is an AVIF picture; pictures"),
        (ReadFailure(code="no_text_in", params={"format": "ebook"}), "is an e-book without text"),
        (
            ReadFailure(code="parts_many", params={"format": "word", "most": 20_000}),
            "is a Word document of more than 20,000 parts",
        ),
        (
            ReadFailure(code="save_as", params={"kind": "ods", "suffix": ".xlsx"}),
            "is an OpenDocument spreadsheet (.ods); save it as .xlsx",
        ),
    ],
)
def test_parameters_are_named_in_the_words(failure: ReadFailure, text: str) -> None:
    assert failure.text.startswith(text)
