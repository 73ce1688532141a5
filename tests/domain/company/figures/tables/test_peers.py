"""Companies side by side: the same measures, for periods that end as near to each other as can be."""

from typing import Any

import pytest

from contracts.agents.tool_definitions import TableCell
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from contracts.words import say
from domain.company.figures.filed.metrics import name_row
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.peers import (
    Filings,
    Peer,
    build_peer_grid,
    compare_companies,
    list_calendar_notices,
    render_measures,
)
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    Row,
    list_texts,
    listed,
    of,
    of_sample,
    row,
    sample,
    year,
)
from tests.support.words import en

BOTH = {APPLE: "AAPL", SNOWFLAKE: "SNOW"}
LATER = [*year(2023, (1,) * 4), row("2024-01-01", "2024-03-31", 9, "2024-05-05")]
"""The year that others have filed as well, and a quarter more."""

LOSS = say("en", "cell-loss")


def filings(
    ticker: str,
    revenue: list[Row],
    income: list[Row],
    unit: str = "USD",
    price: SharePrice | None = None,
) -> Filings:
    """Return what a company of a million shares filed, and what its price means, if it has one."""
    company = Company(cik=1, ticker=ticker, name=f"{ticker} Corp.")
    facts = listed({REVENUE: revenue, INCOME: income}, unit)
    ends = {each["end"] for each in revenue}
    count = [row("", end, 1e6, "2024-05-05") for end in ends]
    facts["facts"]["us-gaap"] |= listed({"CommonStockSharesOutstanding": count}, "shares")["facts"][
        "us-gaap"
    ]
    found = of(facts).model_copy(update={"company": company})
    value = value_shares(found, price, ValuationTerms()) if price else None
    return found.model_copy(update={"valuation": value}), facts


def samples(as_of: str | None = None, **prices: float) -> list[Peer]:
    """Return Apple and Snowflake as peers, valued at prices of one day."""
    filed: list[Filings] = []
    for cik, ticker in BOTH.items():
        price = SharePrice(value=prices.get(ticker, 1), day="2026-11-25", origin="given")
        found = of_sample(cik, as_of)
        value = value_shares(found, price, ValuationTerms()) if prices else None
        named = found.company.model_copy(update={"ticker": ticker})
        found = found.model_copy(update={"company": named, "valuation": value})
        filed.append((found, sample(cik)))
    return compare_companies(filed, as_of)


def priced(*days: str, income: tuple[float, float] = (1, 1)) -> list[Peer]:
    """Return two companies with prices of 10 and 11, each of a day."""
    incomes = [year(2023, (each,) * 4) for each in income]
    prices = [SharePrice(value=10 + n, day=day, origin="given") for n, day in enumerate(days)]
    return compare_companies(
        [
            filings("AHEAD", year(2023, (1,) * 4), incomes[0], price=prices[0] if prices else None),
            filings(
                "BEHIND", year(2023, (2,) * 4), incomes[1], price=prices[1] if prices[1:] else None
            ),
        ]
    )


def read(peers: list[Peer]) -> dict[str, list[TableCell]]:
    """Return the table for people, by label."""
    return {str(row[0]): row[1:] for row in show_grid(build_peer_grid(peers)).rows}


def codes(peers: list[Peer]) -> dict[str, Any]:
    return {notice.code: dict(notice.params) for notice in list_calendar_notices(peers)}


def test_measures_are_ranked_by_size() -> None:
    big = filings("BIG", year(2023, (100,) * 4), year(2023, (10,) * 4))
    small = filings("SMALL", year(2023, (20,) * 4), year(2023, (4,) * 4))
    rows = read(compare_companies([big, small]))
    assert rows[name_row("revenue", ())] == ["0.0004", "0.00008"], "of two, the larger one is plain"
    assert rows[name_row("net_margin", ())] == [
        "10.00 (2)",
        "20.00 (1)",
    ]
    third = filings("MIDDLE", year(2023, (50,) * 4), year(2023, (4,) * 4))
    rows = read(compare_companies([big, small, third]))
    assert rows[name_row("revenue", ())] == ["0.0004 (1)", "0.00008 (3)", "0.0002 (2)"]


def test_what_was_filed_since_stands_beside_what_is_ranked_and_has_no_rank() -> None:
    """One company has filed a later quarter: its newest twelve months are not compared with older ones."""
    peers = compare_companies(
        [
            filings("AHEAD", LATER, LATER),
            filings("BEHIND", year(2023, (2,) * 4), year(2023, (2,) * 4)),
        ]
    )
    assert [peer.common.end for peer in peers] == ["2023-12-31"] * 2
    assert codes(peers) == {"peers-newer": {"ticker": "AHEAD", "end": "2024-03-31"}}
    table = show_grid(build_peer_grid(peers))
    assert table.columns == [
        *(
            en("grid-in", unit="USD"),
            en("column-peer", company="AHEAD", end="2023-12-31"),
            en("column-peer-newest", company="AHEAD", end="2024-03-31"),
        ),
        en("column-peer", company="BEHIND", end="2023-12-31"),
    ]
    assert table.rows[0] == [name_row("revenue", ()), "0.000004", "0.000012", "0.000008"]
    ahead, behind = (list_texts(render_measures(peers, n)) for n in range(2))
    assert f"| {name_row('net_margin', ())} | 100.0% (1) | 100.0% |" in ahead
    assert f"| {name_row('revenue', ())} | 0.000008 |" in behind
    assert peers[1].newer is None


def test_calendars_that_differ_and_ranks_are_told() -> None:
    peers = samples("2025-06-30")
    assert [peer.common.end for peer in peers] == ["2025-03-29", "2025-04-30"]
    assert codes(peers) == {"peers-calendars": {"days": 32}}
    pages = [list_texts(render_measures(peers, n)) for n in range(2)]
    note = f"Note: {Notice.of('peers-calendars', days=32).text}"
    assert all(note in page for page in pages)
    assert f"| {name_row('stock_compensation_share_of_revenue', ())} | 3.1% (2) |" in pages[0]
    assert f"| {name_row('stock_compensation_share_of_revenue', ())} | 39.8% (1) |" in pages[1]


def test_ranks_are_explained_and_balances_and_share_counts_bear_their_days() -> None:
    peers = samples("2025-06-30")
    assert en("grid-ranks", n=2) in build_peer_grid(peers).title
    rows = read(peers)
    assert rows[name_row("net_cash", (), at=en("row-on-day"))] == [*(34_736, 2_593.2)]
    assert rows[name_row("dividends", ())] == [15_313, say("en", "cell-not-filed")], (
        "no rank where one alone has any"
    )
    assert rows[name_row("shares_outstanding", (), at=en("row-on-day"))] == [
        *(14_939, f"333.7{en('cell', day='2025-05-08')}")
    ]


def test_what_prices_mean_is_ranked_where_two_companies_have_it() -> None:
    """A million shares at 10 and 11 are worth 10 and 11 million, of sales of 4 and 8 and as much income."""
    rows = read(priced("2024-04-01", "2024-04-01", income=(1, 2)))
    assert rows[name_row("share_price", {"USD/shares"})] == [
        f"10.00{en('cell', day='2024-04-01')}",
        f"11.00{en('cell', day='2024-04-01')}",
    ]
    assert rows[name_row("market_value", ())] == ["10.0", "11.0"]
    assert rows[name_row("price_to_sales", ())] == ["2,500,000 (1)", "1,375,000 (2)"]
    assert rows[name_row("price_to_earnings", ())] == [
        *(
            f"2,500,000{en('cell', by=en('cell-by-net-income'))} (1)",
            f"1,375,000{en('cell', by=en('cell-by-net-income'))} (2)",
        )
    ]
    assert not {name_row("enterprise_value", ()), name_row("ev_to_sales", ())} & {*rows}
    for peers in (priced(), priced("2024-04-01")):
        rows = read(peers)
        assert name_row("revenue", ()) in rows
        assert name_row("share_price", {"USD/shares"}) not in rows, "one price is no comparison"


def test_multiple_that_a_loss_leaves_without_meaning_says_so() -> None:
    rows = read(priced("2024-04-01", "2024-04-01", income=(1, -1)))
    assert rows[name_row("price_to_earnings", ())] == [
        f"2,500,000{en('cell', by=en('cell-by-net-income'))}",
        LOSS,
    ]


@pytest.mark.parametrize(
    "days", [("2024-04-01", "2024-03-28"), ("2025-04-01", "2025-04-01")], ids=["apart", "later"]
)
def test_prices_of_different_days_or_over_old_figures_are_not_ranked(days: tuple[str, str]) -> None:
    rows = read(priced(*days))
    assert rows[name_row("share_price", {"USD/shares"})] == [
        f"{10 + n}.00{en('cell', day=day)}" for n, day in enumerate(days)
    ]
    assert rows[name_row("price_to_sales", ())] == [2.5e6, 1.375e6]


def test_todays_worth_is_set_against_the_months_that_all_have_filed() -> None:
    """Apple at 230 and Snowflake at 155: 3,381.622 billion (14,702.703 million shares) and 51.724 (333.7).

    Apple's twelve months to 2025-03-29, in millions, are its year to 2024-09-28 with half of the one after and
    without half of the one before: sales 391,035 + 219,659 - 210,328 = 400,366; operating income 123,216 + 72,421
    - 68,273 = 127,364; free cash flow 108,807 + 47,876 - 58,197 = 98,486; diluted EPS 6.08 + 4.05 - 3.71 = 6.42.
    EV is less the 54.286 billion of net cash of December 2025, as in the column of its newest figures.
    """
    peers = samples(AAPL=230, SNOW=155)
    heads = [head.partition(",")[0] for head in build_peer_grid(peers).columns]
    assert heads == ["AAPL", "AAPL", "SNOW"]
    assert "peers-multiples" in codes(peers)
    rows = read(peers)
    assert en("row-newest", row=name_row("share_price", {"USD/shares"})) in rows
    worth, ev = 230 * 14_702.703, 230 * 14_702.703 - 54_286
    assert rows[name_row("market_value", ())] == [3_381_622, 3_381_622, 51_724]
    assert rows[name_row("price_to_sales", ())] == [f"{worth / 400_366:.1f}", "7.8", "13.5"]
    assert rows[name_row("ev_to_sales", ())] == [f"{ev / 400_366:.1f}", "7.6", "12.8"]
    assert rows[name_row("ev_to_operating_income", ())] == [*(f"{ev / 127_364:.1f}", "23.6", LOSS)]
    assert rows[name_row("price_to_earnings", ())] == [
        *(
            f"{230 / 6.42:.1f}{en('cell', by=en('cell-by-diluted-eps'))}",
            f"29.1{en('cell', by=en('cell-by-diluted-eps'))}",
            LOSS,
        )
    ]
    assert rows[name_row("free_cash_flow_yield", ())] == [
        *(f"{100 * 98_486 / worth:.2f}", "3.65", "1.42")
    ]


def test_currencies_are_not_ranked() -> None:
    dollars = filings("US", year(2023, (2,) * 4), year(2023, (1,) * 4))
    euros = filings("EU", year(2023, (4,) * 4), year(2023, (1,) * 4), "EUR")
    table = show_grid(build_peer_grid(compare_companies([dollars, euros])))
    assert table.columns == [
        *(en("grid-mixed"), en("column-peer", company="US", end="2023-12-31, USD")),
        en("column-peer", company="EU", end="2023-12-31, EUR"),
    ]
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows[name_row("revenue", ())] == ["0.000008", "0.000016"]
    assert rows[name_row("net_margin", ())] == [
        "50.00 (1)",
        "25.00 (2)",
    ]


def test_one_company_is_not_compared() -> None:
    alone = compare_companies([filings("ONE", year(2023, (2,) * 4), year(2023, (1,) * 4))])
    assert alone == []
