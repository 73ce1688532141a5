"""Figures whose terms are of one basis: EPS, payout, capital expenditure, income before tax, dividends as a rate."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    find_notices,
    listed,
    of,
    render_text,
    row,
    value,
    year,
)

YEARS = ("2008", "2009")
END = "2009-12-31"
BAIDU: dict[str, tuple[float, ...]] = {
    "Revenues": (3_198.3, 4_447.8),
    "NetIncomeLoss": (1_048.1, 1_485.1),
    "OperatingIncomeLoss": (1_096.7, 1_604.9),
    "NonoperatingIncomeExpense": (67.5, 78.2),
    "IncomeTaxExpenseBenefit": (116.1, 198.0),
    "NetCashProvidedByUsedInOperatingActivities": (1_746.2, 2_279.4),
    "NetCashProvidedByUsedInInvestingActivities": (-456.4, -450.1),
    "PaymentsToAcquirePropertyPlantAndEquipment": (417.9, 399.3),
    "PaymentsToAcquireOtherPropertyPlantAndEquipment": (41.2, 39.4),
    "PaymentsToDevelopSoftware": (17.7, 11.4),
    "ProceedsFromSaleOfPropertyPlantAndEquipment": (20.4, 0),
}
"""Baidu's flows of 2008 and 2009 in millions of CNY, without securities that it bought and sold."""


def _of_years(flows: dict[str, tuple[float, ...]]) -> Fundamentals:
    return of(
        listed(
            {
                tag: [
                    row(f"{n}-01-01", f"{n}-12-31", amount, "2010-03-26", "20-F")
                    for n, amount in zip(YEARS, amounts, strict=True)
                ]
                for tag, amounts in flows.items()
            }
        )
    )


def test_lines_of_capital_expenditure_are_added_where_investing_adds_up_only_with_them() -> None:
    found = _of_years(BAIDU)
    assert value(found, "capital_expenditure", "year", END) == pytest.approx(438.7)
    assert value(found, "free_cash_flow", "year", END) == pytest.approx(1_829.3)


@pytest.mark.parametrize("total", [-410.7, -500])
def test_a_line_that_another_may_hold_is_not_added(total: float) -> None:
    """It is part of the other where the lines add up without it, and may be where they do not add up."""
    found = _of_years({**BAIDU, "NetCashProvidedByUsedInInvestingActivities": (total, total)})
    assert value(found, "capital_expenditure", "year", END) == 399.3


def test_income_before_tax_follows_from_two_lines_that_agree_with_income_and_tax() -> None:
    assert value(_of_years(BAIDU), "pretax_income", "year", END) == pytest.approx(1_683.1)
    apart = _of_years({**BAIDU, "NonoperatingIncomeExpense": (67.5, 90)})
    assert value(apart, "pretax_income", "year", END) is None


def test_income_before_tax_takes_interest_off_where_non_operating_income_leaves_it_out() -> None:
    """Duke's 2,249, 333 and interest of 751 are 1,831 before a tax of 758; 12 of its income was of businesses given up."""
    duke: dict[str, tuple[float, ...]] = {
        "Revenues": (13_207.0, 12_731.0),
        "NetIncomeLoss": (1_295.0, 1_085.0),
        "IncomeLossFromDiscontinuedOperationsNetOfTax": (16.0, 12.0),
        "OperatingIncomeLoss": (2_511.0, 2_249.0),
        "NonoperatingIncomeExpense": (121.0, 333.0),
        "InterestExpense": (741.0, 751.0),
        "IncomeTaxExpenseBenefit": (616.0, 758.0),
    }
    found = _of_years(duke)
    assert value(found, "pretax_income", "year", END) == 1_831
    assert value(found, "effective_tax_rate", "year", END) == pytest.approx(41.398, abs=1e-3)


@pytest.mark.parametrize(
    ("tax", "shown"),
    [((-20.4, -55.7), (20.4, 55.7)), ((20.4, 55.7), (20.4, 55.7)), ((-30.0, -90.0), (-30, -90))],
    ids=["with a minus", "plain", "unknown"],
)
def test_income_tax_has_the_sign_that_the_lines_above_it_show(
    tax: tuple[float, float], shown: tuple[float, float]
) -> None:
    """Kinder Morgan files its tax charges with a minus; 1,515.1 less 175.6 and a charge of 55.7 left 1,283.8."""
    pipes: dict[str, tuple[float, ...]] = {
        "Revenues": (11_740.3, 7_003.4),
        "ProfitLoss": (1_317.2, 1_283.8),
        "OperatingIncomeLoss": (1_551.5, 1_515.1),
        "NonoperatingIncomeExpense": (-213.9, -175.6),
        "IncomeTaxExpenseBenefit": tax,
    }
    found = _of_years(pipes)
    assert [value(found, "income_tax", "year", f"{n}-12-31") for n in YEARS] == [*shown]
    odd = _of_years({**pipes, "NonoperatingIncomeExpense": (0.0, -175.6)})
    assert value(odd, "income_tax", "year", "2008-12-31") == shown[0], "as the newest year shows"


def test_trading_securities_are_taken_out_of_the_growth_of_cash_flow() -> None:
    """129.7 million came from them in 2008, which Baidu files as what they did to cash, as it does of receivables."""
    flows = {"IncreaseDecreaseInTradingSecurities": (-129.7, 0.0)}
    [note] = find_notices(_of_years({**BAIDU, **flows}), "company-trading-flows")
    assert (note["growth"], note["rest"]) == (30.5, 41)
    assert not find_notices(_of_years(BAIDU), "company-trading-flows")


@pytest.mark.parametrize("is_filed", [True, False])
def test_trading_securities_of_a_period_that_is_not_filed_are_unknown(*, is_filed: bool) -> None:
    """Of twelve months; a fiscal year without the line had none of it."""
    quarters = {
        "Revenues": (1_000.0,) * 12,
        "NetIncomeLoss": (100.0,) * 12,
        "NetCashProvidedByUsedInOperatingActivities": (*(100.0,) * 8, *(150.0,) * 4),
        "PaymentsToAcquirePropertyPlantAndEquipment": (10.0,) * 12,
        "IncreaseDecreaseInTradingSecurities": (*(0.0,) * 8, *(-30.0,) * 4),
    }
    rows = {
        tag: [
            each
            for n in range(3)
            for each in year(2022 + n, values[4 * n : 4 * n + 4], to_date=True)
            if each["end"] < "2024-12-31"
        ]
        for tag, values in quarters.items()
    }
    if not is_filed:
        traded = rows["IncreaseDecreaseInTradingSecurities"]
        rows["IncreaseDecreaseInTradingSecurities"] = [e for e in traded if e["end"] > "2022-12-31"]
    notes = find_notices(of(listed(rows)), "company-trading-flows")
    assert [note["period"].get("end") for note in notes] == ["2024-09-30"] * is_filed


def _of_eps(before_extraordinary: float | None) -> Fundamentals:
    """Return JPMorgan's EPS: 2.26 in 2009 with an extraordinary gain of two cents, 0.40 and 0.74 in two first quarters."""
    eps = [
        row("2009-01-01", "2009-03-31", 0.40, "2009-05-07"),
        row("2009-01-01", END, 2.26, "2010-02-24", "10-K"),
        row("2010-01-01", "2010-03-31", 0.74, "2010-05-10"),
    ]
    tag = "IncomeLossBeforeExtraordinaryItemsAndCumulativeEffectOfChangeInAccountingPrinciplePerDilutedShare"
    facts = listed({"EarningsPerShareDiluted": eps}, "USD/shares")
    if before_extraordinary:
        filed = [row("2009-01-01", END, before_extraordinary, "2010-02-24", "10-K")]
        facts["facts"]["us-gaap"] |= listed({tag: filed}, "USD/shares")["facts"]["us-gaap"]
    income = [
        row("2009-01-01", "2009-03-31", 1_519e6, "2009-05-07"),
        row("2009-01-01", END, 8_774e6, "2010-02-24", "10-K"),
        row("2010-01-01", "2010-03-31", 2_974e6, "2010-05-10"),
    ]
    facts["facts"]["us-gaap"] |= listed({"NetIncomeLoss": income})["facts"]["us-gaap"]
    return of(facts)


@pytest.mark.parametrize(("filed", "twelve"), [(2.24, 2.58), (None, 2.6)])
def test_extraordinary_item_is_in_no_eps_from_continuing_operations(
    filed: float | None, twelve: float
) -> None:
    found = _of_eps(filed)
    assert value(found, "continuing_eps", "ttm", "2010-03-31") == pytest.approx(twelve)
    assert value(found, "diluted_eps", "ttm", "2010-03-31") == pytest.approx(2.6)


def _of_dividends(
    shares: tuple[float, ...], paid: tuple[float, ...], filed: int = 4
) -> Fundamentals:
    """Return a company's dividends per share and those paid, of a year and of the filed quarters of the next."""

    def list_rows(values: tuple[float, ...]) -> list[dict[str, Any]]:
        return [*year(2023, values[:4]), *year(2024, values[4:])[:filed]]

    flows = {"Revenues": (100e6,) * 8, "NetIncomeLoss": (20e6,) * 8, "PaymentsOfDividends": paid}
    facts = listed({tag: list_rows(values) for tag, values in flows.items()})
    per_share = {"CommonStockDividendsPerShareDeclared": list_rows(shares)}
    counts = [each | {"val": 100e6} for each in list_rows((1,) * 8)]
    counted = {"WeightedAverageNumberOfDilutedSharesOutstanding": counts}
    for tags, unit in ((per_share, "USD/shares"), (counted, "shares")):
        facts["facts"]["us-gaap"] |= listed(tags, unit)["facts"]["us-gaap"]
    return of(facts)


USUAL = (0.1,) * 8


@pytest.mark.parametrize(
    ("shares", "is_rate"),
    [(USUAL, True), ((*USUAL[:6], 0.5, 0.1), False), ((*USUAL[:5], 0.5, 0.5, 0.1), True)],
)
def test_a_special_dividend_has_no_yearly_rate(shares: tuple[float, ...], *, is_rate: bool) -> None:
    found = _of_dividends(shares, tuple(100e6 * each for each in shares), filed=3)
    price = SharePrice(value=10, day="2025-02-10", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    assert any(row.metric == "dividend_run_yield" for row in valued.rows) == is_rate
    assert bool(find_notices(found, "company-dividend-special")) != is_rate


@pytest.mark.parametrize(("first", "is_shown"), [(10e6, True), (16e6, False)])
def test_growth_of_dividends_paid_at_another_rate_is_withheld(
    first: float, *, is_shown: bool
) -> None:
    """16 million a quarter were no ten cents a share of 100 million: preferred shares had the rest."""
    found = _of_dividends(USUAL, (*(first,) * 4, *(10e6,) * 4))
    growth = value(found, "dividends_growth", "year", "2024-12-31")
    assert (growth is not None) == is_shown
    withheld = find_notices(found, "company-growth-withheld")
    assert bool(withheld) != is_shown


def test_dividend_that_was_cut_to_nothing_fell_by_all_of_it() -> None:
    shares = (*(0.1,) * 4, *(0.0,) * 4)
    found = _of_dividends(shares, tuple(100e6 * each for each in shares))
    assert value(found, "dividends_growth", "year", "2024-12-31") == -100
    assert value(found, "dividends_per_share_growth", "year", "2024-12-31") == -100
    assert "100.0% less than a year before" in render_text(found)


@pytest.mark.parametrize(("last", "growth"), [(0.0, None), (0.01, -99.0)])
def test_earnings_per_share_of_zero_may_be_a_rounded_loss(
    last: float, growth: float | None
) -> None:
    rows = [row("2023-01-01", "2023-12-31", 1.0, "2024-02-05", "10-K")]
    rows += [row("2024-01-01", "2024-12-31", last, "2025-02-05", "10-K")]
    flows = {"Revenues": (250.0,) * 4, "NetIncomeLoss": (25.0,) * 4}
    facts = listed({tag: [*year(2023, v), *year(2024, v)] for tag, v in flows.items()})
    facts["facts"]["us-gaap"]["EarningsPerShareDiluted"] = {"units": {"USD/shares": rows}}
    assert value(of(facts), "diluted_eps", "year", "2024-12-31") == last
    assert value(of(facts), "diluted_eps_growth", "year", "2024-12-31") == growth


@pytest.mark.parametrize(("last", "is_noted"), [(-51.0, False), (-80.0, True)])
def test_negative_cover_of_a_quarter_is_noted_only_where_it_differs(
    last: float, *, is_noted: bool
) -> None:
    """Losses of 50 and then 51 a quarter on interest of 10 are a cover of -5.0 and -5.1."""
    flows = {
        "Revenues": (1_000.0,) * 8,
        "NetIncomeLoss": (-60.0,) * 8,
        "OperatingIncomeLoss": (*(-50.0,) * 7, last),
        "InterestExpense": (10.0,) * 8,
    }
    facts = listed({tag: [*year(2023, v[:4]), *year(2024, v[4:])] for tag, v in flows.items()})
    found = of(facts)
    assert value(found, "interest_coverage", "ttm", "2024-12-31") is not None
    assert bool(find_notices(found, "company-quarter-beside")) == is_noted
