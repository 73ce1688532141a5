"""Which rate of the dividend a price is measured by, where the twelve months are not of today's."""

import pytest

from contracts.company.figures import Figure, Fundamentals
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.tables.key_figures import build_valuations
from domain.company.figures.valuation.implied_rates import find_growth
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.filed.kinds.test_kinds import END, FILED, SICS, company

TERMS = ValuationTerms()
PRICE = SharePrice(value=30, day=FILED, origin="given")
UNFIT = "valuation-dividend-unfit"
CUT_ROW = "growth_implied_by_dividends"
SPECIAL = Notice.of(
    "company-dividend-special", end=END, share=0.9, run=3.6, twelve=1.2, currency="USD"
)
YEARLY = Notice.of(
    "company-dividend-special", end=END, share=1.2, run=4.8, twelve=1.2, currency="USD"
)
IN_SHARES = Notice.of("company-stock-dividends", period=END, amount="9")


def _pay(twelve: float, quarter: float | None, *notes: Notice) -> Fundamentals:
    """Return a property company worth 300 that paid so much in twelve months, and in the newest quarter."""
    plain = company(SICS["reit"], "InterestIncomeExpenseNet")
    amounts = {"ttm": twelve, "quarter": quarter}
    paid = [
        Figure.model_validate(
            {"metric": "common_dividends", "period": p, "end": END, "value": v, "unit": "USD"}
        )
        for p, v in amounts.items()
        if v is not None
    ]
    figures = [*plain.figures, *paid]
    return plain.model_copy(update={"figures": figures, "notes": [*plain.notes, *notes]})


def _value(paying: Fundamentals) -> Valuation:
    found = value_shares(paying, PRICE, TERMS)
    assert found
    return found


def _read_needed(found: Valuation) -> float | None:
    """Return the growth of the dividend that is needed at 8 % a year; None where no row is of it."""
    assert found.implied
    table = found.implied
    rows = [row for row in table.implied if row.metric == CUT_ROW]
    return rows[0].values[table.returns.index(8)] if rows else None


@pytest.mark.parametrize(
    ("quarter", "times"),
    [(1.5, 50), (6.0, 12.5), (3.1, 25)],
    ids=["cut by half", "doubled", "about the same"],
)
def test_price_is_measured_by_todays_rate_where_the_twelve_months_are_of_another(
    quarter: float, times: float
) -> None:
    """12 in twelve months are 4 % of 300; four of the newest quarter's are 2, 8 and about 4 %."""
    found = _value(_pay(12, quarter))
    assert _read_needed(found) == find_growth(times, 1, 8, TERMS)
    assert {"dividend_yield", "dividend_run_yield"} <= {row.metric for row in found.rows}


@pytest.mark.parametrize("note", [SPECIAL, IN_SHARES], ids=["special", "paid in shares"])
def test_price_is_not_measured_by_dividends_where_todays_rate_is_not_known(note: Notice) -> None:
    found = _value(_pay(12, None, note))
    assert _read_needed(found) is None
    assert found.implied
    assert found.implied.implied[0].metric == "growth_implied_by_ffo"
    assert UNFIT in {notice.code for notice in found.notices}


def test_dividend_that_is_paid_once_a_year_is_no_special_one() -> None:
    found = _value(_pay(12, None, YEARLY))
    assert _read_needed(found) == find_growth(25, 1, 8, TERMS)
    assert UNFIT not in {notice.code for notice in found.notices}


def test_yield_of_cash_says_that_more_was_paid_in_shares() -> None:
    told = dict[bool, str]()
    for notes in ((), (IN_SHARES,)):
        paying = _pay(12, None, *notes)
        grid = build_valuations([paying.model_copy(update={"valuation": _value(paying)})])
        assert grid
        cells = [cells[0] for _, cells in grid.rows]
        [cell] = [c for c in cells if c.row and c.row.metric == "dividend_yield"]
        told[bool(notes)] = cell.note
    assert Notice.of("cell-cash-alone").text in told[True]
    assert Notice.of("cell-cash-alone").text not in told[False]
