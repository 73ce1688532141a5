"""The index of a page of figures: which stretch of its text states which row."""

import re

import pytest

from contracts.company.figures import Figure
from contracts.company.valuation import SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.evidence.rows import FigureRow, PageRows
from domain.company.figures.figures_page import list_lines
from domain.company.figures.numbers import MILLION
from domain.company.figures.tables.grids import Cell, Grid, draw_grid
from domain.company.figures.tables.page_lines import PageLine, join_lines, state
from domain.company.figures.valuation.valuation import value_shares
from tests.domain.company.figures.companies import APPLE, SNOWFLAKE, named, of_sample

FIRST = Figure(metric="revenue", period="ttm", end="2025-12-27", value=9, unit="USD", fiscal="FY25")
SCALES = (1, 1e6, 1e9, 1e12)
SECOND = FIRST.model_copy(update={"period": "year", "end": "2025-09-27", "value": 9e9})


def test_index_places_each_row_where_the_text_states_it() -> None:
    table = draw_grid(Grid("T", "USD", ["A", "B"], [("Revenue", [Cell(SECOND, " (1)"), Cell()])]))
    text, index = join_lines([PageLine("Acme"), state("Revenue: 9", FIRST), *table])
    assert text.startswith("Acme\nRevenue: 9\n\nT:\n\n| USD | A | B |\n|---|---|---|\n")
    assert text.endswith("| Revenue | 9,000 (1) | – |")
    assert [text[each.start : each.end] for each in index.rows] == ["Revenue: 9", "9,000"]
    assert [each.row.period for each in index.rows] == ["ttm", "year"]
    assert {type(each.row) for each in index.rows} == {FigureRow}
    assert PageRows.model_validate_json(index.model_dump_json(exclude_defaults=True)) == index


@pytest.mark.parametrize("cik", [APPLE, SNOWFLAKE])
@pytest.mark.parametrize("as_of", [None, "2024-06-30"])
def test_every_figure_of_a_page_has_a_row_with_its_value(cik: int, as_of: str | None) -> None:
    found = named(of_sample(cik, as_of), cik)
    price = SharePrice(value=200, day=as_of or "2026-02-10", origin="given")
    worth = value_shares(found, price, ValuationTerms())
    text, index = join_lines(list_lines(found.model_copy(update={"valuation": worth})))
    starts = [each.start for each in index.rows]
    assert starts == sorted(starts)
    for each in index.rows:
        shown = re.findall(r"\d[\d,]*(?:\.\d+)?", text[each.start : each.end])
        numbers = [float(each.replace(",", "")) * scale for each in shown for scale in SCALES]
        value = abs(each.row.value)
        is_rounded = f"{value / MILLION:.1f}" in shown  # a cell has a tenth of a million
        is_near = any(number == pytest.approx(value, rel=0.05, abs=0.5) for number in numbers)
        assert is_near or is_rounded
    cells = re.findall(r"(?<=\| )-?[0-9][0-9.,]*%?(?= )", text)
    of_tables = [each for each in index.rows if text[each.start - 2 : each.start] == "| "]
    assert [text[each.start : each.end] for each in of_tables] == cells
    assert {each.row.price_day for each in index.rows} == {"", price.day}
