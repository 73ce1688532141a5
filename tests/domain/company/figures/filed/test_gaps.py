"""Metrics without a figure have a state and a reason, and never count as zero."""

from typing import Any

import pytest

from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.filed.point_in_time_facts import FiledFacts
from domain.company.figures.filed.series import Amount, Missing
from domain.company.figures.notes.every_note import write_notes
from domain.company.figures.numbers import say_amount
from tests.domain.company.figures.companies import listed, of, row

END = "2023-12-31"


def of_year(values: dict[str, float]) -> dict[str, Any]:
    flows = {tag: [row("2023-01-01", END, v, "2024-02-05", "10-K")] for tag, v in values.items()}
    return listed(flows)


FACTS = of_year({"Revenues": 400, "NetCashProvidedByUsedInOperatingActivities": 90})


def test_metric_without_facts_is_not_filed_and_enters_no_sum() -> None:
    accounts = Accounts(FiledFacts(FACTS))
    capital, free = (
        accounts.find("year", n, END) for n in ("capital_expenditure", "free_cash_flow")
    )
    assert isinstance(capital, Missing)
    assert capital.state == "not_filed"
    assert isinstance(free, Missing)
    assert free.state == "not_filed"
    assert free.reason.code == "gap-needs"


def test_metric_that_does_not_apply_is_withheld_with_all_that_needs_it() -> None:
    accounts = Accounts(FiledFacts(FACTS), sic=6021)
    for name in ("operating_cash_flow", "free_cash_flow", "fcf_margin"):
        found = accounts.find("year", name, END)
        assert isinstance(found, Missing)
        assert found.state == "does_not_apply"
    assert isinstance(accounts.find("year", "revenue", END), Amount)


@pytest.mark.parametrize(("diluted", "state"), [(-0.05, "conflicting"), (3.47, "reported")])
def test_conflict_withholds_the_figure_and_says_so(diluted: float, state: str) -> None:
    facts = of_year({"Revenues": 400, "NetIncomeLoss": 80})
    for tag, eps in (("EarningsPerShareDiluted", diluted), ("EarningsPerShareBasic", 3.48)):
        rows = [row("2023-01-01", END, eps, "2024-02-05", "10-K")]
        facts["facts"]["us-gaap"][tag] = {"units": {"USD/shares": rows}}
    found = of(facts)
    shown = {figure.metric: figure.state for figure in found.figures}
    gaps = {gap.metric: gap.state for gap in found.gaps}
    assert (shown | gaps)["diluted_eps"] == state
    told = [note for note in found.notes if note.code == "company-conflicting"]
    assert bool(told) == (state == "conflicting")


def on_day(values: dict[str, float]) -> dict[str, Any]:
    """Return a balance sheet, with the flows of a year."""
    facts = of_year({"Revenues": 400, "NetIncomeLoss": 80})
    for tag, value in values.items():
        rows = [row("", END, value, "2024-02-05", "10-K")]
        facts["facts"]["us-gaap"][tag] = {"units": {"USD": rows}}
    return facts


def find_on_day(values: dict[str, float], name: str) -> Amount | Missing:
    return Accounts(FiledFacts(on_day(values))).find("instant", name, END)


@pytest.mark.parametrize(
    ("filed", "debt"),
    [
        ({"LongTermDebtNoncurrent": 80, "LongTermDebtCurrent": 10}, 90),
        ({"LongTermDebtNoncurrent": 80, "SeniorLongTermNotes": 60}, 80),
        ({"LongTermDebtNoncurrent": 80, "SeniorLongTermNotes": 95}, 175),
        ({"SecuredLongTermDebt": 30, "SeniorLongTermNotes": 60}, 90),
        ({"LongTermDebtNoncurrent": 80, "CommercialPaper": 5, "ShortTermBorrowings": 7}, 87),
        ({"LongTermDebtNoncurrent": 80, "DebtLongtermAndShorttermCombinedAmount": 100}, 100),
        (
            {
                "LongTermDebtNoncurrent": 80,
                "LongTermDebtCurrent": 10,
                "ShortTermBorrowings": 5,
                "DebtLongtermAndShorttermCombinedAmount": 90,
            },
            95,
        ),
        ({"LongTermDebtNoncurrent": 80, "DebtAndCapitalLeaseObligations": 40}, None),
        ({"LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities": 9}, 9),
        ({"SecuredDebt": 50, "NotesPayable": 30, "OtherLiabilities": 20, "Liabilities": 100}, 80),
        ({"SecuredDebt": 50, "NotesPayable": 30, "OtherLiabilities": 9, "Liabilities": 100}, None),
        ({"SecuredDebt": 50, "NotesPayable": 30}, None),
        ({"NotesPayableCurrent": 5, "LiabilitiesCurrent": 60, "Liabilities": 60}, 5),
        (
            {
                "NotesPayableCurrent": 5,
                "ConvertibleNotesPayableCurrent": 4,
                "LiabilitiesCurrent": 60,
                "LiabilitiesAndStockholdersEquity": 10,
                "StockholdersEquity": -50,
            },
            9,
        ),
        ({"LongTermDebt": 61, "NotesPayableRelatedPartiesNoncurrent": 27}, 88),
        ({"LongTermDebt": 61, "SeniorLongTermNotes": 27}, 61),
        ({"NotesPayableCurrent": 5, "LiabilitiesCurrent": 30, "Liabilities": 60}, None),
    ],
)
def test_debt_is_read_by_the_roles_of_tags_and_reconciled(
    filed: dict[str, float], debt: float | None
) -> None:
    """Parts add up unless a whole holds them; what no total confirms, or one contradicts, is unknown."""
    found = find_on_day(filed, "debt")
    assert (found.value if isinstance(found, Amount) else None) == debt


def test_debt_that_its_total_contradicts_withholds_net_cash_and_says_so() -> None:
    filed = {
        "CashAndCashEquivalentsAtCarryingValue": 10.0,
        "LongTermDebtNoncurrent": 80.0,
        "DebtAndCapitalLeaseObligations": 40.0,
    }
    found = of(on_day(filed))
    assert {gap.metric: gap.state for gap in found.gaps if gap.state == "conflicting"} == {
        "debt": "conflicting",
        "net_cash": "conflicting",
    }
    [note] = [note for note in found.notes if note.code == "company-conflicting"]
    assert note.params["metrics"] == [
        Notice.of("metric-debt", "info"),
        Notice.of("metric-net-cash", "info"),
    ]


def test_securities_of_which_a_part_is_not_read_withhold_net_cash() -> None:
    filed = {
        "CashAndCashEquivalentsAtCarryingValue": 10.0,
        "LongTermDebtNoncurrent": 4.0,
        "LongTermInvestments": 20.0,
        "AvailableForSaleSecuritiesDebtSecurities": 50.0,
    }
    assert isinstance(find_on_day(filed, "net_cash"), Missing)
    whole = find_on_day(filed | {"ShortTermInvestments": 30.0}, "net_cash")
    assert isinstance(whole, Amount)
    assert whole.value == 56


@pytest.mark.parametrize(("minority", "equity"), [(None, 50), (8.0, 42)])
def test_equity_is_that_of_shareholders_alone(minority: float | None, equity: float) -> None:
    filed = {"StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest": 50.0}
    found = find_on_day(filed | ({"MinorityInterest": minority} if minority else {}), "equity")
    assert isinstance(found, Amount)
    assert found.value == equity


BESIDE = "gap-beside-preferred-dividends"
TOTAL = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"


@pytest.mark.parametrize(
    ("metric", "beside", "reason"),
    [
        ("equity", {"NetIncomeLossAttributableToNoncontrollingInterest": 5}, "gap-needs"),
        ("equity", {}, ""),
        ("book_value_per_share", {"PreferredStockDividendsIncomeStatementImpact": 5}, BESIDE),
        ("book_value_per_share", {}, ""),
    ],
)
def test_equity_that_others_share_is_not_the_common_owners(
    metric: str, beside: dict[str, float], reason: str
) -> None:
    facts = of_year({"Revenues": 400, "NetIncomeLoss": 40, **beside})
    of_day = {TOTAL: ("USD", 200), "CommonStockSharesOutstanding": ("shares", 10)}
    for tag, (unit, amount) in of_day.items():
        rows = [row("", END, amount, "2024-02-05", "10-K")]
        facts["facts"]["us-gaap"] |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    found = Accounts(FiledFacts(facts)).find("instant", metric, END)
    if reason:
        assert isinstance(found, Missing)
        assert (found.state, found.reason.code) == ("not_filed", reason)
    else:
        assert isinstance(found, Amount)


@pytest.mark.parametrize(("value", "shown"), [(1, False), (80, True)])
def test_preferred_shares_at_par_withhold_book_value(value: float, *, shown: bool) -> None:
    facts = of_year({"Revenues": 400})
    of_day = {
        "StockholdersEquity": ("USD", 200),
        "PreferredStockValue": ("USD", value),
        "PreferredStockSharesOutstanding": ("shares", 40),
        "CommonStockSharesOutstanding": ("shares", 10),
    }
    for tag, (unit, amount) in of_day.items():
        rows = [row("", END, amount, "2024-02-05", "10-K")]
        facts["facts"]["us-gaap"] |= listed({tag: rows}, unit)["facts"]["us-gaap"]
    found = Accounts(FiledFacts(facts)).find("instant", "book_value_per_share", END)
    assert isinstance(found, Amount) == shown
    if isinstance(found, Missing):
        assert (found.state, found.reason.code) == ("conflicting", "gap-preferred-at-par")
    else:
        assert found.value == 12


@pytest.mark.parametrize(
    ("tag", "preference", "dividends", "owed"),
    [
        ("PreferredStockLiquidationPreference", 2_100, 122e6, 2.1e9),  # filed in millions
        ("PreferredStockLiquidationPreference", 25, 122e6, 2.1e9),  # of one share
        ("PreferredStockLiquidationPreferenceValue", 2.1e9, 122e6, 2.1e9),
        ("PreferredStockLiquidationPreferenceValue", 2.1e9, 1e6, None),  # no usual rate
        ("PreferredStockLiquidationPreferenceValue", 2.1e9, None, None),
    ],
)
def test_preferred_at_par_are_owed_the_liquidation_preference_that_dividends_fit(
    tag: str, preference: float, dividends: float | None, owed: float | None
) -> None:
    paid = {"PreferredStockDividends": dividends} if dividends else {}
    facts = of_year({"Revenues": 400e8, **paid})
    of_day = {
        "StockholdersEquity": ("USD", 36e9),
        "Goodwill": ("USD", 5e9),
        "PreferredStockValue": ("USD", 1e6),
        tag: ("USD", preference),
        "PreferredStockSharesOutstanding": ("shares", 84e6),
        "CommonStockSharesOutstanding": ("shares", 800e6),
    }
    for name, (unit, amount) in of_day.items():
        rows = [row("", END, amount, "2024-02-05", "10-K")]
        facts["facts"]["us-gaap"] |= listed({name: rows}, unit)["facts"]["us-gaap"]
    accounts = Accounts(FiledFacts(facts), sic=6311)
    found = accounts.find("instant", "common_book", END)
    noted = [n for n in write_notes(accounts, [], []) if n.code == "company-preference"]
    if owed is None:
        assert isinstance(found, Missing)
        assert found.state == "conflicting"
    else:
        assert isinstance(found, Amount)
        assert found.value == 36e9 - owed
    assert len(noted) == (owed is not None)


@pytest.mark.parametrize(
    ("then", "now", "sic", "is_noted"),
    [(-30, -5, 6311, True), (-30, -28, 6311, False), (-30, -5, 3571, False)],
)
def test_equity_that_prices_of_securities_changed_is_noted(
    then: float, now: float, sic: int, *, is_noted: bool
) -> None:
    facts = of_year({"Revenues": 400})
    facts["facts"]["us-gaap"]["Revenues"]["units"]["USD"].append(
        row("2022-01-01", "2022-12-31", 390, "2024-02-05", "10-K")
    )
    of_day = {
        "StockholdersEquity": (200, 220),
        "AccumulatedOtherComprehensiveIncomeLossNetOfTax": (then, now),
    }
    for tag, amounts in of_day.items():
        days = zip(("2022-12-31", END), amounts, strict=True)
        rows = [row("", day, amount, "2024-02-05", "10-K") for day, amount in days]
        facts["facts"]["us-gaap"] |= listed({tag: rows}, "USD")["facts"]["us-gaap"]
    notes = write_notes(Accounts(FiledFacts(facts), sic=sic), [], [])
    noted = [n.params for n in notes if n.code == "company-equity-other-income"]
    assert len(noted) == is_noted
    if noted:
        assert noted[0]["change"] == say_amount(20, "USD")


def test_bank_with_negative_net_revenue_has_no_efficiency_ratio() -> None:
    facts = of_year({"RevenuesNetOfInterestExpense": -9, "NoninterestExpense": 5})
    found = Accounts(FiledFacts(facts), sic=6021).find("year", "efficiency_ratio", END)
    assert isinstance(found, Missing)
    assert found.state == "not_filed"


@pytest.mark.parametrize(("count", "shown"), [(11, True), (11_000, False)])
def test_shares_that_do_not_fit_those_of_earnings_are_withheld(
    count: float, *, shown: bool
) -> None:
    facts = of_year({"Revenues": 400})
    counts = {
        "CommonStockSharesOutstanding": row("", END, count, "2024-02-05", "10-K"),
        "WeightedAverageNumberOfDilutedSharesOutstanding": row(
            "2023-01-01", END, 10, "2024-02-05", "10-K"
        ),
    }
    for tag, each in counts.items():
        facts["facts"]["us-gaap"] |= listed({tag: [each]}, "shares")["facts"]["us-gaap"]
    found = Accounts(FiledFacts(facts)).find("instant", "shares_outstanding", END)
    assert isinstance(found, Amount) == shown
