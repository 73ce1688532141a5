"""An insurer's income without gains on investments, by their filed lines; its deferred costs; the yield of a yearly dividend."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.tables.key_figures import build_key_figures
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import Row, find_notices, listed, row, value

SPANS = (
    ("2010-01-01", "2010-03-31"),
    ("2009-01-01", "2009-03-31"),
    ("2009-01-01", "2009-12-31"),
    ("2008-01-01", "2008-12-31"),
    ("2007-01-01", "2007-12-31"),
)
END, YEAR = "2010-03-31", "2009-12-31"
Amounts = tuple[float | None, ...]
PRETAX = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
)
OTHER = "GainLossOnSaleOfOtherInvestments"
FLOWS: dict[str, Amounts] = {
    "Revenues": (13_190, 10_214, 41_058, 50_984, 47_152),
    "PremiumsEarnedNet": (6_854, 6_122, 26_460, 25_914, 22_970),
    "NetIncomeLoss": (835, -544, -2_246, 3_209, 4_317),
    PRETAX: (1_191, -962, -4_333, 5_061, 5_780),
    "GainLossOnInvestments": (72, -906, -7_772, 1_812, -578),
    OTHER: (164, -353, -6_272, 3_108, -500),
}
DAYS = {
    "Assets": 565_566,
    "StockholdersEquity": 33_711,
    "Goodwill": 5_049,
    "DeferredPolicyAcquisitionCostsAndValueOfBusinessAcquired": 18_697,
}


def _compute(
    changed: dict[str, Amounts] | None = None,
    days: dict[str, float] | None = None,
    dividends: Amounts = (None, None, 0.74, 0.74, 0.74),
) -> Fundamentals:
    """Return fundamentals by amounts of MetLife's filings of 2010, some of them changed."""
    tags: dict[str, Any] = {}
    declared = {"CommonStockDividendsPerShareDeclared": dividends}
    flows = FLOWS | (changed or {})
    for told, unit in ((flows, "USD"), (declared, "USD/shares")):
        for tag, amounts in told.items():
            rows = [
                _file(span, amount)
                for span, amount in zip(SPANS, amounts, strict=True)
                if amount is not None
            ]
            tags |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    for tag, amount in (DAYS | (days or {})).items():
        tags |= listed({tag: [row("", END, amount, "2010-05-05")]})["facts"]["us-gaap"]
    count = [row("", END, 819.4, "2010-05-05")]
    tags |= listed({"CommonStockSharesOutstanding": count}, "shares")["facts"]["us-gaap"]
    company = Company(cik=1, ticker="ACME", name="Acme", sic=6311)
    return compute_fundamentals({"facts": {"us-gaap": tags}}, company)


def _file(span: tuple[str, str], amount: float) -> Row:
    filed, form = ("2010-05-05", "10-Q") if span in SPANS[:2] else ("2010-02-25", "10-K")
    return row(*span, amount, filed, form)


def test_gains_are_divided_by_filed_lines_and_income_is_told_without_one_and_without_all() -> None:
    found = _compute()
    names = (
        "other_investment_gains",
        "remaining_investment_gains",
        "pretax_before_other_gains",
        "pretax_before_investment_gains",
    )
    assert [value(found, name, "ttm", END) for name in names] == [-5_755, -1_039, 3_575, 4_614]
    assert [value(found, name, "quarter", END) for name in names] == [164, -92, 1_027, 1_119]
    assert [value(found, n, "year", "2008-12-31") for n in names] == [3_108, -1_296, 1_953, 3_249]
    whole = _compute({OTHER: (None,) * 5})
    told = [value(whole, name, "ttm", END) for name in names]
    assert told == [None, None, None, 4_614], "a line that is not filed is not divided off"


def test_lowest_and_highest_year_before_gains_stand_beside_twelve_months() -> None:
    [note] = find_notices(_compute(), "company-earnings-range")
    assert (note["first"], note["last"]) == ("FY2008", "FY2007")
    assert [note[name]["value"] for name in ("low", "twelve", "high")] == [3_249, 4_614, 6_358]
    two = _compute({PRETAX: (1_191, -962, -4_333, 5_061, None)})
    assert not find_notices(two, "company-earnings-range")


@pytest.mark.parametrize(
    ("costs", "goodwill", "told"),
    [(18_697, 5_049, [(55, 65)]), (2_000, 5_049, []), (18_697, 33_000, [(55, None)])],
    ids=["much", "little", "next to no tangible book"],
)
def test_deferred_costs_that_are_much_of_equity_are_noted(
    costs: float, goodwill: float, told: list[tuple[float, float | None]]
) -> None:
    tag = "DeferredPolicyAcquisitionCostsAndValueOfBusinessAcquired"
    found = _compute(days={tag: costs, "Goodwill": goodwill})
    notes = find_notices(found, "company-deferred-costs")
    assert [(each["share"], each.get("part")) for each in notes] == told


@pytest.mark.parametrize("quarter", [None, 0.2])
def test_dividend_yield_is_of_the_fiscal_year_where_no_twelve_months_are_known(
    quarter: float | None,
) -> None:
    tag = "CommonStockDividendsPerShareDeclared"
    found = _compute()
    if quarter:
        known = found.figures[0].model_copy(
            update={
                "metric": "dividends_per_share",
                "period": "ttm",
                "end": END,
                "value": 4 * quarter,
                "unit": "USD/shares",
                "tag": tag,
            }
        )
        found = found.model_copy(update={"figures": [known, *found.figures]})
    price = SharePrice(value=40, day="2010-05-31", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    [told] = [each for each in valued.rows if each.metric == "dividend_yield"]
    assert (told.period, told.end) == (("ttm", END) if quarter else ("year", YEAR))
    assert told.value == pytest.approx(2 if quarter else 1.85)


def test_dividend_of_an_older_fiscal_year_gives_no_yield() -> None:
    found = _compute(dividends=(None, None, None, 8.4, 15.4))
    assert value(found, "dividends_per_share", "year", "2008-12-31") == 8.4
    price = SharePrice(value=38, day="2010-05-14", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    assert "dividend_yield" not in {each.metric for each in valued.rows}


HELD = "AssetsHeldForSaleAtCarryingValue"
OF_INSURER: dict[str, tuple[float, float]] = {
    "Assets": (863_697, 847_585),
    "StockholdersEquity": (75_001, 69_824),
    "PolicyholderContractDeposits": (142_932, 220_128),
    "DeferredPolicyAcquisitionCosts": (19_064, 40_814),
    "LongTermDebt": (109_744, 113_298),
}


@pytest.mark.parametrize(
    ("for_sale", "is_shown"), [((256_440, 56_379), False), ((60_000, 56_379), True)]
)
def test_lines_that_businesses_for_sale_left_show_no_growth(
    for_sale: tuple[float, float], is_shown: bool
) -> None:
    """AIG put up 200 billion of assets for sale in a quarter: policyholders' accounts "fell" by 35 %."""
    days = (END, YEAR)
    tags = {
        tag: [row("", day, v * 1e6, "2010-05-05") for day, v in zip(days, amounts, strict=True)]
        for tag, amounts in (OF_INSURER | {HELD: for_sale}).items()
    }
    for tag in ("Revenues", "PremiumsEarnedNet", "NetIncomeLoss"):
        tags[tag] = [_file(span, (v or 0) * 1e6) for span, v in zip(SPANS, FLOWS[tag], strict=True)]
    company = Company(cik=1, ticker="ACME", name="Acme", sic=6331)
    found = compute_fundamentals(listed(tags), company)
    for name in ("policyholder_accounts", "deferred_acquisition_costs", "insurer_long_term_debt"):
        assert value(found, name, "instant", END), name
        shown = value(found, f"{name}_growth", "instant", END) is not None
        assert shown == is_shown, name
    assert value(found, "equity_growth", "instant", END) == pytest.approx(7.4, abs=0.05)
    told = [n["why"]["day"] for n in find_notices(found, "company-growth-withheld")]
    assert told == ([] if is_shown else [YEAR])
    grid = build_key_figures(found, "2010-05-14")
    states = {cell.state for _, cells in grid.rows for cell in cells}
    assert ("other_businesses" in states) == (not is_shown)
    assert "conflicting" not in states
