"""Growth that rounding, or the size of its base, leaves without a meaning."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from domain.company.figures.computation import compute_fundamentals
from tests.domain.company.figures.companies import figure, listed, of, row, value, year

EPS, SHARES = "EarningsPerShareDiluted", "WeightedAverageNumberOfDilutedSharesOutstanding"
END = "2024-12-31"
NO_REVENUE = (0.0, 0.0)


def compute(
    income: tuple[float, float], per_share: dict[str, list[dict[str, Any]]]
) -> Fundamentals:
    """Return a company by its yearly net income of 2023 and 2024, and what it files in dollars per share."""
    facts = listed({"NetIncomeLoss": [*_year(2023, income[0]), *_year(2024, income[1])]})
    shares = {tag: {"units": {"USD/shares": rows}} for tag, rows in per_share.items()}
    facts["facts"]["us-gaap"] |= shares
    return of(facts)


def _year(number: int, amount: float, filed: int | None = None) -> list[dict[str, Any]]:
    day = f"{filed or number + 1}-02-05"
    return [row(f"{number}-01-01", f"{number}-12-31", amount, day, "10-K", fy=number)]


@pytest.mark.parametrize(
    ("then", "now", "growth"),
    [(0.04, 0.05, None), (1.20, 1.50, 25), (0.0400, 0.0512, 28)],
    ids=["cents", "dollars", "filed to a hundredth of a cent"],
)
def test_growth_of_a_few_cents_is_not_shown_unless_they_are_filed_exactly(
    then: float, now: float, growth: float | None
) -> None:
    """Of 4 cents that are 3.5 to 4.5, and 5 that are 4.5 to 5.5, the growth is 0 to 57 percent."""
    exact = 0.0001 if growth == 28 else 0
    earned = {EPS: [*_year(2023, then + exact / 2), *_year(2024, now + exact / 2)]}
    found = compute((24, 30), earned)
    shown = value(found, "diluted_eps_growth", "year", END)
    assert shown == (growth and pytest.approx(growth, abs=0.5))
    assert value(found, "net_income_growth", "year", END) == 25, "dollars say it"


def test_dividends_per_share_are_declared_exactly_however_small() -> None:
    paid = {"CommonStockDividendsPerShareDeclared": [*_year(2023, 0.01), *_year(2024, 0.02)]}
    assert value(compute((24, 30), paid), "dividends_per_share_growth", "year", END) == 100


def test_cents_of_before_a_reverse_split_are_rounded_to_many_of_the_new_shares() -> None:
    """A share of 4 old cents is 80 new ones, and was 70 to 90."""
    old = {EPS: [*_year(2022, 0.04), *_year(2023, 0.04)], SHARES: [*_year(2023, 100)]}
    new = {EPS: [*_year(2024, 0.90)], SHARES: [*_year(2023, 5, 2025), *_year(2024, 5)]}
    facts = listed({"NetIncomeLoss": [r for y in (2022, 2023, 2024) for r in _year(y, 4)]})
    facts["facts"]["us-gaap"] |= {
        EPS: {"units": {"USD/shares": [*old[EPS], *new[EPS]]}},
        SHARES: {"units": {"shares": [*old[SHARES], *new[SHARES]]}},
    }
    found = of(facts)
    assert value(found, "diluted_eps", "year", "2023-12-31") == pytest.approx(0.8)
    assert value(found, "diluted_eps_growth", "year", END) is None


def test_growth_of_a_quarter_that_is_left_of_rounded_ones_counts_the_rounding_of_all() -> None:
    earned = {EPS: [*year(2023, (0.05, 0.05, 0.05, 0.05)), *year(2024, (0.05, 0.05, 0.05, 0.07))]}
    incomes = [*year(2023, (5, 5, 5, 5)), *year(2024, (5, 5, 5, 7))]
    facts = listed({"NetIncomeLoss": incomes})
    facts["facts"]["us-gaap"] |= {EPS: {"units": {"USD/shares": earned[EPS]}}}
    found = of(facts)
    assert value(found, "diluted_eps", "quarter", END) == pytest.approx(0.07)
    assert value(found, "diluted_eps_growth", "quarter", END) is None
    assert value(found, "net_income_growth", "quarter", END) == 40


def test_growth_from_next_to_nothing_is_held_against_assets_where_there_is_no_revenue() -> None:
    assets = [row("", f"{y}-12-31", 9_000, f"{y + 1}-02-05", "10-K") for y in (2023, 2024)]
    facts = listed({"NetIncomeLoss": [*_year(2023, 1), *_year(2024, 250)], "Assets": assets})
    found = of(facts)
    assert figure(found, "net_income", "year", END)
    assert value(found, "net_income_growth", "year", END) is None


@pytest.mark.parametrize(("revenue", "margin"), [(0.2, None), (50.0, -214.0)])
def test_a_loss_of_many_times_the_revenue_has_no_margin(
    revenue: float, margin: float | None
) -> None:
    facts = listed({"Revenues": _year(2024, revenue), "OperatingIncomeLoss": _year(2024, -107.0)})
    found = of(facts)
    assert value(found, "operating_margin", "year", END) == margin
    gaps = {gap.metric: gap for gap in found.gaps}
    code = gaps["operating_margin"].reason.code if "operating_margin" in gaps else ""
    assert code == ("" if margin else "gap-little-whole")


def test_dividends_of_many_times_a_cent_of_earnings_are_no_payout_ratio() -> None:
    paid = {"CommonStockDividendsPerShareDeclared": _year(2024, 0.50), EPS: _year(2024, 0.01)}
    found = compute((1, 1), paid)
    assert value(found, "dividends_per_share", "year", END) == 0.5
    assert value(found, "payout_ratio", "year", END) is None


@pytest.mark.parametrize(("then", "growth"), [(40, None), (2400, 25)], ids=["tiny", "usual"])
def test_growth_of_book_value_per_share_is_withheld_with_that_of_the_equity(
    then: float, growth: float | None
) -> None:
    """As of AIG in 2010: its equity grew from next to nothing, and book value per share by 7,452 %."""

    def on_days(before: float, now: float, unit: str) -> dict[str, Any]:
        days = [("2023-12-31", before, "2024-02-05"), ("2024-12-31", now, "2025-02-05")]
        return {"units": {unit: [row("", day, held, filed, "10-K") for day, held, filed in days]}}

    facts = listed({"NetIncomeLoss": [*_year(2023, 24), *_year(2024, 30)]})
    facts["facts"]["us-gaap"] |= {
        "StockholdersEquity": on_days(then, 3000, "USD"),
        "Assets": on_days(100_000, 100_000, "USD"),
        "CommonStockSharesOutstanding": on_days(100, 100, "shares"),
    }
    found = of(facts)
    assert value(found, "book_value_per_share", "instant", END) == 30
    assert value(found, "book_value_per_share_growth", "instant", END) == growth


@pytest.mark.parametrize(("provision", "growth"), [(14_200, 128.7), (1_500_000, None)])
def test_growth_of_an_allowance_is_held_against_what_is_provided_in_a_year(
    provision: float, growth: float | None
) -> None:
    """JPMorgan's allowance for commitments grew from 2.23 to 5.09 billion: little beside assets, much beside 14.2."""
    end, before = "2026-03-31", "2025-03-31"
    years = [
        row(f"{year}-01-01", f"{year}-12-31", 1e6, f"{year + 1}-02-15", "10-K")
        for year in (2023, 2024, 2025)
    ]
    quarters = [row(f"{day[:4]}-01-01", day, 1e6, "2026-05-01") for day in (end, before)]
    provided = [
        each | {"val": provision * 1e6 / (1 if "12-31" in str(each["end"]) else 4)}
        for each in (*years, *quarters)
    ]
    days = ("2024-12-31", before, "2025-12-31", end)
    amounts = (2_101, 2_226, 5_071, 5_091)
    found = compute_fundamentals(
        listed(
            {
                "NetIncomeLoss": [*years, *quarters],
                "InterestIncomeExpenseNet": [*years, *quarters],
                "ProvisionForLoanLeaseAndOtherLosses": provided,
                "Deposits": [row("", end, 2_676e9, "2026-05-01")],
                "Assets": [row("", day, 4_400e9, "2026-05-01") for day in days],
                "OffBalanceSheetCreditLossLiability": [
                    row("", day, amount * 1e6, "2026-05-01")
                    for day, amount in zip(days, amounts, strict=True)
                ],
            }
        ),
        Company(cik=1, ticker="ACME", name="Acme", sic=6021),
    )
    told = value(found, "commitment_allowance_growth", "instant", end)
    assert told == (pytest.approx(growth, abs=0.1) if growth else None)
