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
    of,
    render_text,
    row,
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
CASH = {"CashAndCashEquivalentsAtCarryingValue": [row("", END, 50, FILED, "10-K")]}


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
