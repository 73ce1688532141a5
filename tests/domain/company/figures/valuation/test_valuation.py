"""What a price means: multiples worked out by hand, and the growth that it implies."""

from collections.abc import Mapping
from itertools import product
from typing import Any, get_args

import pytest

from contracts.agents.tool_definitions import TableCell
from contracts.company.figures import Fundamentals
from contracts.company.filings import BusinessKind, Company
from contracts.company.valuation import PriceOrigin, SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from contracts.words import LANGUAGES
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.kinds import applies
from domain.company.figures.filed.line_names import word_formula
from domain.company.figures.filed.metrics import LABELS, METRICS, name_row, say_metric
from domain.company.figures.notes.earnings import is_unusual
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.key_figures import build_valuations, note_cell
from domain.company.figures.valuation.implied_rates import GROWTHS, UNLEVERED, find_growth
from domain.company.figures.valuation.multiples import MEASURES, name_basis
from domain.company.figures.valuation.unused_price import explain_no_value
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    APPLE,
    INCOME,
    REVENUE,
    SNOWFLAKE,
    find_notices,
    listed,
    named,
    of,
    of_sample,
    render_text,
    row,
    year,
)
from tests.support.words import en

TERMS, DAY = ValuationTerms(), "2024-02-05"
PRETAX_TAG = METRICS["pretax_income"].tags["us-gaap"][0]
AFTER = "growth_implied_after_stock_compensation"
LEFT = "valuation-no-cash-left"
LOSS = en("cell-loss")
PRICE = name_row("share_price", {"USD/shares"})
ADS_PRICE = name_row("ads_price", {"USD/shares"})
GIVEN = en("cell", more=[Notice.of("price-given")])
BY_EPS, BY_INCOME = (en("cell", by=en(f"cell-by-{of}")) for of in ("diluted-eps", "net-income"))


def set_price(
    found: Fundamentals,
    value: float,
    day: str,
    origin: PriceOrigin = "given",
    currency: str = "USD",
) -> Fundamentals:
    price = SharePrice(value=value, currency=currency, day=day, origin=origin)
    return found.model_copy(update={"valuation": value_shares(found, price, TERMS)})


def valued(cik: int, as_of: str, close: float) -> Fundamentals:
    return set_price(named(of_sample(cik, as_of), cik), close, as_of)


def value(cik: int, as_of: str, close: float) -> Valuation:
    found = valued(cik, as_of, close).valuation
    assert found
    return found


def rates(found: Valuation, metric: str, period: str = "ttm") -> dict[float, float]:
    """Return what a price needs by a measure, by required return."""
    table = found.implied
    rows = table.implied if table else []
    return {
        required: value
        for row in rows
        if table and (row.metric, row.period) == (metric, period)
        for required, value in zip(table.returns, row.values, strict=True)
        if value is not None
    }


def get(found: Valuation, metric: str) -> float | None:
    return next((row.value for row in found.rows if row.metric == metric), None)


def find_notice(found: Valuation, code: str) -> dict[str, Any]:
    [params] = [notice.params for notice in found.notices if notice.code == code]
    return {name: p.text if isinstance(p, Notice) else p for name, p in params.items()}


def read(*companies: Fundamentals) -> dict[str, list[TableCell]]:
    """Return the readable table of valuations by label."""
    grid = build_valuations(companies)
    assert grid
    return {str(row[0]): row[1:] for row in show_grid(grid).rows}


def test_multiples_match_hand_computed_ones() -> None:
    """Apple at 271.86: 14,702.703 million shares are worth 3,997.1 billion, and 54.286 are net cash."""
    found = value(APPLE, "2026-02-15", 271.86)
    worth = 271.86 * 14_702_703_000
    wanted = {
        "share_price": 271.86,
        "market_value": worth,
        "enterprise_value": worth - 54_286_000_000,
        "price_to_sales": worth / 435.617e9,
        "price_to_earnings": 271.86 / 7.90,
        "ev_to_operating_income": (worth - 54.286e9) / 141.070e9,
        "free_cash_flow_yield": 100 * 123.324e9 / worth,
        "free_cash_flow_less_stock_compensation_yield": 100 * 110.153e9 / worth,
    }
    assert {name: get(found, name) for name in wanted} == pytest.approx(wanted)
    assert {row.price_day for row in found.rows} == {"2026-02-15"}
    assert [row.of for row in found.rows if row.metric == "price_to_earnings"] == ["diluted_eps"]
    growths = rates(found, "growth_implied")
    assert [*growths] == [7, 8, 9, 10, 12]
    assert [*growths.values()] == sorted(growths.values())


def test_share_of_less_than_a_cent_has_its_price_shown_and_valued() -> None:
    found = set_price(of_sample(SNOWFLAKE, "2025-06-30"), 0.0001, "2025-06-30")
    assert read(found)[PRICE] == [f"0.0001{GIVEN}"]


def test_loss_has_no_multiple_and_stock_compensation_lowers_the_yield() -> None:
    found = value(SNOWFLAKE, "2025-06-30", 223.77)
    assert found.losses == ["price_to_earnings", "ev_to_operating_income"]
    assert not {row.metric for row in found.rows} & {*found.losses}
    worth = 223.77 * 333.7e6
    assert get(found, "free_cash_flow_yield") == pytest.approx(100 * 735.891e6 / worth)
    left = 735.891e6 - 1_526.838e6
    name = "free_cash_flow_less_stock_compensation_yield"
    assert get(found, name) == pytest.approx(100 * left / worth)


EARNED = {REVENUE: year(2023, (20e6,) * 4), INCOME: year(2023, (1e6,) * 4)}
COUNT = {"CommonStockSharesOutstanding": [row("", "2023-12-31", 5e6, DAY)]}


@pytest.mark.parametrize(
    ("eps", "multiple", "basis", "shown"),
    [
        ((0.18,) * 4, 12 / 0.72, "diluted_eps", f"16.7{BY_EPS}"),
        ((), 15, "net_income", f"15.0{BY_INCOME}"),
        ((0.5,) * 4, 15, "net_income", f"15.0{BY_INCOME}"),
        ((-0.1,) * 4, None, "", LOSS),
    ],
    ids=["filed", "not-filed", "of-other-shares", "loss"],
)
def test_earnings_are_those_of_a_diluted_share_where_they_are_filed_and_say_which(
    eps: tuple[float, ...], multiple: float | None, basis: str, shown: str
) -> None:
    """At 12 a share five million are worth 60 million, 15 times the income of 4 million."""
    told = listed(EARNED)
    tags = {"EarningsPerShareDiluted": year(2023, eps)} if eps else {}
    for more in (listed(COUNT, "shares"), listed(tags, "USD/shares")):
        told["facts"]["us-gaap"] |= more["facts"]["us-gaap"]
    found = set_price(of(told), 12, "2024-03-01")
    assert found.valuation
    ratios = {r.of: r.value for r in found.valuation.rows if r.metric == "price_to_earnings"}
    assert ratios == pytest.approx({basis: multiple} if multiple else {})
    assert read(found).get(name_row("price_to_earnings", ())) == [shown]


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
    price = SharePrice(value=250, currency="EUR", day="2026-02-15", origin="given")
    assert value_shares(of_sample(APPLE), price, TERMS) is None
    told = explain_no_value(named(of_sample(APPLE), APPLE), price)
    assert told
    why = Notice.of("price-currency", currencies=["USD"])
    assert told.params["why"] == why
    assert told.params["follows"] == Notice.of("price-follows-assumed"), "a rate may be assumed"
    assert told.params["company"] == "Apple Inc. (AAPL)"
    assert "250 EUR" in told.text


def test_growth_is_implied_of_twelve_months_and_of_the_fiscal_year_and_what_awards_leave() -> None:
    found = value(SNOWFLAKE, "2025-06-30", 223.77)
    assert rates(found, "growth_implied")[9] == 27.5
    assert rates(found, "growth_implied", "year")[9] == 24.9
    assert rates(found, AFTER) == rates(found, AFTER, "year") == {}
    left = [notice.params["amount"] for notice in found.notices if notice.code == LEFT]
    assert [amount.params["value"] for amount in left if isinstance(amount, Notice)] == [
        *(-790.9, -595.3)
    ]
    how = en("growth-of-market")  # what its debt costs is not filed
    assert find_notice(found, "valuation-growth") == {"how": how, "years": 10, "later": 2.5}
    apple = value(APPLE, "2026-02-15", 271.86)
    assert [*rates(apple, AFTER, "year")] == [7, 8, 9, 10, 12]
    assert not [notice for notice in apple.notices if notice.code == LEFT]


def test_shares_that_awards_could_add_are_told_beside_the_market_value() -> None:
    """Snowflake's loss per share leaves out 63.039 million; Apple's profit is by 62.198 million more."""
    snow, apple = value(SNOWFLAKE, "2025-06-30", 223.77), value(APPLE, "2026-02-15", 271.86)
    loss, profit = (Notice.of(f"valuation-awards-{of}").text for of in ("loss", "profit"))
    awards = {
        "shares": en("amount-million", value=63, unit=en("unit-shares")),
        "share": 18.9,
        "how": loss,
    }
    assert find_notice(snow, "valuation-awards") == awards
    assert get(snow, "diluted_market_value") == pytest.approx(223.77 * 396.739e6)
    awards = {
        "shares": en("amount-million", value=62.2, unit=en("unit-shares")),
        "share": 0.4,
        "how": profit,
    }
    assert find_notice(apple, "valuation-awards") == awards
    added = 14_810_356_000 - 14_748_158_000
    assert get(apple, "diluted_market_value") == pytest.approx(271.86 * (14_702.703e6 + added))


def test_many_shares_that_could_be_added_are_valued_with_but_for_those_that_debt_may_hold() -> None:
    """Snowflake at 155: 333.7 + 63.039 = 396.739 million shares are worth 61,494.5 million.

    Its debt is convertible, all of it, and how many of the shares are for it is not filed: EV would count them twice.
    """
    snow, apple = valued(SNOWFLAKE, "2025-06-30", 155), valued(APPLE, "2026-02-15", 271.86)
    found = snow.valuation
    assert found
    assert apple.valuation
    assert get(found, "diluted_market_value") == pytest.approx(61_494.5e6, rel=1e-5)
    diluted = rates(found, "diluted_growth_implied")
    assert {n: diluted[n] for n in (8, 9, 10)} == {8: 22.0, 9: 24.8, 10: 27.4}
    years = [735.891 * (1.248 / 1.09) ** n for n in range(1, 11)]
    assert sum(years) + years[-1] * 1.025 / 0.065 == pytest.approx(61_494.5, rel=0.005)
    assert get(found, "diluted_enterprise_value") is None
    debt = {"debt": word_formula("ConvertibleDebtNoncurrent")}
    assert find_notice(found, "valuation-convertibles") == debt
    assert rates(apple.valuation, "diluted_growth_implied") == {}, "62 of 14,703 million: 0.4%"
    rows = read(apple, snow)
    assert [*read(snow, apple)] == [*rows], "in the same order, whichever company is first"


PREFERRED_TAG = "IncrementalCommonSharesAttributableToConversionOfPreferredStock"
DEBT_TAG = "IncrementalCommonSharesAttributableToConversionOfDebtSecurities"


def _value_convertible(
    day: dict[str, float],
    counts: dict[str, float],
    flows: dict[str, float] | None = None,
    sic: int = 0,
) -> dict[str, float]:
    """Return what 100 shares at 10 USD mean, of which diluted EPS counts 30 more: by metric, growths at 9 %."""
    known = {
        "Revenues": 500.0,
        "NetIncomeLoss": 50.0,
        "NetCashProvidedByUsedInOperatingActivities": 90,
    }
    known |= {"PaymentsToAcquirePropertyPlantAndEquipment": 30, **(flows or {})}
    span, filed = ("2023-01-01", "2023-12-31"), ("2024-02-05", "10-K")
    tags = {tag: [row(*span, each, *filed)] for tag, each in known.items()}
    held = {"CashAndCashEquivalentsAtCarryingValue": 40.0, "LongTermDebt": 60.0, **day}
    tags |= {tag: [row("", span[1], each, *filed)] for tag, each in held.items() if each}
    facts = listed(tags)
    shares = {
        "WeightedAverageNumberOfDilutedSharesOutstanding": 130.0,
        "WeightedAverageNumberOfSharesOutstandingBasic": 100.0,
        **counts,
    }
    rows = {tag: [row(*span, each, *filed)] for tag, each in shares.items()}
    rows["CommonStockSharesOutstanding"] = [row("", span[1], 100, *filed)]
    facts["facts"]["us-gaap"] |= listed(rows, "shares")["facts"]["us-gaap"]
    company = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=sic)
    found = set_price(compute_fundamentals(facts, company), 10, DAY).valuation
    assert found
    at_9 = {n: rates(found, n)[9] for n in GROWTHS if rates(found, n)}
    return {each.metric: each.value for each in found.rows} | at_9


def test_convertible_preferred_shares_count_once_in_enterprise_value_at_what_they_would_be_worth() -> (
    None
):
    """1,000 of market value, 20 of net debt, 200 for 20 shares of preferred shares that stand at 8, 100 for 10 awards."""
    rows = _value_convertible({"PreferredStockValue": 8}, {PREFERRED_TAG: 20})
    assert (rows["enterprise_value"], rows["diluted_enterprise_value"]) == (1_220, 1_320)
    assert rows["diluted_market_value"] == 1_300
    plain = _value_convertible({"PreferredStockValue": 8}, {})
    assert (plain["enterprise_value"], plain["diluted_enterprise_value"]) == (1_028, 1_328)
    dear = _value_convertible({"PreferredStockValue": 300}, {PREFERRED_TAG: 20})
    assert dear["enterprise_value"] == 1_320, "their owners would not convert"


def test_partners_of_a_property_company_count_once_in_enterprise_value() -> None:
    """1,000 of market value, 20 of net debt, and 50 of units that an older tag names again."""
    units = {"LimitedPartnersCapitalAccount": 50.0}
    both = units | {"MinorityInterestInOperatingPartnerships": 50.0}
    read = [_value_convertible(day, {}, sic=6798)["enterprise_value"] for day in (units, both)]
    assert read == [1_070, 1_070]


def test_convertible_debt_counts_once_in_enterprise_value() -> None:
    held = {"LongTermDebt": 0.0, "ConvertibleDebtNoncurrent": 60.0}
    rows = _value_convertible(held, {DEBT_TAG: 25})
    assert (rows["enterprise_value"], rows["diluted_enterprise_value"]) == (1_020, 1_070)
    assert "diluted_enterprise_value" not in _value_convertible(held, {})


INTEREST = {
    "InterestIncomeOther": 1.0,
    "InterestExpense": 5.0,
    PRETAX_TAG: 80.0,
    "IncomeTaxExpenseBenefit": 20.0,
}


@pytest.mark.parametrize(
    ("flows", "value", "cash"),
    [
        (INTEREST, 1_020, 63),
        ({n: v for n, v in INTEREST.items() if n != "InterestIncomeOther"}, 1_000, 60),
        ({n: v for n, v in INTEREST.items() if n != "InterestExpense"}, 1_000, 60),
        ({n: v for n, v in INTEREST.items() if n != "IncomeTaxExpenseBenefit"}, 1_000, 60),
    ],
    ids=["all filed", "no interest earned", "no interest charged", "no tax rate"],
)
def test_growth_is_implied_by_cash_before_interest_and_enterprise_value_or_by_both_after_it(
    flows: dict[str, float], value: float, cash: float
) -> None:
    """60 of free cash flow are 63 before 4 of net interest, on which a quarter of tax is saved."""
    rows = _value_convertible({}, {}, flows)
    assert rows["growth_implied"] == find_growth(value, cash, 9, TERMS)
    assert rows["diluted_growth_implied"] == find_growth(value + 300, cash, 9, TERMS)


def test_valuations_are_one_table_whose_columns_bear_the_days_of_price_and_figures() -> None:
    apple, snow = valued(APPLE, "2026-02-15", 271.86), valued(SNOWFLAKE, "2025-06-30", 223.77)
    grid = build_valuations([apple, snow])
    assert grid
    assert (grid.head, [*grid.columns]) == (
        en("grid-in", unit="USD"),
        [
            en("column-price", company="AAPL", day="2026-02-15", end="2025-12-27"),
            en("column-price", company="SNOW", day="2025-06-30", end="2025-04-30"),
        ],
    )
    rows = read(apple, snow)
    sunday = en("cell", more=[Notice.of("price-given-weekend")])
    assert rows[PRICE][0] == f"271.86{sunday}"
    assert rows[name_row("market_value", ())] == [3_997_077, 74_672]
    assert rows[name_row("price_to_earnings", ())] == [f"34.4{BY_EPS}", LOSS]
    assert name_row("growth_implied", ()) not in rows, "by several returns in a table of its own"
    assert build_valuations([of_sample(APPLE)]) is None


def test_company_worth_less_than_its_net_cash_has_no_multiple_of_that() -> None:
    """Five million shares at 12 are worth 60 million, less than the net cash of 90 million."""
    flows = listed({REVENUE: year(2023, (20e6,) * 4), INCOME: year(2023, (1e6,) * 4)})
    held = [row("", "2023-12-31", 90e6, DAY)]
    nothing = [row("", "2023-12-31", 0, DAY)]
    days = listed({"CashAndCashEquivalentsAtCarryingValue": held, "LongTermDebt": nothing})
    for more in (days, listed(COUNT, "shares")):
        flows["facts"]["us-gaap"] |= more["facts"]["us-gaap"]
    found = set_price(of(flows), 12, "2024-03-01").valuation
    assert found
    assert get(found, "enterprise_value") == -30e6
    assert get(found, "price_to_sales") == pytest.approx(0.75)
    assert not [r for r in found.rows if r.metric.startswith(("ev_", "growth"))]


@pytest.mark.parametrize(("day", "code"), [("2025-12-30", ""), ("2026-01-05", "price-newer")])
def test_price_says_nothing_beside_figures_of_two_years_before(day: str, code: str) -> None:
    eps = listed({"EarningsPerShareDiluted": year(2023, (1,) * 4)}, "USD/shares")
    facts = listed({REVENUE: year(2023, (100,) * 4), INCOME: year(2023, (10,) * 4)})
    facts["facts"]["us-gaap"] |= eps["facts"]["us-gaap"]
    found = of(facts)
    price = SharePrice(value=20, day=day, origin="given")
    refused = explain_no_value(found, price)
    why = refused.params["why"] if refused else None
    assert (why.code if isinstance(why, Notice) else "") == code
    assert not refused or refused.params["follows"] == Notice.of("price-follows-nothing")
    assert bool(value_shares(found, price, ValuationTerms())) != bool(code)


def test_a_few_cents_more_are_not_unusual_earnings() -> None:
    assert not is_unusual(0.0, 0.05)
    assert is_unusual(0.0, 0.06)


@pytest.mark.parametrize(("later", "multiple"), [(4.0, 20.0), (0.3, None)])
def test_multiple_of_unusual_earnings_is_noted_with_that_of_the_fiscal_year(
    later: float, multiple: float | None
) -> None:
    """Four quarters of 0.25 a share, then one of `later`: at 20 the P/E by the year is 20."""
    eps = year(2023, (0.25,) * 4)
    eps += [row("2024-01-01", "2024-03-31", later, "2024-05-05")]
    facts = listed({REVENUE: year(2023, (100,) * 4), INCOME: year(2023, (10,) * 4)})
    more = row("2024-01-01", "2024-03-31", 10, "2024-05-05")
    for tag in (REVENUE, INCOME):
        facts["facts"]["us-gaap"][tag]["units"]["USD"].append(more)
    facts["facts"]["us-gaap"] |= listed({"EarningsPerShareDiluted": eps}, "USD/shares")["facts"][
        "us-gaap"
    ]
    facts_of = of(facts)
    found = value_shares(facts_of, SharePrice(value=20, day="2024-06-03", origin="given"), TERMS)
    assert found
    noted = [note.params["multiple"] for note in found.notices if note.code == "valuation-earnings"]
    assert noted == ([multiple] if multiple else [])
    assert found.implied
    bases = [
        row.basis.params
        for row in found.implied.implied
        if row.metric == "growth_implied_by_earnings"
    ]
    named = [each.get("earned") for each in bases]
    codes = [each.code for each in named if isinstance(each, Notice)]
    assert codes == (["implied-unusual", "implied-year"] if multiple else [])
    assert len(bases) == (2 if multiple else 1)
    warned = [note.params["fiscal"] for note in facts_of.notes if note.code == "company-earnings"]
    assert warned == (["FY2023"] if multiple else [])
    lines = render_text(facts_of.model_copy(update={"valuation": found})).splitlines()
    [eps_line] = [line for line in lines if line.startswith(f"{LABELS['diluted_eps']}, twelve")]
    [pe_line] = [line for line in lines if line.startswith(f"| {LABELS['price_to_earnings']} |")]
    assert ("FY2023" in eps_line, "FY2023" in pe_line) == (bool(multiple), bool(multiple))


def test_price_is_divided_by_earnings_from_continuing_operations() -> None:
    """Of 8 a share, 4 were of what was given up."""
    rows = {
        tag: [row("2023-01-01", "2023-12-31", amount, "2024-02-05", "10-K")]
        for tag, amount in (
            ("EarningsPerShareDiluted", 8.0),
            ("IncomeLossFromContinuingOperationsPerDilutedShare", 4.0),
        )
    }
    facts = listed({REVENUE: year(2023, (100,) * 4), INCOME: year(2023, (20,) * 4)})
    facts["facts"]["us-gaap"] |= listed(rows, "USD/shares")["facts"]["us-gaap"]
    found = value_shares(of(facts), SharePrice(value=20, day="2024-06-03", origin="given"), TERMS)
    assert found
    [ratio] = [row for row in found.rows if row.metric == "price_to_earnings"]
    assert (ratio.value, ratio.of) == (5, "continuing_eps")


@pytest.mark.parametrize("name", [*MEASURES])
def test_each_basis_of_a_multiple_or_yield_has_words(name: str) -> None:
    """A price of a property company's share had none for its funds from operations, and its run failed."""
    is_yield = METRICS[name].unit == "percent"
    for kind in METRICS[name].kinds or get_args(BusinessKind):
        pairs = [pair for pair in MEASURES[name] if all(applies(part, kind) for part in pair)]
        bases = {name_basis(pairs, *pair, is_yield=is_yield) for pair in pairs}
        for basis, language in product(filter(None, bases), LANGUAGES):
            assert note_cell(language, of=basis)


def test_property_company_is_valued_by_funds_from_operations_and_its_dividends() -> None:
    """Dividends per share are not filed: those paid on common shares stand for them, in yield and payout."""
    flows = {
        REVENUE: 300,
        INCOME: 90,
        "RealEstateRevenueNet": 300,
        "OperatingIncomeLoss": 120,
        "DepreciationDepletionAndAmortization": 110,
        "PaymentsOfDividendsCommonStock": 100,
    }
    years = {
        name: [row("2023-01-01", "2023-12-31", value, "2024-02-05", "10-K")]
        for name, value in flows.items()
    }
    days = {"RealEstateInvestmentPropertyNet": 2_000, "StockholdersEquity": 1_000, "Assets": 2_500}
    filed = listed(
        years | {n: [row("", "2023-12-31", v, "2024-02-05", "10-K")] for n, v in days.items()}
    )
    shares = {
        "EntityCommonStockSharesOutstanding": {
            "units": {"shares": [row("", "2024-01-31", 50, "2024-02-05", "10-K")]}
        }
    }
    filed["facts"]["dei"] = shares
    found = compute_fundamentals(filed, Company(cik=1, ticker="ACME", name="Acme"))
    assert found.kind == "reit"
    assert {f.value for f in found.figures if f.metric == "ffo_payout_ratio"} == {50.0}
    price = SharePrice(value=40, day="2024-02-06", origin="given")
    valuation = value_shares(found, price, ValuationTerms())
    assert valuation
    rows = {each.metric: each for each in valuation.rows}
    assert (rows["dividend_yield"].value, rows["dividend_yield"].of) == (5.0, "common_dividends")
    assert (rows["price_to_ffo"].value, rows["price_to_ffo"].of) == (10.0, "funds_from_operations")
    priced = found.model_copy(update={"valuation": valuation})
    text = "\n".join(line.text for line in list_lines(priced))
    assert en("cell-by-funds-from-operations") in text
    assert en("cell-by-common-dividends") in text


SPENDING = "PaymentsToAcquirePropertyPlantAndEquipment"
ALPHABET = {
    "Revenues": (350_018, 282_836),
    "NetIncomeLoss": (100_118, 59_972),
    "NetCashProvidedByUsedInOperatingActivities": (125_299, 91_495),
    "PaymentsToAcquirePropertyPlantAndEquipment": (52_535, 31_485),
    PRETAX_TAG: (119_815, 71_328),
    "IncomeTaxExpenseBenefit": (19_697, 11_356),
    "IncomeTaxesPaid": (27_400, 18_892),
    "CurrentIncomeTaxExpenseBenefit": (24_953, 19_000),
    "InterestIncomeOther": (4_482, 2_174),
    "InterestExpense": (268, 357),
}
"""In millions, of 2024 and 2022."""


def value_alphabet(
    left_out: str = "", spent: float = 52_535, day: Mapping[str, float] | None = None
) -> Fundamentals:
    tags = {
        tag: [
            row(f"{end[:4]}-01-01", end, amount * 1e6, f"{int(end[:4]) + 1}-02-05", "10-K")
            for end, amount in zip(("2024-12-31", "2022-12-31"), pair, strict=True)
        ]
        for tag, pair in (ALPHABET | {SPENDING: (spent, 31_485)}).items()
        if tag != left_out
    }
    tags["Revenues"].append(row("2023-01-01", "2023-12-31", 307_394e6, "2024-02-05", "10-K"))
    for tag, amount in (
        ("CashAndCashEquivalentsAtCarryingValue", 95_923),
        ("LongTermDebt", 14_182),
        *(day or {}).items(),
    ):
        tags[tag] = [row("", "2024-12-31", amount * 1e6, "2025-02-05", "10-K")]
    facts = listed(tags)
    count = row("", "2024-12-31", 12_211e6, "2025-02-05", "10-K")
    facts["facts"]["us-gaap"] |= listed({"CommonStockSharesOutstanding": [count]}, "shares")[
        "facts"
    ]["us-gaap"]
    return set_price(of(facts), 190, "2025-02-15")


def test_implied_growth_is_told_by_each_base_of_cash_flow() -> None:
    """Alphabet at 190, with 268 of interest charged: 12.0 % before interest, and 11.5 % by current tax."""
    found = value_alphabet()
    assert found.valuation
    assert rates(found.valuation, "growth_implied_by_current_tax")[9] == 11.5
    growths = rates(found.valuation, "growth_implied")
    assert {n: growths[n] for n in (8, 9, 10)} == {8: 9.6, 9: 12.0, 10: 14.2}


def test_years_cash_flow_before_interest_is_not_taken_from_an_older_year() -> None:
    found = value_alphabet()
    left = [
        f for f in found.figures if (f.metric, f.period, f.end) != (UNLEVERED, "year", "2024-12-31")
    ]
    assert [f.end for f in left if (f.metric, f.period) == (UNLEVERED, "year")] == ["2022-12-31"]
    later = found.model_copy(update={"figures": left, "newest_end": "2025-01-31"})
    valued = set_price(later, 190, "2025-02-15").valuation
    assert valued
    assert find_notice(valued, "valuation-growth")["how"] == en("growth-of-market")


@pytest.mark.parametrize(
    ("filed", "claims"),
    [
        ({"NoncontrollingInterestInVariableInterestEntity": 4_200}, 4_200),
        (
            {"NoncontrollingInterestInVariableInterestEntity": 4_200, "MinorityInterest": 5_000},
            5_000,
        ),
        (
            {
                "RedeemableNoncontrollingInterestEquityCarryingAmount": 300,
                "MinorityInterest": 5_000,
            },
            5_300,
        ),
    ],
)
def test_enterprise_value_holds_the_interests_of_others_however_they_are_filed(
    filed: dict[str, float], claims: float
) -> None:
    """Those in a consolidated entity are part of all such interests where these are filed; redeemable ones never are."""

    def read(day: dict[str, float]) -> float:
        valuation = value_alphabet(day=day).valuation
        assert valuation
        [row] = [each for each in valuation.rows if each.metric == "enterprise_value"]
        return row.value

    assert read(filed) - read({}) == claims * 1e6


def test_growth_of_operating_cash_flow_is_told_where_capital_expenditure_set_free_cash_flow_apart() -> (
    None
):
    found = value_alphabet()
    [note] = find_notices(found, "company-spending")
    assert (note["free"], note["operating"], note["spent"]) == (10.1, 17, 66.9)
    unknown, steady = value_alphabet(SPENDING), value_alphabet(spent=33_000)
    assert (
        find_notices(unknown, "company-spending") == find_notices(steady, "company-spending") == []
    )


def test_price_of_a_foreign_issuer_says_what_it_means_if_one_share_is_one() -> None:
    """Logistic Properties at 9 USD: 285 million for 31.7 million shares, which its start has to confirm."""
    facts = listed({"Revenues": year(2024, (10e6,) * 4), "NetIncomeLoss": year(2024, (1e6,) * 4)})
    count = row("", "2024-12-31", 31.7e6, "2025-02-05", "20-F")
    facts["facts"]["us-gaap"] |= listed({"CommonStockSharesOutstanding": [count]}, "shares")[
        "facts"
    ]["us-gaap"]
    price = SharePrice(value=9, currency="USD", day="2025-02-10", origin="given")
    found = of(facts).model_copy(update={"is_foreign": True})
    told = explain_no_value(found, price)
    assert told
    then = told.params["then"]
    assert isinstance(then, Notice)
    assert "285.3" in told.text
    assert isinstance(multiples := then.params["multiples"], list)
    assert [m.params["times"] for m in multiples if isinstance(m, Notice)] == [7.13, 71.33]
    single = price.model_copy(update={"ads_ratio": 1.0})
    assert explain_no_value(found, single) is None


def _priced(ratio: float | None, *, is_ads: bool = True) -> Fundamentals:
    """Return Apple's figures with a price of 62 USD for what the question calls a depositary share."""
    found = of_sample(APPLE).model_copy(update={"is_ads": is_ads})
    price = SharePrice(value=62, day="2026-02-05", origin="given")
    price = price.divide(ratio) if ratio else price
    why = explain_no_value(found, price)
    added = {
        "valuation": value_shares(found, price, TERMS),
        "unused_price": price if why else None,
        "head_notes": [why] if why else [],
    }
    return found.model_copy(update=added)


def test_price_of_a_depositary_share_of_an_unknown_ratio_gives_no_multiple_and_says_why() -> None:
    found = _priced(None)
    assert found.valuation is None
    alone = build_valuations([found])
    [(label, _)] = alone.rows if alone else []
    assert alone
    assert label.startswith(LABELS["ads_price"])
    assert found.unused_price
    assert found.unused_price.day in alone.columns[0]
    assert alone.head == en("grid-of-price"), "no row is in millions"
    assert f"{say_metric('ads_price').text}, on 2026-02-05: 62 USD" in render_text(found)
    assert en("price-of-ads") in found.head_notes[0].text
    assert en("price-follows-assumed") in found.head_notes[0].text
    then = found.head_notes[0].params["then"]
    assert isinstance(then, Notice)
    single = _priced(1).valuation
    assert single
    earnings = next(row.value for row in single.rows if row.metric == "price_to_earnings")
    assert f"{say_metric('price_to_earnings').text} {earnings:.2f}" in then.text
    beside = build_valuations([_priced(None, is_ads=False), found])
    assert beside
    assert beside.head == en("grid-in", unit="USD")
    assert en("price-basis-none-title") in beside.title
    cells = {label: [cell.state for cell in cells] for label, cells in beside.rows}
    assert len(cells) > 1
    assert cells.pop(PRICE) == cells.pop(ADS_PRICE) == [None, None]
    assert {states[1] for states in cells.values()} == {"not_computed"}


def test_price_of_a_depositary_share_in_another_currency_is_refused_for_both_reasons() -> None:
    found = of_sample(APPLE).model_copy(update={"is_ads": True})
    told = explain_no_value(found, SharePrice(value=62, currency="EUR", day=DAY, origin="given"))
    assert told
    why = told.params["why"]
    assert why == Notice.of("price-currency", currencies=["USD"], ads=Notice.of("price-of-ads"))
    assert told.params["then"] == Notice.of("price-if-ads", "info")


def test_table_of_a_depositary_share_says_that_its_rows_are_of_one_ordinary_share() -> None:
    found = _priced(4)
    assert found.valuation
    table = build_valuations([found])
    assert table
    price = Notice.of("price", "info", value=15.5, currency="USD", whole=62, ratio=4)
    assert en("price-basis-ads", company=found.company.ticker, price=price) in str(
        show_grid(table).note
    )
    assert en("price-basis-ads-title") in table.title
    [plain] = [build_valuations([_priced(1)])]
    assert plain
    assert "(" not in plain.title


@pytest.mark.parametrize(("day", "is_closed"), [("2025-02-15", True), ("2025-02-14", False)])
def test_price_given_for_a_weekend_is_at_the_newest_the_last_close_before(
    day: str, *, is_closed: bool
) -> None:
    found = set_price(of_sample(APPLE), 190, day)
    assert found.valuation
    [note] = [n for n in found.valuation.notices if n.code == "valuation-given"]
    assert note.params.get("closed") == (day if is_closed else None)
    grid = build_valuations([found])
    assert grid
    [cell] = dict(grid.rows)[PRICE]
    code = "price-given-weekend" if is_closed else "price-given"
    assert cell.note == en("cell", more=[Notice.of(code)])
