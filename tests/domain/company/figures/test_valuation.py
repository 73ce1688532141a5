"""What a price means: multiples worked out by hand, and the growth that it implies."""

import pytest

from activities.workbench import PREVIEW_CELL_CHARS
from contracts.company.figures import Fundamentals
from contracts.company.inputs import ValuationTerms
from contracts.company.valuation import SharePrice, Valuation
from domain.company.figures.valuation import explain_no_value, find_growth, value_shares
from domain.company.figures.valuation_text import IMPLIED, NO_PRICE, build_valuation_table
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    listed,
    named,
    of,
    of_sample,
    render_text,
    row,
    year,
)

TERMS, DAY = ValuationTerms(), "2024-02-05"


def value(cik: int, as_of: str, close: float, currency: str = "USD") -> Valuation | None:
    price = SharePrice(value=close, currency=currency, day=as_of, origin="given at the start")
    return value_shares(of_sample(cik, as_of), price, TERMS)


def test_multiples_match_hand_computed_ones() -> None:
    """Apple at 271.86: 14,702.703 million shares are worth 3,997.1 billion, and 54.286 are net cash."""
    found = value(APPLE, "2026-02-15", 271.86)
    assert found
    assert found.market_value == pytest.approx(271.86 * 14_702_703_000)
    assert found.enterprise_value == pytest.approx(found.market_value - 54_286_000_000)
    assert found.price_to_sales == pytest.approx(3_997.08 / 435.617, abs=0.01)
    assert found.price_to_earnings == pytest.approx(271.86 / 7.90, abs=0.01)
    assert found.diluted_eps == 7.90
    assert found.ev_to_operating_income == pytest.approx(3_942.79 / 141.070, abs=0.01)
    assert found.free_cash_flow_yield == pytest.approx(100 * 123.324 / 3_997.08, abs=0.01)
    assert [each.discount_rate for each in found.implied] == [8, 9, 10]
    assert [each.growth for each in found.implied] == sorted(each.growth for each in found.implied)


def test_share_of_less_than_a_cent_has_its_price_shown_and_valued() -> None:
    price = SharePrice(value=0.0001, day="2025-06-30", origin="given at the start")
    found = of_sample(SNOWFLAKE, "2025-06-30")
    found = found.model_copy(update={"valuation": value_shares(found, price, TERMS)})
    assert "Market value at 0.0001 USD a share" in render_text(found)
    assert build_valuation_table([found])


def test_loss_has_no_multiple_and_stock_compensation_lowers_the_yield() -> None:
    found = value(SNOWFLAKE, "2025-06-30", 223.77)
    assert found
    assert found.price_to_earnings is None
    assert found.ev_to_operating_income is None
    assert found.free_cash_flow_yield == pytest.approx(100 * 735.891 / (223.77 * 333.7), abs=0.01)
    left = 100 * (735.891 - 1_526.838) / (223.77 * 333.7)
    assert found.free_cash_flow_less_stock_compensation_yield == pytest.approx(left, abs=0.01)


EARNED = {REVENUE: year(2023, (20e6,) * 4), INCOME: year(2023, (1e6,) * 4)}
COUNT = {"CommonStockSharesOutstanding": [row("", "2023-12-31", 5e6, DAY)]}


@pytest.mark.parametrize(
    ("eps", "multiple", "basis"),
    [
        ((0.18,) * 4, 12 / 0.72, "by diluted EPS"),
        ((), 15, "by net income and market value"),
        ((0.5,) * 4, 15, "by net income and market value"),
        ((-0.1,) * 4, None, ""),
    ],
    ids=["filed", "not-filed", "of-other-shares", "loss"],
)
def test_earnings_are_those_of_a_diluted_share_where_they_are_filed_and_the_page_says_which(
    eps: tuple[float, ...], multiple: float | None, basis: str
) -> None:
    """At 12 a share five million are worth 60 million, 15 times the income of 4 million."""
    told = listed(EARNED)
    tags = {"EarningsPerShareDiluted": year(2023, eps)} if eps else {}
    for more in (listed(COUNT, "shares"), listed(tags, "USD/shares")):
        told["facts"]["us-gaap"] |= more["facts"]["us-gaap"]
    price = SharePrice(value=12, day="2024-03-01", origin="given at the start")
    found = of(told)
    found = found.model_copy(update={"valuation": value_shares(found, price, TERMS)})
    table = build_valuation_table([found])
    assert found.valuation
    assert table
    assert found.valuation.price_to_earnings == (multiple and pytest.approx(multiple))
    said = [line for line in render_text(found).splitlines() if "(P/E)" in line]
    shown = [row for row in table.rows if "(P/E)" in str(row[0])]
    if multiple:
        assert said == [
            f"Price to earnings (P/E) {basis}, twelve months to 2023-12-31:"
            f" {multiple:.1f} at the price of 2024-03-01"
        ]
        assert shown == [["Price to earnings (P/E)", f"{multiple:.1f} {basis}"]]
    else:
        assert (said, shown) == ([], [])


def test_implied_growth_gives_the_value_back() -> None:
    """A cash flow of 100 that grows 5 % for ten years, then 2.5 %, at 9 %."""
    rate, growth, slow = 0.09, 0.05, 0.025
    years = [100 * (1 + growth) ** n / (1 + rate) ** n for n in range(1, 11)]
    worth = sum(years) + years[-1] * (1 + slow) / (rate - slow)
    assert find_growth(worth, 100, 9, TERMS) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("worth", "cash", "rate"), [(0, 100, 9), (1_000, -5, 9), (1_000, 100, 2), (1e12, 1, 9)]
)
def test_no_growth_is_implied_where_none_could_be(worth: float, cash: float, rate: float) -> None:
    assert find_growth(worth, cash, rate, TERMS) is None


def test_price_in_another_currency_values_nothing() -> None:
    assert value(APPLE, "2026-02-15", 250, "EUR") is None
    price = SharePrice(value=250, currency="EUR", day="2026-02-15", origin="given at the start")
    told = explain_no_value(of_sample(APPLE), price)
    assert told.startswith(
        "The price of 250.00 EUR was not set against its figures: they are in USD"
    )


def test_price_of_a_company_that_files_no_count_of_shares_says_so() -> None:
    found = of(listed({REVENUE: year(2023, (100,) * 4), INCOME: year(2023, (10,) * 4)}))
    price = SharePrice(value=5, day="2024-03-01", origin="given at the start")
    assert value_shares(found, price, TERMS) is None
    assert explain_no_value(found, price).endswith("its shares outstanding are not filed.")


def test_page_states_the_valuation_or_what_a_price_would_add() -> None:
    found: Fundamentals = of_sample(SNOWFLAKE, "2025-06-30")
    assert NO_PRICE in render_text(found)
    valued = found.model_copy(update={"valuation": value(SNOWFLAKE, "2025-06-30", 223.77)})
    text = render_text(valued)
    assert NO_PRICE not in text
    assert (
        "Market value at 223.77 USD a share (given at the start, 2025-06-30): 74.7 billion USD"
        in text
    )
    assert "for 333,700,000 shares outstanding on 2025-05-08" in text
    assert "market value less net cash on 2025-04-30" in text
    assert (
        "Price to sales (P/S), twelve months to 2025-04-30: 19.4 at the price of 2025-06-30" in text
    )
    lines = text.splitlines()
    [newest, yearly] = [line for line in lines if "before stock compensation: " in line]
    assert "of the twelve months to 2025-04-30, 735.9 million USD" in newest
    assert "27.0% a year at a discount rate of 9%" in newest
    assert "of the fiscal year to 2025-01-31, 884.1 million USD" in yearly
    assert "24.4% a year at a discount rate of 9%" in yearly
    [assumed] = [line for line in lines if "these rates are assumptions" in line]
    assert "is worth the enterprise value" in assumed
    [after, _] = [line for line in lines if "stock compensation leaves" in line]
    assert "-790.9 million USD in the twelve months to 2025-04-30" in after
    assert after.endswith("it is negative, so that no growth of it alone justifies the price")
    [multiple] = [line for line in lines if "(P/E)" in line]
    assert multiple.endswith("none, a loss")


def test_shares_that_awards_could_add_are_told_beside_the_market_value() -> None:
    """Snowflake's loss per share leaves out 63.039 million; Apple's profit is by 62.198 million more."""
    lines = render_text(valued(SNOWFLAKE, "2025-06-30", 223.77)).splitlines()
    [told] = [line for line in lines if "could add 63.0 million" in line]
    assert "(18.9% of those outstanding; all that a loss leaves out of EPS, and nothing" in told
    assert told.endswith("with them it is 88.8 billion USD"), "223.77 times 396.739 million"
    apple = valued(APPLE, "2026-02-15", 271.86)
    assert apple.valuation
    assert apple.valuation.dilutive_shares == 14_810_356_000 - 14_748_158_000
    assert "(0.4% of those outstanding; less what would be paid for them)" in render_text(apple)


def test_many_shares_that_could_be_added_are_valued_with() -> None:
    """Snowflake at 155: 333.7 + 63.039 = 396.739 million shares are worth 61,494.5 million.

    Less 2,593.2 of net cash and with 6.9 of others' interests that is an EV of 58,908.2, and 15.34 times the sales
    of 3,839.761. Its debt is convertible, all of it, so that the shares for it are counted in the debt as well.
    """
    found = valued(SNOWFLAKE, "2025-06-30", 155)
    lines = render_text(found).splitlines()
    [told] = [line for line in lines if line.startswith("With the shares that could be added")]
    assert "twelve months to 2025-04-30: EV 58.9 billion USD, EV/sales 15.3, implied growth" in told
    assert "24.2% a year at a discount rate of 9%" in told
    years = [735.891 * (1.242 / 1.09) ** n for n in range(1, 11)]
    assert sum(years) + years[-1] * 1.025 / 0.065 == pytest.approx(58_908.2, rel=0.005)
    [twice] = [line for line in lines if "count twice" in line]
    assert twice.startswith("Convertibles stand in debt, too (ConvertibleDebtNoncurrent)")
    assert (
        "all that a loss leaves out of EPS, and nothing is taken off for exercise prices"
        in "".join(lines)
    )
    apple = valued(APPLE, "2026-02-15", 271.86)
    assert "With the shares" not in render_text(apple), "62 of 14,703 million are 0.4%"
    table = build_valuation_table([apple, found])
    assert table
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["EV/sales with the shares that awards could add"] == [None, "15.3"]
    assert rows["Implied growth of twelve months with the shares that awards could add"][1] == (
        "21.4% at 8%, 24.2% at 9%, 26.8% at 10%"
    )


def test_valuations_are_one_table_where_the_first_company_tells_of_no_awards() -> None:
    apple, snow = valued(APPLE, "2026-02-15", 271.86), valued(SNOWFLAKE, "2025-06-30", 223.77)
    assert apple.valuation
    plain = apple.valuation.model_copy(update={"dilutive_shares": None})
    for pair in ([apple.model_copy(update={"valuation": plain}), snow], [snow, apple]):
        table = build_valuation_table(pair)
        assert table
        assert "EV with the shares that awards could add" in [row[0] for row in table.rows]


def test_other_income_that_is_much_of_the_free_cash_flow_is_told_to_count_twice() -> None:
    """Snowflake's other income of 160.468 million is 21.8% of 735.891; Apple's 77 million of 123,324 nothing."""
    lines = render_text(valued(SNOWFLAKE, "2025-06-30", 155)).splitlines()
    [told] = [line for line in lines if "counts it twice" in line]
    assert told.startswith(
        "Other income, twelve months to 2025-04-30, is 160.5 million USD before tax, 21.8% of the free cash flow:"
    )
    assert "counts it twice" not in render_text(valued(APPLE, "2026-02-15", 230))


def test_price_that_is_given_is_said_to_be_of_the_filed_shares() -> None:
    """A split since the newest count would put the market value wrong by its ratio, and nothing filed tells it."""
    found = valued(SNOWFLAKE, "2025-06-30", 155)
    told = "A price given at the start is taken with the newest filed shares, as if no split had come since"
    assert told in render_text(found).splitlines()
    assert found.valuation
    quoted = found.valuation.price.model_copy(update={"origin": "the service"})
    listed = found.valuation.model_copy(update={"price": quoted})
    assert told not in render_text(found.model_copy(update={"valuation": listed}))


def test_non_controlling_interests_are_part_of_the_enterprise_value() -> None:
    """Snowflake's net cash is 2,593.228 million, others' part in its companies 6.854 million."""
    found = value(SNOWFLAKE, "2025-06-30", 223.77)
    assert found
    assert found.enterprise_value == pytest.approx(found.market_value - 2_593.228e6 + 6.854e6)


def valued(cik: int, as_of: str, close: float) -> Fundamentals:
    return named(of_sample(cik, as_of), cik).model_copy(
        update={"valuation": value(cik, as_of, close)}
    )


def test_valuations_are_one_table_whose_columns_bear_the_days_of_price_and_figures() -> None:
    apple, snow = valued(APPLE, "2026-02-15", 271.86), valued(SNOWFLAKE, "2025-06-30", 223.77)
    table = build_valuation_table([apple, snow])
    assert table
    assert table.columns == [
        "Millions of USD",
        "AAPL, price of 2026-02-15, twelve months to 2025-12-27",
        "SNOW, price of 2025-06-30, twelve months to 2025-04-30",
    ]
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["Share price"][0] == "271.86 USD (given at the start)"
    assert rows["Market value"] == [3_997_077, 74_672]
    assert rows["Price to earnings (P/E)"] == ["34.4 by diluted EPS", "none, a loss"]
    assert rows[f"{IMPLIED} of twelve months, discounted at 9%"] == [
        *("11.9%; after stock compensation 13.3%", "27.0%; after stock compensation none")
    ]
    assert rows[f"{IMPLIED} of the fiscal year, discounted at 9%"] == [
        *("14.8%; after stock compensation 16.7%", "24.4%; after stock compensation none")
    ]
    assert max(len(str(cell)) for row in table.rows for cell in row) <= PREVIEW_CELL_CHARS
    assert build_valuation_table([of_sample(APPLE)]) is None


def test_implied_growth_is_a_range_over_both_periods_both_cash_flows_and_all_rates() -> None:
    apple, snow = valued(APPLE, "2026-02-15", 271.86), valued(SNOWFLAKE, "2025-06-30", 223.77)
    table = build_valuation_table([apple, snow])
    assert table
    [low_high] = [row[1:] for row in table.rows if row[0] == f"{IMPLIED}, a year for 10 years"]
    assert apple.valuation
    rates = [
        each
        for at in (*apple.valuation.implied, *apple.valuation.implied_by_year)
        for each in (at.growth, at.growth_after_stock_compensation or 0)
    ]
    assert low_high == [f"{min(rates)}% to {max(rates)}%", "21.6% and more"]
    assert f"discount rates of 8% to 10%: {low_high[0]} a year" in render_text(apple)


def test_price_over_figures_of_another_time_says_so_on_the_page() -> None:
    text = render_text(valued(APPLE, "2025-08-15", 231.59))
    assert "older: what was filed since is not in them" not in text
    price = SharePrice(value=200, day="2026-11-24", origin="given at the start")
    found = of_sample(APPLE, "2026-02-15")
    late = found.model_copy(update={"valuation": value_shares(found, price, TERMS)})
    assert "The price is of 2026-11-24, over figures to 2025-12-27, 11 months older" in render_text(
        late
    )


def test_growth_implied_after_stock_compensation_gives_the_value_back() -> None:
    """Apple's 123,324 million of free cash flow less 13,171 of stock compensation leave 110,153."""
    found = value(APPLE, "2026-02-15", 271.86)
    assert found
    assert found.enterprise_value
    [middle] = [each for each in found.implied if each.discount_rate == 9]
    assert middle.growth_after_stock_compensation
    assert middle.growth_after_stock_compensation > middle.growth
    growth, rate, slow = middle.growth_after_stock_compensation / 100, 0.09, 0.025
    years = [110_153e6 * (1 + growth) ** n / (1 + rate) ** n for n in range(1, 11)]
    worth = sum(years) + years[-1] * (1 + slow) / (rate - slow)
    assert worth == pytest.approx(found.enterprise_value, rel=0.01)


def test_company_worth_less_than_its_net_cash_has_no_multiple_of_that() -> None:
    """Five million shares at 12 are worth 60 million, of which 90 million are net cash."""
    flows = listed({REVENUE: year(2023, (20e6,) * 4), INCOME: year(2023, (1e6,) * 4)})
    days = listed({"CashAndCashEquivalentsAtCarryingValue": [row("", "2023-12-31", 90e6, DAY)]})
    count = listed({"CommonStockSharesOutstanding": [row("", "2023-12-31", 5e6, DAY)]}, "shares")
    for more in (days, count):
        flows["facts"]["us-gaap"] |= more["facts"]["us-gaap"]
    price = SharePrice(value=12, day="2024-03-01", origin="given at the start")
    found = value_shares(of(flows), price, TERMS)
    assert found
    assert found.enterprise_value == -30e6
    assert found.price_to_sales == pytest.approx(0.75)
    assert (found.ev_to_sales, found.ev_to_operating_income, found.implied) == (None, None, [])
