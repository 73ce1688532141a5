"""Debt due within a year: its long and short-term parts, and what the years in which debt falls due come to."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from domain.company.figures.numbers import say_amount
from tests.domain.company.figures.companies import listed, of, render_text, row, value
from tests.support.words import en

BEFORE, YEAR_END, END = "2023-12-31", "2024-12-31", "2025-06-30"
LONG, PART, SHORT, WHOLE = (
    "LongTermDebtNoncurrent",
    "LongTermDebtCurrent",
    "ShortTermBorrowings",
    "DebtCurrent",
)
MATURITIES = "LongTermDebtMaturitiesRepaymentsOfPrincipal"


def _compute(days: Mapping[str, Mapping[str, float]], end: str = END) -> Fundamentals:
    """Return fundamentals with revenue of a half year or a year to `end`, and balances by tag and day."""
    start, form = ("2025-01-01", "10-Q") if end == END else (f"{end[:4]}-01-01", "10-K")
    tags: dict[str, Any] = {"Revenues": [row(start, end, 900, "2025-07-24", form)]}
    years = [row(f"{d[:4]}-01-01", d, 800, "2025-02-05", "10-K") for d in (YEAR_END, BEFORE)]
    tags["Revenues"] += [each for each in years if each["end"] < end]
    tags |= {
        tag: [row("", day, amount, "2025-07-24") for day, amount in amounts.items()]
        for tag, amounts in days.items()
    }
    return of(listed(tags))


@pytest.mark.parametrize(
    ("filed", "due", "short"),
    [
        ({PART: 999, "CommercialPaper": 2_300}, 3_299, 2_300),
        ({PART: 8_944, SHORT: 8_945}, 8_944, None),
        ({WHOLE: 9_513, PART: 5_377, SHORT: 4_136}, 9_513, 4_136),
        ({SHORT: 500}, None, 500),
        ({PART: 400}, None, None),
    ],
    ids=["two parts", "one line under two tags", "a filed sum", "short-term alone", "part alone"],
)
def test_debt_due_within_a_year_is_both_parts_or_is_called_by_the_one_that_is_filed(
    filed: Mapping[str, float], due: float | None, short: float | None
) -> None:
    """Alphabet's 999 million of long-term debt fell due beside 2,300 of commercial paper."""
    found = _compute({LONG: {END: 10_883}} | {tag: {END: a} for tag, a in filed.items()})
    assert value(found, "current_debt", "instant", END) == due
    assert value(found, "short_term_debt", "instant", END) == short
    alone = filed.get(PART) if due is None else None
    assert value(found, "long_term_debt_due", "instant", END) == alone


@pytest.mark.parametrize(("before", "due"), [(5_983e6, 11_526e6), (4_234e6, None)])
def test_short_term_borrowings_are_all_that_falls_due_if_they_were_when_both_were_filed(
    before: float, due: float | None
) -> None:
    """J&J's loans and notes payable hold the current part of its long-term debt; 6.0 billion is the same, rounded."""
    filed = {
        LONG: {YEAR_END: 30_651e6, END: 39_235e6},
        WHOLE: {YEAR_END: 6e9},
        SHORT: {YEAR_END: before, END: 11_526e6},
        PART: {YEAR_END: 1_749e6},
    }
    found = _compute(filed)
    assert value(found, "current_debt", "instant", END) == due
    assert value(found, "current_debt", "instant", YEAR_END) == 5_983e6
    assert value(found, "debt", "instant", YEAR_END) == 36_634e6


def test_a_rounded_sum_that_no_finer_amount_rounds_to_stays() -> None:
    found = _compute({LONG: {END: 30e9}, WHOLE: {END: 6e9}, SHORT: {END: 5_400e6}})
    assert value(found, "current_debt", "instant", END) == 6e9


LADDER = {"InNextTwelveMonths": 1_749, "InYearTwo": 1_999, "AfterYearFive": 28_652}


def test_years_in_which_debt_falls_due_come_to_total_debt_with_short_term_borrowings() -> None:
    """J&J's 32,400 million of long-term debt and 4,234 of other borrowings are its debt of 36,634."""
    balances = {LONG: 30_651, WHOLE: 5_983, PART: 1_749}
    filed = {tag: {YEAR_END: amount * 1e6} for tag, amount in balances.items()}
    ladder = {f"{MATURITIES}{t}": {YEAR_END: a * 1e6} for t, a in LADDER.items()}
    text = render_text(_compute(filed | ladder, YEAR_END))
    amounts = {"total": 32_400, "short": 4_234, "whole": 36_634, "debt": 36_634}
    told = {name: say_amount(amount * 1e6, "USD") for name, amount in amounts.items()}
    assert f"Note: {en('debt-due', end=YEAR_END, **told)}" in text.splitlines()
    assert f"{en('metric-debt-due-year-2')}, on {YEAR_END}" in text


def test_debt_that_falls_due_by_fiscal_year_is_called_so() -> None:
    """IBM's 6,431 million of the next twelve months fall due in the fiscal year after the one that runs."""
    filed = {
        f"{MATURITIES}RemainderOfFiscalYear": {END: 2_968},
        f"{MATURITIES}InNextTwelveMonths": {END: 6_431},
        f"{MATURITIES}InYearTwo": {END: 6_732},
    }
    found = _compute(filed)
    names = ("debt_due_rest", "debt_due_fiscal_1", "debt_due_fiscal_2", "debt_due_year_1")
    amounts = [value(found, name, "instant", END) for name in names]
    assert amounts == [2_968, 6_431, 6_732, None]
    later = _compute({tag: days for tag, days in filed.items() if "Remainder" not in tag})
    assert value(later, "debt_due_year_1", "instant", END) == 6_431
    assert value(later, "debt_due_fiscal_1", "instant", END) is None


@pytest.mark.parametrize(
    ("tags", "shown"),
    [
        (
            ("ProceedsFromDebtNetOfIssuanceCosts", "RepaymentsOfDebtAndCapitalLeaseObligations"),
            "debt",
        ),
        (("ProceedsFromIssuanceOfLongTermDebt", "RepaymentsOfLongTermDebt"), "long_term_debt"),
    ],
)
def test_debt_issued_is_called_long_term_only_if_its_tag_says_so(
    tags: tuple[str, str], shown: str
) -> None:
    flows = {
        tag: [row("2024-01-01", YEAR_END, amount, "2025-02-05", "10-K")]
        for tag, amount in zip(tags, (13_589, 12_701), strict=True)
    }
    revenue = {"Revenues": [row("2024-01-01", YEAR_END, 800, "2025-02-05", "10-K")]}
    found = of(listed(revenue | flows))
    every = [f"{of}_{done}" for of in ("debt", "long_term_debt") for done in ("issued", "repaid")]
    amounts = {n: value(found, n, "year", YEAR_END) for n in every}
    assert {n: a for n, a in amounts.items() if a} == {
        f"{shown}_issued": 13_589,
        f"{shown}_repaid": 12_701,
    }
