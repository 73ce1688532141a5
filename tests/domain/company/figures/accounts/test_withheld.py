"""Figures that are withheld because they would be wrong: unread debt, missing share counts, ADS prices."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.inputs import CompanyInputs
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import METRICS
from domain.company.figures.valuation.unused_price import explain_no_value
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    INCOME,
    REVENUE,
    figure,
    find_notices,
    of,
    render_text,
    row,
    value,
    year,
)
from tests.support.words import en

TERMS = ValuationTerms()
FLOWS = {
    REVENUE: year(2023, (100, 100, 100, 100)),
    INCOME: year(2023, (20, 20, 20, 20)),
    "NetCashProvidedByUsedInOperatingActivities": year(2023, (30, 60, 90, 120), to_date=True),
    "PaymentsToAcquirePropertyPlantAndEquipment": year(2023, (5, 10, 15, 20), to_date=True),
}
END, FILED = "2023-12-31", "2024-02-05"
CASH = {
    "CashAndCashEquivalentsAtCarryingValue": [row("", END, 50, FILED, "10-K")],
    "LongTermDebt": [row("", END, 0, FILED, "10-K")],
}


def company(
    tags: dict[str, list[dict[str, Any]]], shares: float = 10, form: str = ""
) -> Fundamentals:
    """Return a company of 2023 with further tags, a count of shares, and maybe another form."""
    counts = {"CommonStockSharesOutstanding": [row("", END, shares, FILED, "10-K")]}
    told = {
        **{tag: _listed(rows, "USD", form) for tag, rows in (FLOWS | CASH | tags).items()},
        **{tag: _listed(rows, "shares", form) for tag, rows in counts.items()},
    }
    return of({"facts": {"us-gaap": told}})


def _listed(rows: list[dict[str, Any]], unit: str, form: str) -> dict[str, Any]:
    return {"units": {unit: [each | ({"form": form} if form else {}) for each in rows]}}


def price(value: float = 30) -> SharePrice:
    return SharePrice(value=value, day=FILED, origin="given")


@pytest.mark.parametrize(("debt", "shown"), [(None, None), (0, 50), (40, 10)])
def test_debt_that_was_not_found_is_unknown_and_never_zero(
    debt: float | None, shown: float | None
) -> None:
    found = company({"LongTermDebt": [] if debt is None else [owe(debt)]})
    assert value(found, "net_cash", "instant", END) == shown
    valuation = value_shares(found, price(), TERMS)
    assert valuation
    rows = {row.metric: row.value for row in valuation.rows}
    assert rows["market_value"] == 300
    of_all = {n for n in rows if "enterprise" in n or n.startswith("ev_")}
    assert bool(of_all) == (debt is not None)
    assert valuation.implied
    assert valuation.implied.implied[0].metric == "growth_implied", "by what the shares are worth"
    unknown = [{"end": END}] if debt is None else []
    assert find_notices(found, "company-debt-unknown") == unknown


def owe(debt: float, day: str = END) -> dict[str, Any]:
    return row("", day, debt, FILED, "10-K")


def test_enterprise_value_never_uses_net_cash_of_an_older_day() -> None:
    tags = {
        "CashAndCashEquivalentsAtCarryingValue": [owe(90, "2022-12-31"), owe(50)],
        "LongTermDebt": [owe(40, "2022-12-31")],
        REVENUE: [*year(2022, (90, 90, 90, 90)), *year(2023, (100, 100, 100, 100))],
    }
    found = company(tags)
    assert figure(found, "net_cash", "instant", "2022-12-31")
    valuation = value_shares(found, price(), TERMS)
    assert valuation
    assert "enterprise_value" not in {row.metric for row in valuation.rows}


@pytest.mark.parametrize(
    ("tags", "debt"),
    [
        ({"LongTermDebt": 50, "DebtCurrent": 20}, 70),
        ({"LongTermDebt": 50, "LongTermDebtCurrent": 20}, 50),
        ({"LongTermDebtNoncurrent": 4, "ConvertibleDebtNoncurrent": 110}, 114),
        ({"LongTermDebtNoncurrent": 120, "ConvertibleDebtNoncurrent": 110}, 120),
        ({"LongTermDebtNoncurrent": 110, "ConvertibleDebtNoncurrent": 110}, 110),
        ({"DebtAndCapitalLeaseObligations": 130}, 130),
        (
            {
                "LongTermDebtNoncurrent": 55219,
                "LongTermDebtCurrent": 8944,
                "ShortTermBorrowings": 8945,
            },
            64163,
        ),
    ],
    ids=["noncurrent-by-its-whole", "whole", "beside", "within", "same", "with-leases", "rounded"],
)
def test_debt_is_read_by_what_its_parts_can_be(tags: dict[str, float], debt: float) -> None:
    """A part larger than its total is added to it; without a non-current tag, the total tag is the debt."""
    found = company({"LongTermDebt": [], **{tag: [owe(each)] for tag, each in tags.items()}})
    assert value(found, "debt", "instant", END) == debt


@pytest.mark.parametrize("beside", ["ShortTermInvestments", "AvailableForSaleSecurities", ""])
def test_long_term_investments_count_as_securities_beside_others_alone(beside: str) -> None:
    """Stakes in other companies are filed under the same tag."""
    stakes = {"LongTermInvestments": [owe(30)], **({beside: [owe(5)]} if beside else {})}
    held = {"ShortTermInvestments": 85, "AvailableForSaleSecurities": 80, "": 50}[beside]
    assert value(company(stakes), "net_cash", "instant", END) == held


def of_year(tag: str, amount: float) -> dict[str, list[dict[str, Any]]]:
    return {tag: [row("2023-01-01", END, amount, FILED, "10-K")]}


def test_margin_is_of_what_continues_where_a_part_was_given_up() -> None:
    """Income of 80 includes 50 from discontinued operations, whose revenue is not part of the 400."""
    tag = "IncomeLossFromDiscontinuedOperationsNetOfTax"
    assert value(company({}), "net_margin", "year", END) == 20
    found = company(of_year(tag, 50))
    assert value(found, "net_margin", "year", END) == 7.5
    assert value(found, "net_income", "year", END) == 80
    assert value(found, "continuing_income", "year", END) == 30
    found = company(of_year("IncomeLossFromContinuingOperations", 30))
    assert value(found, "net_margin", "year", END) == 7.5


def test_operating_margin_leaves_out_what_property_is_revalued_by() -> None:
    told = {
        **of_year("Revenue", 400),
        **of_year("ProfitLossFromOperatingActivities", 300),
        **of_year("GainsLossesOnFairValueAdjustmentInvestmentProperty", 260),
    }
    found = of(
        {"facts": {"ifrs-full": {tag: _listed(rows, "USD", "") for tag, rows in told.items()}}}
    )
    assert value(found, "operating_margin", "year", END) == 10
    assert value(found, "operating_income", "year", END) == 300


@pytest.mark.parametrize(
    ("diluted", "shown"), [(3.47, 3.47), (1.8, 1.8), (-0.05, None), (0, None), (8, None)]
)
def test_diluted_eps_far_from_basic_eps_is_mistagged(diluted: float, shown: float | None) -> None:
    told = {tag: _listed(rows, "USD", "") for tag, rows in FLOWS.items()}
    for tag, eps in (("EarningsPerShareDiluted", diluted), ("EarningsPerShareBasic", 3.48)):
        told[tag] = _listed(of_year(tag, eps)[tag], "USD/shares", "")
    assert value(of({"facts": {"us-gaap": told}}), "diluted_eps", "year", END) == shown


def test_net_income_is_the_owners_where_any_period_has_it() -> None:
    """The newest quarter files only what minorities share in, the year both."""
    newest = [row("2024-01-01", "2024-03-31", 37, "2024-05-05")]
    whole = {**of_year("ProfitLoss", 57), INCOME: of_year(INCOME, 70)[INCOME]}
    later = [*FLOWS[REVENUE], row("2024-01-01", "2024-03-31", 100, "2024-05-05")]
    found = company({**whole, "ProfitLoss": [*whole["ProfitLoss"], *newest], REVENUE: later})
    assert value(found, "net_income", "year", END) == 70
    assert value(found, "net_income", "quarter", "2024-03-31") == 37


def test_gross_margin_of_an_insurer_is_not_that_of_its_products() -> None:
    cost = {"CostOfGoodsAndServicesSold": year(2023, (10, 10, 10, 10))}
    assert figure(company(cost), "gross_margin", "ttm", END)
    benefits = {"PolicyholderBenefitsAndClaimsIncurredNet": year(2023, (70, 70, 70, 70))}
    metrics = {f.metric for f in company(cost | benefits).figures}
    assert not metrics & {"gross_margin", "gross_profit", "cost_of_revenue"}


@pytest.mark.parametrize(("software", "left"), [(0, 250), (8, 242)])
def test_formula_names_what_it_takes_off(software: float, left: float) -> None:
    one = figure(
        company(of_year("PaymentsToDevelopSoftware", software)), "free_cash_flow", "year", END
    )
    assert one
    assert one.value == left
    assert ("software" in one.formula) == bool(software)


def test_costs_that_are_filed_together_as_well_are_not_told_apart() -> None:
    """They would count twice on the way from gross profit to operating income."""
    apart = {"SellingAndMarketingExpense": year(2023, (5, 5, 5, 5))}
    assert value(company(apart), "sales_and_marketing", "year", END) == 20
    together = {"SellingGeneralAndAdministrativeExpense": year(2023, (9, 9, 9, 9))}
    found = company(apart | together)
    assert figure(found, "sales_and_marketing", "year", END) is None
    assert value(found, "selling_and_administration", "year", END) == 36


def test_payment_that_is_filed_with_a_minus_is_paid_all_the_same() -> None:
    tag = "PaymentsToAcquirePropertyPlantAndEquipment"
    negative = {tag: [each | {"val": -each["val"]} for each in FLOWS[tag]]}
    found = company(negative)
    assert found.figures == company({}).figures
    assert value(found, "free_cash_flow", "year", END) == 250, "270 of operations, as FLOWS adds up"


@pytest.mark.parametrize(("spent", "shown"), [(25, True), (90, False)])
def test_free_cash_flow_of_a_property_company_is_not_shown(spent: float, *, shown: bool) -> None:
    """Capital expenditure is 50 in FLOWS; purchases of real estate have their own tags."""
    rows = [row("2023-01-01", END, spent, FILED, "10-K")]
    found = company({"PaymentsToAcquireRealEstate": rows})
    assert (figure(found, "free_cash_flow", "year", END) is not None) == shown
    assert bool(find_notices(found, "company-property")) != shown
    worth = value_shares(found, price(), TERMS)
    assert worth
    implied = worth.implied.implied if worth.implied else []
    assert any(each.metric == "growth_implied" for each in implied) == shown


@pytest.mark.parametrize(("filed", "counted"), [(10, 10), (0.01, 10), (0.00001, 10), (0.4, 0.4)])
def test_shares_filed_in_thousands_count_as_those_of_earnings_per_share(
    filed: float, counted: float
) -> None:
    """Diluted shares are 11 million; a count of another size is neither thousands nor millions of them."""
    diluted = [row("2023-01-01", END, 11e6, FILED, "10-K")]
    counts = [row("", END, filed * 1e6, FILED, "10-K")]
    told = {tag: _listed(rows, "USD", "") for tag, rows in (FLOWS | CASH).items()}
    told["WeightedAverageNumberOfDilutedSharesOutstanding"] = _listed(diluted, "shares", "")
    told["CommonStockSharesOutstanding"] = _listed(counts, "shares", "")
    found = figure(of({"facts": {"us-gaap": told}}), "shares_outstanding", "instant", END)
    assert found
    assert found.value == pytest.approx(counted * 1e6)


@pytest.mark.parametrize(
    ("cover", "counted"), [(9.9e6, 10e6), (9e6, 9e6), (2e6, 2e6), (40e6, 40e6)]
)
def test_shares_of_a_newer_cover_count_where_they_changed(cover: float, counted: float) -> None:
    """The balance sheet of December counts ten million."""
    told = {tag: _listed(rows, "USD", "") for tag, rows in (FLOWS | CASH).items()}
    told["CommonStockSharesOutstanding"] = _listed(
        [row("", END, 10e6, FILED, "10-K")], "shares", ""
    )
    later = _listed([row("", "2024-02-01", cover, FILED, "10-K")], "shares", "")
    found = of({"facts": {"us-gaap": told, "dei": {"EntityCommonStockSharesOutstanding": later}}})
    [shares] = [f.value for f in found.figures if f.metric == "shares_outstanding"]
    assert shares == counted


@pytest.mark.parametrize(
    ("metric", "tag"),
    [
        ("revenue", "RealEstateRevenueNet"),
        ("revenue", "HealthCareOrganizationRevenue"),
        ("revenue", "ElectricUtilityRevenue"),
        ("dividends", "PaymentsOfOrdinaryDividends"),
    ],
)
def test_tag_of_a_kind_of_business_is_read(metric: str, tag: str) -> None:
    tags = {name: rows for name, rows in FLOWS.items() if name != REVENUE}
    told = {n: _listed(rows, "USD", "") for n, rows in (tags | {tag: FLOWS[REVENUE]}).items()}
    found = figure(of({"facts": {"us-gaap": told}}), metric, "year", END)
    assert found
    assert (found.value, found.tag) == (400, tag)


@pytest.mark.parametrize("shares", [0, -5])
def test_shares_of_none_give_no_valuation_and_a_reason(shares: float) -> None:
    found = company({}, shares)
    assert value_shares(found, price(), TERMS) is None
    told = explain_no_value(found, price())
    assert told
    assert told.params["why"] == Notice.of("price-no-shares")


@pytest.mark.parametrize("start", ["2104-02-01", "2024-02-01", ""])
def test_period_that_ends_after_its_filing_is_dropped(start: str) -> None:
    mistyped = row(start, "2105-01-31", 999, "2024-02-05", "10-K")
    found = company({REVENUE: [*FLOWS[REVENUE], mistyped]})
    assert found.newest_end == END
    revenue = figure(found, "revenue", "ttm", END)
    assert revenue
    assert revenue.value == 400


@pytest.mark.parametrize("form", ["20-F", "40-F", "20-F/A"])
def test_foreign_issuer_is_valued_by_ordinary_shares_alone(form: str) -> None:
    """30 USD for an ADS of 6 shares are 5 USD a share: 10 shares are worth 50, not 300."""
    found = company({}, form=form)
    assert found.is_foreign
    assert value_shares(found, price(), TERMS) is None
    told = explain_no_value(found, price())
    assert told
    assert told.params["why"] == Notice.of("price-ads")
    per_share = price().divide(6)
    valuation = value_shares(found, per_share, TERMS)
    assert valuation
    rows = {row.metric: row.value for row in valuation.rows}
    assert rows["market_value"] == pytest.approx(50)
    assert rows["price_to_earnings"] == pytest.approx(50 / 80)
    text = render_text(found.model_copy(update={"valuation": valuation}))
    assert en("price", value=5, currency="USD", whole=30, ratio=6) in text
    assert value_shares(found, price().divide(1), TERMS) == value_shares(
        company({}), price().divide(1), TERMS
    )


def test_ads_ratio_is_one_number_or_one_for_each_company() -> None:
    assert CompanyInputs(ticker="TSM", price=[30], ads_ratio=[5]).ads_ratio == [5]
    read = CompanyInputs.model_validate({"ticker": "TSM, AAPL", "ads_ratio": "5, 1"})
    assert read.ads_ratio == [5, 1]
    with pytest.raises(ValueError, match="ads_ratio"):
        CompanyInputs.model_validate({"ticker": "TSM", "ads_ratio": 0})
    with pytest.raises(ValueError, match=re.escape(en("prices-many", n=1, given=2))):
        CompanyInputs.model_validate({"ticker": "TSM", "ads_ratio": [5, 6]})


AMOUNTS = st.one_of(
    st.sampled_from([0.0, -1.0, 1e-300, -1e19, 1e19, 1e300, 1.0]), st.floats(allow_nan=True)
)


@given(st.lists(AMOUNTS, min_size=8, max_size=8), AMOUNTS)
@settings(max_examples=20)
def test_no_filed_amount_crashes_figures_or_valuation(amounts: list[float], shares: float) -> None:
    """Filed values may be 0, negative, tiny, huge or not a number, and are compared with five other companies."""
    tags = {
        name: [each | {"val": amount} for each in rows]
        for (name, rows), amount in zip(FLOWS.items(), amounts, strict=False)
    }
    tags["EarningsPerShareDiluted"] = [row("2023-01-01", END, amounts[4], FILED, "10-K")]
    tags["StockholdersEquity"] = [row("", END, amounts[5], FILED, "10-K")]
    tags["LongTermDebt"] = [row("", END, amounts[6], FILED, "10-K")]
    tags["ShareBasedCompensation"] = [row("2023-01-01", END, amounts[7], FILED, "10-K")]
    found = company(tags, shares)
    found = found.model_copy(update={"valuation": value_shares(found, price(), TERMS)})
    assert render_text(found)


SICS = (3571, 4911, 6021, 6331, 6722, 6798)
UNITS = {"money": "USD", "per_share": "USD/shares", "shares": "shares"}


@given(st.sampled_from(SICS), st.lists(AMOUNTS, min_size=7, max_size=7))
@settings(max_examples=20)
def test_no_filed_amount_crashes_figures_of_any_kind(sic: int, amounts: list[float]) -> None:
    """Each tag that is read has one of the amounts, of the year and on its last day."""
    told: dict[str, Any] = {}
    tags = [(t, m.unit) for m in METRICS.values() for t in m.tags.get("us-gaap", [])]
    every = [(tag, unit) for names, unit in tags for tag in names.split("|")]
    for number, (tag, unit) in enumerate(every):
        amount = amounts[number % len(amounts)]
        rows = [row(start, END, amount, FILED, "10-K") for start in ("2023-01-01", "")]
        told |= {tag: _listed(rows, UNITS[unit], "")}
    filer = Company(cik=1, ticker="ANY", name="Any", sic=sic)
    found = compute_fundamentals({"facts": {"us-gaap": told}}, filer)
    found = found.model_copy(update={"valuation": value_shares(found, price(), TERMS)})
    assert render_text(found)


DILUTED, EPS = "WeightedAverageNumberOfDilutedSharesOutstanding", "EarningsPerShareDiluted"


def uncounted(*counts: float, diluted: float = 0, eps: float = 0) -> Fundamentals:
    """Return a company whose balance sheet has these share counts."""
    told = {tag: _listed(rows, "USD", "") for tag, rows in (FLOWS | CASH).items()}
    filed = [row("", END, count, FILED, "10-K") for count in counts]
    told["CommonStockSharesOutstanding"] = _listed(filed, "shares", "")
    for tag, unit, n in ((DILUTED, "shares", diluted), (EPS, "USD/shares", eps)):
        told |= {tag: _listed(of_year(tag, n)[tag], unit, "")} if n else {}
    return of({"facts": {"us-gaap": told}})


def test_price_without_a_count_of_shares_still_gives_a_multiple_of_eps() -> None:
    valuation = value_shares(uncounted(eps=2), price(), TERMS)
    assert valuation
    assert {row.metric: row.value for row in valuation.rows} == {
        "share_price": 30,
        "price_to_earnings": 15,
    }
    assert "valuation-no-count" in {notice.code for notice in valuation.notices}


def test_diluted_shares_stand_in_for_a_count_and_say_so() -> None:
    valuation = value_shares(uncounted(diluted=10, eps=8), price(), TERMS)
    assert valuation
    rows = {row.metric: (row.value, row.of) for row in valuation.rows}
    assert rows["market_value"] == (300, "diluted_shares")
    assert rows["price_to_earnings"] == (3.75, "diluted_eps")
    assert "diluted_market_value" not in rows
    assert "valuation-diluted-count" in {notice.code for notice in valuation.notices}


@pytest.mark.parametrize("count", [0, -5])
def test_count_of_no_shares_values_nothing_and_is_told(count: float) -> None:
    found = uncounted(count, diluted=10)
    assert {gap.metric: gap.state for gap in found.gaps}["shares_outstanding"] == "conflicting"
    assert value_shares(found, price(), TERMS) is None
    unused = explain_no_value(found, price())
    assert unused
    assert unused.params["why"] == Notice.of("price-no-shares")
    assert value_shares(uncounted(count, diluted=10, eps=8), price(), TERMS)
