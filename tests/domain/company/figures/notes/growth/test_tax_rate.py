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


def _note(rates: dict[str, tuple[float, float]]) -> dict[str, Any]:
    """Return what the note on the tax rate says of amounts and rates of 2024 and 2023."""
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
    return note


def _list(note: dict[str, Any], name: str, *fields: str) -> list[list[Any]]:
    told = [each.params for each in note.get(name, ()) if isinstance(each, Notice)]
    return [[each.get(field) for field in fields] for each in told]


def test_largest_lines_of_the_reconciliation_are_told_first() -> None:
    """Of Meta's 5.8 points stock compensation made 3.1, and a report named research credits' 1.4 alone."""
    note = _note(META)
    assert "odd" not in note
    assert _list(note, "moves", "line", "points", "now") == [
        ["Nondeductible expense share based compensation cost", -3.1, -3.7],
        ["Tax credits research", -1.4, -2.9],
        ["Foreign income tax rate differential", -0.7, 0.2],
        ["Fdii percent", -0.6, -4.9],
    ]


@pytest.mark.parametrize(
    ("left_out", "odd"),
    [
        (f"{LINE}FdiiPercent", [["2024-12-31", 16.7, 11.8], ["2023-12-31", 21.9, 17.6]]),
        ([*META][-1], [["2024-12-31", 11.8, None], ["2023-12-31", 17.6, None]]),
    ],
)
def test_lines_that_do_not_add_up_to_the_rate_are_not_told_but_their_sums_are(
    left_out: str, odd: list[list[Any]]
) -> None:
    note = _note({tag: pair for tag, pair in META.items() if tag != left_out})
    assert "moves" not in note
    assert _list(note, "odd", "end", "total", "rate") == odd
