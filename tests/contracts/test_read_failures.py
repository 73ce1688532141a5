"""Reasons why documents cannot be read: data, with words in each language."""

from typing import get_args

import pytest

from contracts.evidence.read_failures import FailureCode, FormatName, describe_failure
from contracts.notices import Notice
from contracts.words import CATALOGUES, say


def test_each_code_has_words() -> None:
    codes = {f"failure.{code}" for code in get_args(FailureCode)}
    codes |= {f"failure.format.{name}" for name in get_args(FormatName)}
    assert codes <= CATALOGUES["en"].keys()


def test_a_format_is_named_in_the_readers_language() -> None:
    failure = describe_failure("no_text_in", format="slides")
    assert say("de", "failure.format.slides") in failure.say("de")


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (describe_failure("empty"), "is empty"),
        (describe_failure("picture", name="AVIF"), "is an AVIF picture; pictures"),
        (describe_failure("no_text_in", format="ebook"), "is an e-book without text"),
        (
            describe_failure("parts_many", format="word", most=20_000),
            "is a Word document of more than 20,000 parts",
        ),
        (
            describe_failure("save_as", kind="ods", suffix=".xlsx"),
            "is an OpenDocument spreadsheet (.ods); save it as .xlsx",
        ),
    ],
)
def test_parameters_are_named_in_the_words(failure: Notice, text: str) -> None:
    assert failure.text.startswith(text)
