"""Growth of an income above 100 % names the filed lines that made it, before anybody says that none shows why."""

from collections.abc import Mapping

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.notices import Notice
from contracts.words import Param
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.notes.lines.movers import name_item
from tests.domain.company.figures.companies import (
    REVENUE,
    find_notices,
    listed,
    of,
    row,
    value,
    year,
)

Pair = tuple[float, float]
DRUGS: dict[str, Pair] = {
    "Revenues": (3_008, 3_022),
    "OperatingIncomeLoss": (620, 300),
    "ResearchAndDevelopmentExpense": (638, 494),
    "SellingGeneralAndAdministrativeExpense": (1_343, 1_455),
    "ResearchAndDevelopmentInProcess": (2, 363),
}
BANK: dict[str, Pair] = {
    "Revenues": (100_434, 67_252),
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments": (
        *(16_067, 2_773),
    ),
    "NetIncomeLoss": (11_728, 5_605),
    "InterestIncomeExpenseNet": (51_152, 38_779),
    "NoninterestIncome": (49_282, 28_473),
    "NoninterestExpense": (52_352, 43_500),
    "ProvisionForLoanLeaseAndOtherLosses": (32_015, 20_979),
    "IncomeTaxExpenseBenefit": (4_415, -926),
}


def _compute(lines: Mapping[str, Pair], sic: int) -> Fundamentals:
    tags = {
        tag: [
            row(f"{year}-01-01", f"{year}-12-31", amount * 1e6, "2025-02-05", "10-K")
            for year, amount in zip((2024, 2023), pair, strict=True)
        ]
        for tag, pair in lines.items()
    }
    company = Company(cik=1, ticker="ACME", name="Acme", sic=sic)
    return compute_fundamentals(listed(tags), company)


def _read_reasons(found: Fundamentals) -> list[Notice]:
    whys = [note.params["why"] for note in found.notes if note.code == "company-growth"]
    return [why for why in whys if isinstance(why, Notice)]


def _read_part(part: object) -> tuple[Notice, Param]:
    """Return a line's name and its amount in millions or billions."""
    assert isinstance(part, Notice)
    name, amount = part.params["metric"], part.params["amount"]
    assert isinstance(name, Notice)
    assert isinstance(amount, Notice)
    return name, amount.params["value"]


@pytest.mark.parametrize(
    ("lines", "sic", "told"),
    [
        pytest.param(
            DRUGS,
            2834,
            [
                ("acquired_research", 361),
                ("research_and_development", -144),
                ("selling_and_administration", 112),
            ],
            id="a-charge-of-the-year-before",
        ),
        pytest.param(
            BANK,
            6021,
            [("noninterest_income", 20.8), ("net_interest_income", 12.4)],
            id="a-bank",
        ),
    ],
)
def test_lines_that_made_an_income_grow_are_told_by_size(
    lines: Mapping[str, Pair], sic: int, told: list[tuple[str, float]]
) -> None:
    [why] = _read_reasons(_compute(lines, sic))
    assert why.code == "growth-lines"
    assert isinstance(parts := why.params["parts"], list)
    assert [_read_part(part) for part in parts[: len(told)]] == [
        (name_item(name), amount) for name, amount in told
    ]


def test_lines_that_make_less_than_half_of_growth_are_no_reason() -> None:
    few = {tag: DRUGS[tag] for tag in DRUGS if not tag.startswith("Research")}
    [why] = _read_reasons(_compute(few, 2834))
    assert why.code == "growth-unexplained"


ACQUISITIONS, IN_SHARES = (
    "PaymentsToAcquireBusinessesNetOfCashAcquired",
    "StockIssuedDuringPeriodValueAcquisitions",
)


@pytest.mark.parametrize(
    ("paid", "code"),
    [
        ({IN_SHARES: (0, 14_601), ACQUISITIONS: (-138, 11_203)}, "growth-acquired-for-shares"),
        ({ACQUISITIONS: (15_000, 0)}, "growth-acquisitions"),
    ],
)
def test_growth_by_acquisitions_says_whether_cash_or_shares_were_given(
    paid: Mapping[str, Pair], code: str
) -> None:
    """Wells Fargo gave shares worth 14.6 billion for Wachovia; what else it gave is not in that amount."""
    lines = {"Revenues": (88_686, 41_897), "NetIncomeLoss": (12_275, 2_655)} | dict(paid)
    [why] = _read_reasons(_compute(lines, 3674))
    assert why.code == code


@pytest.mark.parametrize(
    ("income", "metric", "growth"),
    [
        ((4_285, 286), "net_income_growth", None),
        ((4_285, 286), "diluted_eps_growth", None),
        ((2_800, 286), "diluted_eps_growth", 879),
        ((2_800, 286), "net_income_growth", 879),
        ((20_000, 1_500), "net_income_growth", 1233.3),
    ],
)
def test_growth_to_a_multiple_of_a_small_base_is_no_number(
    income: Pair, metric: str, growth: float | None
) -> None:
    """286 million are 0.7 % of a revenue of 41.9 billion; 1,500 are 3.6 %."""
    lines = {"Revenues": (42_000, 41_897), "NetIncomeLoss": income}
    facts = {
        tag: [
            row(f"{year}-01-01", f"{year}-12-31", amount * 1e6, "2025-02-05", "10-K")
            for year, amount in zip((2024, 2023), pair, strict=True)
        ]
        for tag, pair in lines.items()
    }
    told = listed(facts)
    per_share = [each | {"val": each["val"] / 1e9} for each in facts["NetIncomeLoss"]]
    told["facts"]["us-gaap"]["EarningsPerShareDiluted"] = {"units": {"USD/shares": per_share}}
    found = of(told)
    assert value(found, metric, "year", "2024-12-31") == pytest.approx(growth, abs=1)
    withheld = [note["why"] for note in find_notices(found, "company-growth-withheld")]
    assert bool(withheld) == (growth is None)


Quarters = tuple[float, float, float, float]


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        pytest.param((640, 640, 640, 820), (640, 650, 640, 815), [], id="a-season"),
        pytest.param((640, 640, 640, 650), (640, 650, 640, 815), [], id="growth-says-so-too"),
        pytest.param((820, 820, 820, 820), (640, 650, 640, 815), [(26.7, -0.6)], id="since-a-fall"),
        pytest.param((820, 820, 820, 820), (790, 800, 810, 815), [], id="nearly-the-same"),
    ],
)
def test_a_quarter_unlike_those_since_a_year_before_is_told_where_growth_hides_it(
    before: Quarters, now: Quarters, told: list[tuple[float, float]]
) -> None:
    """Shire's quarter was 0.2 % below the year before, the last before a fall, and 11.8 % above those since."""
    income = [*year(2022, before), *year(2023, before), *year(2024, now)]
    found = of(listed({REVENUE: income, "NetIncomeLoss": income}), "2025-03-01")
    notes = find_notices(found, "company-between")
    parts = [part.params for note in notes for part in note["parts"]]
    assert [(part["change"], part["growth"]) for part in parts] == told
