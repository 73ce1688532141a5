"""Property that earns nothing yet in a property company's enterprise value, and the multiples without it."""

import pytest

from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.filed.metrics import name_row
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.key_figures import build_valuations
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.accounts.test_property import DAYS, END, compute
from tests.domain.company.figures.companies import value

EQUITY_RESIDENTIAL = {"DevelopmentInProcess": 429.444, "LandAvailableForDevelopment": 266.287}
MULTIPLES = (
    "ev_to_sales",
    "ev_to_operating_income_before_depreciation",
    "net_operating_income_yield",
)


def _value(lines: dict[str, float]) -> Valuation:
    price = SharePrice(value=45, day="2010-05-31", origin="given")
    valued = value_shares(compute(DAYS | lines), price, ValuationTerms())
    assert valued
    return valued


def _list_values(valued: Valuation) -> dict[str, float]:
    return {each.metric: each.value for each in valued.rows}


def _find_note(valued: Valuation, code: str) -> list[Notice]:
    return [note for note in valued.notices if note.code == code]


def test_multiples_of_enterprise_value_leave_out_property_that_earns_nothing_yet() -> None:
    """Equity Residential's 695.7 million in March 2010 are 3.1 % of its enterprise value at 45 dollars a share."""
    valued = _value(EQUITY_RESIDENTIAL)
    plain, rows = _list_values(_value({})), _list_values(valued)
    whole, left = rows["enterprise_value"], rows["enterprise_value_less_development"]
    assert rows["development_deducted"] == pytest.approx(695.731e6)
    assert (whole, whole - left) == pytest.approx((plain["enterprise_value"], 695.731e6))
    ratios = [rows[name] / plain[name] for name in MULTIPLES]
    assert ratios == pytest.approx([left / whole, left / whole, whole / left])
    bases = {row.of for row in valued.rows if row.metric in MULTIPLES}
    assert bases == {"enterprise_value_less_development"}
    [note] = _find_note(valued, "valuation-development")
    assert note.params["share"] == 3.1
    told = note.params["multiples"]
    assert isinstance(told, list)
    values = [each.params.get("times", each.params.get("percent")) for each in told]
    assert values == pytest.approx([plain[name] for name in MULTIPLES], abs=0.06)
    assert not _find_note(valued, "valuation-development-unfiled")


def test_deduction_of_development_is_a_row_between_both_enterprise_values() -> None:
    found = compute(DAYS | EQUITY_RESIDENTIAL)
    grid = build_valuations([found.model_copy(update={"valuation": _value(EQUITY_RESIDENTIAL)})])
    assert grid
    labels = [row[0] for row in show_grid(grid).rows]
    names = ("enterprise_value", "development_deducted", "enterprise_value_less_development")
    at = labels.index(name_row(names[0], {"USD"}))
    assert labels[at : at + 3] == [name_row(name, {"USD"}) for name in names]
    assert value(found, "development_property", "instant", END) == pytest.approx(695.731e6)


def test_enterprise_value_may_hold_development_that_no_line_states() -> None:
    valued = _value({})
    assert _find_note(valued, "valuation-development-unfiled")
    assert {row.of for row in valued.rows if row.metric in MULTIPLES} == {""}
