"""A bank's book value by the lines of its equity where what preferred owners are owed is in no tag."""

from typing import Any

import pytest

from contracts.company.figures import Figure, Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.words import say
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import LABELS, name_row
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.key_figures import build_key_figures, build_valuations
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import listed, render_text, row, value

END, FILED = "2023-12-31", "2024-02-05"
PREFERRED, AT_MOST, AT_LEAST = 52, say("en", "bound-at-most"), say("en", "bound-at-least")
EQUITY: dict[str, float] = {
    "StockholdersEquity": 1000,
    "CommonStockValue": 40,
    "AdditionalPaidInCapital": 900,
    "RetainedEarningsAccumulatedDeficit": 60,
    "AccumulatedOtherComprehensiveIncomeLossNetOfTax": -2,
    "TreasuryStockValue": 50,
    "Assets": 9000,
    "Goodwill": 300,
}


def _bank(day: dict[str, float], *, to_common: float = 90) -> Fundamentals:
    """Return the figures of a bank of a hundred shares that earned 100, `to_common` of it for common shareholders."""
    flows = {
        "Revenues": 400,
        "NetIncomeLoss": 100,
        "NetIncomeLossAvailableToCommonStockholdersBasic": to_common,
    }
    facts: dict[str, Any] = listed(
        {tag: [row("2023-01-01", END, flow, FILED, "10-K")] for tag, flow in flows.items()}
        | {tag: [row("", END, amount, FILED, "10-K")] for tag, amount in day.items()}
    )
    counted = {"units": {"shares": [row("", END, 100, FILED, "10-K")]}}
    facts["facts"]["us-gaap"]["CommonStockSharesOutstanding"] = counted
    return compute_fundamentals(facts, Company(cik=1, ticker="ACME", name="Acme Corp.", sic=6021))


def _per_share(found: Fundamentals) -> list[float | None]:
    names = ("book_value_per_share", "tangible_book_per_share")
    return [value(found, name, "instant", END) for name in names]


def test_common_equity_is_its_lines_and_the_rest_of_equity_the_preferred_claim() -> None:
    found = _bank(EQUITY)
    assert _per_share(found) == [9.48, 6.48]
    assert value(found, "preferred_claims", "instant", END) == PREFERRED
    label = f"{LABELS['preferred_claims']}, on {END}:"
    assert f"{label} computed {PREFERRED} USD" in render_text(found)
    assert f"{label} {PREFERRED} USD" in render_text(
        _bank(EQUITY | {"PreferredStockValue": PREFERRED})
    )


@pytest.mark.parametrize("paid_in", [951, 960, 200])
def test_lines_that_leave_next_to_nothing_or_most_of_equity_are_not_those_of_common_shares(
    paid_in: float,
) -> None:
    """Paid-in capital may hold that of preferred shares at par, and a line may be missing."""
    found = _bank(EQUITY | {"AdditionalPaidInCapital": paid_in})
    assert _per_share(found) == [None, 7]
    assert value(found, "preferred_claims", "instant", END) is None


def test_lines_say_nothing_where_all_income_is_of_common_shareholders() -> None:
    found = _bank(EQUITY, to_common=100)
    assert _per_share(found) == [10, 7]
    assert value(found, "preferred_claims", "instant", END) is None


@pytest.mark.parametrize(
    ("filed", "bound", "left"),
    [
        ({}, "at_most", 6.48),
        ({"IntangibleAssetsNetExcludingGoodwill": 48}, "", 6),
        ({"FiniteLivedIntangibleAssetsNet": 48}, "", 6),
        ({"IndefiniteLivedIntangibleAssetsExcludingGoodwill": 48}, "at_most", 6),
    ],
)
def test_tangible_book_is_a_bound_where_intangible_assets_are_not_filed_in_full(
    filed: dict[str, float], bound: str, left: float
) -> None:
    found = _bank(EQUITY | filed)
    price = SharePrice(value=12, day="2024-02-05", origin="given")
    found = found.model_copy(update={"valuation": value_shares(found, price, ValuationTerms())})
    bounds = {f.metric: f.bound for f in found.figures if f.period == "instant"}
    assert bounds["tangible_book_per_share"] == bounds["tangible_book"] == bound
    assert bounds["book_value_per_share"] == ""
    prices = build_valuations([found])
    assert prices
    shown = [show_grid(grid) for grid in (build_key_figures(found, "2024-02-05"), prices)]
    told = {str(row[0]): [*map(str, row[1:])] for table in shown for row in table.rows}
    book = told[name_row("tangible_book_per_share", ["USD/shares"])]
    multiple = told[name_row("price_to_tangible_book", [])]
    assert f"{left:.2f}{AT_MOST if bound else ''}" in book
    assert all((AT_LEAST in cell) == bool(bound) for cell in multiple)
    assert (f": at most {left:.2f} USD per share" in render_text(found)) == bool(bound)


def test_rest_of_equity_beside_the_lines_of_common_shares_is_the_preferred_claim() -> None:
    """AIG files paid-in capital of its common shares alone: the rest of its equity, 96 %, is what preferred owners have."""
    lines = {name: amount for name, amount in EQUITY.items() if name != "AdditionalPaidInCapital"}
    found = _bank(lines | {"AdditionalPaidInCapitalCommonStock": 2})
    assert value(found, "common_book", "instant", END) == 50
    assert value(found, "preferred_claims", "instant", END) == 950
    plain = _bank(lines | {"AdditionalPaidInCapitalCommonStock": 2}, to_common=100)
    assert value(plain, "preferred_claims", "instant", END) is None, "nobody has a claim on income"


@pytest.mark.parametrize(("others", "is_told"), [(1_157, True), (175, False), (0, False)])
def test_much_income_of_other_owners_is_noted_beside_multiples_of_common_shares(
    others: float, is_told: bool
) -> None:
    """80 % of what AIG earned in a quarter of 2010 was not of its common shareholders, whose shares cost 1.7 times book."""
    plain = _bank(EQUITY)
    amounts = {"net_income": 1_451, "claims_before_common": others}
    quarter = [
        Figure(metric=name, period="quarter", end=END, value=amount, unit="USD")
        for name, amount in amounts.items()
    ]
    found = plain.model_copy(update={"figures": [*plain.figures, *quarter]})
    valued = value_shares(found, SharePrice(value=20, day=FILED, origin="given"), ValuationTerms())
    assert valued
    told = [n.params["share"] for n in valued.notices if n.code == "valuation-other-owners"]
    assert told == ([80] if is_told else [])
