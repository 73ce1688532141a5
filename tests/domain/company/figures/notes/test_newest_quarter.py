"""Ratios of the newest quarter beside those of twelve months."""

import pytest

from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.notes.newest_quarter import list_beside
from tests.domain.company.figures.companies import find_notices, listed, of, row, year

BANK = 6021
"""SIC code of national commercial banks."""


@pytest.mark.parametrize(("last", "values"), [(100, []), (160, [(1.2, 1.6)])])
def test_cover_of_the_newest_quarter_that_differs_is_set_beside(
    last: float, values: list[tuple[float, float]]
) -> None:
    earned = (100, 100, 100, last)
    facts = listed(
        {
            "Revenues": [*year(2023, (500,) * 4), *year(2024, (500,) * 4)],
            "OperatingIncomeLoss": [*year(2023, (100,) * 4), *year(2024, earned)],
            "InterestExpense": [*year(2023, (100,) * 4), *year(2024, (100,) * 4)],
            "NetIncomeLoss": [*year(2023, (10,) * 4), *year(2024, (10,) * 4)],
        }
    )
    found = [*list_beside(of(facts))]
    assert [(each.twelve, each.now) for each in found] == values
    assert {each.unit for each in found} <= {""}, "a multiple"
    note, *_ = find_notices(of(facts), "company-quarter-beside") or [{"parts": []}]
    assert [part.params["then"] for part in note["parts"]] == [1] * len(values)


@pytest.mark.parametrize(
    ("lost", "values"), [(2.5, []), (5.0, [(1.25, 2.0)])], ids=["the same", "twice"]
)
def test_charge_offs_of_the_newest_quarter_are_set_beside_at_a_yearly_rate(
    lost: float, values: list[tuple[float, float]]
) -> None:
    """Of loans of 1,000, 10 a year were lost, 2.5 a quarter."""
    offs = "FinancingReceivableExcludingAccruedInterestAllowanceForCreditLossWriteoffAfterRecovery"
    flows = {
        "Revenues": ((100.0,) * 4,) * 2,
        "NetIncomeLoss": ((20.0,) * 4,) * 2,
        offs: ((2.5,) * 4, (2.5, 2.5, 2.5, lost)),
    }
    facts = listed({tag: [*year(2023, a), *year(2024, b)] for tag, (a, b) in flows.items()})
    days = [row("", f"{n}-12-31", 1_000.0, f"{n + 1}-02-05", "10-K") for n in (2022, 2023, 2024)]
    loans = "FinancingReceivableExcludingAccruedInterestAfterAllowanceForCreditLoss"
    facts["facts"]["us-gaap"] |= listed({loans: days})["facts"]["us-gaap"]
    found = compute_fundamentals(facts, Company(cik=1, ticker="ACME", name="Acme", sic=BANK))
    notes = find_notices(found, "company-quarter-beside")
    parts = [part.params for note in notes for part in note["parts"]]
    assert [(part["twelve"], part["now"]) for part in parts] == values
