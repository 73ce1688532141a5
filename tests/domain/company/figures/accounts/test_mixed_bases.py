"""Sums of periods of which one was restated, and another of the same months was not filed since."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from domain.company.figures.notes.periods import name_period
from domain.company.figures.numbers import say_amount
from tests.domain.company.figures.companies import (
    REVENUE,
    Row,
    find_notices,
    listed,
    of,
    row,
    value,
    year,
)

FIRST, LAST = "2023-01-01", "2023-12-31"
END, QUARTER_BEFORE = "2024-03-31", "2023-03-31"
NOTE = "company-mixed-basis"


def _compute(restated: float, *more: Row) -> Fundamentals:
    """Return a company with 40 of revenue in 2023, and 12 in the next quarter, whose report restates the 10 of a year before."""
    now = row("2024-01-01", END, 12, "2024-05-05")
    then = row(FIRST, QUARTER_BEFORE, restated, "2024-05-05")
    before = year(2022, (9, 9, 9, 9))
    return of(listed({REVENUE: [*before, *year(2023, (10, 10, 10, 10)), now, then, *more]}))


def _explain(found: Fundamentals, period: str, end: str) -> list[Any]:
    return [
        gap.reason.params.get("moved")
        for gap in found.gaps
        if (gap.metric, gap.period, gap.end, gap.state) == ("revenue", period, end, "conflicting")
    ]


def test_twelve_months_of_an_unrestated_year_less_a_restated_quarter_are_withheld() -> None:
    """40 + 12 - 7 would be 45, though the year without its first quarter, as both were filed, and 12 are 42."""
    found = _compute(7)
    assert value(found, "revenue", "ttm", END) is None
    assert _explain(found, "ttm", END) == [say_amount(3, "USD")]
    assert value(found, "revenue", "quarter", LAST) is None, "40 less 27 is no quarter either"
    assert value(found, "revenue", "quarter", QUARTER_BEFORE) == 7
    assert not find_notices(found, "company-revenue-missing"), "it is withheld, not unfiled"


@pytest.mark.parametrize("filed", ["2024-05-05", "2024-06-01"])
@pytest.mark.parametrize("amount", [37, 40])
def test_twelve_months_are_shown_once_the_year_is_filed_again(amount: float, filed: str) -> None:
    found = _compute(7, row(FIRST, LAST, amount, filed, "10-K/A"))
    assert value(found, "revenue", "ttm", END) == amount + 12 - 7
    assert not find_notices(found, NOTE)


def test_small_restatement_in_a_sum_is_noted() -> None:
    found = _compute(9.5)
    assert value(found, "revenue", "ttm", END) == 42.5
    [note] = find_notices(found, NOTE)
    told = [[part.params[name] for name in ("moved", "share")] for part in note["parts"]]
    assert told == [[say_amount(0.5, "USD"), 1.2], [say_amount(0.5, "USD"), 4.8]]
    periods = [part.params["period"] for part in note["parts"]]
    assert periods == [name_period("ttm", END), name_period("quarter", LAST)]
    assert not find_notices(_compute(10), NOTE)
    assert not find_notices(_compute(9.98), NOTE)


def test_quarter_left_by_a_restated_year_is_withheld() -> None:
    restated = row("2022-01-01", "2022-12-31", 30, "2024-02-05", "10-K")
    assert value(_compute(10), "revenue", "quarter", "2022-12-31") == 9
    assert value(_compute(10, restated), "revenue", "quarter", "2022-12-31") is None
