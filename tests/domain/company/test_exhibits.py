"""Tables and charts of companies in the language of the run's question."""

import re
from collections.abc import Iterator

import pytest

from contracts.agents.tool_definitions import ChartArgs, TableArgs
from contracts.company.filings import Company
from contracts.words import LANGUAGES, Language
from domain.company.exhibits import Exhibit, build_exhibits
from domain.company.figures.filed.metrics import LABELS
from domain.company.figures.tables.peers import compare_companies
from domain.company.figures.tables.years import build_years
from tests.domain.company.figures.companies import (
    APPLE,
    SNOWFLAKE,
    listed,
    of,
    of_sample,
    sample,
    year,
)
from tests.domain.company.figures.valuation.test_valuation import valued
from tests.support.words import en

ENGLISH = """
and are at by day filed filing fiscal from growth is its last less loss million millions
month months none of older on other over percent price quarter share shares than that the to
twelve what which with year yield
"""


MOST_CHARS = 80
"""Longer labels are shown whole too, on several lines."""


def build(language: Language) -> list[Exhibit]:
    companies = [valued(APPLE, "2026-02-15", 271.86), valued(SNOWFLAKE, "2025-06-30", 223.77)]
    third = of_sample(APPLE)
    filed = [*zip(companies, map(sample, (APPLE, SNOWFLAKE)), strict=True), (third, sample(APPLE))]
    peers = compare_companies(filed)
    return [*build_exhibits(companies, peers, "2026-11-26", language)]


def list_words(exhibit: Exhibit) -> Iterator[str]:
    """Yield what an exhibit says, but for its numbers."""
    yield exhibit.title
    if isinstance(exhibit, ChartArgs):
        yield from (exhibit.x_label, exhibit.y_label, *(each.name for each in exhibit.series))
    else:
        yield from exhibit.columns
        yield from (cell for row in exhibit.rows for cell in row if isinstance(cell, str))


def test_a_german_question_has_its_tables_and_charts_in_german() -> None:
    texts = [text for exhibit in build("de") for text in list_words(exhibit)]
    english = set(ENGLISH.split())
    assert not [t for t in texts if english & set(re.findall(r"\w+", t.lower()))]
    notes = [text for text in texts if not re.fullmatch(r"-?[\d.]+", text)]
    assert not [t for t in notes if re.search(r"\d\.\d{1,2}(?!\d)", t)], "the point of English"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_of_a_cell_are_longer_than_a_report_shows(language: Language) -> None:
    tables = [exhibit for exhibit in build(language) if not isinstance(exhibit, ChartArgs)]
    cells = [cell for table in tables for row in table.rows for cell in row]
    assert not [c for c in cells if isinstance(c, str) and len(c) > MOST_CHARS]


def test_each_language_has_the_same_figures_in_the_same_places() -> None:
    english, german = build("en"), build("de")
    assert len(english) == len(german)
    for one, other in zip(english, german, strict=True):
        if isinstance(one, ChartArgs):
            assert isinstance(other, ChartArgs)
            assert [s.values for s in one.series] == [s.values for s in other.series]
            continue
        assert not isinstance(other, ChartArgs)
        numbers = [
            [[c for c in row[1:] if not isinstance(c, str)] for row in table.rows]
            for table in (one, other)
        ]
        assert numbers[0] == numbers[1]


def test_a_single_company_has_a_table_of_its_fiscal_years() -> None:
    company = valued(APPLE, "2026-02-15", 271.86)
    titles = [each.title for each in build_exhibits([company], [], "2026-11-26")]
    assert en("grid-years", company=company.company.ticker) in titles
    grid = build_years(company)
    assert grid
    assert [head[-10:] for head in grid.columns] == [
        "2025-09-27",
        "2024-09-28",
        "2023-09-30",
        "2022-09-24",
    ]
    revenue = [cell.row and cell.row.value for cell in dict(grid.rows)[LABELS["revenue"]]]
    assert revenue[0] == 416_161e6
    assert revenue[-1] == 394_328e6
    titles = [exhibit.title for exhibit in build("en")]
    several = (en("grid-years", company=name) for name in ("AAPL", "SNOW"))
    assert not [title for title in several if title in titles]


def test_companies_with_nothing_to_compare_have_their_own_tables_alone() -> None:
    """Two trusts of gold file no measure that sets companies side by side."""
    facts = listed({"NetIncomeLoss": year(2024, (1, 2, 3, 4))})
    one = of(facts)
    other = one.model_copy(update={"company": Company(cik=2, ticker="OTHER", name="Other")})
    peers = compare_companies([(one, facts), (other, facts)])
    tables = [*build_exhibits([one, other], peers, "2025-03-01")]
    assert len([each for each in tables if isinstance(each, TableArgs)]) == 4
