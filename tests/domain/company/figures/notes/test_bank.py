"""A bank's newest quarter on one base, the charge for its preferred shares beside a price, and the mortgages it made to sell."""

from typing import Any

import pytest

from contracts.company.figures import Figure, Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.notes.dividends import PREFERRED_RETURNS
from domain.company.figures.tables.key_figures import build_valuations
from domain.company.figures.tables.price_table import build_past
from domain.company.figures.valuation.notes import AVERAGE_SHARES
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import Row, find_notices, listed, row, value

Amounts = tuple[float, ...]
SPANS = (
    ("2010-01-01", "2010-03-31"),
    ("2009-01-01", "2009-03-31"),
    ("2009-01-01", "2009-12-31"),
    ("2008-01-01", "2008-12-31"),
)
END, YEAR = "2010-03-31", "2009-12-31"
DAYS = (END, YEAR, "2008-12-31")
PRETAX = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments"
PROVISION = "ProvisionForLoanLeaseAndOtherLosses"
FLOWS: dict[str, Amounts] = {
    "InterestIncomeExpenseNet": (11_147, 11_376, 46_324, 25_143),
    "NoninterestIncome": (10_301, 9_641, 42_362, 16_734),
    PROVISION: (5_330, 4_558, 21_668, 15_979),
    "NoninterestExpense": (12_117, 11_818, 49_020, 22_598),
    PRETAX: (4_001, 4_641, 17_998, 3_300),
    "NetIncomeLoss": (2_547, 3_045, 12_275, 2_655),
    "NetIncomeLossAvailableToCommonStockholdersBasic": (2_372, 2_384, 7_990, 2_369),
    "PaymentsForOriginationOfMortgageLoansHeldForSale": (-74_290, -98_613, -414_299, -213_498),
}


def _compute(
    changed: dict[str, Amounts] | None = None, books: dict[str, Amounts] | None = None
) -> Fundamentals:
    """Return fundamentals by amounts of Wells Fargo's filings of 2010, in millions, some of them changed.

    `books` are of the ends of the first quarter of 2010, of 2009 and of 2008.
    """
    flows = FLOWS | (changed or {})
    tags: dict[str, Any] = {
        tag: [_file(span, 1e6 * amount) for span, amount in zip(SPANS, amounts, strict=True)]
        for tag, amounts in flows.items()
    }
    tags |= {
        tag: [_file(("", day), 1e6 * amount) for day, amount in zip(DAYS, amounts, strict=True)]
        for tag, amounts in (books or {}).items()
    }
    tags["Assets"] = [row("", END, 1_223_630e6, "2010-05-07")]
    told = listed(tags)
    count = [row("", END, 5_205.7e6, "2010-05-07")]
    shares = listed({"CommonStockSharesOutstanding": count}, "shares")
    told["facts"]["us-gaap"] |= shares["facts"]["us-gaap"]
    return compute_fundamentals(told, Company(cik=1, ticker="ACME", name="Acme", sic=6021))


def _file(span: tuple[str, str], amount: float) -> Row:
    filed, form = (
        ("2010-05-07", "10-Q") if span in SPANS[:2] or span[1] == END else ("2010-02-26", "10-K")
    )
    return row(*span, amount, filed, form)


def test_quarter_before_and_after_provisions_is_set_against_the_same_bases() -> None:
    found = _compute()
    assert value(found, "pre_provision_income", "ttm", END) == 39_798e6
    [note] = find_notices(found, "company-bank-bases")
    parts = [each.params for each in note["parts"]]
    told = [(part["change"], part["growth"]) for part in parts]
    assert told == [(-8.1, 1.4), (-6.5, 16.9), (-10.1, -13.8)]
    assert note["n"] == 3
    assert not find_notices(found, "company-turned"), "the provision alone would be half of it"


def test_change_from_or_to_a_loss_has_amounts_and_no_percent() -> None:
    found = _compute(
        {PROVISION: (5_330, 10_000, 21_668, 15_979), PRETAX: (4_001, -801, 17_998, 3_300)}
    )
    [note] = find_notices(found, "company-bank-bases")
    *_, pretax = [each.params for each in note["parts"]]
    assert "growth" not in pretax
    assert pretax["then"].params["value"] == -801


def test_lines_that_do_not_add_up_are_not_set_side_by_side() -> None:
    found = _compute({PRETAX: (3_001, 4_641, 17_998, 3_300)})
    assert not find_notices(found, "company-bank-bases")
    assert find_notices(found, "company-turned")


@pytest.mark.parametrize(("income", "told"), [(2_372, (13.5, 15.7, 18.7)), (0, None)])
def test_price_is_set_against_income_at_the_newest_charge_and_at_the_newest_rate_throughout(
    income: float, told: tuple[float, float, float] | None
) -> None:
    tag = "NetIncomeLossAvailableToCommonStockholdersBasic"
    found = _compute({tag: (income, *FLOWS[tag][1:])})
    price = SharePrice(value=28.7, day="2010-05-31", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    notes = [n.params for n in valued.notices if n.code == "valuation-preferred-charge"]
    assert [(n["multiple"], n["run"], n["plain"]) for n in notes] == ([told] if told else [])


def test_mortgages_made_to_be_sold_are_shown_with_their_change() -> None:
    found = _compute()
    name = "mortgage_originations"
    assert value(found, name, "year", YEAR) == 414_299e6
    growth = value(found, f"{name}_growth", "quarter", END)
    assert growth == pytest.approx(-24.7, abs=0.05)


def test_a_bank_that_has_filed_no_fiscal_year_yet_has_figures() -> None:
    """Its allowance of two quarters implies charge-offs, of which the year before would say whether a rule moved it."""
    spans = (("2023-01-01", "2023-03-31"), ("2023-04-01", "2023-06-30"))
    days = {
        "LoansAndLeasesReceivableNetReportedAmount": 900,
        "LoansAndLeasesReceivableAllowance": 9,
    }
    tags = {tag: [row(*s, 5, "2023-08-05") for s in spans] for tag in (PROVISION, "NetIncomeLoss")}
    tags |= {
        tag: [row("", s[1], amount, "2023-08-05") for s in spans] for tag, amount in days.items()
    }
    company = Company(cik=1, ticker="BANK", name="A Bank", sic=6022)
    found = compute_fundamentals(listed(tags), company)
    assert value(found, "implied_charge_offs", "quarter", spans[1][1]) == 5


def test_returns_on_equity_after_a_vanished_preferred_charge_are_qualified() -> None:
    """12,275 less four quarters' 175 are 11,575 on the 86,025 that earned 7,990; four quarters of 2,372 on 108,162 are 8.8 %.

    The table of what the bank did says so beneath.
    """
    books: dict[str, Amounts] = {
        "StockholdersEquity": (116_142, 111_786, 99_084),
        "PreferredStockValue": (7_980, 8_043, 30_777),
    }
    found = _compute(books=books)
    [note] = find_notices(found, PREFERRED_RETURNS)
    [earned] = [each.params for each in note["parts"]]
    assert (earned["was"], earned["left"]) == (9.29, 13.5)
    assert earned["run"].params["percent"] == 8.8
    grid = build_past(found.past, found)
    assert grid
    [whole] = [each for each in found.notes if each.code == PREFERRED_RETURNS]
    assert grid.more == whole.text
    level: Amounts = (2_547, 3_045, 12_275, 2_655)
    tag = "NetIncomeLossAvailableToCommonStockholdersBasic"
    assert not find_notices(_compute({tag: level}, books), PREFERRED_RETURNS)


@pytest.mark.parametrize(("average", "now"), [(4_803.3, 20.2), (5_100, None)])
def test_price_to_earnings_per_share_is_given_by_market_value_too_where_shares_were_added(
    average: float, now: float | None
) -> None:
    """31 USD to 1.66 a share are 18.7; of 5,205.7 million shares, where 4,803.3 million earned it, 20.2."""
    plain = _compute()
    eps = Figure(metric="diluted_eps", period="ttm", end=END, value=1.66, unit="USD/shares")
    count = average * 1e6
    shares = Figure(metric="diluted_shares", period="ttm", end=END, value=count, unit="shares")
    found = plain.model_copy(update={"figures": [*plain.figures, eps, shares]})
    price = SharePrice(value=31, day="2010-05-14", origin="given")
    valued = value_shares(found, price, ValuationTerms())
    assert valued
    told = [n.params["now"] for n in valued.notices if n.code == AVERAGE_SHARES]
    assert told == ([now] if now else [])
    grid = build_valuations([found.model_copy(update={"valuation": valued})])
    assert grid
    notes = "".join(cell.note for _, cells in grid.rows for cell in cells)
    assert (f"{now}" in notes) is bool(now)


def test_expense_of_option_and_stock_plans_is_stock_compensation_where_no_other_line_is_filed() -> (
    None
):
    """Wells Fargo's 221 million of 2009 stood under "Stock option plan expense", and were called not filed."""
    options: dict[str, Amounts] = {"StockOptionPlanExpense": (33.0, 95.0, 221.0, 174.0)}
    assert value(_compute(options), "stock_compensation", "year", YEAR) == 221e6
    stock: dict[str, Amounts] = {"RestrictedStockExpense": (1.0, 1.0, 9.0, 1.0)}
    assert value(_compute(options | stock), "stock_compensation", "year", YEAR) == 230e6
    whole: dict[str, Amounts] = {"ShareBasedCompensation": (40.0, 90.0, 250.0, 1.0)}
    assert value(_compute(options | whole), "stock_compensation", "year", YEAR) == 250e6
