"""Invariants: a figure that contradicts the others of its period is withheld, with all that needs it, and says why."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.company.figures import Fundamentals
from contracts.notices import Notice
from domain.company.figures.figures_page import list_lines
from tests.domain.company.figures.companies import listed, of, render_text, row, value
from tests.support.words import phrase

END, FILED = "2023-12-31", "2024-02-05"
FLOWS = {
    "Revenues": 400.0,
    "NetIncomeLoss": 80.0,
    "NetCashProvidedByUsedInOperatingActivities": 90.0,
    "PaymentsToAcquirePropertyPlantAndEquipment": 20.0,
}
BALANCE = {
    "Assets": 500.0,
    "Liabilities": 300.0,
    "LiabilitiesAndStockholdersEquity": 500.0,
    "StockholdersEquity": 200.0,
    "CashAndCashEquivalentsAtCarryingValue": 50.0,
    "LongTermDebtNoncurrent": 100.0,
}
OF_DAY = {
    *BALANCE,
    "LiabilitiesCurrent",
    "PartnersCapital",
    "MinorityInterest",
    "PreferredStockValue",
    "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
}
EPS, SHARES = "EarningsPerShareDiluted", "WeightedAverageNumberOfDilutedSharesOutstanding"
PRETAX = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
)
TAX, OCF = "IncomeTaxExpenseBenefit", "NetCashProvidedByUsedInOperatingActivities"
DIVIDENDS = "PaymentsOfDividends"
BUYBACKS = "PaymentsForRepurchaseOfCommonStock"
ALL_EQUITY = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"
CASH_FLOWS = {
    "NetCashProvidedByUsedInInvestingActivities": -60.0,
    "NetCashProvidedByUsedInFinancingActivities": -20.0,
    "CashAndCashEquivalentsPeriodIncreaseDecrease": 10.0,
}
ADMINISTRATION, SELLING = (
    "GeneralAndAdministrativeExpense",
    "SellingGeneralAndAdministrativeExpense",
)
IN_SIGN = {"net_income": "gap-sign"}
COUNTS = {EPS: (8.0, "USD/shares"), SHARES: (10.0, "shares")}
UNITS = {"EarningsPerShareBasic": "USD/shares"}


def company(changed: Mapping[str, float | None]) -> Fundamentals:
    """Return a company with consistent facts, except the changed or added ones; None removes a fact."""
    flows = {tag: (value, "USD") for tag, value in FLOWS.items()} | COUNTS
    told: dict[str, Any] = {}
    for tag in {*flows, *BALANCE, *changed}:
        start = "" if tag in OF_DAY else "2023-01-01"
        usual, unit = flows.get(tag, (BALANCE.get(tag, 0.0), UNITS.get(tag, "USD")))
        amount = changed.get(tag, usual)
        rows = [row(start, END, amount, FILED, "10-K")] if amount is not None else []
        told |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    return of({"facts": {"us-gaap": told}})


def list_conflicts(found: Fundamentals) -> dict[str, str]:
    """Return the codes of the reasons why figures are withheld, by metric."""
    return {g.metric: g.reason.code for g in found.gaps if g.state == "conflicting"}


def test_facts_that_agree_withhold_nothing() -> None:
    assert not list_conflicts(company({}))


@pytest.mark.parametrize(
    ("changed", "withheld"),
    [
        ({"LiabilitiesAndStockholdersEquity": 900}, {"assets": "gap-unbalanced"}),
        ({"CashAndCashEquivalentsAtCarryingValue": 5e4}, {"cash": "gap-above-assets"}),
        ({"StockholdersEquity": 2e5}, {"equity": "gap-above-assets"}),
        ({"LongTermDebtNoncurrent": 400}, {"debt": "gap-above-liabilities"}),
        ({"InterestExpense": 60}, {"debt": "gap-interest"}),
        ({"Revenues": -400}, {"revenue": "gap-negative"}),
        ({"GrossProfit": 900}, {"gross_profit": "gap-above-revenue"}),
        ({EPS: -8}, {"diluted_eps": "gap-per-share"}),
        ({EPS: 80}, {"diluted_eps": "gap-per-share"}),
        ({SHARES: 0.01}, {"diluted_shares": "gap-share-unit", "fcf_per_share": "gap-needs"}),
        ({SHARES: -10}, {"diluted_shares": "gap-negative"}),
        ({"Revenues": 4e5}, {"revenue": "gap-far-above-assets"}),
        ({"NetIncomeLoss": 8e4}, {"net_income": "gap-far-above-assets"}),
        (
            {"NetCashProvidedByUsedInOperatingActivities": 9e4},
            {"operating_cash_flow": "gap-far-above-assets"},
        ),
        ({"CashAndCashEquivalentsAtCarryingValue": -50}, {"cash": "gap-negative"}),
        ({"StockholdersEquity": -200}, {"equity": "gap-sign"}),
        ({PRETAX: 100, "IncomeTaxExpenseBenefit": 20, "NetIncomeLoss": -80}, IN_SIGN),
        (
            {
                "IncomeLossFromContinuingOperations": 70,
                "IncomeLossFromDiscontinuedOperationsNetOfTax": 50,
            },
            {"continuing_income": "gap-continuing"},
        ),
        ({PRETAX: 100, TAX: -20}, {"income_tax": "gap-sign"}),
        ({PRETAX: -100, TAX: 20}, {"pretax_income": "gap-sign"}),
        ({PRETAX: 100, TAX: 2e3}, {"income_tax": "gap-far-above-others"}),
        (
            {PRETAX: 2e3, "ProfitLoss": 40, "NetIncomeLoss": 40},
            {"pretax_income": "gap-far-above-others"},
        ),
        ({"OperatingIncomeLoss": -100, "CostsAndExpenses": 300}, {"operating_income": "gap-sign"}),
        (CASH_FLOWS | {OCF: -90}, {"operating_cash_flow": "gap-sign"}),
        (
            {
                "OperatingIncomeLoss": -100,
                "GrossProfit": 250,
                "SellingGeneralAndAdministrativeExpense": 150,
            },
            {"operating_income": "gap-sign"},
        ),
        (
            {EPS: -8, "EarningsPerShareBasic": -8, "NetIncomeLoss": 80},
            {"net_income": "gap-sign"},
        ),
        ({BUYBACKS: 4e2}, {"buybacks": "gap-far-above-others"}),
        ({"ShareBasedCompensation": 4e2}, {"stock_compensation": "gap-above-costs"}),
        ({"ShareBasedCompensation": -5}, {"stock_compensation": "gap-negative"}),
        ({"ShareBasedCompensation": 2e3}, {"stock_compensation": "gap-above-costs"}),
        ({DIVIDENDS: 6e2}, {"dividends": "gap-far-above-assets"}),
        ({DIVIDENDS: 4.5e2, OCF: 5, "NetIncomeLoss": 80}, {"dividends": "gap-far-above-others"}),
        ({"MinorityInterest": -40, ALL_EQUITY: 240}, {"noncontrolling_interest": "gap-sign"}),
    ],
)
def test_breach_withholds_the_figure_and_says_so(
    changed: dict[str, float], withheld: dict[str, str]
) -> None:
    found = company(changed)
    told = list_conflicts(found)
    assert told | withheld == told
    assert not {f.metric for f in found.figures} & withheld.keys()
    assert "company-conflicting" in {note.code for note in found.notes}
    assert phrase("company-conflicting") in render_text(found)


COMMON = "NetIncomeLossAvailableToCommonStockholdersBasic"
OWED = {
    "Assets": 10,
    "LiabilitiesAndStockholdersEquity": 10,
    "CashAndCashEquivalentsAtCarryingValue": 1,
}


@pytest.mark.parametrize(
    ("changed", "metric", "shown"),
    [
        ({EPS: -2.2, COMMON: -22}, "diluted_eps", -2.2),
        (
            OWED | {"StockholdersEquity": -90, "LiabilitiesCurrent": 100, "Liabilities": 100},
            "equity",
            -90,
        ),
        (
            {"ProfitLoss": 364, "NetIncomeLoss": None, "IncomeLossFromContinuingOperations": 80},
            "net_income",
            80,
        ),
        (
            {PRETAX: 95, TAX: 20, "NetIncomeLossAttributableToNoncontrollingInterest": -5},
            "income_tax",
            20,
        ),
        (CASH_FLOWS, "operating_cash_flow", 90),
        ({"GeneralAndAdministrativeExpense": -30}, "general_and_administrative", 30),
        (
            {
                "OperatingIncomeLoss": 100,
                "OperatingExpenses": 300,
                "GrossProfit": 200,
            },
            "operating_income",
            100,
        ),
        ({DIVIDENDS: 15, "NetIncomeLoss": 1, OCF: 2, EPS: 0.1}, "dividends", 15),
        ({TAX: 60, "NetIncomeLoss": 1, EPS: 0.1}, "income_tax", 60),
        (
            {EPS: -0.5, "EarningsPerShareBasic": -0.5, "PreferredStockValue": 60},
            "diluted_eps",
            -0.5,
        ),
        ({EPS: 8, "EarningsPerShareBasic": 8, "NetIncomeLoss": -80}, "net_income", -80),
        # The income without preferred dividends is computed from the withheld one, and withheld with it.
        ({EPS: -8, "EarningsPerShareBasic": -8}, "diluted_eps", -8),
    ],
    ids=[
        *("common", "owed", "owners", "other-owners", "cash", "cost", "whole-costs"),
        *("poor-dividend", "poor-tax", "preferred", "loss-without-minus"),
        "income-without-minus",
    ],
)
def test_figure_that_other_lines_explain_is_shown(
    changed: dict[str, float | None], metric: str, shown: float
) -> None:
    period = "instant" if metric == "equity" else "year"
    assert value(company(changed), metric, period, END) == shown


@pytest.mark.parametrize(
    ("changed", "metric"),
    [
        ({"LongTermDebtNoncurrent": 400}, "net_cash"),
        ({"Revenues": -400}, "net_margin"),
        (
            {
                "IncomeLossFromContinuingOperations": 70,
                "IncomeLossFromDiscontinuedOperationsNetOfTax": 50,
            },
            "net_margin",
        ),
    ],
)
def test_what_needs_a_withheld_figure_is_withheld(changed: dict[str, float], metric: str) -> None:
    assert metric in {f.metric for f in company({}).figures}
    assert metric not in {f.metric for f in company(changed).figures}


AMOUNTS = st.integers(-1_000_000, 1_000_000).map(float)
CHANGED = st.dictionaries(st.sampled_from([*FLOWS, *BALANCE, *COUNTS]), AMOUNTS, max_size=5)


@given(CHANGED)
@settings(max_examples=60)
def test_no_shown_figures_contradict_each_other(changed: dict[str, float]) -> None:
    found = company(changed)
    shown = {m: value(found, m, "instant", END) for m in ("assets", "cash", "equity", "debt")}
    assets, cash, equity, debt = (shown[m] for m in ("assets", "cash", "equity", "debt"))
    if assets is not None:
        assert assets >= 0
        assert all(each <= 1.051 * assets for each in (cash, equity) if each is not None)
    liabilities = changed.get("Liabilities", BALANCE["Liabilities"])
    assert debt is None or debt <= liabilities + 0.051 * abs(liabilities)
    revenue = value(found, "revenue", "year", END)
    assert revenue is None or revenue >= 0
    eps, shares, income = (
        value(found, m, "year", END) for m in ("diluted_eps", "diluted_shares", "net_income")
    )
    if eps and shares and income and abs(eps) >= 0.05 and abs(eps * shares / income) < 500:
        assert eps * income > 0 or abs(eps * shares / income) <= 1 / 500
    assert list_lines(found) or not found.figures


def of_two_years(now: dict[str, float], then: dict[str, float]) -> Fundamentals:
    """Return a company of 2022 and 2023."""
    years = (("2022", then), ("2023", now))
    told: dict[str, list[Any]] = {}
    for year, flows in years:
        span, filed = (f"{year}-01-01", f"{year}-12-31"), f"{int(year) + 1}-02-05"
        for tag, amount in flows.items():
            told.setdefault(tag, []).append(row(*span, amount, filed, "10-K"))
    return of(listed(told))


@pytest.mark.parametrize("given_up", ["now", "then"])
def test_growth_across_discontinued_operations_is_of_continuing_ones(given_up: str) -> None:
    """80 of income before, and 60 with 30 of a part that was given up in one of the years."""
    part = {"IncomeLossFromDiscontinuedOperationsNetOfTax": 30.0}
    now = {"Revenues": 400.0, "NetIncomeLoss": 60.0} | (part if given_up == "now" else {})
    then = {"Revenues": 300.0, "NetIncomeLoss": 80.0} | (part if given_up == "then" else {})
    found = of_two_years(now, then)
    assert value(found, "net_income", "year", END) == 60
    assert value(found, "net_income_growth", "year", END) is None
    [note] = [note for note in found.notes if note.code == "company-discontinued"]
    assert "30" in note.text
    assert value(of_two_years(now, {**then, **dict.fromkeys(part, 1.0)}), "net_margin", "year", END)


@pytest.mark.parametrize("tag", [None, "IncomeLossFromContinuingOperations"])
def test_income_from_continuing_operations_leaves_out_extraordinary_items(tag: str | None) -> None:
    """Duke's 1,362 of 2008 held 16 of discontinued operations and an extraordinary gain of 67."""
    parts = {
        "IncomeLossFromDiscontinuedOperationsNetOfTax": 16.0,
        "ExtraordinaryItemNetOfTax": 67.0,
    }
    filed = {tag: 1279.0} if tag else {}
    found = company(
        {"NetIncomeLoss": 1362.0, "Revenues": 13207.0, "Assets": None, EPS: None} | parts | filed
    )
    assert value(found, "continuing_income", "year", END) == 1279
    assert "continuing_income" not in list_conflicts(found)


@pytest.mark.parametrize(
    ("filed", "shown"),
    [
        ({ADMINISTRATION: 60, SELLING: 15}, (60, None)),
        ({ADMINISTRATION: 60, SELLING: 90}, (None, 90)),
        ({SELLING: 15}, (None, 15)),
    ],
)
def test_selling_and_administration_below_administration_is_another_cost(
    filed: dict[str, float], shown: tuple[float | None, float | None]
) -> None:
    found = company(filed)
    names = ("general_and_administrative", "selling_and_administration")
    assert tuple(value(found, name, "year", END) for name in names) == shown


@pytest.mark.parametrize(
    ("part", "is_shown"),
    [
        ({}, True),
        ({"DisposalGroupIncludingDiscontinuedOperationRevenue": 7.0}, True),
        ({"DisposalGroupIncludingDiscontinuedOperationRevenue": 9.0}, False),
        ({"IncomeLossFromDiscontinuedOperationsNetOfTax": 4.0}, True),
        ({"IncomeLossFromDiscontinuedOperationsNetOfTax": -5.0}, False),
    ],
)
def test_cash_flow_of_the_whole_company_is_not_set_against_revenue_of_a_part(
    part: dict[str, float], *, is_shown: bool
) -> None:
    """Revenue of 400 and income of 80 leave out what was given up; the operating cash flow of 90 holds it."""
    found = of_two_years(FLOWS | part, FLOWS | {"Revenues": 380.0})
    names = ("fcf_margin", "capital_expenditure_share_of_revenue", "free_cash_flow_growth")
    shown = [value(found, name, "year", END) is not None for name in names]
    assert shown == [is_shown] * 3
    assert value(found, "free_cash_flow", "year", END) == 70
    assert ("company-flows-whole" in {note.code for note in found.notes}) != is_shown
    before = value(found, "fcf_margin", "year", "2022-12-31")
    assert before is not None, "nothing was given up in that year"


def test_cash_flow_of_continuing_operations_is_set_against_their_revenue() -> None:
    flows = {tag: amount for tag, amount in FLOWS.items() if tag != OCF}
    part = {
        "IncomeLossFromDiscontinuedOperationsNetOfTax": 30.0,
        f"{OCF}ContinuingOperations": 90.0,
    }
    found = of_two_years(flows | part, flows)
    assert value(found, "fcf_margin", "year", END) == 17.5


@pytest.mark.parametrize(
    ("filed", "payout"),
    [
        ({"IncomeLossFromContinuingOperationsPerDilutedShare": 4.0}, 50.0),
        ({}, None),
    ],
)
def test_payout_is_of_earnings_from_continuing_operations(
    filed: dict[str, float], payout: float | None
) -> None:
    """Of 8 a share, 4 are of what was given up; the dividend is 2."""
    per_share = {EPS: 8.0, "CommonStockDividendsPerShareDeclared": 2.0} | filed
    rows = {
        tag: [row("2023-01-01", END, amount, FILED, "10-K")] for tag, amount in per_share.items()
    }
    flows = FLOWS | {"IncomeLossFromDiscontinuedOperationsNetOfTax": 40.0}
    told = listed({t: [row("2023-01-01", END, v, FILED, "10-K")] for t, v in flows.items()})
    told["facts"]["us-gaap"] |= listed(rows, "USD/shares")["facts"]["us-gaap"]
    found = of(told)
    assert value(found, "payout_ratio", "year", END) == payout
    assert value(found, "continuing_eps", "year", END) == next(iter(filed.values()), None)
    assert value(found, "diluted_eps", "year", END) == 8


@pytest.mark.parametrize(
    ("now", "then", "why"),
    [
        ({"NetIncomeLoss": 80.0}, {"NetIncomeLoss": 9.0}, "growth-small-base"),
        (
            {"Revenues": 900.0, "PaymentsToAcquireBusinessesNetOfCashAcquired": 700.0},
            {},
            "growth-acquisitions",
        ),
        ({"Revenues": 900.0}, {}, "growth-unexplained"),
        ({"Revenues": 700.0}, {}, None),
    ],
)
def test_growth_over_100_percent_has_a_reason_or_says_that_none_is_filed(
    now: dict[str, float], then: dict[str, float], why: str | None
) -> None:
    usual = {"Revenues": 400.0, "NetIncomeLoss": 60.0}
    found = of_two_years(usual | now, usual | then)
    told = [note.params["why"] for note in found.notes if note.code == "company-growth"]
    assert [each.code for each in told if isinstance(each, Notice)] == ([why] if why else [])


def test_income_of_common_shareholders_alone_is_named_as_such() -> None:
    found = company({"NetIncomeLoss": None, COMMON: 80})
    assert value(found, "net_income", "year", END) == 80
    assert "company-common-income" in {note.code for note in found.notes}
    assert "company-common-income" not in {note.code for note in company({COMMON: 80}).notes}


def test_equity_of_partners_is_what_liabilities_and_other_owners_leave() -> None:
    """Partners' capital is filed with and without minority interests, so its tag alone is ambiguous."""
    filed = {"StockholdersEquity": None, "PartnersCapital": 200, "MinorityInterest": 30}
    assert value(company(filed), "equity", "instant", END) == 170
    assert value(company({**filed, "PartnersCapital": None}), "equity", "instant", END) is None


@pytest.mark.parametrize(("now", "then", "is_shown"), [(20, 8, True), (8, 20, False)])
def test_amounts_of_two_years_that_are_swapped_are_withheld(
    now: float, then: float, is_shown: bool
) -> None:
    """Income before tax was 100 in 2023 and 50 the year before, net income 80 and 42: tax was 20 and 8."""
    lines = {PRETAX: (100, 50), "NetIncomeLoss": (80, 42), "Revenues": (400, 300), TAX: (now, then)}
    days = [("2023-01-01", END, FILED), ("2022-01-01", "2022-12-31", "2023-02-05")]
    told = {
        tag: [
            row(start, end, v, filed, "10-K")
            for v, (start, end, filed) in zip(values, days, strict=True)
        ]
        for tag, values in lines.items()
    }
    found = of(listed(told))
    shown = [value(found, "income_tax", "year", end) for end in (END, "2022-12-31")]
    assert shown == ([20, 8] if is_shown else [None, None])
    codes = [gap.reason.code for gap in found.gaps if gap.metric == "income_tax"]
    assert codes == ([] if is_shown else ["gap-swapped"])
