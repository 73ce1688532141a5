"""What a price needs at several required returns, worked out by hand, by kind of business."""

import pytest

from contracts.company.figures import Figure
from contracts.company.filings import BusinessKind
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from contracts.report.price_table import Base, PastRow, PastValue, PriceTable
from domain.company.exhibits import PriceTableArgs, build_exhibits
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.tables.price_table import build_implied, build_past, explain_table
from domain.company.figures.valuation.implied_rates import UNLEVERED, discount, find_growth
from domain.company.figures.valuation.market_value import to_row
from domain.company.figures.valuation.notes import note_earnings
from domain.company.figures.valuation.valuation import value_shares
from domain.yardsticks import add_yardsticks
from tests.domain.company.figures.companies import APPLE, named, of_sample
from tests.domain.company.figures.filed.kinds.test_kinds import END, FILED, SICS, company
from tests.domain.company.figures.valuation.test_valuation import value_alphabet, valued
from tests.domain.test_yardsticks import decide

TERMS = ValuationTerms()


def build(
    kind: BusinessKind, terms: ValuationTerms = TERMS, ratio: float | None = None
) -> PriceTable | None:
    """Return the table of a company of a kind at 30 USD a share, of ten."""
    without = ("InterestIncomeExpenseNet",) * (kind == "reit")
    plain = company(SICS[kind], *without)
    paid = Figure(metric="common_dividends", period="ttm", end=END, value=12, unit="USD")
    paying = plain.model_copy(update={"figures": [*plain.figures, paid]})
    price = SharePrice(value=30, day=FILED, origin="given", ads_ratio=ratio)
    found = value_shares(paying, price, terms)
    return found.implied if found else None


def read_prices(table: PriceTable) -> dict[str, float]:
    return {cell.id: cell.price for cell in table.list_cells()}


def test_price_by_cash_flow_is_what_the_flow_is_worth_less_the_claims_before_the_shares() -> None:
    """Apple at 271.86: 123.3 billion USD that grow by 6 % for ten years, then by 2.5 %, at 9 %."""
    table = valued(APPLE, "2026-02-15", 271.86).valuation
    assert table
    assert table.implied
    assert [row.metric for row in table.implied.implied[:2]] == ["growth_implied"] * 2
    worth = sum(123.324 * 1.06**n / 1.09**n for n in range(1, 11))
    worth += 123.324 * 1.06**10 * 1.025 / 0.065 / 1.09**10
    assert read_prices(table.implied)["9%/6%"] == pytest.approx(worth / 14.702703, abs=4)
    growth = table.implied.implied[0].values[table.implied.returns.index(9)]
    assert growth == 12.0
    assert read_prices(table.implied)["9%/12%"] == pytest.approx(271.86, rel=0.005)


def test_net_cash_belongs_to_the_shares_in_the_price_too() -> None:
    """Alphabet at 190: enterprise value is 82 billion USD below market value, and 12 % of growth are needed at 9 %."""
    found = value_alphabet().valuation
    assert found
    assert found.implied
    assert found.implied.implied[0].values[found.implied.returns.index(9)] == 12.0
    assert read_prices(found.implied)["9%/12%"] == pytest.approx(190, rel=0.01)


def test_bank_is_measured_by_the_return_on_its_tangible_book() -> None:
    """A price of twice the tangible book of 15: at 9 % and 2.5 % of growth, (R - 2.5) / 6.5 is 2 where R is 15.5 %."""
    table = build("bank")
    assert table
    assert [row.metric for row in table.implied] == [
        "return_implied_on_tangible_equity",
        "return_implied_on_equity",
    ]
    assert dict(zip(table.returns, table.implied[0].values, strict=True))[9] == 15.5
    assert read_prices(table)["9%/12%"] == pytest.approx(15 * 9.5 / 6.5, abs=0.05)


@pytest.mark.parametrize(
    ("kind", "metrics"),
    [
        ("industrial", ["growth_implied", "growth_implied_by_earnings"]),
        ("reit", ["growth_implied_by_dividends", "growth_implied_by_ffo"]),
        ("utility", ["growth_implied_by_dividends", "growth_implied_by_earnings"]),
    ],
)
def test_each_kind_has_the_measures_that_it_is_valued_by(
    kind: BusinessKind, metrics: list[str]
) -> None:
    table = build(kind)
    assert table
    assert list(dict.fromkeys(row.metric for row in table.implied)) == metrics
    assert table.holds == "growth"


def test_dividend_of_a_property_company_grows_into_its_price() -> None:
    """12 paid on 300 of market value: 25 times the dividend."""
    table = build("reit")
    assert table
    assert table.implied[0].values[table.returns.index(8)] == find_growth(25, 1, 8, TERMS)
    price = 30 * discount(1, 0.03, 8, TERMS) / 25
    assert read_prices(table)["8%/3%"] == pytest.approx(price, abs=0.05)


def test_own_discount_rate_of_a_start_is_a_column_beside_the_others() -> None:
    table = build("bank", ValuationTerms(discount_rate=11))
    assert table
    assert table.returns == [7, 8, 9, 10, 11, 12]


def test_prices_are_of_the_traded_depositary_share() -> None:
    """A depositary share of two ordinary ones, whose price was divided by two."""
    table, ordinary = build("bank", ratio=2), build("bank")
    assert table
    assert ordinary
    assert table.price == 60
    halves = [each / 2 for each in read_prices(table).values()]
    assert halves == pytest.approx([*read_prices(ordinary).values()], rel=0.01)


def test_company_that_only_loses_money_has_no_table() -> None:
    losing = company(
        SICS["industrial"], NetIncomeLoss=-20, NetCashProvidedByUsedInOperatingActivities=-30
    )
    price = SharePrice(value=30, day=FILED, origin="given")
    found = value_shares(losing, price, TERMS)
    assert found
    assert found.implied is None


def test_tables_stand_beside_the_decision_of_one_company_and_among_the_others_of_several() -> None:
    apple = valued(APPLE, "2026-02-15", 271.86)
    alone = [*build_exhibits([apple], [], "2026-02-15")]
    beside = [each.title for each in alone if isinstance(each, PriceTableArgs)]
    assert apple.valuation
    assert apple.valuation.implied
    grids = (build_implied(apple), build_past(apple.valuation.implied.past, apple))
    assert beside == [grid.title for grid in grids if grid]
    several = [*build_exhibits([apple, apple], [], "2026-02-15")]
    assert not [each for each in several if isinstance(each, PriceTableArgs)]
    assert {*beside} <= {each.title for each in several}


def test_page_of_figures_has_the_table_and_what_the_company_did_on_all_bases() -> None:
    apple = valued(APPLE, "2026-02-15", 271.86)
    text = "\n".join(line.text for line in list_lines(apple))
    for grid in (build_implied(apple), build_past(apple.past, apple)):
        assert grid
        assert f"\n{grid.title}:\n" in text
    plain = "\n".join(line.text for line in list_lines(named(of_sample(APPLE), APPLE)))
    past = build_past(apple.past, apple)
    assert past
    assert past.title in plain, "without a price too"


def test_table_of_a_price_has_all_that_the_company_did() -> None:
    """An analyst looks for profits as well, above all where no growth of cash flow compares."""
    apple = valued(APPLE, "2026-02-15", 271.86)
    assert apple.valuation
    assert apple.valuation.implied
    assert apple.valuation.implied.past == apple.past
    assert {"gross_profit", "operating_income", "net_income"} <= {p.metric for p in apple.past}


def grew(metric: str, value: float, base: Base = "year") -> PastRow:
    values = [PastValue(base=base, end="2024-12-31", value=value)]
    return PastRow(metric=metric, name=say_metric(metric), values=values)


def value_with_past(*past: PastRow) -> PriceTable:
    """Return the table of Alphabet's price, which is by cash flow before interest, with some growths."""
    price = SharePrice(value=190, day="2025-02-15", origin="given")
    found = value_shares(
        value_alphabet().model_copy(update={"past": [*past]}), price, ValuationTerms()
    )
    assert found
    assert found.implied
    return found.implied


def test_need_of_cash_flow_before_interest_is_compared_with_that_cash_flow() -> None:
    """Meta's needed 12.4 % were of 52.5 billion before interest, which grew by 21.8 %, and that after it by 22.7 %."""
    table = value_with_past(grew("free_cash_flow", 22.7), grew(UNLEVERED, 21.8))
    assert [row.record for row in table.implied[:2]] == [UNLEVERED, "free_cash_flow"]
    assert table.held == say_metric(UNLEVERED)
    how = [row.basis.params["how"] for row in table.implied[:2]]
    assert how == [Notice.of("implied-unlevered", "info")] * 2
    assert value_with_past(grew("free_cash_flow", 22.7)).implied[0].record == "free_cash_flow"


def test_need_without_a_growth_of_its_own_is_compared_with_another_by_name() -> None:
    """Johnson & Johnson's cash flow of 2023 holds a business given up since, so that its growth does not compare."""
    table = value_with_past(grew("gross_profit", 9), grew("revenue", 4.3))
    first = table.implied[0]
    assert (first.record, first.stand_in) == ("free_cash_flow", "revenue")
    assert table.held == say_metric("free_cash_flow")
    [cell, *_] = table.list_cells()
    told = add_yardsticks(decide(cell.id), {"GOOGL": table}, "GOOGL").measured
    assert told
    assert told.told.params["record"] == say_metric("revenue")
    assert told.told.params["unknown"] == say_metric("free_cash_flow")
    assert not value_with_past(grew("free_cash_flow", 1)).implied[0].stand_in


def test_need_by_a_book_value_that_is_a_bound_is_a_bound_as_well() -> None:
    """Wells Fargo's tangible book is at most 16.01 a share, so that 31 USD need a return of at least 15.1 %."""
    plain = company(SICS["bank"])
    figures = [
        f.model_copy(update={"bound": "at_most"}) if f.metric.startswith("tangible_book") else f
        for f in plain.figures
    ]
    earned = [grew("return_on_tangible_equity", 12.8)]
    bounded = plain.model_copy(update={"figures": figures, "past": earned})
    price = SharePrice(value=30, day=FILED, origin="given")
    found = value_shares(bounded, price, TERMS)
    assert found
    assert found.implied
    table = found.implied
    assert [row.bound for row in table.implied] == ["at_least", ""]
    assert table.price_bound == "at_most"
    grid = build_implied(bounded.model_copy(update={"valuation": found}))
    assert grid
    bounds = [{cell.row.bound for cell in cells if cell.row} for _, cells in grid.rows]
    assert bounds == [{"at_least"}, {""}, *[{"at_most"}] * len(table.prices)]
    [cell, *_] = table.list_cells()
    told = add_yardsticks(decide(cell.id), {"WFC": table}, "WFC").measured
    assert told
    needed, basis = (told.told.params[name] for name in ("needed", "basis"))
    for notice in (needed, basis):
        assert isinstance(notice, Notice)
        assert notice.params["bound"] == Notice.of("bound-at-least", "info")


@pytest.mark.parametrize(("grew_by", "fastest"), [(11, 12), (13, 15), (128.5, 18)])
def test_rates_to_choose_from_reach_what_was_grown_by(grew_by: float, fastest: float) -> None:
    """Meta grew by 22.7 %, and a decision had 12 % at most to choose from."""
    table = value_with_past(grew(UNLEVERED, grew_by))
    assert max(row.holds for row in table.prices) == fastest


@pytest.mark.parametrize(("earned", "highest"), [(17, 18), (20.28, 25), (90, 40)])
def test_returns_to_choose_from_reach_what_was_earned(earned: float, highest: float) -> None:
    """JPMorgan earned 20.28 % on tangible equity in 2026, and a decision had 18 % at most to choose from."""
    past = [grew("return_on_tangible_equity", earned, "ttm")]
    bank = company(SICS["bank"]).model_copy(update={"past": past})
    found = value_shares(bank, SharePrice(value=30, day=FILED, origin="given"), TERMS)
    assert found
    assert found.implied
    assert max(row.holds for row in found.implied.prices) == highest


@pytest.mark.parametrize(
    ("known", "first"),
    [
        ([], "return_implied_on_equity"),
        (["return_on_equity"], "return_implied_on_equity"),
        (["return_on_tangible_equity"], "return_implied_on_tangible_equity"),
    ],
)
def test_prices_are_by_a_return_that_was_earned_or_else_by_a_book_value_that_is_no_bound(
    known: list[str], first: str
) -> None:
    """AIG's tangible book of 2010 is at most 3.36 a share: each price by it was far below 38 USD, whatever it earned."""
    plain = company(SICS["bank"])
    figures = [
        f.model_copy(update={"bound": "at_most"}) if f.metric.startswith("tangible_book") else f
        for f in plain.figures
    ]
    past = [grew(name, 12) for name in known]
    bank = plain.model_copy(update={"figures": figures, "past": past})
    found = value_shares(bank, SharePrice(value=30, day=FILED, origin="given"), TERMS)
    assert found
    assert found.implied
    assert found.implied.implied[0].metric == first
    assert found.implied.held == say_metric(found.implied.implied[0].record)


def test_a_jump_of_one_quarter_adds_no_rates() -> None:
    table = value_with_past(grew(UNLEVERED, 90, "quarter"))
    assert max(row.holds for row in table.prices) == 12


@pytest.mark.parametrize(
    ("kind", "paid"),
    [
        ("industrial", ["paid-earnings"]),
        ("reit", ["paid-dividends", "paid-ffo"]),
        ("utility", ["paid-dividends", "paid-earnings"]),
    ],
)
def test_remark_names_only_what_the_rows_take_as_paid_out(
    kind: BusinessKind, paid: list[str]
) -> None:
    """FFO stood below the table of Meta, which has none."""
    table = build(kind)
    assert table
    assert explain_table(table).params["paid"] == [Notice.of(code, "info") for code in paid]


def test_unusual_earnings_and_a_year_with_other_income_are_named_at_their_multiples() -> None:
    """Johnson & Johnson: P/E is 18 by twelve months with 5.58 billion of other income, 29 by a year with -4.69 billion."""
    amounts = {
        ("continuing_eps", "ttm", END): 9.34,
        ("continuing_eps", "year", "2024-12-29"): 5.79,
        ("other_nonoperating_income", "ttm", END): 5_577e6,
        ("other_nonoperating_income", "year", "2024-12-29"): -4_694e6,
        ("pretax_income", "ttm", END): 27_347e6,
        ("pretax_income", "year", "2024-12-29"): 16_687e6,
    }
    twelve, year = (
        {
            metric: Figure(metric=metric, period="ttm", end=end, value=value, unit="USD")
            for (metric, period, end), value in amounts.items()
            if period == length
        }
        for length in ("ttm", "year")
    )
    price = SharePrice(value=168, day=FILED, origin="given")
    ratio = to_row(price, "price_to_earnings", "ttm", END, 18.0)
    [note] = note_earnings(twelve, year, [ratio], price)
    others = [note.params[name] for name in ("twelve_other", "other")]
    values = [each.params["value"] for each in others if isinstance(each, Notice)]
    assert (note.params["multiple"], values) == (29, [5.58, -4.69])
    usual = {n: f for n, f in year.items() if n != "other_nonoperating_income"}
    [note] = note_earnings(twelve, usual, [ratio], price)
    assert note.params.get("other") is None
