"""No pattern of the product, and no function on foreign text, takes a time that grows faster than its text."""

import re

import pytest

from tests.growth.functions import (
    ITEM_TOKENS,
    find_grown_functions,
    find_grown_functions_of_items,
)
from tests.growth.measure import MORE_TOKENS, TOKENS, find_growth
from tests.growth.patterns import CHARS, find_grown_patterns

MATRIX = pytest.mark.parametrize(
    "tokens",
    [
        pytest.param(TOKENS, id="some"),
        pytest.param(TOKENS + MORE_TOKENS, id="all", marks=pytest.mark.full),
    ],
)


@MATRIX
@pytest.mark.timeout(700)
def test_no_pattern_grows_faster_than_its_text(tokens: tuple[str, ...]) -> None:
    patterns, grown = find_grown_patterns(tokens)
    assert patterns > 150
    assert grown == []


@MATRIX
@pytest.mark.timeout(700)
def test_no_function_on_foreign_text_grows_faster_than_its_text(tokens: tuple[str, ...]) -> None:
    assert find_grown_functions(tokens) == []


@pytest.mark.parametrize(
    "tokens",
    [
        pytest.param(ITEM_TOKENS, id="some"),
        pytest.param(TOKENS + MORE_TOKENS, id="all", marks=pytest.mark.full),
    ],
)
@pytest.mark.timeout(700)
def test_no_function_on_many_items_grows_faster_than_their_number(tokens: tuple[str, ...]) -> None:
    assert find_grown_functions_of_items(tokens) == []


@pytest.mark.parametrize("pattern", [r"\s*x", r"^(a+)+$", r"(?:^|,)\s*thousand", r"a.*b"])
def test_quadratic_pattern_is_found(pattern: str) -> None:
    """One that has not ended after a tenth of a second has grown."""
    compiled = re.compile(pattern, re.MULTILINE)
    assert any(find_growth(compiled.findall, token, CHARS, seconds=0.1) for token in TOKENS)


@pytest.mark.parametrize("pattern", [r"\s+", r"[^\S\n]{0,20}thousand", r"a[^b]{0,500}b"])
def test_linear_pattern_is_not_found(pattern: str) -> None:
    compiled = re.compile(pattern)
    assert not [token for token in TOKENS if find_growth(compiled.findall, token, CHARS)]
