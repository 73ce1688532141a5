"""Numbers of shares that are not filed in one number, and earnings per share that are filed in parts."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.filed.series import find_root
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    INCOME,
    REVENUE,
    find_notices,
    of,
    row,
    value,
    year,
)

END, FILED = "2023-12-31", "2024-02-05"
COMMON = "NetIncomeLossAvailableToCommonStockholdersBasic"


def of_year(amount: float) -> list[dict[str, Any]]:
    return [row("2023-01-01", END, amount, FILED, "10-K")]


def company(per_share: dict[str, float], tags: dict[str, Any] | None = None) -> Fundamentals:
    """Return a company for 2023 with an income of 80, of which common shareholders receive 75."""
    flows = {REVENUE: year(2023, (100,) * 4), INCOME: year(2023, (20,) * 4), COMMON: of_year(75)}
    facts: dict[str, Any] = {tag: {"units": {"USD": rows}} for tag, rows in flows.items()}
    for tag, amount in per_share.items():
        facts[tag] = {"units": {"USD/shares": of_year(amount)}}
    return of({"facts": {"us-gaap": facts | (tags or {})}})


def test_average_shares_follow_from_income_and_basic_earnings_per_share() -> None:
    found = company({"EarningsPerShareBasic": 1.5, "EarningsPerShareDiluted": 1.2})
    assert value(found, "implied_shares", "year", END) == 50
    left = {gap.metric: gap for gap in found.gaps}
    for name in ("shares_outstanding", "diluted_shares"):
        assert find_root(left[name].reason).code == "gap-shares-by-class"
    told = [str(each["metrics"]) for each in find_notices(found, "company-not-filed")]
    assert len(told) == 1
    assert "metric-shares-outstanding" in told[0]
    assert "metric-diluted-shares" in told[0]


def test_missing_average_shares_beside_a_count_of_a_day_name_the_count() -> None:
    count = [row("", END, 52e6, FILED, "10-K")]
    filed = {"CommonStockSharesOutstanding": {"units": {"shares": count}}}
    found = company({"EarningsPerShareBasic": 1.5}, filed)
    [gap] = [each for each in found.gaps if each.metric == "diluted_shares"]
    reason = find_root(gap.reason)
    assert reason.code == "gap-shares-not-averaged"
    filed_count = reason.params["count"]
    assert isinstance(filed_count, Notice)
    assert (filed_count.code, filed_count.params["value"]) == ("amount-million", 52)


@pytest.mark.parametrize("eps", [0.49, -1.5])
def test_average_shares_are_unknown_by_earnings_that_rounding_blurs(eps: float) -> None:
    found = company({"EarningsPerShareBasic": eps})
    assert value(found, "implied_shares", "year", END) is None


def test_average_shares_are_not_computed_beside_filed_ones() -> None:
    tag = "WeightedAverageNumberOfDilutedSharesOutstanding"
    filed = {tag: {"units": {"shares": of_year(60)}}}
    found = company({"EarningsPerShareBasic": 1.5}, filed)
    assert value(found, "implied_shares", "year", END) is None
    assert value(found, "diluted_shares", "year", END) == 60


@pytest.mark.parametrize("unit", ["USD", "USD/shares"])
def test_earnings_per_share_add_up_from_continuing_and_discontinued_ones(unit: str) -> None:
    """Some companies file them per share in the plain currency."""
    tag = "IncomeLossFromDiscontinuedOperationsNetOfTaxPerDilutedShare"
    part = {tag: {"units": {unit: of_year(-0.5)}}}
    found = company({"IncomeLossFromContinuingOperationsPerDilutedShare": 2.0}, part)
    assert value(found, "diluted_eps", "year", END) == 1.5


def test_book_value_that_others_have_an_unfiled_claim_on_is_left_out_with_its_reason() -> None:
    tags = {
        "StockholdersEquity": {"units": {"USD": [row("", END, 500, FILED, "10-K")]}},
        "CommonStockSharesOutstanding": {"units": {"shares": [row("", END, 50, FILED, "10-K")]}},
        "DividendsPreferredStock": {"units": {"USD": of_year(5)}},
    }
    found = company({}, tags)
    assert value(found, "book_value_per_share", "instant", END) is None
    reasons = {find_root(gap.reason).code for gap in found.gaps if "book" in gap.metric}
    assert reasons == {"gap-beside-preferred-dividends"}


@pytest.mark.parametrize(
    ("first", "last", "is_class"),
    [(19, 20, True), (45, 20, False), (20, 45, False), (45, 45, False)],
    ids=["one class", "fewer at the end", "fewer at the start", "all"],
)
def test_count_far_below_the_diluted_shares_on_both_ends_of_a_period_is_of_one_class(
    first: float, last: float, *, is_class: bool
) -> None:
    """Book value and market value would else be of a part, as BlackRock's of 2010 were: 63 million shares beside 192 million diluted ones."""
    counts = [row("", "2022-12-31", first, FILED, "10-K"), row("", END, last, FILED, "10-K")]
    tags = {
        "CommonStockSharesOutstanding": {"units": {"shares": counts}},
        "WeightedAverageNumberOfDilutedSharesOutstanding": {"units": {"shares": of_year(50)}},
        "StockholdersEquity": {"units": {"USD": [row("", END, 950, FILED, "10-K")]}},
    }
    found = company({"EarningsPerShareBasic": 1.5}, tags)
    left = {gap.metric: find_root(gap.reason).code for gap in found.gaps}
    assert (left.get("shares_outstanding") == "gap-shares-of-class") is is_class
    assert (value(found, "book_value_per_share", "instant", END) is None) is is_class
    price = SharePrice(value=10, day=END, origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    [market] = [row.value for row in valued.rows if row.metric == "market_value"]
    assert market == 10 * (50 if is_class else last)


@pytest.mark.parametrize(("later", "expected"), [(150, 0.68), (102, 0.8)])
def test_earnings_per_share_of_twelve_months_are_divided_anew_where_shares_moved(
    later: float, expected: float
) -> None:
    """Quarters of 20 by ever more shares: 100 a year, then 150: the parts' 0.8 is of no number of shares."""
    told = {
        "NetIncomeLoss": (80, 20, 20, "USD"),
        REVENUE: (400, 100, 100, "USD"),
        "EarningsPerShareDiluted": (0.8, 0.2, 0.2, "USD/shares"),
        "WeightedAverageNumberOfDilutedSharesOutstanding": (100, 100, later, "shares"),
    }
    facts = {
        tag: {
            "units": {
                unit: [
                    row("2023-01-01", END, whole, FILED, "10-K"),
                    row("2023-01-01", "2023-03-31", then, "2024-05-05"),
                    row("2024-01-01", "2024-03-31", now, "2024-05-05"),
                ]
            }
        }
        for tag, (whole, then, now, unit) in told.items()
    }
    found = of({"facts": {"us-gaap": facts}})
    shown = value(found, "diluted_eps", "ttm", "2024-03-31")
    assert shown == pytest.approx(expected, abs=0.04)
    assert (shown == 0.8) is (expected == 0.8)
    assert bool(find_notices(found, "company-eps-added")) is (expected == 0.8)


def test_shares_of_the_day_before_are_shown_beside_the_newest() -> None:
    counts = [row("", day, n, FILED, "10-K") for day, n in ((END, 434e6), ("2022-12-31", 432e6))]
    filed = {"CommonStockSharesOutstanding": {"units": {"shares": counts}}}
    flows = {INCOME: {"units": {"USD": [*year(2023, (20,) * 4), *year(2022, (20,) * 4)]}}}
    assets = [row("", day, 900, FILED, "10-K") for day in (END, "2022-12-31")]
    found = company({}, filed | flows | {"Assets": {"units": {"USD": assets}}})
    assert value(found, "shares_outstanding", "instant", END) == 434e6
    assert value(found, "shares_outstanding", "instant", "2022-12-31") == 432e6
