"""What models cost, as people read it."""

import ast
import re
from itertools import pairwise

import pytest

from contracts.notices import Notice
from contracts.words import CATALOGUES, LANGUAGES, Language
from contracts.words.dollars import format_usd, round_up_usd
from tests.contracts.test_notice_codes import list_trees
from tests.support.product.trees import walk

DOLLARS = re.compile(r"\{(\w+):\$\}")
PRICED = {
    code: holes for code, text in CATALOGUES["en"].items() if (holes := DOLLARS.findall(text))
}
"""Notices with amounts of money, each with the holes of these."""


@pytest.mark.parametrize(
    ("amount", "told"),
    [
        (0, "$0.00"),
        (0.0049, "$0.0049"),
        (0.0351, "$0.04"),
        (12.3456, "$12.35"),
        (1_234.5, "$1,234.50"),
    ],
)
def test_dollars_have_cents_and_more_digits_below_one(amount: float, told: str) -> None:
    assert format_usd(amount) == told


def test_a_german_report_has_its_price_in_german() -> None:
    assert (format_usd(0.19, "de"), format_usd(0.0012, "de")) == (
        "0,19\N{NO-BREAK SPACE}$",
        "0,0012\N{NO-BREAK SPACE}$",
    )


@pytest.mark.parametrize("code", PRICED)
def test_a_notice_writes_its_amounts_as_the_reader_does(code: str) -> None:
    said = Notice.of(code, **dict.fromkeys(_list_holes(code), 0.25))
    assert said.say("de").count("0,25\N{NO-BREAK SPACE}$") == len(PRICED[code])
    assert said.text.count("$0.25") == len(PRICED[code])


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_a_catalogue_writes_the_sign_of_dollars_itself(language: Language) -> None:
    bare = {code for code, text in CATALOGUES[language].items() if "$" in DOLLARS.sub("", text)}
    assert bare == {"usd"}


def test_outside_of_the_terminal_no_code_writes_dollars_itself() -> None:
    written = [
        f"{path}:{node.lineno}"
        for path, tree in list_trees()
        for node in walk(tree)
        if isinstance(node, ast.JoinedStr) and not path.startswith("greenlight/")
        for part, value in pairwise(node.values)
        if isinstance(part, ast.Constant) and str(part.value).endswith("$")
        if isinstance(value, ast.FormattedValue)
    ]
    assert written == []


def test_an_amount_of_an_earlier_version_keeps_its_text() -> None:
    assert "$0.25" in Notice.of("cap-out-of-range", low="$0.25", most=1).say("de")


def _list_holes(code: str) -> list[str]:
    return re.findall(r"\{(\w+)", CATALOGUES["en"][code])


@pytest.mark.parametrize(
    ("amount", "told"), [(0.02, "$0.02"), (0.0201, "$0.03"), (0.00441, "$0.0045"), (0, "$0.00")]
)
def test_price_that_exceeds_what_is_left_is_told_as_more(amount: float, told: str) -> None:
    assert format_usd(round_up_usd(amount)) == told
