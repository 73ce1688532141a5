"""A property company's funds without sold properties and per share, its rents less costs, and what cash dividends leave."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.metrics import LABELS
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import Missing
from domain.company.figures.notes.periods import name_period
from domain.company.figures.numbers import say_amount
from domain.company.figures.tables.charts import build_charts
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import (
    Row,
    figure,
    find_notices,
    listed,
    render_text,
    row,
    value,
)

SIC = 6798
Span = tuple[str, str]
Amounts = tuple[float | None, float | None, float | None, float | None]
SPANS: tuple[Span, ...] = (
    ("2010-01-01", "2010-03-31"),
    ("2009-01-01", "2009-03-31"),
    ("2009-01-01", "2009-12-31"),
    ("2008-01-01", "2008-12-31"),
)
END, QUARTER_BEFORE, YEAR, YEAR_BEFORE = (end for _, end in SPANS)
GAINS = "DiscontinuedOperationGainLossOnDisposalOfDiscontinuedOperationNetOfTax"
FLOWS: dict[str, Amounts] = {
    "Revenues": (488.69, 483.057, 1943.711, 1975.669),
    "OperatingIncomeLoss": (118.596, 132.399, 529.402, 458.152),
    "InterestExpense": (115.297, 123.502, 503.828, 489.513),
    "ProfitLoss": (57.856, 85.421, 382.029, 436.413),
    "NetIncomeLoss": (55.483, 80.795, 362.273, 407.615),
    "NetIncomeLossAvailableToCommonStockholdersBasic": (51.863, 77.175, 347.794, 393.115),
    "IncomeLossFromContinuingOperationsIncludingPortionAttributableToNoncontrollingInterest": (
        -2.208,
        12.09,
        28.031,
        -12.823,
    ),
    "IncomeLossFromDiscontinuedOperationsNetOfTax": (60.064, 73.331, 353.998, 449.236),
    GAINS: (60.036, 61.871, 335.299, 392.857),
    "GainLossOnSaleOfStockInSubsidiaryOrEquityMethodInvestee": (0.478, 2.765, 10.689, 2.876),
    "Depreciation": (152.319, 141.809, 582.28, 559.468),
    "OperatingLeasesIncomeStatementLeaseRevenue": (486.268, 480.215, 1933.365, 1964.954),
    "CostOfPropertyRepairsAndMaintenance": (126.753, 124.932, 487.216, 508.048),
    "RealEstateTaxesAndInsurance": (57.607, 52.539, 215.25, 203.582),
    "OwnedPropertyManagementCosts": (20.68, 19.014, 71.938, 77.063),
    "IncomeTaxExpenseBenefit": (0.166, 2.128, 2.808, 5.284),
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments": (
        -2.056,
        11.648,
        22.965,
        -13.284,
    ),
    "NetCashProvidedByUsedInOperatingActivities": (155.457, 142.5, 672.511, 755.252),
    "PaymentsForCapitalImprovements": (25.691, 26.6, 123.893, 169.8),
    "PreferredStockDividends": (3.62, 3.62, 14.479, 14.507),
    "PaymentsOfDividendsCommonStock": (93.317, 131.567, 488.604, 522.195),
}
DAYS = {
    "Assets": 15_518.4,
    "StockholdersEquity": 5_021.9,
    "SecuredDebt": 4_760.0,
    "NotesPayable": 4_643.7,
    "LineOfCredit": 91.0,
    "CashAndCashEquivalentsAtCarryingValue": 60.2,
}
SHARES: dict[str, Amounts] = {
    "WeightedAverageNumberOfDilutedSharesOutstanding": (280.645e6, 288.853e6, 290.105e6, 270.012e6),
    "WeightedAverageNumberOfSharesOutstandingBasic": (280.645e6, 272.324e6, 273.609e6, 270.012e6),
}
PER_SHARE: dict[str, Amounts] = {
    "EarningsPerShareDiluted": (0.18, 0.28, 1.27, 1.46),
    "CommonStockDividendsPerShareDeclared": (0.3375, 0.4825, 1.64, 1.93),
}


def _file_all(days: Mapping[str, float] = DAYS, /, **changed: Amounts) -> dict[str, Any]:
    """Return facts by amounts of Equity Residential's filings of 2010, in millions, some of them changed."""
    tags: dict[str, Any] = {}
    for told, unit, scale in (
        (FLOWS, "USD", 1e6),
        (SHARES, "shares", 1),
        (PER_SHARE, "USD/shares", 1),
    ):
        for tag, amounts in (told | (changed if unit == "USD" else {})).items():
            rows = [
                _file(span, scale * amount)
                for span, amount in zip(SPANS, amounts, strict=True)
                if amount is not None
            ]
            tags |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    for tag, amount in days.items():
        tags |= listed({tag: [row("", END, 1e6 * amount, "2010-05-06")]})["facts"]["us-gaap"]
    count = [row("", END, 282.404e6, "2010-05-06")]
    tags |= listed({"CommonStockSharesOutstanding": count}, "shares")["facts"]["us-gaap"]
    return {"facts": {"us-gaap": tags}}


def compute(days: Mapping[str, float] = DAYS, /, **changed: Amounts) -> Fundamentals:
    """Return the fundamentals of Equity Residential's filings of 2010, some of their amounts changed."""
    company = Company(cik=1, ticker="ACME", name="Acme", sic=SIC)
    return compute_fundamentals(_file_all(days, **changed), company)


def _file(span: Span, amount: float) -> Row:
    filed, form = ("2010-02-25", "10-K") if span in SPANS[2:] else ("2010-05-06", "10-Q")
    return row(*span, amount, filed, form)


def _price(found: Fundamentals) -> dict[str, float]:
    price = SharePrice(value=45, day="2010-05-31", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    return {each.metric: each.value for each in valued.rows}


def test_funds_without_sold_properties_are_shown_and_name_what_made_them_fall() -> None:
    found = compute()
    spans = (("ttm", END), ("quarter", END), ("year", YEAR))
    told = [value(found, "continuing_ffo", *span) for span in spans]
    assert told == pytest.approx([566.1e6, 143.64e6, 565.4e6], abs=1e5)
    growth = [
        value(found, f"{n}_growth", "quarter", END)
        for n in ("continuing_ffo", "funds_from_operations")
    ]
    assert growth == pytest.approx([0.5, -6.9], abs=0.1)
    [note] = [n for n in find_notices(found, "company-moved") if n["growth"] == -6.9]
    assert (note["rest"], note["now"]["value"]) == (0.5, 28_000)


@pytest.mark.parametrize(
    ("income", "continuing", "left"),
    [
        (353.998, 28.031, 18.699),
        (18.699, 28.031, 18.699),
        (18.699, None, None),
        (None, 28.031, None),
    ],
    ids=["gains are part of it", "gains are filed beside it", "unknown which", "not filed"],
)
def test_gains_on_disposal_are_taken_off_income_that_holds_them(
    income: float | None, continuing: float | None, left: float | None
) -> None:
    changed: dict[str, Amounts] = {
        "IncomeLossFromDiscontinuedOperationsNetOfTax": (60.064, 73.331, income, None),
        "IncomeLossFromContinuingOperationsIncludingPortionAttributableToNoncontrollingInterest": (
            None,
            None,
            continuing,
            None,
        ),
    }
    found = compute(**changed)
    whole, own = (
        value(found, n, "year", YEAR) for n in ("funds_from_operations", "continuing_ffo")
    )
    assert whole
    assert own == (left and pytest.approx(whole - 1e6 * left))


def test_depreciation_of_discontinued_operations_is_added_back_or_said_not_to_be_filed() -> None:
    """Equity Residential told 18.095 million of 2009 in its reconciliation of FFO, which no figure of its facts states."""
    found = compute()
    [note] = find_notices(found, "company-discontinued-depreciation")
    told = [[part.params[name] for name in ("period", "amount")] for part in note["parts"]]
    assert told == [
        [name_period("quarter", END), say_amount(28_000, "USD")],
        [name_period("year", YEAR), say_amount(18.699e6, "USD")],
    ]
    filed: Amounts = (0.4, 6.1, 18.095, 27.2)
    added = compute(DepreciationAndAmortizationDiscontinuedOperations=filed)
    assert not find_notices(added, "company-discontinued-depreciation")
    for name, more in (("funds_from_operations", 18.095e6), ("continuing_ffo", 0)):
        plain, whole = (value(each, name, "year", YEAR) for each in (found, added))
        assert plain
        assert whole == pytest.approx(plain + more)
    of_all = compute(
        DepreciationAndAmortizationDiscontinuedOperations=filed,
        DepreciationDepletionAndAmortization=(155.0, 150.2, 600.375, 590.1),
    )
    assert not find_notices(of_all, "company-discontinued-depreciation")
    ffo, income = (
        value(of_all, name, "year", YEAR)
        for name in ("funds_from_operations", "property_depreciation")
    )
    assert (ffo, income) == pytest.approx((347.794e6 + 600.375e6 - 335.299e6 - 10.689e6, 600.375e6))


def test_funds_a_share_are_of_every_period_whose_shares_are_filed() -> None:
    found = compute()
    told = [
        value(found, "ffo_per_share", *span)
        for span in (
            ("quarter", END),
            ("quarter", QUARTER_BEFORE),
            ("year", YEAR),
            ("year", YEAR_BEFORE),
        )
    ]
    assert told == pytest.approx([0.51, 0.57, 2.13, 2.06], abs=0.01)
    assert value(found, "ffo_per_share_growth", "quarter", END) == pytest.approx(-9.7, abs=0.1)


@pytest.mark.parametrize(("profit", "is_shown"), [(382.029, True), (420, False)])
def test_funds_a_share_of_a_quarter_are_withheld_where_partners_had_much_of_the_year(
    profit: float, *, is_shown: bool
) -> None:
    found = compute(ProfitLoss=(57.856, 85.421, profit, 436.413))
    told = [value(found, "ffo_per_share", *span) for span in (("quarter", END), ("year", YEAR))]
    assert [each is not None for each in told] == [is_shown] * 2


def test_measures_after_depreciation_give_way_to_those_before_it() -> None:
    found = compute()
    for name in ("interest_coverage", "interest_coverage_by_pretax", "effective_tax_rate"):
        assert value(found, name, "ttm", END) is None
    assert value(found, "interest_coverage_before_depreciation", "ttm", END) == pytest.approx(
        2.24, abs=0.01
    )
    rows = _price(found)
    assert "ev_to_operating_income" not in rows
    assert rows["ev_to_operating_income_before_depreciation"] == pytest.approx(20, abs=0.1)
    taxed = compute(IncomeTaxExpenseBenefit=(0.166, 2.128, 60.0, 5.284))
    assert value(taxed, "effective_tax_rate", "year", YEAR), "a company that pays tax has a rate"


@pytest.mark.parametrize(
    ("tax", "code", "amount"),
    [(2.808, "gap-beside-slight-tax", 2.808e6), (-5.22, "gap-beside-slight-benefit", 5.22e6)],
    ids=["charged", "a benefit"],
)
def test_rate_of_next_to_no_tax_is_withheld_and_a_benefit_is_called_one(
    tax: float, code: str, amount: float
) -> None:
    facts = _file_all(IncomeTaxExpenseBenefit=(0.166, 2.128, tax, 5.284))
    told = Accounts(FiledFacts(facts), SIC).find("year", "effective_tax_rate", YEAR)
    why = Notice.of(code, "info", amount=say_amount(amount, "USD"))
    assert told == Missing("does_not_apply", why)


def test_net_operating_income_is_rents_less_the_filed_costs_of_properties() -> None:
    found = compute()
    assert value(found, "net_operating_income", "quarter", END) == pytest.approx(281.2e6, abs=1e5)
    assert _price(found)["net_operating_income_yield"] == pytest.approx(5.2, abs=0.05)
    twice = compute(CostOfPropertyRepairsAndMaintenance=(184.36, 177.5, 702.5, 711.6))
    assert figure(twice, "net_operating_income", "quarter", END) is None, (
        "costs that hold taxes count them twice"
    )
    unfiled = compute(RealEstateTaxesAndInsurance=(None,) * 4)
    assert figure(unfiled, "net_operating_income", "quarter", END) is None


def test_cash_left_by_the_present_dividend_is_told_beside_what_the_paid_ones_left() -> None:
    [note] = find_notices(compute(), "company-dividend-cover-before")
    told = {name: note[name]["value"] for name in ("cash", "cost", "rest", "paid", "left")}
    assert told == {"cash": 548, "cost": 381.2, "rest": 166.8, "paid": 450.4, "left": 97.7}
    kept = compute(PaymentsOfDividendsCommonStock=(93.317, 95.0, 382.0, 522.195))
    [same] = find_notices(kept, "company-dividend-cover-before")
    assert "rest" not in same
    partly = compute(StockIssuedDuringPeriodValueStockDividend=(None, None, 80.0, None))
    [cash_alone] = find_notices(partly, "company-dividend-cover-before")
    assert "left" not in cash_alone, "what was paid in shares is another reason than the rate"


def test_continuing_income_is_the_filed_line_before_partners_whose_part_of_it_is_not_filed() -> (
    None
):
    found = compute()
    spans = (("ttm", END), ("quarter", END), ("year", YEAR), ("year", YEAR_BEFORE))
    told = [value(found, "continuing_before_partners", *span) for span in spans]
    assert told == pytest.approx([13.733e6, -2.208e6, 28.031e6, -12.823e6])
    assert not [each for each in found.figures if each.metric == "continuing_income"]
    part: Amounts = (-2.5, 11.5, 26.6, -12.2)
    owners = compute(IncomeLossFromContinuingOperations=part)
    assert value(owners, "continuing_income", "year", YEAR) == pytest.approx(26.6e6)
    assert value(owners, "continuing_before_partners", "year", YEAR) is None
    alone = compute(ProfitLoss=FLOWS["NetIncomeLoss"])
    assert value(alone, "continuing_before_partners", "year", YEAR) is None, "no partners"


def test_income_before_depreciation_is_before_filed_impairments_of_property() -> None:
    found = compute(AssetImpairmentCharges=(None, None, 11.124, 116.418))
    spans = (("ttm", END), ("year", YEAR), ("year", YEAR_BEFORE))
    told = [value(found, "operating_income_before_depreciation", *span) for span in spans]
    assert told == pytest.approx([1119.513e6, 1122.806e6, 1134.038e6])
    debts = value(found, "net_debt_to_operating_income", "ttm", END)
    assert debts == pytest.approx(9434.5 / 1119.511, abs=0.01)
    covered = value(found, "interest_coverage_before_depreciation", "year", YEAR_BEFORE)
    assert covered == pytest.approx(1134.038 / 489.513, abs=0.01)


ASIDE = {
    "Liabilities": 10_075.387,
    "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest": 5_147.041,
    "MinorityInterest": 125.113,
}


@pytest.mark.parametrize(
    ("changed", "aside"),
    [
        ({}, 295.972),
        ({"TemporaryEquityCarryingAmount": 295.972}, None),
        ({"PreferredStockValue": 296.0}, None),
        ({"Liabilities": 10_350.0}, None),
        ({"Liabilities": 7_000.0}, None),
    ],
    ids=[
        "no tag",
        "a tag of redeemable equity",
        "filed preferred shares",
        "rounding",
        "incomplete",
    ],
)
def test_claims_outside_equity_and_liabilities_are_part_of_enterprise_value(
    changed: dict[str, float], aside: float | None
) -> None:
    found = compute(DAYS | ASIDE | changed)
    assert value(found, "claims_outside_equity", "instant", END) == (
        aside and pytest.approx(1e6 * aside)
    )
    others = 125.113e6 + 1e6 * changed.get("PreferredStockValue", 0) + 1e6 * (aside or 0)
    rows = _price(found)
    debts = value(found, "net_debt", "instant", END)
    whole = rows["market_value"] + debts + others if debts else None
    assert rows.get("enterprise_value") == (whole and pytest.approx(whole))


def test_property_companies_have_no_chart_of_an_operating_margin() -> None:
    charts = [*build_charts(compute())]
    assert charts
    assert not [each for each in charts if "margin" in each.title.lower()]


def test_leverage_and_continuing_income_are_figures_so_that_no_writer_computes_them() -> None:
    """Equity Residential's debt of 9,495 million is 61.2 % of assets; continuing income fell from 12.1 to -2.2 million."""
    found = compute()
    assert value(found, "debt_to_assets", "instant", END) == pytest.approx(61.18, abs=0.01)
    [one] = [
        each
        for each in found.changes
        if (each.metric, each.period) == ("continuing_before_partners", "quarter")
    ]
    assert one.year_before
    assert (one.value, one.year_before.value, one.changes) == (-2.208e6, 12.09e6, [])


def test_page_defines_a_metric_by_its_terms_and_not_by_how_twelve_months_add_up() -> None:
    lines = render_text(compute()).splitlines()
    for name in ("funds_from_operations", "operating_income_before_depreciation"):
        [told] = [line for line in lines if line.startswith(f"{LABELS[name]} is computed: ")]
        assert "months to" not in told
    assert any("FFO" in line and "0.51 USD per share over diluted" in line for line in lines)


SIMON: dict[str, Amounts] = {
    "Revenues": (925.071, 918.492, 3775.216, 3783.155),
    "OperatingIncomeLoss": (426.916, 364.216, 1406.692, 1543.048),
    "DepreciationAndAmortization": (228.909, 256.337, 997.598, 969.477),
    "MinimumRents": (571.61, 571.414, 2316.838, 2291.919),
    "OperatingLeasesIncomeStatementContingentRevenue": (13.211, 12.5, 84.922, 100.222),
    "TenantReimbursements": (255.928, 258.762, 1062.227, 1065.957),
    "DirectCostsOfLeasedAndRentedPropertyOrEquipment": (98.768, 106.147, 425.703, 455.874),
    "CostOfPropertyRepairsAndMaintenance": (23.745, 22.588, 91.736, 107.879),
    "MarketingAndAdvertisingExpense": (18.836, 18.506, 93.565, 96.783),
    "RealEstateTaxExpense": (89.729, 88.243, 333.957, 334.657),
    "NetIncomeLoss": (9.373, 106.762, 283.098, 422.517),
}


@pytest.mark.parametrize("lacking", ["", "TenantReimbursements", "MinimumRents"])
def test_rents_and_what_tenants_reimburse_less_the_costs_of_properties(lacking: str) -> None:
    """Simon files minimum rents, overage and reimbursements apart: 840.7 million less 231.1 of the properties' costs."""
    tags = {
        tag: [
            row(*span, amount * 1e6, "2010-05-10", "10-Q" if span[1] == END else "10-K")
            for span, amount in zip(SPANS, amounts, strict=True)
            if amount is not None
        ]
        for tag, amounts in SIMON.items()
        if tag != lacking
    }
    found = compute_fundamentals(listed(tags), Company(cik=1, ticker="ACME", name="Acme", sic=SIC))
    noi = value(found, "net_operating_income", "quarter", END)
    assert noi == (None if lacking else pytest.approx(609.671e6))
