"""What a price means: multiples worked out by hand, and the growth that it implies."""

import pytest

from activities.workbench import PREVIEW_CELL_CHARS
from contracts.evidence.company import Fundamentals, SharePrice, Valuation, ValuationTerms
from domain.fundamentals.text import render_text
from domain.fundamentals.valuation import (
    NO_PRICE,
    build_valuation_table,
    find_growth,
    value_shares,
)
from tests.domain.fundamentals.companies import APPLE, SNOWFLAKE, of_sample

TERMS = ValuationTerms()


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
    assert found.price_to_earnings == pytest.approx(3_997.08 / 117.777, abs=0.01)
    assert found.ev_to_operating_income == pytest.approx(3_942.79 / 141.070, abs=0.01)
    assert found.free_cash_flow_yield == pytest.approx(100 * 123.324 / 3_997.08, abs=0.01)
    assert [each.discount_rate for each in found.implied] == [8, 9, 10]
    assert [each.growth for each in found.implied] == sorted(each.growth for each in found.implied)


def test_loss_has_no_multiple_and_stock_compensation_lowers_the_yield() -> None:
    found = value(SNOWFLAKE, "2025-06-30", 223.77)
    assert found
    assert found.price_to_earnings is None
    assert found.ev_to_operating_income is None
    assert found.free_cash_flow_yield == pytest.approx(100 * 735.891 / (223.77 * 333.7), abs=0.01)
    left = 100 * (735.891 - 1_526.838) / (223.77 * 333.7)
    assert found.free_cash_flow_less_stock_compensation_yield == pytest.approx(left, abs=0.01)


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
    assert "Price to sales (P/S), twelve months (TTM) to 2025-04-30: 19.4" in text
    [implied] = [line for line in text.splitlines() if "price implies" in line]
    base = "735.9 million USD in the twelve months (TTM) to 2025-04-30, before stock compensation"
    assert base in implied
    assert "27.0% a year at a discount rate of 9%" in implied
    assert implied.endswith("these rates are assumptions")
    [after] = [line for line in text.splitlines() if "stock compensation leaves" in line]
    assert "-790.9 million USD in the twelve months (TTM) to 2025-04-30" in after
    assert after.endswith("there is no growth that justifies the price")
    assert "(P/E)" not in text


def test_valuation_is_a_table_whose_cells_are_shown_whole() -> None:
    found = value(APPLE, "2026-02-15", 271.86)
    assert found
    table = build_valuation_table(of_sample(APPLE, "2026-02-15"), found)
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert rows["Market value"] == ["3,997.1 billion USD", "2026-02-15"]
    assert rows["Price to earnings (P/E)"] == ["33.9", "twelve months to 2025-12-27"]
    assert (
        str(rows["Implied growth of the free cash flow, at 9%"][0]) == "11.9% a year for 10 years"
    )
    after = rows["Implied growth of the free cash flow after stock compensation, at 9%"]
    assert after[0] == "13.3% a year for 10 years"
    assert max(len(str(cell)) for row in table.rows for cell in row) <= PREVIEW_CELL_CHARS


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
