"""Two companies' figures, worked out by hand from their reports (worked.json says how)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.domain.company.figures.companies import figure, of_sample

TABLES = json.loads(Path(__file__).with_name("worked.json").read_text(encoding="utf-8"))
CASES = [
    pytest.param(table, told, id=f"{table['cik']}-{told['period']}-{told['metric']}")
    for table in TABLES
    for told in table["figures"]
]


@pytest.mark.parametrize(("table", "told"), CASES)
def test_figures_match_hand_computed_ones(table: dict[str, Any], told: dict[str, Any]) -> None:
    found = of_sample(table["cik"], table["as_of"])
    one = figure(found, told["metric"], told["period"], table["end"])
    assert one is not None
    digits = 2 if abs(told["value"]) < 1_000 else 0
    assert round(one.value, digits) == told["value"], told["why"]
    assert one.accessions
    assert bool(one.tag) != bool(one.formula)


@pytest.mark.parametrize(("table", "told"), CASES)
def test_figures_add_up(table: dict[str, Any], told: dict[str, Any]) -> None:
    assert told["why"]
    if "sum" in told:
        assert sum(told["sum"]) * table["scale"] == told["value"]
    if "of" in told:
        part, whole = told["of"]
        assert round(100 * part / whole, 2) == told["value"]


def test_computed_figure_names_all_its_filings() -> None:
    found = of_sample(320193, "2025-08-15")
    one = figure(found, "revenue", "ttm", "2025-06-28")
    assert one is not None
    assert set(one.accessions) == {
        *("0000320193-24-000123", "0000320193-25-000073", "0000320193-24-000081")
    }
    assert one.formula == ("year to 2024-09-28 + 9 months to 2025-06-28 − 9 months to 2024-06-29")


@pytest.mark.parametrize("cik", [320193, 1640147])
def test_figures_are_bounded_and_newest_first(cik: int) -> None:
    found = of_sample(cik)
    assert len(found.model_dump_json().encode()) < 141_000
    ends = [one.end for one in found.figures]
    assert ends == sorted(ends, reverse=True)
    revenues = [one.period for one in found.figures if one.metric == "revenue"]
    assert {p: revenues.count(p) for p in revenues} == {"ttm": 1, "quarter": 8, "year": 4}
