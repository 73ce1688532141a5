"""Companies side by side: the same measures, for periods that end as near to each other as can be."""

from typing import Any

import pytest

from contracts.company.filings import Company
from contracts.company.inputs import CompanyInputs, ValuationTerms
from contracts.company.valuation import Peer, SharePrice, Valuation
from domain.company.figures.peers import (
    Filings,
    build_peer_table,
    compare_companies,
    render_measures,
)
from domain.company.figures.valuation import value_shares
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    Row,
    list_texts,
    listed,
    of_sample,
    row,
    sample,
    year,
)


def filings(ticker: str, revenue: list[Row], income: list[Row], unit: str = "USD") -> Filings:
    company = Company(cik=1, ticker=ticker, name=f"{ticker} Corp.")
    return company, listed({REVENUE: revenue, INCOME: income}, unit)


def test_measures_are_ranked_by_size() -> None:
    big = filings("BIG", year(2023, (100,) * 4), year(2023, (10,) * 4))
    small = filings("SMALL", year(2023, (20,) * 4), year(2023, (4,) * 4))
    rows = {str(row[0]): row[1:] for row in build_peer_table(compare_companies([big, small])).rows}
    assert rows["Revenue"] == ["0.0004", "0.00008"], "of two, the larger one is plain"
    assert rows["Net margin, % of revenue"] == ["10.00 (2)", "20.00 (1)"]
    third = filings("MIDDLE", year(2023, (50,) * 4), year(2023, (4,) * 4))
    peers = compare_companies([big, small, third])
    rows = {str(row[0]): row[1:] for row in build_peer_table(peers).rows}
    assert rows["Revenue"] == ["0.0004 (1)", "0.00008 (3)", "0.0002 (2)"]


def test_periods_are_those_that_end_nearest_to_each_other() -> None:
    """One has filed a quarter more: its newest twelve months are not set beside older ones."""
    later = [*year(2023, (1,) * 4), row("2024-01-01", "2024-03-31", 9, "2024-05-05")]
    ahead = filings("AHEAD", later, later)
    behind = filings("BEHIND", year(2023, (2,) * 4), year(2023, (2,) * 4))
    assert [peer.end for peer in compare_companies([ahead, behind])] == ["2023-12-31"] * 2
    [about] = [
        line
        for line in list_texts(render_measures(compare_companies([ahead, behind]), 0))
        if "beside" in line
    ]
    assert "All ranked periods end on the same day." in about
    assert "AHEAD has filed newer figures, to 2024-03-31, which not all have" in about


def test_what_was_filed_since_stands_beside_what_is_ranked_and_has_no_rank() -> None:
    later = [*year(2023, (1,) * 4), row("2024-01-01", "2024-03-31", 9, "2024-05-05")]
    peers = compare_companies(
        [
            filings("AHEAD", later, later),
            filings("BEHIND", year(2023, (2,) * 4), year(2023, (2,) * 4)),
        ]
    )
    table = build_peer_table(peers)
    assert table.columns == [
        *("Millions of USD", "AHEAD, to 2023-12-31", "AHEAD, its newest, to 2024-03-31"),
        "BEHIND, to 2023-12-31",
    ]
    assert table.rows[0] == ["Revenue", "0.000004", "0.000012", "0.000008"]
    ahead, behind = (list_texts(render_measures(peers, n)) for n in range(2))
    assert "| Net margin, share of revenue | 100.0% (1) | 100.0% |" in ahead
    assert "| Revenue | 8 USD |" in behind
    assert peers[1].newer is None


def test_six_companies_with_newer_figures_fit_a_table() -> None:
    later = [*year(2023, (1,) * 4), row("2024-01-01", "2024-03-31", 9, "2024-05-05")]
    ahead = [filings(f"A{n}", later, later) for n in range(5)]
    behind = filings("BEHIND", year(2023, (2,) * 4), year(2023, (2,) * 4))
    assert len(build_peer_table(compare_companies([behind, *ahead])).columns) == 12


def test_calendars_that_differ_are_told() -> None:
    pair = [
        (Company(cik=cik, ticker=ticker, name=ticker), sample(cik))
        for cik, ticker in ((APPLE, "AAPL"), (SNOWFLAKE, "SNOW"))
    ]
    peers = compare_companies(pair, "2025-06-30")
    assert [peer.end for peer in peers] == ["2025-03-29", "2025-04-30"]
    pages = ["\n".join(list_texts(render_measures(peers, n))) for n in range(2)]
    assert all("the ranked periods end up to 32 days apart." in page for page in pages)
    assert "| Stock compensation, share of revenue | 3.1% (2) |" in pages[0]
    assert "| Stock compensation, share of revenue | 39.8% (1) |" in pages[1]


def test_ranks_are_explained_and_balances_and_share_counts_bear_their_days() -> None:
    pair = [
        (Company(cik=cik, ticker=ticker, name=ticker), sample(cik))
        for cik, ticker in ((APPLE, "AAPL"), (SNOWFLAKE, "SNOW"))
    ]
    table = build_peer_table(compare_companies(pair, "2025-06-30"))
    assert "the rank among 2, of which 1 has the largest figure" in table.title
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["Net cash (cash and all securities less debt), on that day"] == [*(34_736, 2_593.2)]
    assert rows["Dividends paid"] == [15_313, "–"], "no rank where one alone has any"
    assert rows["Shares outstanding, on that day, millions of shares"] == [
        *(14_939, "333.7, on 2025-05-08")
    ]


def priced(peers: list[Peer], *days: str, **measures: Any) -> list[Peer]:
    """Return companies with what their prices mean, each of a day."""
    return [
        peer.model_copy(
            update={
                "valuation": Valuation(
                    price=SharePrice(value=10 + n, day=day, origin="given at the start"),
                    terms=ValuationTerms(),
                    shares=1e9,
                    market_value=(10 + n) * 1e9,
                    **{name: values[n] for name, values in measures.items()},
                )
            }
        )
        for n, (peer, day) in enumerate(zip(peers, days, strict=True))
    ]


def pair(later: str = "") -> list[Peer]:
    """Return two companies, the first of which may have filed a quarter more."""
    more = [row("2024-01-01", later, 9, "2024-05-05")] if later else []
    ahead = [*year(2023, (1,) * 4), *more]
    behind = year(2023, (2,) * 4)
    return compare_companies([filings("AHEAD", ahead, ahead), filings("BEHIND", behind, behind)])


def test_what_prices_mean_is_ranked_where_two_companies_have_it() -> None:
    peers = priced(
        pair(),
        *("2024-04-01", "2024-04-01"),
        price_to_sales=(2.5, 3.0),
        price_to_earnings=(20.0, None),
        free_cash_flow_yield=(4.0, 5.0),
        diluted_eps=(0.5, None),
    )
    rows = {str(row[0]): row[1:] for row in build_peer_table(peers).rows}
    assert rows["Share price"] == ["10.00 USD on 2024-04-01", "11.00 USD on 2024-04-01"]
    assert rows["Market value"] == [10_000, 11_000]
    assert rows["Price to sales (P/S)"] == ["2.5 (2)", "3.0 (1)"]
    assert rows["Free cash flow yield, of the market value, %"] == ["4.00 (2)", "5.00 (1)"]
    assert not [name for name in rows if "P/E" in name or "EV" in name]
    assert "Share price" not in str(build_peer_table(pair()).rows), "without prices there is none"
    alone = [peers[0], peers[1].model_copy(update={"valuation": None})]
    assert "Share price" not in str(build_peer_table(alone).rows)


def test_multiple_that_a_loss_leaves_without_meaning_says_so() -> None:
    peers = priced(
        pair(),
        *("2024-04-01", "2024-04-01"),
        price_to_earnings=(20.0, None),
        losses=([], ["price_to_earnings"]),
    )
    rows = {str(row[0]): row[1:] for row in build_peer_table(peers).rows}
    assert rows["Price to earnings (P/E)"] == [
        *("20.0 by net income and market value (1)", "none, a loss")
    ]


def test_earnings_multiples_are_ranked_and_each_says_by_which_earnings() -> None:
    peers = priced(
        pair(),
        *("2024-04-01", "2024-04-01"),
        price_to_earnings=(20.0, 15.0),
        diluted_eps=(0.5, None),
    )
    rows = {str(row[0]): row[1:] for row in build_peer_table(peers).rows}
    assert rows["Price to earnings (P/E)"] == [
        *("20.0 by diluted EPS (1)", "15.0 by net income and market value (2)")
    ]


@pytest.mark.parametrize(
    "days", [("2024-04-01", "2024-03-28"), ("2025-04-01", "2025-04-01")], ids=["apart", "later"]
)
def test_prices_of_different_days_or_over_old_figures_are_not_ranked(days: tuple[str, str]) -> None:
    peers = priced(pair(), *days, price_to_sales=(2.5, 3.0))
    rows = {str(row[0]): row[1:] for row in build_peer_table(peers).rows}
    assert rows["Share price"] == [f"{10 + n}.00 USD on {day}" for n, day in enumerate(days)]
    assert rows["Price to sales (P/S)"] == ["2.5", "3.0"]


def test_what_a_price_means_stands_with_the_newest_figures_and_is_ranked_by_those_of_all() -> None:
    """Worth ten billion, the first sold 4 in the year that both have filed: 2.5 billion times its sales.

    The three that stand beside its newest figures are what its valuation says.
    """
    peers = priced(pair("2024-03-31"), "2024-06-01", "2024-06-01", price_to_sales=(3.0, 3.5))
    table = build_peer_table(peers)
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["Price to sales (P/S)"] == ["2,500,000,000 (1)", "3.0", "3.5 (2)"]
    assert rows["Market value"] == [10_000, 10_000, 11_000]
    assert rows["Share price; market value and EV below are the newest, in every column"] == [
        *("10.00 USD on 2024-06-01", "10.00 USD on 2024-06-01", "11.00 USD on 2024-06-01")
    ]
    assert "months that all have filed compare like with like" in "\n".join(
        list_texts(render_measures(peers, 0))
    )


def test_todays_worth_is_set_against_the_months_that_all_have_filed() -> None:
    """Apple at 230 and Snowflake at 155: 3,381.622 billion (14,702.703 million shares) and 51.724 (333.7).

    Apple's twelve months to 2025-03-29, in millions, are its year to 2024-09-28 with half of the one after and
    without half of the one before: sales 391,035 + 219,659 - 210,328 = 400,366; operating income 123,216 + 72,421
    - 68,273 = 127,364; free cash flow 108,807 + 47,876 - 58,197 = 98,486; diluted EPS 6.08 + 4.05 - 3.71 = 6.42.
    EV is less the 54.286 billion of net cash of December 2025, as in the column of its newest figures.
    """
    both = ((APPLE, "AAPL", 230.0), (SNOWFLAKE, "SNOW", 155.0))
    filed = [(Company(cik=cik, ticker=name, name=name), sample(cik)) for cik, name, _ in both]
    peers = [
        peer.model_copy(update={"valuation": value_shares(of_sample(cik), price, ValuationTerms())})
        for peer, (cik, _, close) in zip(compare_companies(filed), both, strict=True)
        for price in [SharePrice(value=close, day="2026-11-25", origin="given at the start")]
    ]
    table = build_peer_table(peers)
    assert [head.partition(",")[0] for head in table.columns] == [
        *("Millions of USD", "AAPL", "AAPL", "SNOW")
    ]
    rows = {str(row[0]): row[1:] for row in table.rows}
    worth, ev = 230 * 14_702.703, 230 * 14_702.703 - 54_286
    assert rows["Market value"] == [3_381_622, 3_381_622, 51_724]
    assert rows["Price to sales (P/S)"] == [f"{worth / 400_366:.1f}", "7.8", "13.5"]
    assert rows["Enterprise value to sales (EV/sales)"] == [f"{ev / 400_366:.1f}", "7.6", "12.8"]
    assert rows["Enterprise value to operating income (EV/EBIT)"] == [
        *(f"{ev / 127_364:.1f}", "23.6", "none, a loss")
    ]
    assert rows["Price to earnings (P/E)"] == [
        *(f"{230 / 6.42:.1f} by diluted EPS", "29.1 by diluted EPS", "none, a loss")
    ]
    assert rows["Free cash flow yield, of the market value, %"] == [
        *(f"{100 * 98_486 / worth:.2f}", "3.65", "1.42")
    ]


def test_currencies_are_not_ranked() -> None:
    dollars = filings("US", year(2023, (2,) * 4), year(2023, (1,) * 4))
    euros = filings("EU", year(2023, (4,) * 4), year(2023, (1,) * 4), "EUR")
    table = build_peer_table(compare_companies([dollars, euros]))
    assert table.columns == [
        *("Millions of the currency in the head", "US, to 2023-12-31, USD"),
        "EU, to 2023-12-31, EUR",
    ]
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["Revenue"] == ["0.000008", "0.000016"]
    assert rows["Net margin, % of revenue"] == ["50.00 (1)", "25.00 (2)"]


def test_one_company_is_not_compared() -> None:
    alone = compare_companies([filings("ONE", year(2023, (2,) * 4), year(2023, (1,) * 4))])
    assert [*render_measures(alone, 0)] == []


def test_first_of_several_tickers_is_the_company() -> None:
    told = CompanyInputs.model_validate({"tickers": ["snow", "AAPL", "SNOW"]})
    assert (told.ticker, told.peers) == ("SNOW", ["AAPL"])
    told = CompanyInputs.model_validate({"ticker": "AAPL", "tickers": ["SNOW"]})
    assert (told.ticker, told.peers) == ("AAPL", ["SNOW"])
