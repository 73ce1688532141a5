"""Growth, means and amounts per share of amounts that are composed alike, and the reason where they are not."""

from collections.abc import Mapping
from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import figure, find_notices, listed, row, value

BEFORE, END = "2023-12-31", "2024-12-31"
BEFORE_QUARTER, QUARTER_END = "2024-12-31", "2025-03-31"
BANK, INSURER, REIT, MAKER = 6021, 6311, 6798, 3571
TAG = "us-gaap"
DILUTED = "WeightedAverageNumberOfDilutedSharesOutstanding"
BASIC = "WeightedAverageNumberOfSharesOutstandingBasic"
Pair = tuple[float | None, float | None]
"""An amount of the newer year and of the year before; None where it is not filed."""


def _compute(
    sic: int,
    flows: Mapping[str, Pair],
    days: Mapping[str, Pair] | None = None,
    shares: Mapping[str, Pair] | None = None,
    per_share: Mapping[str, Pair] | None = None,
) -> Fundamentals:
    """Return fundamentals of a company from the amounts of two fiscal years."""
    tags: dict[str, Any] = {}
    for of, unit in ((flows, "USD"), (shares, "shares"), (per_share, "USD/shares"), (days, "USD")):
        for tag, pair in (of or {}).items():
            rows = [
                row("" if of is days else f"{end[:4]}-01-01", end, amount, "2025-02-05", "10-K")
                for end, amount in zip((END, BEFORE), pair, strict=True)
                if amount is not None
            ]
            tags |= listed({tag: rows}, unit)["facts"][TAG]
    of_company = Company(cik=1, ticker="ACME", name="Acme", sic=sic)
    return compute_fundamentals({"facts": {TAG: tags}}, of_company)


def _bank(intangibles: Pair) -> Fundamentals:
    days: dict[str, Pair] = {
        "StockholdersEquity": (352, 340),
        "Goodwill": (52, 52),
        "IntangibleAssetsNetExcludingGoodwill": intangibles,
    }
    return _compute(BANK, {"NetIncomeLoss": (50, 48), "Revenues": (170, 160)}, days)


@pytest.mark.parametrize(
    ("intangibles", "growth", "mean"),
    [
        ((8, 8), 100 * (292 / 280 - 1), 100 * 50 / 286),
        ((None, 8), None, None),
        ((None, 4), None, 100 * 50 / 292),
        ((None, 1), 100 * (300 / 287 - 1), 100 * 50 / 293.5),
    ],
    ids=["both days", "one day", "too little for a mean", "too little for growth"],
)
def test_tangible_book_of_two_days_is_compared_only_if_both_leave_out_the_same(
    intangibles: Pair, growth: float | None, mean: float | None
) -> None:
    """JPMorgan's grew 2.1 % in a quarter of which other intangible assets are not filed, and 1.2 % without them."""
    found = _bank(intangibles)
    grown = value(found, "tangible_book_growth", "instant", END)
    earned = value(found, "return_on_tangible_equity", "year", END)
    assert grown == (growth and pytest.approx(growth, abs=1e-3))
    assert earned == (mean and pytest.approx(mean, abs=1e-3))
    told = find_notices(found, "company-growth-withheld")
    assert [each["why"]["day"] for each in told] == ([] if growth else [BEFORE])


@pytest.mark.parametrize(("before", "is_shown"), [(100, False), (105, True)])
def test_diluted_shares_of_a_loss_are_not_compared_with_those_of_a_profit(
    before: float, *, is_shown: bool
) -> None:
    """In a loss potential shares are left out: with the same owners the count then seems to have grown."""
    flows: dict[str, Pair] = {
        "Revenues": (900, 800),
        "NetIncomeLoss": (50, 40 if is_shown else -40),
        "NetCashProvidedByUsedInOperatingActivities": (90, 80),
        "PaymentsToAcquirePropertyPlantAndEquipment": (10, 10),
    }
    found = _compute(MAKER, flows, shares={DILUTED: (106, before), BASIC: (100, 100)})
    for name in ("diluted_shares_growth", "fcf_per_share_growth"):
        assert bool(figure(found, name, "year", END)) is is_shown, name
    told = find_notices(found, "company-growth-withheld")
    assert [each["why"]["share"] for each in told] == ([] if is_shown else [6])


@pytest.mark.parametrize(
    ("eps", "divisor", "added"),
    [(1.16, 273.6, None), (1.09, 290.1, 16.5)],
    ids=["partners' units, with their income", "options, which have none"],
)
def test_funds_from_operations_a_share_are_divided_by_the_shares_of_those_who_have_them(
    eps: float, divisor: float, added: float | None
) -> None:
    """Diluted EPS of 1.16 on 290.1 million shares are 337, of which common shareholders had 317: the rest is of units."""
    flows: dict[str, Pair] = {
        "RealEstateRevenueNet": (1_949, 1_900),
        "NetIncomeLoss": (330, 320),
        "ProfitLoss": (345, 335),
        "NetIncomeLossAvailableToCommonStockholdersBasic": (317, 305),
        "DepreciationAndAmortization": (600, 580),
    }
    found = _compute(
        REIT,
        flows,
        shares={DILUTED: (290.1, None), BASIC: (273.6, None)},
        per_share={"EarningsPerShareDiluted": (eps, None)},
    )
    assert value(found, "ffo_per_share", "year", END) == pytest.approx(917 / divisor, abs=1e-3)
    told = value(found, "dilutive_shares", "year", END)
    assert told == (added and pytest.approx(added))
    assert value(found, "all_owners_ffo", "year", END) == 917 + 15


def test_partners_whose_share_only_the_whole_income_shows_have_a_part_of_the_funds() -> None:
    flows: dict[str, Pair] = {
        "RealEstateRevenueNet": (1_949, None),
        "NetIncomeLoss": (300, None),
        "ProfitLoss": (330, None),
        "DepreciationAndAmortization": (600, None),
    }
    found = _compute(REIT, flows, shares={DILUTED: (290, None)})
    assert value(found, "ffo_per_share", "year", END) is None
    assert "gap-partners" in {gap.reason.code for gap in found.gaps}


def test_growth_of_cash_flows_leaves_out_years_with_discontinued_operations() -> None:
    """Free cash flow a share, capital expenditure and depreciation hold them as free cash flow does."""
    flows: dict[str, Pair] = {
        "Revenues": (900, 800),
        "NetIncomeLoss": (50, 140),
        "IncomeLossFromDiscontinuedOperationsNetOfTax": (None, 90),
        "NetCashProvidedByUsedInOperatingActivities": (90, 80),
        "PaymentsToAcquirePropertyPlantAndEquipment": (10, 12),
        "DepreciationDepletionAndAmortization": (7, 8),
        "ShareBasedCompensation": (3, 4),
    }
    flows_of_all = ("free_cash_flow", "fcf_per_share", "capital_expenditure")
    names = (*flows_of_all, "depreciation", "stock_compensation")
    found = _compute(MAKER, flows, shares={DILUTED: (100, 100)})
    assert not [n for n in names if figure(found, f"{n}_growth", "year", END)]
    assert found.divided_years == [BEFORE], "charts mark it"
    del flows["IncomeLossFromDiscontinuedOperationsNetOfTax"]
    found = _compute(MAKER, flows, shares={DILUTED: (100, 100)})
    assert all(figure(found, f"{n}_growth", "year", END) for n in names)


def test_secured_debt_of_an_insurer_is_shown_beside_its_long_term_debt() -> None:
    """MetLife's 5.3 billion USD are a liability of their own."""
    flows: dict[str, Pair] = {"Revenues": (41, 51), "NetIncomeLoss": (2, 3)}
    days: dict[str, Pair] = {"LongTermDebt": (20.2, 13.2), "SecuredDebt": (5.3, 5.3)}
    found = _compute(INSURER, flows, days)
    assert value(found, "insurer_secured_debt", "instant", END) == 5.3
    assert find_notices(found, "company-secured-debt")
    alone = _compute(INSURER, flows, {"LongTermDebt": (20.2, 13.2)})
    assert not find_notices(alone, "company-secured-debt")


@pytest.mark.parametrize(
    ("whole", "code"),
    [
        (28.5, "company-secured-debt-beside"),
        (23.2, "company-secured-debt-held"),
        (30.0, "company-secured-debt"),
    ],
)
def test_lines_that_add_up_to_liabilities_show_whether_long_term_debt_holds_secured_debt(
    whole: float, code: str
) -> None:
    days: dict[str, Pair] = {
        "LongTermDebt": (20.2, 13.2),
        "SecuredDebt": (5.3, 5.3),
        "OtherLiabilities": (3.0, 3.0),
        "Liabilities": (whole, 20.0),
    }
    found = _compute(INSURER, {"Revenues": (41, 51), "NetIncomeLoss": (2, 3)}, days)
    every = [f"company-secured-debt{end}" for end in ("", "-beside", "-held")]
    assert [each for each in every if find_notices(found, each)] == [code]


def test_allowance_is_held_against_the_loans_that_it_is_for() -> None:
    """JPMorgan's was 1.82 % of them, and 1.72 % of all loans: those at fair value carry none."""
    days: dict[str, Pair] = {
        "LoansAndLeasesReceivableNetOfDeferredIncome": (1_505, 1_355),
        "FinancingReceivableExcludingAccruedInterestBeforeAllowanceForCreditLoss": (1_425, 1_301),
        "FinancingReceivableAllowanceForCreditLossExcludingAccruedInterest": (25.9, 25.2),
        "OffBalanceSheetCreditLossLiability": (5.1, 2.2),
    }
    found = _compute(BANK, {"Revenues": (170, 160), "NetIncomeLoss": (50, 48)}, days)
    told = value(found, "allowance_to_loans", "instant", END)
    assert told == pytest.approx(100 * 25.9 / 1_425, abs=1e-3)
    assert value(found, "commitment_allowance", "instant", BEFORE) == 2.2
    del days["FinancingReceivableExcludingAccruedInterestBeforeAllowanceForCreditLoss"]
    found = _compute(BANK, {"Revenues": (170, 160), "NetIncomeLoss": (50, 48)}, days)
    assert not figure(found, "allowance_to_loans", "instant", END)


def test_income_before_tax_of_earlier_quarters_and_assets_of_earlier_years_are_shown() -> None:
    pretax = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
    quarters = [("01-01", "03-31", 18.4), ("04-01", "06-30", 18.3), ("07-01", "09-30", 18.7)]
    spans = [(f"2024-{first}", f"2024-{last}", n) for first, last, n in quarters]
    rows = [row(start, end, amount, "2025-02-05") for start, end, amount in spans]
    days = [row("", f"{n}-12-31", n, "2024-02-05", "10-K") for n in (2021, 2022, 2023)]
    years = [
        row(f"{n}-01-01", f"{n}-12-31", 70, f"{n + 1}-02-05", "10-K") for n in (2021, 2022, 2023)
    ]
    told = listed({pretax: rows, "Revenues": [*rows, *years], "Assets": days})
    found = compute_fundamentals(told, Company(cik=1, ticker="ACME", name="Acme", sic=BANK))
    assert value(found, "pretax_income", "quarter", "2024-06-30") == 18.3
    assert value(found, "assets", "instant", "2021-12-31") == 2021


def test_bank_is_compared_year_on_year_and_its_mean_assets_take_each_quarter() -> None:
    """JPMorgan's assets swell every March: net interest income to assets was 2.14 % after 2.18 %, not 2.11 % after 2.27 %."""
    ends = ("2024-03-31", "2024-06-30", "2024-09-30", BEFORE_QUARTER, QUARTER_END)
    amounts = (4_000, 4_100, 4_150, 3_900, 4_400)
    tags: dict[str, Any] = {
        "Assets": [row("", e, a, "2025-05-01") for e, a in zip(ends, amounts, strict=True)],
        "InterestIncomeExpenseNet": [],
        "Revenues": [],
    }
    for n, (end, _) in enumerate(zip(ends, amounts, strict=True)):
        start = ("2024-01-01", "2024-04-01", "2024-07-01", "2024-10-01", "2025-01-01")[n]
        for tag, amount in (("InterestIncomeExpenseNet", 22), ("Revenues", 45)):
            tags[tag].append(row(start, end, amount, "2025-05-01"))
    for tag, amount in (("InterestIncomeExpenseNet", 88), ("Revenues", 180)):
        tags[tag].append(row("2024-01-01", BEFORE_QUARTER, amount, "2025-02-05", "10-K"))
    of_company = Company(cik=1, ticker="ACME", name="Acme", sic=BANK)
    found = compute_fundamentals(listed(tags), of_company)
    share = value(found, "net_interest_to_assets", "ttm", QUARTER_END)
    assert share == pytest.approx(100 * 88 / 4_110, abs=1e-3)
    assert value(found, "assets_growth", "instant", QUARTER_END) == pytest.approx(10)
    maker = compute_fundamentals(
        listed(tags), Company(cik=1, ticker="ACME", name="Acme", sic=MAKER)
    )
    grown = value(maker, "assets_growth", "instant", QUARTER_END)
    assert grown == pytest.approx(100 * (4_400 / 3_900 - 1), abs=1e-3)


@pytest.mark.parametrize(("pair", "growth"), [((6e9, 5e9), None), ((93.2e9, 80.1e9), 16.4)])
def test_growth_of_amounts_rounded_to_billions_is_withheld(
    pair: Pair, growth: float | None
) -> None:
    """Alphabet's deferred revenue of 6 billion after 5 grew between 0 and 44 %: its current part, in full, 21.7 %."""
    flows: dict[str, Pair] = {"Revenues": (350e9, 307e9), "NetIncomeLoss": (100e9, 73e9)}
    soon: Pair = (5_036e6, 4_137e6)
    days = {"ContractWithCustomerLiability": pair, "ContractWithCustomerLiabilityCurrent": soon}
    found = _compute(MAKER, flows, days)
    grown = value(found, "deferred_revenue_growth", "instant", END)
    assert grown == (growth and pytest.approx(growth, abs=0.05))
    assert value(found, "deferred_revenue_soon_growth", "instant", END) == pytest.approx(
        21.7, abs=0.05
    )
    withheld = find_notices(found, "company-growth-withheld")
    assert [len(each["metrics"]) for each in withheld] == ([] if growth else [1])


def test_obligations_that_fell_to_nothing_are_not_rounded() -> None:
    flows: dict[str, Pair] = {"Revenues": (350e9, 307e9), "NetIncomeLoss": (100e9, 73e9)}
    found = _compute(MAKER, flows, {"RevenueRemainingPerformanceObligation": (0, 6e9)})
    assert value(found, "remaining_performance_obligation_growth", "instant", END) == -100


def test_dividends_to_owners_of_subsidiaries_are_named_where_shareholders_have_none() -> None:
    """Logistic Properties' partners took 9.9 of its 19.4 million USD of cash."""
    flows: dict[str, Pair] = {
        "Revenues": (43.9, 39.4),
        "NetIncomeLoss": (5, 3),
        "NetCashProvidedByUsedInOperatingActivities": (19.4, 17.2),
        "PaymentsOfDividendsMinorityInterest": (9.94, 4.52),
    }
    [note] = find_notices(_compute(MAKER, flows), "company-minority-dividends")
    assert note["share"] == 51.2
    with_own = flows | {"PaymentsOfDividends": (4, 3)}
    assert not find_notices(_compute(MAKER, with_own), "company-minority-dividends")
