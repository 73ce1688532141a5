"""Facts that no company files: more lines, days or periods than a statement has take no more than their own time."""

import time
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from tests.domain.company.figures.companies import INCOME, REVENUE, Row, listed, of, row, value

CASH_FLOW = "NetCashProvidedByUsedInOperatingActivities"
GROWN, SLACK_SECONDS = 8, 0.5
"""Four times the facts take less than so many times the processor time; with the square of their number it is 16."""
LAST = date(2024, 9, 30)


def make_lines(count: int) -> dict[str, Any]:
    """Return a cash flow statement with many changes of receivables."""
    lines = [f"IncreaseDecreaseInAccountsReceivable{n}" for n in range(count)]
    amounts = {REVENUE: 10**9, INCOME: 10**8, CASH_FLOW: 2 * 10**8}
    amounts |= {tag: 100_000 + 7 * n for n, tag in enumerate(lines)}
    return listed(
        {
            tag: [
                row(f"{y}-01-01", f"{y}-12-31", amount * (y - 2015), f"{y + 1}-02-05", "10-K")
                for y in (2022, 2023)
            ]
            for tag, amount in amounts.items()
        }
    )


def make_quarters(count: int) -> dict[str, Any]:
    """Return quarters, and half years, that end on each of many days."""
    ends = [LAST - timedelta(n) for n in range(count)]
    rows = [
        row(str(end - timedelta(days)), str(end), 10**6, "2024-11-05")
        for end in ends
        for days in (89, 180)
    ]
    return listed({REVENUE: rows})


def make_transitions(count: int) -> dict[str, Any]:
    """Return many years, and many reports on what lies between two of them."""
    years = [row(f"{y}-01-01", f"{y}-12-31", 1, "2024-02-05", "10-K") for y in range(1900, 2024)]
    between = [
        row("2024-01-01", str(LAST - timedelta(n % 90)), n, "2024-11-05", "10-KT", f"a-{n}")
        for n in range(count)
    ]
    return listed({REVENUE: [*years, *between]})


@pytest.mark.parametrize(
    ("make", "count"), [(make_lines, 500), (make_quarters, 3_000), (make_transitions, 5_000)]
)
def test_time_grows_with_the_number_of_facts(
    make: Callable[[int], dict[str, Any]], count: int
) -> None:
    def spend(facts: dict[str, Any]) -> float:
        began = time.process_time()
        of(facts)
        return time.process_time() - began

    few, many = make(count), make(4 * count)
    assert spend(many) < GROWN * spend(few) + SLACK_SECONDS


@pytest.mark.parametrize(
    "odd",
    [
        row("0023-01-01", "0023-12-31", 9, "2024-02-05", "10-K"),
        row("20230101", "20231231", 9, "20240205", "10-K"),
        row("2023-W01-1", "2023-W52-7", 9, "2024-02-05", "10-K"),
        row("2023-12-31", "2023-01-01", 9, "2024-02-05", "10-K"),
    ],
    ids=["year 23", "no dashes", "weeks", "backwards"],
)
def test_a_fact_whose_days_are_no_days_of_a_report_is_left_out(odd: Row) -> None:
    good = [row(f"{y}-01-01", f"{y}-12-31", 5, f"{y + 1}-02-05", "10-K") for y in (2022, 2023)]
    found, alone = of(listed({INCOME: [*good, odd]})), of(listed({INCOME: good}))
    assert found.figures == alone.figures
    assert value(found, "net_income", "year", "2023-12-31") == 5
