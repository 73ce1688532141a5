"""The lines of a company's own tax reconciliation that moved its rate, where they add up to it."""

from typing import Any

import pytest

from contracts.notices import Notice
from tests.domain.company.figures.companies import INCOME, REVENUE, find_notices, listed, of, row

LINE = "EffectiveIncomeTaxRateReconciliation"
META = {
    f"{LINE}AtFederalStatutoryIncomeTaxRate": (0.21, 0.21),
    f"{LINE}StateAndLocalIncomeTaxes": (0.007, 0.011),
    f"{LINE}NondeductibleExpenseShareBasedCompensationCost": (-0.037, -0.006),
    f"{LINE}TaxCreditsResearch": (0.029, 0.015),
    f"{LINE}FdiiPercent": (0.049, 0.043),
    f"{LINE}ForeignIncomeTaxRateDifferential": (0.002, 0.009),
    f"{LINE}OtherAdjustments": (0.014, 0.01),
    "EffectiveIncomeTaxRateContinuingOperations": (0.118, 0.176),
}


def _compute(rates: dict[str, tuple[float, float]]) -> list[list[Any]]:
    """Return the moves told of amounts and rates of 2024 and 2023."""
    amounts = {
        REVENUE: (164_501, 134_902),
        INCOME: (62_360, 39_098),
        "IncomeTaxExpenseBenefit": (8_303, 8_330),
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxes"
        "ExtraordinaryItemsNoncontrollingInterest": (70_663, 47_428),
    }

    def file(pair: tuple[float, float], factor: float) -> list[dict[str, Any]]:
        return [
            row(f"{n}-01-01", f"{n}-12-31", factor * value, "2025-01-30", "10-K")
            for n, value in zip((2024, 2023), pair, strict=True)
        ]

    facts = listed({tag: file(pair, 1e6) for tag, pair in amounts.items()})
    pure = listed({tag: file(pair, 1) for tag, pair in rates.items()}, "pure")
    facts["facts"]["us-gaap"] |= pure["facts"]["us-gaap"]
    [note] = find_notices(of(facts), "company-tax-rate")
    told = [move.params for move in note.get("moves", ()) if isinstance(move, Notice)]
    return [[move[name] for name in ("line", "points", "now")] for move in told]


def test_largest_lines_of_the_reconciliation_are_told_first() -> None:
    """Of Meta's 5.8 points stock compensation made 3.1, and a report named research credits' 1.4 alone."""
    assert _compute(META) == [
        ["Nondeductible expense share based compensation cost", -3.1, -3.7],
        ["Tax credits research", -1.4, -2.9],
        ["Foreign income tax rate differential", -0.7, 0.2],
        ["Fdii percent", -0.6, -4.9],
    ]


@pytest.mark.parametrize("left_out", [f"{LINE}FdiiPercent", [*META][-1]])
def test_lines_that_do_not_add_up_to_the_rate_are_not_told(left_out: str) -> None:
    assert _compute({tag: pair for tag, pair in META.items() if tag != left_out}) == []
