"""A company's figures as charts and as a table."""

import pytest

from activities.workbench import PREVIEW_ROWS
from contracts.company.figures import Fundamentals
from domain.company.figures.charts import build_charts, build_table
from tests.domain.company.figures.companies import APPLE, SNOWFLAKE, named, of_sample
from tests.workflows.support.listed_company import COMPANY, FACTS, FIGURES, figure


def found(*figures: object) -> Fundamentals:
    return Fundamentals.model_validate({"company": COMPANY, "figures": figures})


def test_chart_lists_quarters_oldest_first() -> None:
    revenue, margins = build_charts(FACTS.fundamentals)
    assert revenue.title == "Apple Inc.: revenue by quarter"
    assert revenue.x == ["2025-03", "2025-06"]
    assert revenue.series[0].values == [90, 94]
    assert revenue.y_label == "billion USD"
    assert margins.series[0].name == "Gross margin"
    assert margins.series[0].values == [46.5, 46.5]


def test_chart_uses_years_if_quarters_are_too_few() -> None:
    years = [figure("revenue", f"{y}-12-31", 1e6, period="year") for y in (2023, 2024)]
    [chart] = build_charts(found(*years, FIGURES[0]))
    assert chart.title.endswith("by fiscal year")


def test_chart_uses_years_if_quarters_have_more_gaps() -> None:
    flows = [
        *(figure("operating_cash_flow", f"{y}-12-31", 5e6, period="year") for y in (2023, 2024)),
        *(figure("free_cash_flow", f"{y}-12-31", 4e6, period="year") for y in (2023, 2024)),
        *(figure("free_cash_flow", f"2025-0{m}-28", 1e6) for m in (3, 6)),
        figure("operating_cash_flow", "2025-06-28", 2e6),
    ]
    [chart] = build_charts(found(*flows))
    assert chart.title.endswith("by fiscal year")


def test_missing_value_is_a_gap_in_the_chart() -> None:
    flows = [
        figure("operating_cash_flow", "2025-03-29", 5e6),
        figure("operating_cash_flow", "2025-06-28", 6e6),
        figure("free_cash_flow", "2025-06-28", -1e6),
    ]
    [chart] = build_charts(found(*flows))
    assert [series.values for series in chart.series] == [[5, 6], [None, -1]]


def test_one_figure_yields_no_chart() -> None:
    assert list(build_charts(found(FIGURES[0]))) == []


def test_table_has_a_row_for_each_metric() -> None:
    told = build_table(FACTS.fundamentals, "2025-09-01")
    lines = {row[0]: dict(zip(told.columns, row, strict=True)) for row in told.rows}
    assert list(lines) == [
        *("Revenue", "Gross margin, share of revenue", "Cash and cash equivalents")
    ]
    assert lines["Revenue"]["Quarter to, or on"] == "94 billion USD (2025-06-28)"
    assert lines["Gross margin, share of revenue"]["Quarter to, or on"] == "46.50% (2025-03-29)"
    assert lines["Cash and cash equivalents"]["Quarter to, or on"] == "36 billion USD (2025-06-28)"


def test_key_figures_bear_their_day_and_age() -> None:
    told = build_table(named(of_sample(SNOWFLAKE, "2026-02-15"), SNOWFLAKE), "2026-11-24")
    assert told.title == (
        "Snowflake Inc.: key figures to 2025-04-30, filed by 2025-05-30, 10 months before"
        " 2026-02-15: older than two quarters"
    )


@pytest.mark.parametrize("cik", [APPLE, SNOWFLAKE])
def test_what_a_report_shows_of_the_key_figures_is_what_tells_most(cik: int) -> None:
    names = [row[0] for row in build_table(of_sample(cik), "2026-02-15").rows]
    shown, rest = names[:PREVIEW_ROWS], names[PREVIEW_ROWS:]
    assert shown[:4] == ["Revenue", "Net income", "Operating income", "Free cash flow"]
    assert {
        *("Total debt", "Shareholders' equity", "Shares outstanding", "Stock compensation"),
        "Net cash (cash and all securities less debt)",
    } <= set(shown)
    assert "Diluted shares" in rest, "what is left stands in the whole table"


def test_growth_stands_behind_what_grows_and_a_table_names_no_filings() -> None:
    rows = build_table(of_sample(APPLE), "2026-02-15").rows
    assert rows[0] == [
        *("Revenue", "435.62 billion USD, +10.1% (2025-12-27)"),
        *("143.76 billion USD, +15.7% (2025-12-27)", "416.16 billion USD, +6.4% (2025-09-27)"),
    ]
    assert not [cell for row in rows for cell in row if "0000320193" in str(cell)]
