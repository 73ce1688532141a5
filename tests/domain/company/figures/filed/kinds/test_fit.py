"""Figures that an analyst of a kind of business looks for, and those that would mislead one."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.words import Param
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.dates import describe_basis
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.filed.series import find_root
from domain.company.figures.numbers import say_amount
from domain.company.figures.tables.key_figures import build_key_figures, choose_shown
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
from tests.support.words import en

BEFORE, END, FILED = "2022-12-31", "2023-12-31", "2024-02-05"
REIT, BANK, MAKER, INSURER = 6798, 6021, 3571, 6331


def company(
    sic: int,
    flows: dict[str, float],
    days: dict[str, float],
    *,
    per_share: dict[str, float] | None = None,
    shares: float = 0,
    taxonomy: str = "us-gaap",
    form: str = "10-K",
) -> Fundamentals:
    """Return the fundamentals of a company that filed one fiscal year."""
    tags: dict[str, Any] = {}
    start = "2023-01-01"
    for unit, amounts in (("USD", flows), ("USD/shares", per_share or {})):
        for tag, amount in amounts.items():
            tags[tag] = {"units": {unit: [row(start, END, amount, FILED, form)]}}
    for tag, amount in days.items():
        tags[tag] = {"units": {"USD": [row("", END, amount, FILED, form)]}}
    if shares:
        count, diluted = (
            ("CommonStockSharesOutstanding", "WeightedAverageNumberOfDilutedSharesOutstanding")
            if taxonomy == "us-gaap"
            else ("NumberOfSharesOutstanding", "AdjustedWeightedAverageShares")
        )
        tags[count] = {"units": {"shares": [row("", END, shares, FILED, form)]}}
        tags[diluted] = {"units": {"shares": [row(start, END, shares, FILED, form)]}}
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=sic)
    return compute_fundamentals({"facts": {taxonomy: tags}}, named)


def measure(found: Fundamentals, price: float = 20) -> dict[str, float]:
    """Return what a price at the year's end means, by metric."""
    at = SharePrice(value=price, day=FILED, origin="given", ads_ratio=1)
    valued = value_shares(found, at, ValuationTerms())
    return {r.metric: r.value for r in valued.rows} if valued else {}


def of_year(found: Fundamentals, metric: str) -> float | None:
    return value(found, metric, "year", END)


PROPERTY_FLOWS = {
    "Revenue": 100.0,
    "ProfitLoss": 20.0,
    "ProfitLossBeforeTax": 30.0,
    "DirectOperatingExpenseFromInvestmentProperty": 15.0,
    "AdministrativeExpense": 20.0,
    "FinanceCosts": 10.0,
    "GainsLossesOnFairValueAdjustmentInvestmentProperty": 40.0,
}
PROPERTY_DAYS = {
    "InvestmentProperty": 1000.0,
    "Assets": 1100.0,
    "EquityAttributableToOwnersOfParent": 500.0,
    "Borrowings": 400.0,
    "CashAndCashEquivalents": 50.0,
}


def own(operating: float, **flows: float) -> Fundamentals:
    """Return a company that revalues its property, by its filed operating income."""
    filed = PROPERTY_FLOWS | {"ProfitLossFromOperatingActivities": operating} | flows
    return company(REIT, filed, PROPERTY_DAYS, shares=50, taxonomy="ifrs-full", form="20-F")


@pytest.mark.parametrize(
    ("operating", "reason"),
    [
        (105, ""),  # 100 - 15 - 20 + 40: after administration, with the revaluation
        (85, "gap-property-income"),  # 100 - 15: what the properties earn
        (
            65,
            "gap-unexplained-costs",
        ),  # 100 - 15 - 20: without the revaluation, or with other costs
    ],
)
def test_revaluation_is_taken_off_only_an_operating_income_that_holds_it(
    operating: float, reason: str
) -> None:
    found = own(operating)
    before = of_year(found, "operating_income_before_revaluation")
    assert before == (None if reason else operating - 40)
    assert of_year(found, "interest_coverage") == (None if reason else (operating - 40) / 10)
    reasons = {gap.reason.code for gap in found.gaps if gap.state == "conflicting"}
    assert (reason in reasons) == bool(reason)


@pytest.mark.parametrize(("operating", "other"), [(82, 3), (85, None)])
def test_minor_revenue_may_be_left_out_of_what_properties_earn(
    operating: float, other: float | None
) -> None:
    """100 less costs of 15, with other revenue of 3 or without: the reason says which."""
    found = own(operating, OtherRevenue=3)
    assert of_year(found, "operating_income") is None
    [why] = [gap.reason for gap in found.gaps if gap.metric == "operating_income"]
    assert why.params.get("other") == (say_amount(other, "USD") if other else None)
    assert of_year(own(82), "operating_income") == 82


def test_book_value_that_is_the_net_asset_value_is_shown_once() -> None:
    found = own(105)
    both = {"book_value_per_share", "property_book_per_share"}
    assert both <= {figure.metric for figure in found.figures}
    assert both & {f.metric for f in choose_shown(found.figures)} == {"property_book_per_share"}


def test_the_share_of_minorities_in_a_loss_is_shown() -> None:
    """A loss of 20, of which minorities had a profit of 10: owners lost 30."""
    flows = {
        "ProfitLoss": -20.0,
        "ProfitLossAttributableToNoncontrollingInterests": 10.0,
        "ProfitLossAttributableToOwnersOfParent": -30.0,
    }
    found = own(105, **flows)
    assert (of_year(found, "net_income"), of_year(found, "minority_income")) == (-30, 10)


def test_property_at_fair_value_is_priced_by_its_net_asset_value_and_lent_against() -> None:
    found = own(105)
    assert value(found, "debt_to_property", "instant", END) == 40
    assert value(found, "property_book_per_share", "instant", END) == 10
    assert measure(found)["price_to_property_book"] == 2
    flows = {n: v for n, v in PROPERTY_FLOWS.items() if not n.startswith("GainsLosses")}
    at_cost = company(REIT, flows, PROPERTY_DAYS, shares=50, taxonomy="ifrs-full", form="20-F")
    assert value(at_cost, "debt_to_property", "instant", END) is None
    assert "price_to_property_book" not in measure(at_cost)


def test_debt_of_property_at_cost_is_held_against_income_before_depreciation() -> None:
    flows = {
        "Revenues": 100.0,
        "NetIncomeLoss": 10.0,
        "OperatingIncomeLoss": 30.0,
        "DepreciationDepletionAndAmortization": 20.0,
        "InterestExpense": 20.0,
    }
    days = {
        "DebtAndCapitalLeaseObligations": 350.0,
        "CashAndCashEquivalentsAtCarryingValue": 50.0,
        "StockholdersEquity": 100.0,
        "Assets": 500.0,
    }
    found = company(REIT, flows, days)
    assert of_year(found, "interest_coverage") is None
    assert of_year(found, "interest_coverage_before_depreciation") == 2.5
    assert of_year(found, "net_debt_to_operating_income") == 6
    assert of_year(found, "net_margin") is None


@pytest.mark.parametrize(("cash", "net_debt"), [(50.0, 250.0), (400.0, None)])
def test_net_cash_below_zero_is_told_as_net_debt(cash: float, net_debt: float | None) -> None:
    flows = {
        "Revenues": 100.0,
        "NetIncomeLoss": 10.0,
        "NetCashProvidedByUsedInOperatingActivities": 50.0,
    }
    days = {
        "DebtAndCapitalLeaseObligations": 300.0,
        "CashAndCashEquivalentsAtCarryingValue": cash,
        "StockholdersEquity": 200.0,
    }
    found = company(MAKER, flows, days)
    assert value(found, "net_cash", "instant", END) == cash - 300
    assert value(found, "net_debt", "instant", END) == net_debt
    ratio = of_year(found, "net_debt_to_operating_cash_flow")
    assert ratio == (net_debt / 50 if net_debt else None)
    labels = {label for label, _ in build_key_figures(found, FILED).rows}
    text = render_text(found)
    for name, is_shown in (("net-cash", not net_debt), ("net-debt", bool(net_debt))):
        assert (en(f"metric-{name}") in labels) == is_shown
        assert (f"{en(f'metric-{name}')}, on " in text) == is_shown


PAYER = {"Revenues": 100.0, "NetIncomeLoss": 20.0, "PaymentsOfDividends": 10.0}


@pytest.mark.parametrize(("declared", "payout"), [(1.0, 50.0), (1.4, 70.0), (4.0, None)])
def test_dividend_per_share_gives_yield_and_payout_unless_payments_contradict_it(
    declared: float, payout: float | None
) -> None:
    per_share = {
        "CommonStockDividendsPerShareDeclared": declared,
        "EarningsPerShareDiluted": 2.0,
    }
    days = {"StockholdersEquity": 100.0}
    found = company(MAKER, PAYER, days, per_share=per_share, shares=10)
    told = of_year(found, "payout_ratio")
    assert (told and round(told, 6)) == payout
    dividend_yield = measure(found).get("dividend_yield")
    assert (dividend_yield and round(dividend_yield, 6)) == (payout and 100 * declared / 20)
    reasons = {gap.metric: gap.reason.code for gap in found.gaps if gap.state == "conflicting"}
    assert (reasons.get("dividends_per_share") == "gap-dividend-per-share") == (payout is None)


def test_bank_without_a_count_of_shares_has_a_price_to_book_of_its_common_equity() -> None:
    flows = {"Revenues": 100.0, "NetIncomeLoss": 20.0, "IncomeTaxesPaid": 4.0}
    days = {
        "StockholdersEquity": 220.0,
        "PreferredStockValue": 20.0,
        "CashAndDueFromBanks": 50.0,
        "Assets": 2000.0,
    }
    found = company(BANK, flows, days, per_share={"EarningsPerShareDiluted": 2.0}, shares=10)
    cover = [f for f in found.figures if f.metric != "shares_outstanding"]
    uncounted = found.model_copy(
        update={"figures": [f for f in cover if f.metric != "book_value_per_share"]}
    )
    assert measure(uncounted, price=30)["price_to_book"] == 1.5
    metrics = {f.metric for f in found.figures}
    assert metrics.isdisjoint({"cash", "net_margin", "income_taxes_paid"})
    states = {gap.metric: gap.state for gap in found.gaps}
    assert states["cash"] == states["net_margin"] == "does_not_apply"


@pytest.mark.parametrize(
    ("before", "now", "noted"),
    [
        ((100, 140, 100, 100), (110, 110, 110, 110), [10.0]),  # 0 % in all
        ((100, 105, 100, 100), (110, 104, 110, 110), []),
        ((100, 140, 140, 100), (110, 110, 110, 110), []),
    ],
)
def test_quarter_that_hides_the_growth_of_revenue_is_named(
    before: tuple[float, ...], now: tuple[float, ...], noted: list[float]
) -> None:
    rows = [*year(2022, before), *year(2023, now)]
    facts = {"facts": {"us-gaap": {"Revenues": {"units": {"USD": rows}}}}}
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=BANK)
    found = compute_fundamentals(facts, named)
    told = find_notices(found, "company-outlier-quarter")
    assert [(each["rest"], each["day"]) for each in told] == [(r, "2023-06-30") for r in noted]


@pytest.mark.parametrize(
    ("form", "code", "interval"),
    [("10-K", "company-years-read", "quarter"), ("20-F", "company-years-only", "year")],
)
def test_interval_is_not_concluded_from_reading_annual_reports_alone(
    form: str, code: str, interval: str
) -> None:
    found = company(MAKER, PAYER, {"StockholdersEquity": 100.0}, form=form)
    assert found.interval == interval
    codes = {note.code for note in found.notes}
    assert codes & {"company-years-read", "company-years-only"} == {code}


@pytest.mark.parametrize(
    ("as_of", "newer"), [(None, END), ("2024-03-15", None), ("2024-05-15", END)]
)
def test_newer_quarters_are_named_only_if_one_has_ended_by_the_day(
    as_of: str | None, newer: str | None
) -> None:
    found = of(listed({"Revenues": [row("2023-01-01", END, 100, FILED, "10-K")]}), as_of)
    [note] = find_notices(found, "company-years-read")
    assert note.get("end") == newer


def test_figures_years_old_say_how_to_ask_about_their_time() -> None:
    found = company(MAKER, PAYER, {"StockholdersEquity": 100.0})

    def ask(found: Fundamentals, day: str) -> list[str]:
        told = describe_basis(found, day)
        return [note.code for note in told if note.code == "company-of-its-time"]

    assert ask(found, "2026-11-27") == ["company-of-its-time"]
    assert ask(found, "2024-11-27") == []
    assert ask(found.model_copy(update={"as_of": "2024-06-30"}), "2026-11-27") == []


def test_tables_of_periods_count_in_the_currency_whichever_row_is_last() -> None:
    payments = (10, 10, 10, 10)
    tags: dict[str, Any] = {
        "Revenues": [*year(2022, payments), *year(2023, payments)],
        "NetCashProvidedByUsedInOperatingActivities": [
            *year(2022, payments),
            *year(2023, payments),
        ],
        "DebtAndCapitalLeaseObligations": [
            row("", BEFORE, 80, "2023-02-05", "10-K"),
            row("", END, 90, FILED, "10-K"),
        ],
        "CashAndCashEquivalentsAtCarryingValue": [
            row("", BEFORE, 10, "2023-02-05", "10-K"),
            row("", END, 10, FILED, "10-K"),
        ],
    }
    listed = {tag: {"units": {"USD": rows}} for tag, rows in tags.items()}
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=MAKER)
    found = compute_fundamentals({"facts": {"us-gaap": listed}}, named)
    lines = render_text(found).splitlines()
    assert sum(line.startswith(f"| {en('grid-in', unit='USD')} |") for line in lines) == 4
    assert not [line for line in lines if line.startswith(f"| {en('grid-mixed')}")]


@pytest.mark.parametrize(("debt", "is_noted"), [(60.0, True), (41.0, False)])
def test_debt_that_moved_since_its_due_dates_were_filed_is_named(
    debt: float, is_noted: bool
) -> None:
    tags: dict[str, Any] = {
        "Revenues": [*year(2022, (10, 10, 10, 10)), *year(2023, (10, 10, 10, 10))[:2]],
        "DebtAndCapitalLeaseObligations": [
            row("", BEFORE, 40, "2023-02-05", "10-K"),
            row("", "2023-06-30", debt, "2023-08-05"),
        ],
        "LongTermDebtMaturitiesRepaymentsOfPrincipalInNextTwelveMonths": [
            row("", BEFORE, 40, "2023-02-05", "10-K")
        ],
    }
    listed = {tag: {"units": {"USD": rows}} for tag, rows in tags.items()}
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=MAKER)
    found = compute_fundamentals({"facts": {"us-gaap": listed}}, named)
    was, now = (say_amount(amount, "USD") for amount in (40, debt))
    later: dict[str, Param] = {"later": "2023-06-30", "now": now} if is_noted else {}
    assert en("debt-due", end=BEFORE, total=was, debt=was, **later) in render_text(found)


BANK_FLOWS = {"Revenues": 100.0, "NetIncomeLoss": 22.0}
BANK_DAYS = {"StockholdersEquity": 220.0, "PreferredStockValue": 20.0, "Goodwill": 30.0}


def bank(
    flows: dict[str, float] | None = None, preferred: float = 1, **days: float
) -> Fundamentals:
    """Return a bank that had 180 of equity, 20 of it preferred, and 30 of goodwill a year before."""
    now, then = BANK_DAYS | days, BANK_DAYS | {"StockholdersEquity": 180.0} | days
    told = {
        tag: [row("", BEFORE, then[tag], FILED, "10-K"), row("", END, now[tag], FILED, "10-K")]
        for tag in now
    }
    for tag, amount in (BANK_FLOWS | (flows or {})).items():
        told[tag] = [
            row(f"{number}-01-01", f"{number}-12-31", amount, FILED, "10-K")
            for number in ("2022", "2023")
        ]
    facts = listed(told)
    counts = {"CommonStockSharesIssued": 12.0, "TreasuryStockCommonShares": 2.0}
    counts |= {"PreferredStockSharesOutstanding": preferred}
    rows = {tag: [row("", END, count, FILED, "10-K")] for tag, count in counts.items()}
    rows["PreferredStockSharesOutstanding"].append(row("", BEFORE, preferred, FILED, "10-K"))
    facts["facts"]["us-gaap"] |= listed(rows, "shares")["facts"]["us-gaap"]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=BANK)
    return compute_fundamentals(facts, named)


def test_return_on_equity_and_price_to_book_are_of_the_same_equity() -> None:
    """20 of 22 to common shareholders over the mean of 200 and 160; less goodwill 170 and 130."""
    found = bank({"PreferredStockDividendsIncomeStatementImpact": 2.0})
    assert of_year(found, "return_on_equity") == pytest.approx(100 * 20 / 180, abs=1e-4)
    assert of_year(found, "return_on_tangible_equity") == pytest.approx(100 * 20 / 150, abs=1e-4)
    assert value(found, "shares_outstanding", "instant", END) == 10, "issued less treasury shares"
    rows = measure(found)
    assert rows["price_to_book"] == 20 / (200 / 10)
    assert "price_to_all_equity" not in rows
    assert of_year(found, "return_on_all_equity") is None
    assert value(found, "return_on_equity", "year", BEFORE) is None, "nothing of a year before"


def test_return_of_a_loss_on_tangible_equity_that_is_a_bound_is_at_most_that() -> None:
    """Intangible assets that are not filed make the base too large: a loss is larger on the right one."""
    for income, bound in ((22.0, "at_least"), (-22.0, "at_most")):
        found = bank({"NetIncomeLoss": income, "PreferredStockDividendsIncomeStatementImpact": 2.0})
        figures = [f for f in found.figures if f.metric == "return_on_tangible_equity"]
        assert {f.bound for f in figures if f.end == END} == {bound}
        [past] = [row for row in found.past if row.metric == "return_on_tangible_equity"]
        assert {each.bound for each in past.values if each.base == "year"} == {bound}


@pytest.mark.parametrize(
    ("preferred", "unearned", "common"),
    [
        ((20, 28), (4, 13), 220 - 28 + 13),
        ((20, 20), (4, 13), 200),
        ((20, 28), (13, 4), 220 - 28),
    ],
)
def test_unearned_shares_of_a_plan_are_taken_off_once_where_they_are_preferred(
    preferred: tuple[float, float], unearned: tuple[float, float], common: float
) -> None:
    """They rise with preferred equity where preferred shares are issued to the plan; those of a thrift are common."""
    days = {
        "StockholdersEquity": (180, 220),
        "PreferredStockValue": preferred,
        "UnearnedESOPShares": unearned,
    }
    told = {
        tag: [
            row("", day, each, FILED, "10-K") for day, each in zip((BEFORE, END), pair, strict=True)
        ]
        for tag, pair in days.items()
    }
    told["Revenues"] = [row("2023-01-01", END, 100, FILED, "10-K")]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=BANK)
    found = compute_fundamentals(listed(told), named)
    assert value(found, "common_book", "instant", END) == common
    notes = find_notices(found, "company-unearned-shares")
    assert bool(notes) == (common == 220 - 28 + 13), "an amount that is added back is named"


@pytest.mark.parametrize(
    ("filed", "shown"), [((14, -11), (14, -11)), ((-14, -11), (14, 11)), ((14, 11), (14, 11))]
)
def test_cash_that_came_with_acquisitions_keeps_its_minus(
    filed: tuple[float, float], shown: tuple[float, float]
) -> None:
    """Cash acquired may exceed what was paid; where every period has a minus, its sign is off."""
    years = (("2023-01-01", END), ("2022-01-01", BEFORE))
    told = {
        tag: [row(*days, each, FILED, "10-K") for days, each in zip(years, pair, strict=True)]
        for tag, pair in {
            "Revenues": (100.0, 90.0),
            "PaymentsToAcquireBusinessesNetOfCashAcquired": filed,
        }.items()
    }
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=MAKER)
    found = compute_fundamentals(listed(told), named)
    assert tuple(value(found, "acquisitions", "year", end) for end in (END, BEFORE)) == shown
    notes = find_notices(found, "company-acquired-cash")
    assert [note["year"] for note in notes] == ["FY2022"] * (shown[1] < 0)


def test_return_on_all_equity_is_not_shown_beside_that_on_common_equity() -> None:
    """Of 2022 all equity alone is known: a second row would set another base beside the newest year's."""
    found = bank()
    own, *_ = (f for f in found.figures if f.metric == "return_on_equity")
    other = own.model_copy(update={"metric": "return_on_all_equity", "end": BEFORE})
    names = {f.metric for f in choose_shown([own, other])}
    assert names == {"return_on_equity"}
    assert {f.metric for f in choose_shown([other])} == {"return_on_all_equity"}
    assert "return_on_all_equity" not in {gap.metric for gap in found.gaps}


def test_equity_with_preferred_shares_bounds_what_their_claim_leaves_open() -> None:
    """Of 84 preferred shares 1 is filed, their par value: common equity is not known, and at most 220."""
    at_par = bank(PreferredStockValue=1.0, preferred=84)
    assert of_year(at_par, "return_on_equity") is None
    assert of_year(at_par, "return_on_all_equity") == pytest.approx(100 * 22 / 200, abs=1e-4)
    rows_of = measure(at_par)
    assert "price_to_book" not in rows_of
    assert rows_of["price_to_all_equity"] == pytest.approx(20 * 10 / 220)


@pytest.mark.parametrize("other", [None, 5.0])
def test_tangible_book_says_which_intangible_assets_it_leaves_in(other: float | None) -> None:
    more = {"IntangibleAssetsNetExcludingGoodwill": other} if other else {}
    found = bank(None, 1, **more)
    told = find_notices(found, "company-tangible-book")
    assert told == ([] if other else [{"end": END}])
    assert value(found, "tangible_book", "instant", END) == 170 - (other or 0)


@pytest.mark.parametrize(
    ("finite", "indefinite", "taken"), [(1.3, 1.3, 2.6), (1.7, 1.2, 2.9), (1.3, None, 1.3)]
)
def test_tangible_book_takes_off_intangible_assets_of_both_lives(
    finite: float, indefinite: float | None, taken: float
) -> None:
    filed = {
        "FiniteLivedIntangibleAssetsNet": finite,
        "IndefiniteLivedIntangibleAssetsExcludingGoodwill": indefinite,
    }
    found = bank(None, 1, **{tag: amount for tag, amount in filed.items() if amount})
    assert value(found, "tangible_book", "instant", END) == pytest.approx(170 - taken)


def test_dividends_on_preferred_shares_are_named() -> None:
    flows = {"PaymentsOfDividends": 9.0, "PreferredStockDividendsIncomeStatementImpact": 2.0}
    [told] = find_notices(bank(flows), "company-preferred-dividends")
    assert told["amount"] == {"value": 2, "unit": "USD"}
    assert not find_notices(bank({"PaymentsOfDividends": 9.0}), "company-preferred-dividends")
    common = {"PaymentsOfDividendsCommonStock": 7.0} | flows
    del common["PaymentsOfDividends"]
    assert not find_notices(bank(common), "company-preferred-dividends")


def test_partners_with_little_of_a_loss_leave_funds_from_operations_a_share() -> None:
    flows = {
        "Revenues": 200.0,
        "NetIncomeLoss": -80.0,
        "DepreciationAndAmortization": -120.0,  # filed with a minus
        "NetIncomeLossAttributableToNoncontrollingInterest": 1.0,
    }
    found = company(REIT, flows, {"Assets": 900.0}, shares=50)
    assert of_year(found, "ffo_per_share") == 0.8


@pytest.mark.parametrize(("partners", "is_shown"), [(0.0, True), (3.0, True), (20.0, False)])
def test_funds_from_operations_a_share_are_withheld_where_partners_have_much_of_them(
    partners: float, *, is_shown: bool
) -> None:
    """Of 80 + `partners`, with 20 of depreciation, over 50 shares at 20."""
    flows = {
        "Revenues": 200.0,
        "NetIncomeLoss": 80.0,
        "DepreciationAndAmortization": 20.0,
        "NetIncomeLossAttributableToNoncontrollingInterest": partners,
    }
    found = company(REIT, flows, {"Assets": 900.0}, shares=50)
    assert of_year(found, "funds_from_operations") == 100
    assert of_year(found, "ffo_per_share") == (2 if is_shown else None)
    assert measure(found).get("price_to_ffo") == (10 if is_shown else None)
    codes = {gap.reason.code for gap in found.gaps if gap.metric == "ffo_per_share"}
    assert codes == (set() if is_shown else {"gap-partners"})


def test_gains_on_sales_that_are_not_filed_are_named_beside_funds_from_operations() -> None:
    flows = {"Revenues": 200.0, "NetIncomeLoss": 80.0, "DepreciationAndAmortization": 20.0}
    code = "company-property-gains"
    assert find_notices(company(REIT, flows, {}), code)
    assert not find_notices(company(REIT, flows | {"GainLossOnSaleOfProperties": 4.0}, {}), code)


@pytest.mark.parametrize(
    ("filed", "is_known"),
    [
        ({"StockholdersEquity": 200.0}, True),
        ({"StockholdersEquity": 200.0, "PreferredStockValue": 20.0}, False),
    ],
    ids=["never", "a year before"],
)
def test_preferred_shares_of_another_day_leave_common_equity_open(
    filed: dict[str, float], *, is_known: bool
) -> None:
    """A quarter after the year in which preferred shares were filed, or were not, equity alone is filed."""
    tags = {tag: [row("", BEFORE, amount, FILED, "10-K")] for tag, amount in filed.items()}
    tags["StockholdersEquity"].append(row("", "2023-03-31", 210, "2023-05-05"))
    for tag in ("Revenues", "NetIncomeLoss"):
        tags[tag] = [
            row("2022-01-01", BEFORE, 100, "2023-02-05", "10-K"),
            row("2023-01-01", "2023-03-31", 25, "2023-05-05"),
        ]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=BANK)
    found = compute_fundamentals(listed(tags), named)
    assert value(found, "common_book", "instant", "2023-03-31") == (210 if is_known else None)


def test_income_of_others_than_common_shareholders_leaves_a_bank_s_common_equity_open() -> None:
    flows = {**BANK_FLOWS, "NetIncomeLossAvailableToCommonStockholdersBasic": 20.0}
    open_to = company(BANK, flows, {"StockholdersEquity": 220.0})
    assert value(open_to, "common_book", "instant", END) is None
    known = company(BANK, BANK_FLOWS, {"StockholdersEquity": 220.0})
    assert value(known, "common_book", "instant", END) == 220


def test_bank_shows_how_its_loans_are_covered_lost_and_funded() -> None:
    """Loans of 100 and 140 over two years after allowances, deposits of 200, net charge-offs of 6, assets of 400 and 600."""
    tags = {
        "FinancingReceivableExcludingAccruedInterestAfterAllowanceForCreditLoss": (100, 140),
        "FinancingReceivableAllowanceForCreditLossExcludingAccruedInterest": (2, 3),
        "Deposits": (180, 200),
        "Assets": (400, 600),
    }
    told = {
        tag: [row("", day, n, FILED, "10-K") for day, n in zip((BEFORE, END), amounts, strict=True)]
        for tag, amounts in tags.items()
    }
    lost = "FinancingReceivableExcludingAccruedInterestAllowanceForCreditLossWriteoffAfterRecovery"
    for tag, amount in ((lost, 6), ("InterestIncomeExpenseNet", 25), ("Revenues", 40)):
        told[tag] = [row(f"{n}-01-01", f"{n}-12-31", amount, FILED, "10-K") for n in (2022, 2023)]
    found = compute_fundamentals(
        listed(told), Company(cik=1, ticker="ACME", name="Acme Corp.", sic=BANK)
    )
    assert of_year(found, "net_charge_offs") == 6
    assert of_year(found, "charge_off_rate") == pytest.approx(6 / 122.5 * 100, abs=1e-4)
    assert of_year(found, "net_interest_to_assets") == 5
    assert value(found, "loans_to_deposits", "instant", END) == 71.5
    assert value(found, "credit_allowance", "instant", END) == 3


def test_insurer_shows_the_gains_that_its_revenue_holds_and_whose_money_it_keeps() -> None:
    flows = {
        "Revenues": 400.0,
        "GainLossOnInvestments": -70.0,
        "InterestCreditedToPolicyholdersAccountBalances": 40.0,
    }
    days = {
        "PolicyholderContractDeposits": 900.0,
        "SeparateAccountsLiability": 800.0,
        "AccumulatedOtherComprehensiveIncomeLossNetOfTax": -30.0,
    }
    found = company(INSURER, flows, days)
    assert of_year(found, "investment_gains") == -70
    assert of_year(found, "interest_credited") == 40
    names = ("policyholder_accounts", "separate_accounts", "accumulated_other_income")
    assert [value(found, name, "instant", END) for name in names] == [900, 800, -30]
    assert not {f.metric for f in company(MAKER, flows, days).figures} & {
        *names,
        "investment_gains",
    }


@pytest.mark.parametrize(
    ("tag", "amount", "code"),
    [
        ("GainsLossesOnExtinguishmentOfDebt", -9.0, "company-debt-retired"),
        ("GoodwillImpairmentLoss", 9.0, "company-goodwill-impairment"),
        ("GainsLossesOnExtinguishmentOfDebt", 9.0, ""),
        ("GoodwillImpairmentLoss", 7.0, ""),
    ],
)
def test_loss_that_does_not_recur_is_named_where_it_is_a_tenth_of_net_income(
    tag: str, amount: float, code: str
) -> None:
    found = company(MAKER, {"Revenues": 400.0, "NetIncomeLoss": 80.0, tag: amount}, {})
    noted = {note.code for note in found.notes}
    assert noted & {"company-debt-retired", "company-goodwill-impairment"} == {
        *filter(None, [code])
    }


def test_holdings_without_a_market_price_are_named_beside_net_cash() -> None:
    days = {
        "CashAndCashEquivalentsAtCarryingValue": 150.0,
        "LongTermDebt": 50.0,
        "EquitySecuritiesWithoutReadilyDeterminableFairValueAmount": 40.0,
    }
    [told] = find_notices(company(MAKER, {"Revenues": 400.0}, days), "company-holdings")
    assert told == {"end": END, "amount": {"value": 40, "unit": "USD"}}
    small = days | {"EquitySecuritiesWithoutReadilyDeterminableFairValueAmount": 9.0}
    assert not find_notices(company(MAKER, {"Revenues": 400.0}, small), "company-holdings")


@pytest.mark.parametrize(
    ("given_up", "shown"),
    [
        ({}, 80),
        ({"IncomeLossFromDiscontinuedOperationsNetOfTax": 7.0}, 80),
        ({"IncomeLossFromDiscontinuedOperationsNetOfTax": 30.0}, None),
        (
            {
                "IncomeLossFromDiscontinuedOperationsNetOfTax": 30.0,
                "DiscontinuedOperationGainLossOnDisposalOfDiscontinuedOperationNetOfTax": 25.0,
            },
            55,
        ),
        (
            {
                "DiscontinuedOperationGainLossOnDisposalOfDiscontinuedOperationNetOfTax": 25.0,
                "GainLossOnSaleOfProperties": 25.0,
            },
            55,
        ),
        ({"GainLossOnSaleOfStockInSubsidiaryOrEquityMethodInvestee": 8.0}, 72),
    ],
)
def test_funds_from_operations_hold_no_gains_of_discontinued_operations(
    given_up: dict[str, float], shown: float | None
) -> None:
    """Of 60 with 20 of depreciation; one gain under two tags is taken off once."""
    flows = {"Revenues": 200.0, "NetIncomeLoss": 60.0, "DepreciationAndAmortization": 20.0}
    found = company(REIT, flows | given_up, {"Assets": 900.0}, shares=50)
    assert of_year(found, "funds_from_operations") == shown


@pytest.mark.parametrize(
    ("sic", "flows", "days", "shown"),
    [
        (  # a gain of a lawsuit in one year makes earnings before tax of two years unlike
            MAKER,
            {
                "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest": 40.0,
                "OtherNonoperatingIncomeExpense": 9.0,
                "DebtAndEquitySecuritiesGainLoss": -4.0,
            },
            {},
            {"pretax_before_other_income": 31, "pretax_before_securities_gains": 44},
        ),
        (MAKER, {"PaymentsToAcquireBusinessesNetOfCashAcquired": 14.0}, {}, {"acquisitions": 14}),
        (
            INSURER,
            {"GainLossOnInvestments": -30.0, "BenefitsLossesAndExpenses": 93.0},
            {"LongTermDebt": 60.0, "ShortTermBorrowings": 3.0, "JuniorSubordinatedNotes": 8.0},
            {
                "revenue_before_investment_gains": 130,
                "pretax_income": 7,
                "insurer_long_term_debt": 60,
                "insurer_short_term_debt": 3,
                "insurer_junior_debt": 8,
            },
        ),
        (
            BANK,
            {},
            {"AccumulatedOtherComprehensiveIncomeLossNetOfTax": -120.0},
            {"equity_before_other_income": 620},
        ),
        (
            REIT,
            {"PaymentsOfOrdinaryDividends": 27.0, "PreferredStockDividends": 6.0},
            {},
            {"common_dividends": 21},
        ),
    ],
)
def test_what_changes_the_meaning_of_a_headline_is_shown_with_it(
    sic: int, flows: dict[str, float], days: dict[str, float], shown: dict[str, float]
) -> None:
    whole = {"Revenues": 100.0, "NetIncomeLoss": 30.0}
    found = company(sic, whole | flows, {"StockholdersEquity": 500.0, "Assets": 900.0} | days)
    text = render_text(found)
    for metric, amount in shown.items():
        by_period = (value(found, metric, "instant", END), of_year(found, metric))
        assert amount in by_period, metric
        assert en(f"metric-{metric.replace('_', '-')}") in text


def test_net_asset_value_is_shown_with_deferred_tax_added_back_too() -> None:
    days = PROPERTY_DAYS | {"DeferredTaxLiabilities": 70.0, "DeferredTaxAssets": 20.0}
    filed = PROPERTY_FLOWS | {"ProfitLossFromOperatingActivities": 105.0}
    found = company(REIT, filed, days, shares=50, taxonomy="ifrs-full", form="20-F")
    assert value(found, "property_book_per_share", "instant", END) == 10
    assert value(found, "property_book_before_tax_per_share", "instant", END) == 11
    without = own(105)
    assert value(without, "property_book_before_tax_per_share", "instant", END) is None
    assert "property_book_before_tax_per_share" not in {gap.metric for gap in without.gaps}


@pytest.mark.parametrize(
    ("flows", "code", "free"),
    [
        ({"InterestExpense": 8.0}, "company-interest-unplaced", 30),
        ({"InterestExpense": 2.0}, "", 30),  # a small part of the cash flow
        (
            {"InterestPaidClassifiedAsFinancingActivities": 9.0},
            "company-interest-financed",
            21,
        ),
        ({"InterestExpense": 8.0, "InterestPaidClassifiedAsOperatingActivities": 9.0}, "", 30),
    ],
)
def test_cash_flow_before_interest_is_no_yield_to_shareholders(
    flows: dict[str, float], code: str, free: float
) -> None:
    filed = {
        "Revenue": 100.0,
        "ProfitLoss": 20.0,
        "CashFlowsFromUsedInOperatingActivities": 40.0,
        "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities": 10.0,
    }
    found = company(MAKER, filed | flows, {"Assets": 500.0}, taxonomy="ifrs-full", form="20-F")
    noted = [note for note in found.notes if note.code.startswith("company-interest-")]
    assert [note.code for note in noted] == ([code] if code else [])
    assert all(note.text in render_text(found) for note in noted)
    assert of_year(found, "free_cash_flow") == free


def test_finance_costs_are_not_called_interest_expense() -> None:
    found = own(105)
    assert of_year(found, "interest_expense") is None
    assert of_year(found, "finance_costs") == 10
    both = own(105, InterestExpense=13)
    assert of_year(both, "interest_expense") == 13
    assert of_year(both, "interest_coverage") == 5


@pytest.mark.parametrize(("line", "expected"), [(90, 95), (96, 100), (0, 100)])
def test_funds_from_operations_leave_out_the_costs_of_financing(
    line: float, expected: float
) -> None:
    """All depreciation of 100 holds the 5 of financing costs unless the statement's line is above what would be left."""
    flows = {
        "Revenues": 400.0,
        "NetIncomeLoss": 50.0,
        "DepreciationDepletionAndAmortization": 100.0,
        "AmortizationOfFinancingCosts": 5.0,
    }
    found = company(REIT, flows | ({"DepreciationAndAmortization": line} if line else {}), {})
    assert of_year(found, "property_depreciation") == expected
    assert of_year(found, "funds_from_operations") == 50 + expected


@pytest.mark.parametrize(("gain", "expected"), [(30, 120), (0, 146)])
def test_gains_on_other_property_stay_in_funds_from_operations(
    gain: float, expected: float
) -> None:
    """Of 30 on property and 4 on what is not depreciated the former alone is taken off, else the latter stands for it."""
    flows = {
        "Revenues": 400.0,
        "NetIncomeLoss": 50.0,
        "DepreciationAndAmortization": 100.0,
        "GainLossOnSaleOfProperties": 4.0,
    }
    found = company(REIT, flows | ({"GainLossOnSaleOfProperty": gain} if gain else {}), {})
    assert of_year(found, "funds_from_operations") == expected


def test_twelve_months_of_funds_from_operations_are_those_of_year_and_quarters() -> None:
    """A gain filed for the year alone is taken off the twelve months too: 60 a year, and 20 for 15 in a quarter.

    The quarter's gain of 4 is on property that is not depreciated, as the year names the other.
    """
    whole = ("2023-01-01", END, FILED, "10-K")
    first, last = (("2023-01-01", "2023-03-31"), ("2024-01-01", "2024-03-31"))
    told = {
        "Revenues": (400, 100, 110),
        "NetIncomeLoss": (50, 10, 15),
        "DepreciationAndAmortization": (40, 5, 5),
    }
    tags = {
        tag: [
            row(whole[0], whole[1], amounts[0], whole[2], whole[3]),
            row(*first, amounts[1], "2023-05-05"),
            row(*last, amounts[2], "2024-05-05"),
        ]
        for tag, amounts in told.items()
    }
    tags["GainLossOnSaleOfProperty"] = [row(whole[0], whole[1], 30, whole[2], whole[3])]
    tags["GainLossOnSaleOfProperties"] = [row(*last, 4, "2024-05-05")]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=REIT)
    found = compute_fundamentals(listed(tags), named)
    assert value(found, "funds_from_operations", "ttm", "2024-03-31") == 60 + 20 - 15


def test_return_on_equity_has_no_mean_of_amounts_far_apart() -> None:
    """AIG's common equity went from 12.7 billion to 40 million USD."""
    days = {"StockholdersEquity": (1000, 100), "PreferredStockValue": (1, 1)}
    tags = {
        tag: [row("", day, n, FILED, "10-K") for day, n in zip((BEFORE, END), of, strict=True)]
        for tag, of in days.items()
    }
    for tag, amount in (("Revenues", 40), ("NetIncomeLoss", 10), ("PremiumsEarnedNet", 30)):
        tags[tag] = [row(f"{n}-01-01", f"{n}-12-31", amount, FILED, "10-K") for n in (2022, 2023)]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=INSURER)
    found = compute_fundamentals(listed(tags), named)
    assert of_year(found, "return_on_equity") is None
    [gap] = [gap for gap in found.gaps if gap.metric == "return_on_equity"]
    assert find_root(gap.reason).code == "gap-average-apart"


def test_common_equity_is_added_up_from_its_lines_where_preferred_shares_are_not_filed() -> None:
    """AIG's of March 2010: 354 + 6,356 - 9,871 + 7,053 - 874 = 3,018 million USD, 453 without goodwill."""
    days = {
        "StockholdersEquity": 75_001,
        "CommonStockValue": 354,
        "AdditionalPaidInCapitalCommonStock": 6_356,
        "RetainedEarningsAccumulatedDeficit": -9_871,
        "AccumulatedOtherComprehensiveIncomeLossNetOfTax": 7_053,
        "TreasuryStockValue": 874,
        "Goodwill": 2_565,
    }
    flows = {
        "Revenues": 16_330.0,
        "NetIncomeLoss": 1_451.0,
        "PreferredStockDividendsIncomeStatementImpact": 9.0,
    }
    found = company(INSURER, flows, {tag: float(n) for tag, n in days.items()}, shares=135)
    assert value(found, "common_book", "instant", END) == 3_018
    assert value(found, "tangible_book", "instant", END) == 453


@pytest.mark.parametrize(("held", "is_shown"), [(200, False), (20, True)])
def test_twelve_months_across_businesses_put_up_for_sale_are_withheld(
    held: float, *, is_shown: bool
) -> None:
    end, filed = "2024-03-31", "2024-05-05"
    tags = {
        tag: [
            row("2023-01-01", END, 400, FILED, "10-K"),
            row("2023-01-01", "2023-03-31", 100, filed),
            row("2024-01-01", end, 90, filed),
        ]
        for tag in (
            "Revenues",
            "NetIncomeLoss",
            "PolicyholderBenefitsAndClaimsIncurredNet",
            "SellingGeneralAndAdministrativeExpense",
        )
    }
    tags["Assets"] = [row("", day, 1000, filed) for day in (END, end)]
    tags["AssetsHeldForSaleAtCarryingValue"] = [row("", END, 10, FILED), row("", end, held, filed)]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=INSURER)
    found = compute_fundamentals(listed(tags), named)
    for name in ("revenue", "claims", "selling_and_administration"):
        assert (value(found, name, "ttm", end) is not None) is is_shown, name
    assert value(found, "net_income", "ttm", end) == 390


def test_cash_runway_of_many_years_is_not_shown() -> None:
    flows = {
        "Revenues": 400.0,
        "NetIncomeLoss": 1.0,
        "NetCashProvidedByUsedInOperatingActivities": -1.0,
    }
    found = {
        cash: of_year(
            company(MAKER, flows, {"CashAndCashEquivalentsAtCarryingValue": cash}), "cash_runway"
        )
        for cash in (9.0, 11.0)
    }
    assert found == {9.0: 108, 11.0: None}


@pytest.mark.parametrize(("per_share", "is_shown"), [(2.08, True), (0.52, False)])
def test_quarterly_dividend_filed_for_the_year_is_withheld(
    per_share: float, *, is_shown: bool
) -> None:
    """Visa's 4,217 million USD by 0.52 are 8.1 billion shares; its income by EPS gives 2.03 billion."""
    flows = {"Revenues": 35_926.0, "NetIncomeLoss": 19_743.0, "PaymentsOfDividends": 4_217.0}
    told = {"CommonStockDividendsPerShareDeclared": per_share, "EarningsPerShareBasic": 9.74}
    found = company(MAKER, flows, {}, per_share=told)
    assert (of_year(found, "dividends_per_share") is not None) is is_shown
    alone = company(MAKER, flows, {}, per_share={"CommonStockDividendsPerShareDeclared": 2.08})
    assert of_year(alone, "dividends_per_share") is None


def test_flows_of_the_year_to_date_alone_are_noted_and_not_called_missing() -> None:
    """A second quarter states cash flows of the half year; twelve months of revenue are known, so no column has them."""
    end, filed = "2023-06-30", "2023-07-25"
    spans = (
        ("2022-07-01", "2022-09-30"),
        ("2022-10-01", "2022-12-31"),
        ("2023-01-01", "2023-03-31"),
        ("2023-04-01", end),
    )
    tags = {
        tag: [row(*span, 100, filed) for span in spans] for tag in ("Revenues", "NetIncomeLoss")
    }
    cash = "NetCashProvidedByUsedInOperatingActivities"
    tags[cash] = [row("2023-01-01", end, 60, filed)]
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=MAKER)
    found = compute_fundamentals(listed(tags), named)
    [told] = find_notices(found, "company-to-date")
    assert (told["start"], told["end"]) == ("2023-01-01", end)
    [missing] = [note for note in found.notes if note.code == "company-metrics-missing"]
    assert say_metric("operating_cash_flow") not in missing.params["metrics"]  # type: ignore[operator]


def file_two_years(tags: dict[str, tuple[float, float]], sic: int) -> Fundamentals:
    """Return a company that filed amounts of 2022 and 2023."""
    told = {
        tag: [
            row(f"{n}-01-01", f"{n}-12-31", amount, FILED, "10-K")
            for n, amount in zip((2022, 2023), amounts, strict=True)
        ]
        for tag, amounts in tags.items()
    }
    named = Company(cik=1, ticker="ACME", name="Acme Corp.", sic=sic)
    return compute_fundamentals(listed(told), named)


@pytest.mark.parametrize(("costs", "expected"), [((92, 46), (12, 9.4)), ((10, 11), None)])
def test_growth_of_operating_income_is_told_without_litigation(
    costs: tuple[float, float], expected: tuple[float, float] | None
) -> None:
    """Visa's of fiscal 2024 grew by 12.4 %, by 9.7 % before the costs of litigation that fell."""
    tags = {
        "Revenues": (3_270.0, 3_590.0),
        "NetIncomeLoss": (1_720.0, 1_970.0),
        "OperatingIncomeLoss": (2_100.0, 2_352.0),
        "LossContingencyLossInPeriod": (costs[0], costs[1]),
    }
    told = find_notices(file_two_years(tags, MAKER), "company-moved")
    assert [(each["growth"], each["rest"]) for each in told] == ([expected] if expected else [])


def test_refunded_taxes_have_no_effective_rate_and_are_called_a_refund() -> None:
    tags = {
        "Revenues": (400.0, 400.0),
        "NetIncomeLoss": (20.0, 20.0),
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest": (
            25.0,
            18.0,
        ),
        "IncomeTaxExpenseBenefit": (5.0, -2.0),
        "IncomeTaxesPaidNet": (5.0, -20.0),
        "NetCashProvidedByUsedInOperatingActivities": (30.0, 40.0),
        "PaymentsToAcquirePropertyPlantAndEquipment": (8.0, 8.0),
    }
    found = file_two_years(tags, MAKER)
    assert of_year(found, "effective_tax_rate") is None
    [told] = find_notices(found, "company-taxes-below")
    assert told["refund"] == read_amount(20.0)


def read_amount(value: float) -> dict[str, Any]:
    """Return the parameters of an amount in dollars."""
    return dict(say_amount(value, "USD").params)
