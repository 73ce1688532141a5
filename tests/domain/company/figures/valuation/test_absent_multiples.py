"""Why a price has no main multiple of its kind, and no table of what it needs."""

import pytest

from contracts.company.figures import Figure, Fundamentals
from contracts.company.filings import BusinessKind
from contracts.company.valuation import SharePrice, Valuation
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.valuation.absent_multiples import explain_untabled
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.filed.kinds.test_kinds import FILED, SICS, company


def lose_money() -> Fundamentals:
    return company(
        SICS["industrial"], NetIncomeLoss=-20, NetCashProvidedByUsedInOperatingActivities=-30
    )


def value(found: Fundamentals) -> Valuation:
    valued = value_shares(found, SharePrice(value=30, day=FILED, origin="given"), ValuationTerms())
    assert valued
    return valued


def list_codes(notices: object) -> list[str]:
    assert isinstance(notices, list)
    return [each.code for each in notices if isinstance(each, Notice)]


def test_company_that_only_loses_money_says_why_it_has_no_table() -> None:
    found = value(lose_money())
    assert found.implied is None
    assert found.no_table
    assert found.no_table.code == "no-table"
    assert "no-table-loss" in list_codes(found.no_table.params["measures"])
    assert not [n for n in found.notices if n.code.startswith("valuation-without")]


@pytest.mark.parametrize("kind", ["investment", "blank_check"])
def test_kind_without_a_measure_says_what_carries_its_price(kind: BusinessKind) -> None:
    plain = lose_money().model_copy(update={"kind": kind})
    told = value(plain).no_table
    assert told == Notice.of(f"no-table-{kind.replace('_', '-')}", "info")


def test_multiple_of_an_amount_that_is_not_known_says_so() -> None:
    plain = company(SICS["industrial"])
    kept = [f for f in plain.figures if f.metric != "cash"]
    parts = {"diluted_eps", "continuing_eps", "continuing_income", "net_income"}
    without = plain.model_copy(
        update={"figures": [f for f in kept if f.metric not in parts or f.period != "ttm"]}
    )
    notes = [n for n in value(without).notices if n.code == "valuation-without-twelve"]
    assert len(notes) == 1
    assert not [n for n in value(plain).notices if n.code.startswith("valuation-without")]


def test_price_of_a_unit_without_a_count_gives_its_yield_and_says_what_is_not_known() -> None:
    """Of Kinder Morgan's partnership distributions per unit are filed, and neither earnings per unit nor a cover's count."""
    plain = company(SICS["industrial"])
    counted = ("share", "eps", "income_per", "basic", "diluted")
    kept = [f for f in plain.figures if not any(part in f.metric for part in counted)]
    paid = Figure(
        metric="dividends_per_share",
        period="ttm",
        start="",
        end=plain.newest_end,
        value=1.5,
        unit="USD/shares",
    )
    found = value(plain.model_copy(update={"figures": [*kept, paid]}))
    rows = {row.metric: row.value for row in found.rows}
    assert rows["dividend_yield"] == pytest.approx(5)
    assert "market_value" not in rows
    codes = list_codes(found.notices)
    assert "valuation-no-count" in codes
    assert "valuation-without-twelve" in codes
    assert "valuation-unfit-twelve" not in codes
    bare = plain.model_copy(update={"figures": kept})
    assert (
        value_shares(bare, SharePrice(value=30, day=FILED, origin="given"), ValuationTerms())
        is None
    )


def test_company_without_a_price_has_no_table_for_want_of_it() -> None:
    plain = company(SICS["industrial"])
    assert explain_untabled(plain).code == "no-table-no-price"
    price = SharePrice(value=30, day=FILED, origin="given")
    unused = plain.model_copy(update={"unused_price": price})
    assert explain_untabled(unused).code == "no-table-unused"
