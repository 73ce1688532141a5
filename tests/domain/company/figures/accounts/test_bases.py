"""One base for a column's growth, and dividends held against the earnings and payments that they are of."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import listed, row, value

AGO, YEAR, END = "2023-03-31", "2023-12-31", "2024-03-31"
SHARES = "WeightedAverageNumberOfSharesOutstandingBasic"
PAID, PER_SHARE = "PaymentsOfDividends", "CommonStockDividendsPerShareDeclared"


def _compute(facts: dict[str, Any], sic: int) -> Fundamentals:
    return compute_fundamentals(facts, Company(cik=1, ticker="ACME", name="Acme", sic=sic))


@pytest.mark.parametrize(
    ("sic", "assets", "growths"),
    [
        (6021, {YEAR: 1_000, END: 1_100}, (10, 5)),
        (6021, {AGO: 1_050, YEAR: 1_000, END: 1_100}, (4.7619, -12.5)),
        (3571, {AGO: 1_050, YEAR: 1_000, END: 1_100}, (10, 5)),
    ],
    ids=["bank whose assets of a year before are not filed", "bank", "industrial"],
)
def test_growth_of_a_balance_sheet_has_one_base(
    sic: int, assets: dict[str, float], growths: tuple[float, float]
) -> None:
    """Equity is filed of all three days, in a statement of changes."""
    days: dict[str, dict[str, float]] = {
        "Assets": assets,
        "StockholdersEquity": {AGO: 120, YEAR: 100, END: 105},
    }
    facts = listed(
        {
            tag: [row("", day, amount, "2024-05-05") for day, amount in amounts.items()]
            for tag, amounts in days.items()
        }
        | {
            "NetIncomeLoss": [
                row("2023-01-01", AGO, 5, "2023-05-05"),
                row("2023-01-01", YEAR, 20, "2024-02-05", "10-K"),
                row("2024-01-01", END, 6, "2024-05-05"),
            ]
        }
    )
    found = _compute(facts, sic)
    shown = [value(found, f"{name}_growth", "instant", END) for name in ("assets", "equity")]
    assert shown == [pytest.approx(each) for each in growths]


def _pay(
    flows: dict[str, float], per_share: dict[str, float], spans: dict[str, tuple[str, str]]
) -> Fundamentals:
    """Return a bank of 1,000 shares, with flows of a year, and dividends by period: per share, and of `flows` a part."""
    facts = listed(
        {tag: [row("2023-01-01", YEAR, each, "2024-02-05", "10-K")] for tag, each in flows.items()}
    )
    gaap = facts["facts"]["us-gaap"]
    rows = [row(*spans[name], each, "2024-02-05", "10-K") for name, each in per_share.items()]
    gaap |= listed({PER_SHARE: rows}, "USD/shares")["facts"]["us-gaap"]
    counts = [row(*span, 1_000, "2024-02-05", "10-K") for span in spans.values()]
    gaap |= listed({SHARES: counts}, "shares")["facts"]["us-gaap"]
    if "quarter" in spans:
        gaap["NetIncomeLoss"]["units"]["USD"].append(row(*spans["quarter"], 150, "2023-05-05"))
        gaap[PAID]["units"]["USD"].append(row(*spans["quarter"], 300, "2023-05-05"))
    return _compute(facts, 6021)


BANK = {
    "Revenues": 900,
    "NetIncomeLoss": 500,
    "NetIncomeLossAvailableToCommonStockholdersBasic": 200,
}
WHOLE = {"year": ("2023-01-01", YEAR)}


@pytest.mark.parametrize(
    ("paid", "is_shown"), [(200, True), (450, True), (700, False), (90, False)]
)
def test_dividends_paid_may_hold_those_of_preferred_shares(paid: float, *, is_shown: bool) -> None:
    """0.2 a share are 200; 300 of income went to others, whose dividends may be among those paid."""
    found = _pay({**BANK, PAID: paid}, {"year": 0.2}, WHOLE)
    assert value(found, "dividends_per_share", "year", YEAR) == (0.2 if is_shown else None)
    gaps = {gap.metric: gap.state for gap in found.gaps}
    assert (gaps.get("dividends_per_share") == "conflicting") is not is_shown


@pytest.mark.parametrize(("dividend", "is_shown"), [(0.05, True), (0.15, False)])
def test_dividend_of_a_quarter_that_is_a_fourth_of_its_years_fits_what_was_paid_at_an_older_rate(
    dividend: float, *, is_shown: bool
) -> None:
    """The first quarter of a cut paid what was declared before it: 300, where 0.05 a share are 50."""
    spans = {**WHOLE, "quarter": ("2023-01-01", AGO)}
    found = _pay({**BANK, PAID: 200}, {"year": 0.2, "quarter": dividend}, spans)
    assert value(found, "dividends_per_share", "quarter", AGO) == (dividend if is_shown else None)


def test_payout_is_of_earnings_before_extraordinary_items() -> None:
    before = "IncomeLossBeforeExtraordinaryItemsAndCumulativeEffectOfChangeInAccountingPrinciple"
    found = _pay({**BANK, PAID: 200, before: 400}, {"year": 0.2}, WHOLE)
    assert value(found, "continuing_income", "year", YEAR) == 400
    facts = {"EarningsPerShareDiluted": 0.2, f"{before}PerDilutedShare": 0.1}
    told = listed(
        {tag: [row("2023-01-01", YEAR, e, "2024-02-05", "10-K")] for tag, e in facts.items()},
        "USD/shares",
    )
    told["facts"]["us-gaap"] |= listed(
        {
            "NetIncomeLoss": [row("2023-01-01", YEAR, 200, "2024-02-05", "10-K")],
            PAID: [row("2023-01-01", YEAR, 50, "2024-02-05", "10-K")],
        }
    )["facts"]["us-gaap"]
    told["facts"]["us-gaap"] |= listed(
        {PER_SHARE: [row("2023-01-01", YEAR, 0.05, "2024-02-05", "10-K")]}, "USD/shares"
    )["facts"]["us-gaap"]
    assert value(_compute(told, 6021), "payout_ratio", "year", YEAR) == 50


@pytest.mark.parametrize(
    ("sic", "current", "shown"),
    [
        (3711, None, (20, -90)),
        (3711, 500, (None, -70)),
        (6311, None, (None, None)),
    ],
    ids=["undivided balance sheet", "current assets", "insurer"],
)
def test_securities_of_an_undivided_balance_sheet_stand_beside_net_cash(
    sic: int, current: float | None, shown: tuple[float | None, float | None]
) -> None:
    """Ford's balance sheet has no current assets, and does not say which of its marketable securities are at hand."""
    days: dict[str, float | None] = {
        "Assets": 1_000,
        "AssetsCurrent": current,
        "CashAndCashEquivalentsAtCarryingValue": 30,
        "MarketableSecurities": 20,
        "DebtAndCapitalLeaseObligations": 120,
    }
    facts = listed(
        {
            tag: [row("", YEAR, amount, "2024-02-05", "10-K")]
            for tag, amount in days.items()
            if amount
        }
        | {"Revenues": [row("2023-01-01", YEAR, 900, "2024-02-05", "10-K")]}
    )
    found = _compute(facts, sic)
    names = ("marketable_securities", "net_cash")
    assert tuple(value(found, name, "instant", YEAR) for name in names) == shown
