"""Prices in the second currency of a filer, to which it translates its newest year."""

from typing import Any

import pytest

from contracts.company.figures import Fundamentals
from contracts.company.filings import Company
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.notices import Notice
from domain.company.figures.figures_page import list_lines
from domain.company.figures.filed.metrics import name_row, say_metric
from domain.company.figures.tables.grids import show_grid
from domain.company.figures.tables.key_figures import build_valuations
from domain.company.figures.tables.peers import build_peer_grid, compare_companies
from domain.company.figures.translation import find_translated
from domain.company.figures.valuation.unused_price import explain_no_value
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import list_texts, listed, of, row
from tests.support.words import en

CASH = "CashAndCashEquivalentsAtCarryingValue"
OWN: dict[str, tuple[float, float]] = {
    "Revenues": (560e6, 700e6),
    "OperatingIncomeLoss": (70e6, 84e6),
    "NetIncomeLoss": (56e6, 70e6),
}
EPS = "EarningsPerShareDiluted"
PRICE = SharePrice(value=20, day="2024-05-31", origin="given")


def _file(tag: str, values: tuple[float, ...], unit: str, first: int = 2022) -> list[Any]:
    rows = [
        row(f"{y}-01-01" if tag != CASH else "", f"{y}-12-31", v, f"{y + 1}-03-05", "20-F")
        for y, v in enumerate(values, start=first)
    ]
    found: list[Any] = listed({tag: rows}, unit)["facts"]["us-gaap"][tag]["units"][unit]
    return found


def facts(rate: float = 7, **translated: float) -> dict[str, Any]:
    """Return two years in HKD, the second translated to USD at a rate unless a tag's own value is given."""
    found: dict[str, Any] = {}
    for tag, values in OWN.items():
        usd = translated.get(tag, values[1] / rate)
        found[tag] = {
            "units": {"HKD": _file(tag, values, "HKD"), "USD": _file(tag, (usd,), "USD", 2023)}
        }
    shares = "WeightedAverageNumberOfDilutedSharesOutstanding"
    found[shares] = {"units": {"shares": _file(shares, (10e6, 10e6), "shares")}}
    found[EPS] = {
        "units": {
            "HKD/shares": _file(EPS, (5.6, 7), "HKD/shares"),
            "USD/shares": _file(EPS, (1.0,), "USD/shares", 2023),
        }
    }
    found[CASH] = {
        "units": {
            "HKD": _file(CASH, (200e6, 210e6), "HKD"),
            "USD": _file(CASH, (30e6,), "USD", 2023),
        }
    }
    return {"facts": {"us-gaap": found}}


def test_price_is_not_divided_by_amounts_in_another_currency_beside_a_peer() -> None:
    """20 dollars a share over 1.00 translated, not over 7 Hong Kong dollars; and no rank of dollars among these."""
    named = {name: Company(cik=n, ticker=name, name=name) for n, name in enumerate(("HK", "CN"), 1)}
    filed = [
        (_value(facts(), PRICE.divide(1)).model_copy(update={"company": each}), facts())
        for each in named.values()
    ]
    [own, _] = compare_companies(filed)
    assert own.found.valuation
    for name in ("price_to_earnings", "price_to_sales"):
        [value] = [row.value for row in own.found.valuation.rows if row.metric == name]
        assert own.common.rows[name].value == pytest.approx(value)
    assert own.common.rows["price_to_earnings"].value == pytest.approx(20)
    rows = {row[0]: row[1:] for row in show_grid(build_peer_grid(compare_companies(filed))).rows}
    [cell, _] = rows[name_row("market_value", {"USD"})]
    by = en("cell-by-diluted-shares")
    assert cell == f"200.0{en('cell', by=by, more=['USD'])}", "the column counts in HKD"


def test_market_values_in_one_currency_are_ranked_whatever_the_accounts_are_in() -> None:
    """Two that file in Hong Kong dollars and one in dollars: all three market values are of dollars."""
    own: dict[str, Any] = {"facts": {"us-gaap": {}}}
    for tag, about in facts()["facts"]["us-gaap"].items():
        kept = {unit: rows for unit, rows in about["units"].items() if "HKD" not in unit}
        own["facts"]["us-gaap"][tag] = {"units": kept}
    filed = [
        (_value(told, PRICE.divide(1)).model_copy(update={"company": _name(n)}), told)
        for n, told in enumerate((facts(), facts(), own), 1)
    ]
    rows = {row[0]: row[1:] for row in show_grid(build_peer_grid(compare_companies(filed))).rows}
    by = en("cell-by-diluted-shares")
    others, dollars = (en("cell", by=by, more=more) for more in (["USD", "1"], 1))
    assert rows[name_row("market_value", {"USD"})] == [*[f"200.0{others}"] * 2, f"200.0{dollars}"]


def _name(cik: int) -> Company:
    return Company(cik=cik, ticker=f"C{cik}", name=f"Company {cik}")


def _value(told: dict[str, Any], price: SharePrice = PRICE) -> Fundamentals:
    found = of(told)
    update: dict[str, Any] = {"translated": find_translated(told, found, price.currency)}
    found = found.model_copy(update=update)
    return found.model_copy(update={"valuation": value_shares(found, price, ValuationTerms())})


def test_price_is_set_against_the_figures_that_the_filer_translated_to_its_currency() -> None:
    found = _value(facts(), PRICE.divide(1))
    assert {f.unit for f in found.figures if f.metric == "revenue"} == {"HKD"}
    assert found.valuation
    multiples = {r.metric: r.value for r in found.valuation.rows}
    assert (multiples["price_to_earnings"], multiples["price_to_sales"]) == (20, 2)
    [told] = [n for n in found.valuation.notices if n.code == "valuation-translated"]
    assert told.params == {"own": "HKD", "to": "USD", "rate": 7}
    grid = build_valuations([found])
    assert grid
    assert en("price-basis-translated-title") in grid.title
    company = found.company.ticker
    assert en("price-basis-translated", company=company, currency="USD") in str(
        show_grid(grid).note
    )
    lines = list_texts(list_lines(found))
    assert any("translated" in line and "100 million USD" in line for line in lines)


def test_reason_why_an_ads_is_not_valued_gives_multiples_by_the_filers_translation() -> None:
    told = facts()
    found = of(told).model_copy(update={"is_ads": True})
    found = found.model_copy(update={"translated": find_translated(told, found, "USD")})
    why = explain_no_value(found, PRICE)
    assert why
    then = why.params["then"]
    assert isinstance(then, Notice)
    assert (then.code, then.params["currency"]) == ("price-if-ads", "USD")
    assert f"{say_metric('price_to_earnings').text} 20" in why.text


def test_amounts_at_another_rate_than_the_others_are_no_translation() -> None:
    """Operating income in USD that is at a rate of 5; cash of a day may be at another rate than flows."""
    found = _value(facts(OperatingIncomeLoss=16.8e6), PRICE.divide(1))
    assert {f.metric for f in found.translated} >= {"revenue", "net_income", "diluted_eps", "cash"}
    assert "operating_income" not in {f.metric for f in found.translated}


def test_translation_without_revenue_and_net_income_is_not_set_against_a_price() -> None:
    told = facts()
    for tag in ("Revenues", "NetIncomeLoss"):
        del told["facts"]["us-gaap"][tag]["units"]["USD"]
    found = _value(told, PRICE.divide(1))
    assert (found.translated, found.valuation) == ([], None)


@pytest.mark.parametrize(("revenue", "income"), [(50e6, 2e6), (0.0, 0.0)])
def test_translation_at_no_one_rate_is_refused_with_a_reason(revenue: float, income: float) -> None:
    told = facts(Revenues=revenue, NetIncomeLoss=income, OperatingIncomeLoss=0.1e6)
    found = _value(told, PRICE.divide(1))
    assert (found.translated, found.valuation) == ([], None)
    assert explain_no_value(found, PRICE.divide(1))


@pytest.mark.parametrize("currency", ["EUR", "HKD"])
def test_no_figures_are_translated_to_a_currency_that_is_not_filed_or_the_companys_own(
    currency: str,
) -> None:
    price = PRICE.divide(1).model_copy(update={"currency": currency})
    found = _value(facts(), price)
    assert not found.translated
    assert (found.valuation is None) == (currency == "EUR")


def test_translation_of_an_older_year_is_not_set_against_a_price() -> None:
    told = facts()
    for tag, values in OWN.items():
        told["facts"]["us-gaap"][tag]["units"]["HKD"] += _file(tag, values[1:], "HKD", 2024)
    found = _value(told, PRICE.divide(1).model_copy(update={"day": "2025-05-31"}))
    assert (found.newest_end, found.translated, found.valuation) == ("2024-12-31", [], None)
    why = explain_no_value(found, PRICE.divide(1))
    assert why
