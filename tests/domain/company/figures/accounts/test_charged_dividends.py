"""What a property company distributed in shares shows in its retained earnings; its owners and their dividends go together."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import METRICS, say_metric
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import find_notices, listed, row, value

REIT, INDUSTRIAL = 6798, 3571
SHARES = "WeightedAverageNumberOfDilutedSharesOutstanding"
UNITS = METRICS["partners_units"].tags["us-gaap"][0]
END, YEAR, QUARTER = "2010-03-31", ("2009-01-01", "2009-12-31"), ("2010-01-01", "2010-03-31")
BEFORE, THEN = ("2008-01-01", "2008-12-31"), ("2009-01-01", "2009-03-31")
FLOWS: dict[str, dict[tuple[str, str], float]] = {
    "Revenues": {BEFORE: 3_700, YEAR: 3_775, QUARTER: 925},
    "NetIncomeLossAvailableToCommonStockholdersBasic": {BEFORE: 422, YEAR: 283, QUARTER: 9},
    "NetIncomeLoss": {BEFORE: 463, YEAR: 310, QUARTER: 15},
    "DepreciationAndAmortization": {BEFORE: 970, YEAR: 998, QUARTER: 229},
    "NetIncomeLossAttributableToNoncontrollingInterest": {BEFORE: 136, YEAR: 78, QUARTER: 6},
    "PaymentsOfDividendsCommonStock": {BEFORE: 811, YEAR: 122, QUARTER: 172},
    "PaymentsOfDividendsMinorityInterest": {BEFORE: 206, YEAR: 26, QUARTER: 35},
}
"""About Simon Property's, in millions: of 2009 most dividends were paid in shares."""


def _compute(
    *,
    kept: tuple[float, float] = (-2_492, -2_956),
    sic: int = REIT,
    units: float = 0,
    average: float = 280,
    **more: float,
) -> Fundamentals:
    """Return fundamentals by retained earnings at the ends of two years, and further flows of the newer one.

    `units` are the partners' redeemable ones; with them average shares and the quarter a year before are known.
    """
    flows = FLOWS | {tag: {YEAR: amount} for tag, amount in more.items()}
    if units:
        flows = {tag: spans | {THEN: spans[QUARTER]} for tag, spans in FLOWS.items()}
    tags: dict[str, Any] = {
        tag: [
            row(
                *span,
                amount,
                *((f"{span[1][:4]}-05-05",) if span in (QUARTER, THEN) else ("2010-02-20", "10-K")),
            )
            for span, amount in spans.items()
        ]
        for tag, spans in flows.items()
    }
    days = zip((BEFORE[1], YEAR[1]), kept, strict=True)
    tags["RetainedEarningsAccumulatedDeficit"] = [
        row("", day, amount, "2010-02-20", "10-K") for day, amount in days
    ]
    if units:
        tags[UNITS] = [row("", END, units, "2010-05-05")]
    facts = listed(tags)
    counts = {"CommonStockSharesOutstanding": [row("", END, 286, "2010-05-05")]}
    if units and average:
        counts[SHARES] = [{**each, "val": average} for each in tags["Revenues"]]
    facts["facts"]["us-gaap"] |= listed(counts, "shares")["facts"]["us-gaap"]
    return compute_fundamentals(facts, Company(cik=1, ticker="ACME", name="Acme", sic=sic))


def test_fall_of_cash_dividends_is_no_cut_where_retained_earnings_bore_far_more() -> None:
    found = _compute()
    [told] = find_notices(found, "company-charged-dividends")
    assert (told["paid"]["value"], told["charged"]["value"], told["run"]["value"]) == (
        122,
        747,
        688,
    )
    assert value(found, "common_dividends_growth", "year", YEAR[1]) is None
    assert value(found, "common_dividends", "year", YEAR[1]) == 122


@pytest.mark.parametrize(
    ("kept", "sic", "more"),
    [
        ((-2_492, -2_340), REIT, {}),
        ((-2_492, -2_956), INDUSTRIAL, {}),
        ((-2_492, -2_956), REIT, {"PaymentsForRepurchaseOfCommonStock": 600.0}),
    ],
    ids=["retained earnings bore as much", "no property company", "shares bought back"],
)
def test_fall_of_cash_dividends_is_shown_where_nothing_else_was_distributed(
    kept: tuple[float, float], sic: int, more: dict[str, float]
) -> None:
    found = _compute(kept=kept, sic=sic, **more)
    assert not find_notices(found, "company-charged-dividends")
    assert value(found, "common_dividends_growth", "year", YEAR[1]) == pytest.approx(
        -84.957, abs=1e-3
    )


def test_payout_of_a_property_company_with_partners_is_of_all_owners_on_both_sides() -> None:
    """(172 + 35) of 9 + 229 + 6; its partners have too much for a payout of common shares alone."""
    found = _compute()
    assert value(found, "ffo_payout_ratio", "year", YEAR[1]) is None
    paid = value(found, "all_owners_payout_ratio", "quarter", END)
    assert paid == pytest.approx(100 * 207 / 244, abs=1e-3)


@pytest.mark.parametrize(("kept", "is_shown"), [(-2_956, False), (-2_340, True)])
def test_payout_of_a_year_paid_mostly_in_shares_is_withheld(kept: float, *, is_shown: bool) -> None:
    found = _compute(kept=(-2_492, kept))
    payout = value(found, "all_owners_payout_ratio", "year", YEAR[1])
    assert (payout is not None) == is_shown


def test_yield_is_also_of_four_dividends_like_the_newest_quarters_on_common_shares() -> None:
    price = SharePrice(value=85, day="2010-05-31", origin="given")
    valuation = value_shares(_compute(), price, ValuationTerms())
    assert valuation
    [run] = [each for each in valuation.rows if each.metric == "dividend_run_yield"]
    assert run.value == pytest.approx(100 * 4 * 172 / (85 * 286))
    assert run.of == "common_dividends"


@pytest.mark.parametrize(
    ("sic", "metric"), [(REIT, "funds_from_operations"), (INDUSTRIAL, "pretax_income")]
)
def test_income_of_joint_ventures_stays_in_funds_from_operations(sic: int, metric: str) -> None:
    found = _compute(
        sic=sic,
        IncomeLossFromEquityMethodInvestments=900.0,
        IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest=1_200.0,
    )
    told = [note.params["metric"] for note in found.notes if note.code == "company-held"]
    assert told == ([say_metric(metric)] if sic == INDUSTRIAL else [])


def test_needed_growth_of_all_owners_ffo_is_set_beside_what_that_ffo_did() -> None:
    """(283 + 998 + 78) after (422 + 970 + 136); with so much of it the partners', there is no FFO per share."""
    assert _compare(_compute(units=900)) == ("all_owners_ffo", 1_359 / 1_528)


def test_needed_growth_of_ffo_is_set_beside_that_of_the_total_where_shares_are_not_filed() -> None:
    """283 + 998 after 422 + 970."""
    assert _compare(_compute(units=900, average=0)) == ("funds_from_operations", 1_281 / 1_392)


def _compare(found: Fundamentals) -> tuple[str, object]:
    """Return what FFO that a price needs is compared with, and the factor by which that grew in the last fiscal year."""
    price = SharePrice(value=85, day="2010-05-31", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    assert valued.implied
    [row] = [each for each in valued.implied.implied if each.metric == "growth_implied_by_ffo"]
    [past] = [each for each in valued.implied.past if each.metric == row.record]
    grown = {each.base: each.value for each in past.values}
    return row.record, pytest.approx(1 + grown["year"] / 100, abs=0.0005)
