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
    assert len(found.model_dump_json().encode()) < 92_000
    ends = [one.end for one in found.figures]
    assert ends == sorted(ends, reverse=True)
    revenues = [one.period for one in found.figures if one.metric == "revenue"]
    assert {p: revenues.count(p) for p in revenues} == {"ttm": 1, "quarter": 8, "year": 4}


@pytest.mark.parametrize(
    ("as_of", "newest", "name"),
    [
        ("2018-12-31", "2018-09-29", "FY2018 Q4"),
        ("2020-09-01", "2020-06-27", "FY2020 Q3"),
        ("2023-11-30", "2023-09-30", "FY2023 Q4"),
        ("2024-02-02", "2023-12-30", "FY2024 Q1"),
        ("2024-02-01", "2023-09-30", "FY2023 Q4"),
    ],
)
def test_newest_quarter_is_the_last_one_filed_on_any_day(
    as_of: str, newest: str, name: str
) -> None:
    found = of_sample(320193, as_of)
    quarters = [f for f in found.figures if f.metric == "revenue" and f.period == "quarter"]
    assert (quarters[0].end, quarters[0].fiscal) == (newest, name)


def test_quarters_add_up_to_their_year() -> None:
    for cik in (320193, 1640147):
        found = of_sample(cik)
        for metric in ("revenue", "net_income", "free_cash_flow"):
            years = [f for f in found.figures if (f.metric, f.period) == (metric, "year")]
            quarters = [f for f in found.figures if (f.metric, f.period) == (metric, "quarter")]
            within = [f for f in quarters if years[0].start <= f.end <= years[0].end]
            assert len(within) == 4
            assert sum(f.value for f in within) == pytest.approx(years[0].value)
