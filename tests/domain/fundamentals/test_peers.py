"""Companies side by side: the same measures, for periods that end as near to each other as can be."""

from contracts.evidence.company import Company, CompanyInputs
from domain.fundamentals.peers import Filings, build_peer_table, compare_companies, render_measures
from tests.domain.fundamentals.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    Row,
    listed,
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
    assert rows["Revenue"] == ["400 USD (1)", "80 USD (2)"]
    assert rows["Net margin, share of revenue"] == ["10.0% (2)", "20.0% (1)"]


def test_periods_are_those_that_end_nearest_to_each_other() -> None:
    """One has filed a quarter more: its newest twelve months are not set beside older ones."""
    later = [*year(2023, (1,) * 4), row("2024-01-01", "2024-03-31", 9, "2024-05-05")]
    ahead = filings("AHEAD", later, later)
    behind = filings("BEHIND", year(2023, (2,) * 4), year(2023, (2,) * 4))
    assert [peer.end for peer in compare_companies([ahead, behind])] == ["2023-12-31"] * 2
    [about] = [
        line for line in render_measures(compare_companies([ahead, behind]), 0) if "beside" in line
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
        *("Figure", "AHEAD, to 2023-12-31", "AHEAD, its newest, to 2024-03-31"),
        "BEHIND, to 2023-12-31",
    ]
    assert table.rows[0] == ["Revenue", "4 USD (2)", "12 USD", "8 USD (1)"]
    ahead, behind = ([*render_measures(peers, n)] for n in range(2))
    assert "| Revenue | 4 USD (2) | 12 USD |" in ahead
    assert "| Revenue | 8 USD (1) |" in behind
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
    pages = ["\n".join(render_measures(peers, n)) for n in range(2)]
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
    assert rows["Net cash (cash and all securities less debt), on that day"] == [
        *("34.7 billion USD (1)", "2.59 billion USD (2)")
    ]
    assert rows["Dividends paid"] == ["15.3 billion USD", "–"], "no rank where one alone has any"
    assert rows["Shares outstanding, on that day"] == [
        *("14.9 billion shares", "333.7 million shares, on 2025-05-08")
    ]


def test_currencies_are_not_ranked() -> None:
    dollars = filings("US", year(2023, (2,) * 4), year(2023, (1,) * 4))
    euros = filings("EU", year(2023, (4,) * 4), year(2023, (1,) * 4), "EUR")
    rows = {
        str(row[0]): row[1:] for row in build_peer_table(compare_companies([dollars, euros])).rows
    }
    assert rows["Revenue"] == ["8 USD", "16 EUR"]
    assert rows["Net margin, share of revenue"] == ["50.0% (1)", "25.0% (2)"]


def test_one_company_is_not_compared() -> None:
    alone = compare_companies([filings("ONE", year(2023, (2,) * 4), year(2023, (1,) * 4))])
    assert [*render_measures(alone, 0)] == []


def test_first_of_several_tickers_is_the_company() -> None:
    told = CompanyInputs.model_validate({"tickers": ["snow", "AAPL", "SNOW"]})
    assert (told.ticker, told.peers) == ("SNOW", ["AAPL"])
    told = CompanyInputs.model_validate({"ticker": "AAPL", "tickers": ["SNOW"]})
    assert (told.ticker, told.peers) == ("AAPL", ["SNOW"])
