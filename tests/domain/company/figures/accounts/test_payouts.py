"""Dividends in cash and in shares, the shares that they imply, what a property company's cash covers, a bank's charge-offs."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.notes.periods import name_period
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import Row, figure, find_notices, listed, row, value

Spans = dict[tuple[str, str], float]
YEAR, BEFORE = ("2009-01-01", "2009-12-31"), ("2009-01-01", "2009-03-31")
QUARTER = ("2010-01-01", "2010-03-31")
END = QUARTER[1]


def _file(tags: dict[str, dict[tuple[str, str], float]], unit: str = "USD") -> dict[str, list[Row]]:
    """Return facts as a 10-K of fiscal 2009 and the 10-Q after it state them, in millions where they are dollars."""
    scale = 1e6 if unit == "USD" else 1
    return {
        tag: [
            row(
                *span,
                scale * amount,
                *(("2010-02-23", "10-K") if span == YEAR else ("2010-05-04",)),
            )
            for span, amount in spans.items()
        ]
        for tag, spans in tags.items()
    }


def _join(*told: dict[str, Any]) -> dict[str, Any]:
    tags = {tag: about for each in told for tag, about in each["facts"]["us-gaap"].items()}
    return {"facts": {"us-gaap": tags}}


def _of_property(more: dict[str, Spans] | None = None, **without: float) -> Fundamentals:
    """Return fundamentals of a property company with amounts of Vornado's filings of 2010."""
    flows: dict[str, Spans] = {
        "RealEstateRevenueNet": {YEAR: 2742.6, BEFORE: 678.6, QUARTER: 696.3},
        "NetIncomeLoss": {YEAR: 106.2, BEFORE: 140.1, QUARTER: 214.6},
        "NetIncomeLossAvailableToCommonStockholdersBasic": {
            YEAR: 49.1,
            BEFORE: 125.8,
            QUARTER: 200.3,
        },
        "NetIncomeLossAttributableToNoncontrollingInterest": {
            YEAR: 22.3,
            BEFORE: 16.3,
            QUARTER: 18.0,
        },
        "DepreciationAndAmortization": {YEAR: 541.4, BEFORE: 132.1, QUARTER: 135.8},
        "GainLossOnSaleOfProperty": {YEAR: 45.3},
        "OperatingIncomeLoss": {YEAR: 795.8, BEFORE: 188.9, QUARTER: 222.7},
        "InterestAndDebtExpense": {YEAR: 634.3, BEFORE: 157.8, QUARTER: 139.7},
        "NetCashProvidedByUsedInOperatingActivities": {YEAR: 633.6, BEFORE: 169.8, QUARTER: 288.0},
        "PaymentsForCapitalImprovements": {YEAR: 216.7, BEFORE: 38.9, QUARTER: 30.2},
        "DividendsPreferredStock": {YEAR: -57.1, BEFORE: 14.3, QUARTER: 14.3},
        "PaymentsOfDividendsMinorityInterest": {YEAR: 42.5, BEFORE: 10.5, QUARTER: 13.1},
        "PaymentsOfDividendsCommonStock": {YEAR: 262.4},
        "DividendsCommonStock": {YEAR: -262.4, BEFORE: -59.1, QUARTER: -118.0},
        "StockIssuedDuringPeriodValueStockDividend": {YEAR: 285.6, BEFORE: 88.6},
    }
    shares: dict[str, Spans] = {
        "WeightedAverageNumberOfDilutedSharesOutstanding": {
            YEAR: 173.5e6,
            BEFORE: 157.1e6,
            QUARTER: 183.4e6,
        },
        "CommonStockSharesOutstanding": {("", END): 181.9e6},
    }
    days: dict[str, Spans] = {
        "Assets": {("", END): 20_420},
        "StockholdersEquity": {("", END): 6_218},
        "LimitedPartnersCapitalAccount": {("", END): 1_340},
        "PreferredStockValue": {("", END): 824},
        "CashAndCashEquivalentsAtCarryingValue": {("", END): 789},
    }
    flows |= more or {}
    kept = {tag: spans for tag, spans in flows.items() if tag not in without}
    told = _join(
        listed(_file(kept | days)),
        listed(_file(shares, "shares"), unit="shares"),
        listed(
            _file(
                {"CommonStockDividendsPerShareDeclared": {BEFORE: 0.95, QUARTER: 0.65}},
                "USD/shares",
            ),
            unit="USD/shares",
        ),
    )
    return compute_fundamentals(told, Company(cik=1, ticker="ACME", name="Acme", sic=6798))


def _price(found: Fundamentals, amount: float, day: str = "2010-05-31") -> Valuation:
    valuation = value_shares(
        found, SharePrice(value=amount, day=day, origin="given"), ValuationTerms()
    )
    assert valuation is not None
    return valuation


def test_dividends_that_are_declared_stand_in_where_those_paid_are_of_the_year_alone() -> None:
    found = _of_property()
    assert value(found, "dividends", "quarter", END) == 118e6
    twelve = figure(found, "dividends", "ttm", END)
    assert twelve
    assert (round(twelve.value / 1e6, 1), twelve.state) == (321.3, "derived")
    unpaid = _of_property(PaymentsOfDividendsCommonStock=0)
    assert value(unpaid, "dividends", "quarter", END) is None, (
        "what is declared alone is not called paid"
    )


def test_dividends_paid_in_shares_are_told_apart_from_cash() -> None:
    found = _of_property()
    assert value(found, "dividends_per_share", "quarter", BEFORE[1]) == 0.95
    [note] = find_notices(found, "company-cash-dividends")
    assert (note["now"], note["share"], note["then"], note["before"]) == (0.65, 0.65, 0.38, 0.95)


def test_cash_after_improvements_is_held_against_four_of_the_newest_dividends() -> None:
    found = _of_property()
    left = value(found, "cash_after_improvements", "ttm", END)
    assert left == pytest.approx(441.5e6, abs=0.5e6)
    [note] = find_notices(found, "company-dividend-cover")
    assert (note["cost"]["value"], note["cover"]) == (472.9, 0.93)
    name = "interest_coverage_before_depreciation"
    coverage = [value(found, name, "quarter", end) for end in (END, BEFORE[1])]
    assert [each and round(each, 1) for each in coverage] == [2.6, 2.0]


@pytest.mark.parametrize("tag", ["PaymentsOfDividendsMinorityInterest", "DividendsPreferredStock"])
def test_cash_after_payouts_is_unknown_where_a_payment_is_not_filed(tag: str) -> None:
    """Equity Residential's partners had income, and no row states what they were paid: nothing would be taken off."""
    spans = {YEAR: 57.1, BEFORE: 14.3, QUARTER: 14.3}
    charged = {"PreferredStockDividendsIncomeStatementImpact": spans}
    found = _of_property(more=charged, **{tag: 0})
    assert value(found, "cash_after_improvements", "quarter", END) is None
    assert not find_notices(found, "company-dividend-cover")
    [gap] = [gap for gap in found.gaps if gap.metric == "cash_after_improvements"]
    assert gap.reason.code.startswith("gap-unpaid-")
    assert gap.reason.params["period"] == name_period(gap.period, gap.end)
    whole = _of_property(more=charged)
    assert value(whole, "cash_after_improvements", "quarter", END)


def test_payouts_to_partners_are_those_that_a_row_shows() -> None:
    """Equity Residential's 5.329 million of 2010 are filed with its equity alone, and of no twelve months."""
    paid = {"PaymentsOfDividendsMinorityInterest": 0}
    tag = "MinorityInterestDecreaseFromDistributionsToNoncontrollingInterestHolders"
    found, unpaid = (_of_property(more=more, **paid) for more in ({tag: {QUARTER: 5.3}}, {}))
    assert value(found, "minority_dividends", "quarter", END) == pytest.approx(5.3e6)
    left = value(found, "cash_after_improvements", "quarter", END)
    assert left == pytest.approx((288.0 - 30.2 - 14.3 - 5.3) * 1e6)
    assert value(unpaid, "cash_after_improvements", "quarter", END) is None
    [gap] = [gap for gap in found.gaps if gap.metric == "cash_after_improvements"]
    assert gap.reason.params["period"] == name_period("ttm", END), "a quarter's are known"


def test_price_to_ffo_with_partners_counts_their_units_and_income() -> None:
    found = _of_property()
    rows = {each.metric: each.value for each in _price(found, 76).rows}
    assert rows["whole_market_value"] == pytest.approx(76 * 181.9e6 + 1_340e6)
    assert rows["price_to_all_ffo"] == pytest.approx(rows["whole_market_value"] / 647.3e6, abs=0.05)
    assert "price_to_ffo" not in rows
    assert rows["dividend_run_yield"] == pytest.approx(400 * 0.65 / 76)


def test_enterprise_value_holds_claims_of_preferred_shares_and_partners() -> None:
    rows = listed(_file({"LongTermDebt": {("", END): 8_000}}))
    debt = _of_property()
    told = [f for f in debt.figures if f.metric == "preferred_claims"]
    assert [f.value for f in told] == [824e6]
    net = debt.figures[0].model_copy(
        update={
            "metric": "net_cash",
            "period": "instant",
            "end": END,
            "value": -7_211e6,
            "unit": "USD",
        }
    )
    valued = _price(debt.model_copy(update={"figures": [net, *debt.figures]}), 76)
    whole = {each.metric: each.value for each in valued.rows}["enterprise_value"]
    assert whole == pytest.approx(76 * 181.9e6 + 7_211e6 + 824e6 + 1_340e6)
    assert rows["facts"], "the debt itself is read elsewhere"


VISA = {"2024-09-30": (4_217, 0.52), "2023-09-30": (3_751, 0.45)}


def _of_payments(price: float = 274.95) -> Fundamentals:
    """Return fundamentals of a company that files its quarterly dividend under the year, and no number of shares: Visa."""
    spans = {day: (f"{int(day[:4]) - 1}-10-01", day) for day in VISA}
    filed = "2024-11-13", "10-K"
    money = {
        "Revenues": [row(*spans[day], 35_926e6, *filed) for day in VISA],
        "NetIncomeLoss": [row(*spans[day], 19_743e6, *filed) for day in VISA],
        "PaymentsOfDividends": [
            row(*spans[day], 1e6 * paid, *filed) for day, (paid, _) in VISA.items()
        ],
    }
    per_share = {
        "CommonStockDividendsPerShareDeclared": [
            row(*spans[day], share, *filed) for day, (_, share) in VISA.items()
        ],
        "SharePrice": [row("", "2024-09-30", price, *filed)],
    }
    told = _join(listed(money), listed(per_share, unit="USD/shares"))
    told["facts"]["dei"] = {
        "EntityPublicFloat": {"units": {"USD": [row("", "2024-03-28", 439.3e9, *filed)]}}
    }
    return compute_fundamentals(told, Company(cik=1, ticker="ACME", name="Acme", sic=7389))


def test_quarterly_dividend_filed_under_a_year_counts_four_times() -> None:
    found = _of_payments()
    year = figure(found, "dividends_per_share", "year", "2024-09-30")
    assert year
    assert (year.value, year.state) == (2.08, "derived")
    assert value(found, "dividends_per_share", "year", "2023-09-30") == 1.8
    assert value(found, "dividend_shares", "year", "2024-09-30") == pytest.approx(
        2_027.4e6, rel=1e-4
    )
    [note] = find_notices(found, "company-implied-count")
    assert (note["count"]["value"], note["others"]["value"]) == (2.03, 1.6)
    rows = {each.metric: each for each in _price(found, 310, "2024-11-30").rows}
    assert rows["market_value"].value == pytest.approx(628.5e9, rel=1e-3)
    assert rows["market_value"].of == "dividend_shares"


@pytest.mark.parametrize("price", [54.0, 800.0])
def test_dividend_is_withheld_where_neither_reading_fits_the_filed_value_of_shares(
    price: float,
) -> None:
    """At these prices the float is 8,100 million shares, of which one reading is right, or 550, of which none is."""
    found = _of_payments(price)
    shown = value(found, "dividends_per_share", "year", "2024-09-30")
    assert shown == (0.52 if price == 54.0 else None)


def test_dividend_of_one_year_that_was_cut_is_not_taken_for_a_quarters() -> None:
    """JPMorgan's of 2009: 0.38 USD declared in 2008 was paid in 2009, so that 0.20 USD a share came to 3.4 billion USD."""
    spans = {"2009": (3_422, 0.2, 3_880), "2008": (5_911, 1.52, 3_605)}
    filed = "2010-02-24", "10-K"
    days = {year: (f"{year}-01-01", f"{year}-12-31") for year in spans}

    def compute(share_before: float | None) -> Fundamentals:
        told = {"2009": spans["2009"]}
        told |= {"2008": (5_911, share_before, 3_605)} if share_before else {}
        money = {
            "Revenues": [row(*days[y], 100e9, *filed) for y in told],
            "PaymentsOfDividends": [
                row(*days[y], 1e6 * paid, *filed) for y, (paid, _, _) in told.items()
            ],
        }
        per = [row(*days[y], share, *filed) for y, (_, share, _) in told.items()]
        counts = [row(*days[y], 1e6 * count, *filed) for y, (_, _, count) in told.items()]
        return compute_fundamentals(
            _join(
                listed(money),
                listed({"CommonStockDividendsPerShareDeclared": per}, unit="USD/shares"),
                listed({"WeightedAverageNumberOfDilutedSharesOutstanding": counts}, unit="shares"),
            ),
            Company(cik=1, ticker="ACME", name="Acme"),
        )

    for before in (1.52, None):
        assert value(compute(before), "dividends_per_share", "year", "2009-12-31") is None
    assert value(compute(0.38), "dividends_per_share", "year", "2009-12-31") == 0.8


def test_charge_offs_follow_from_allowance_and_provision() -> None:
    """Wells Fargo's, in millions."""
    flows: dict[str, Spans] = {
        "InterestIncomeExpenseNet": {YEAR: 46_324, BEFORE: 11_376, QUARTER: 11_147},
        "NoninterestIncome": {YEAR: 42_362, BEFORE: 9_641, QUARTER: 10_301},
        "NetIncomeLoss": {YEAR: 12_275, BEFORE: 3_045, QUARTER: 2_547},
        "NetIncomeLossAvailableToCommonStockholdersBasic": {
            YEAR: 7_990,
            BEFORE: 2_384,
            QUARTER: 2_372,
        },
        "ProvisionForLoanLeaseAndOtherLosses": {YEAR: 21_668, BEFORE: 4_558, QUARTER: 5_330},
    }
    days: dict[str, Spans] = {
        "LoansAndLeasesReceivableAllowance": {
            ("", "2008-12-31"): 21_013,
            ("", "2009-12-31"): 24_516,
            ("", END): 25_123,
        },
        "Deposits": {("", END): 804_893, ("", "2009-12-31"): 824_018},
        "LoansAndLeasesReceivableNetOfDeferredIncome": {
            ("", "2008-12-31"): 864_830,
            ("", "2009-12-31"): 782_770,
            ("", END): 781_430,
        },
    }
    told = _file(flows | days)
    told["NetIncomeLoss"].append(row("2008-01-01", "2008-12-31", 2_655e6, "2010-02-23", "10-K"))
    bank = Company(cik=1, ticker="ACME", name="Acme", sic=6021)
    found = compute_fundamentals(listed(told), bank)
    assert value(found, "implied_charge_offs", "year", "2009-12-31") == 18_165e6
    assert value(found, "implied_charge_offs", "quarter", END) is None, (
        "consolidated loans came with an allowance"
    )
    [gap] = [each for each in found.gaps if each.metric == "implied_charge_offs"]
    assert gap.reason == Notice.of(
        "gap-allowance-standard",
        "info",
        day="2010-01-01",
        end=END,
        standards=[Notice.of("standard-consolidation", "info")],
    )
    assert value(found, "deposits_growth", "instant", END) == pytest.approx(-2.32, abs=0.01)
    [note] = find_notices(found, "company-preferred-charge")
    assert (note["twelve"]["value"], note["quarter"]["value"]) == (3.8, 175)
    assert (note["left"]["value"], note["run"]["value"]) == (11.1, 9.49)
    grown = days | {
        "LoansAndLeasesReceivableNetOfDeferredIncome": {
            ("", "2009-12-31"): 633_458,
            ("", END): 713_799,
        }
    }
    bought = compute_fundamentals(listed(_file(flows | grown)), bank)
    assert value(bought, "implied_charge_offs", "quarter", END) is None, (
        "loans came with an allowance"
    )
    told["AllowanceForLoanAndLeaseLossesWriteOffsNet"] = _file({"T": {YEAR: 18_000}})["T"]
    filed = compute_fundamentals(listed(told), bank)
    assert value(filed, "implied_charge_offs", "year", "2009-12-31") is None, (
        "what is filed is shown"
    )
