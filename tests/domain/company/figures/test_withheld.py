"""Figures that are not shown because they would be wrong: unread debt, shares of none, ADS prices."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.company.figures import Fundamentals
from contracts.company.inputs import CompanyInputs, ValuationTerms
from contracts.company.valuation import SharePrice
from contracts.notices import Notice
from domain.company.figures.valuation import explain_no_value, value_shares
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
    "Assets": [row("", day, 900, FILED, "10-K") for day in (END, "2022-12-31")],
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


@pytest.mark.parametrize(
    "tag",
    [
        *("InterestExpense", "InterestPaidNet", "InterestExpenseNonoperating"),
        *("LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities", "OtherLongTermDebt"),
        *("NotesPayable", "SecuredDebt", "UnsecuredDebt", "DebtAndCapitalLeaseObligations"),
        *("JuniorSubordinatedNotes", "NotesAndLoansPayable", "OtherShortTermBorrowings"),
        *("RepaymentsOfLinesOfCredit", "ProceedsFromIssuanceOfSecuredDebt", "LoansPayable"),
    ],
)
def test_net_cash_is_withheld_when_debt_is_not_found_but_owed(tag: str) -> None:
    start = "2022-01-01" if tag.startswith(("Interest", "Proceeds", "Repayments")) else ""
    owed = row(start, "2022-12-31", 7, "2023-02-05", "10-K")
    found = company({tag: [owed]})
    assert figure(found, "net_cash", "instant", END) is None
    valuation = value_shares(found, price(), TERMS)
    assert valuation
    rows = {row.metric: row.value for row in valuation.rows}
    assert rows["market_value"] == 300
    assert not [
        n for n in rows if n.startswith("ev_") or "growth" in n or n.endswith("enterprise_value")
    ]
    [unread] = [note.params for note in found.notes if note.code == "company-debt-unread"]
    assert (unread["end"], unread["sign"]) == (END, "2022-12-31")


@pytest.mark.parametrize(
    ("tag", "value", "day"),
    [
        ("InterestExpense", 0, "2023-12-31"),
        ("InterestExpense", 7, "2021-06-30"),
        ("DebtSecuritiesAvailableForSaleExcludingAccruedInterest", 7, "2023-12-31"),
        ("AvailableForSaleSecuritiesDebtMaturitiesWithinOneYearFairValue", 7, "2023-12-31"),
        ("NotesReceivableNet", 7, "2023-12-31"),
        ("LineOfCreditFacilityMaximumBorrowingCapacity", 7, "2023-12-31"),
        ("IncomeTaxExaminationInterestExpense", 7, "2023-12-31"),
        ("InvestmentIncomeInterest", 7, "2023-12-31"),
    ],
)
def test_net_cash_is_shown_without_a_sign_of_debt(tag: str, value: float, day: str) -> None:
    found = company({tag: [row("", day, value, "2024-02-05", "10-K")]})
    shown = figure(found, "net_cash", "instant", END)
    assert shown
    assert shown.value == 50


def test_enterprise_value_never_uses_net_cash_of_an_older_day() -> None:
    cash = CASH["CashAndCashEquivalentsAtCarryingValue"]
    older = row("", "2022-12-31", 90, "2023-02-05", "10-K")
    tags = {
        "CashAndCashEquivalentsAtCarryingValue": [older, *cash],
        "LongTermDebt": [row("", "2022-12-31", 40, "2023-02-05", "10-K")],
        REVENUE: [*year(2022, (90, 90, 90, 90)), *year(2023, (100, 100, 100, 100))],
    }
    found = company(tags)
    assert figure(found, "net_cash", "instant", "2022-12-31")
    valuation = value_shares(found, price(), TERMS)
    assert valuation
    assert "enterprise_value" not in {row.metric for row in valuation.rows}


def test_net_cash_without_a_balance_sheet_is_unknown() -> None:
    """Cash alone does not tell that nothing is owed."""
    assert figure(company({}), "net_cash", "instant", END)
    assert figure(company({"Assets": []}), "net_cash", "instant", END) is None


@pytest.mark.parametrize(
    ("debts", "shown"),
    [
        ({"2023-12-31": 40}, {}),
        ({"2023-12-31": 0}, {"2022-12-31": 90}),
        ({"2023-12-31": 40, "2021-12-31": 0}, {"2022-12-31": 90}),
    ],
    ids=["first-debt-later", "none-later", "none-before"],
)
def test_net_cash_before_the_first_filed_debt_is_unknown(
    debts: dict[str, float], shown: dict[str, float]
) -> None:
    """A 10-Q lists the debt of its own day and of the year's end, not that of the year before."""
    tags = {
        "CashAndCashEquivalentsAtCarryingValue": [
            row("", "2022-12-31", 90, "2023-02-05", "10-K"),
            *CASH["CashAndCashEquivalentsAtCarryingValue"],
        ],
        "LongTermDebt": [row("", day, value, FILED, "10-K") for day, value in debts.items()],
        REVENUE: [*year(2022, (90, 90, 90, 90)), *FLOWS[REVENUE]],
    }
    found = company(tags)
    known = {f.end: f.value for f in found.figures if f.metric == "net_cash"}
    assert known == {END: 50 - debts[END]} | shown


def test_gross_margin_of_an_insurer_is_not_that_of_its_products() -> None:
    cost = {"CostOfGoodsAndServicesSold": year(2023, (10, 10, 10, 10))}
    assert figure(company(cost), "gross_margin", "ttm", END)
    benefits = {"PolicyholderBenefitsAndClaimsIncurredNet": year(2023, (70, 70, 70, 70))}
    metrics = {f.metric for f in company(cost | benefits).figures}
    assert not metrics & {"gross_margin", "gross_profit", "cost_of_revenue"}


def test_payment_that_is_filed_with_a_minus_is_paid_all_the_same() -> None:
    tag = "PaymentsToAcquirePropertyPlantAndEquipment"
    negative = {tag: [each | {"val": -each["val"]} for each in FLOWS[tag]]}
    found = company(negative)
    assert found.figures == company({}).figures
    assert value(found, "free_cash_flow", "year", END) == 250, "270 of operations, as FLOWS adds up"


@pytest.mark.parametrize(("spent", "shown"), [(25, True), (90, False)])
def test_free_cash_flow_of_a_property_company_is_not_shown(spent: float, *, shown: bool) -> None:
    """Capital expenditure is 50 in FLOWS; what is spent on real estate has tags of its own."""
    rows = [row("2023-01-01", END, spent, FILED, "10-K")]
    found = company({"PaymentsToAcquireRealEstate": rows})
    assert (figure(found, "free_cash_flow", "year", END) is not None) == shown
    assert bool(find_notices(found, "company-property")) != shown
    worth = value_shares(found, price(), TERMS)
    assert worth
    assert any("growth" in each.metric for each in worth.rows) == shown


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


@pytest.mark.parametrize(("cover", "counted"), [(9e6, 10e6), (2e6, 2e6), (40e6, 40e6)])
def test_shares_of_a_newer_cover_count_where_a_split_or_listing_lies_between(
    cover: float, counted: float
) -> None:
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
    assert "Its price: 5 USD (30 USD for an ADS of 6)" in text
    assert value_shares(found, price().divide(1), TERMS) == value_shares(
        company({}), price().divide(1), TERMS
    )


def test_domestic_filer_needs_no_ads_ratio() -> None:
    found = company({})
    assert not found.is_foreign
    assert value_shares(found, price(), TERMS)


def test_ads_ratio_is_one_number_or_one_for_each_company() -> None:
    assert CompanyInputs(ticker="TSM", price=[30], ads_ratio=[5]).ads_ratio == [5]
    read = CompanyInputs.model_validate({"ticker": "TSM, AAPL", "ads_ratio": "5, 1"})
    assert read.ads_ratio == [5, 1]
    with pytest.raises(ValueError, match="ads_ratio"):
        CompanyInputs.model_validate({"ticker": "TSM", "ads_ratio": 0})
    with pytest.raises(ValueError, match="one a company"):
        CompanyInputs.model_validate({"ticker": "TSM", "ads_ratio": [5, 6]})


AMOUNTS = st.one_of(
    st.sampled_from([0.0, -1.0, 1e-300, -1e19, 1e19, 1e300, 1.0]), st.floats(allow_nan=True)
)


@given(st.lists(AMOUNTS, min_size=8, max_size=8), AMOUNTS)
@settings(max_examples=60)
def test_no_filed_amount_crashes_figures_or_valuation(amounts: list[float], shares: float) -> None:
    """A value of 0, below 0, tiny, huge or no number at all is filed, and read beside five other companies."""
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
