"""A company's figures as charts."""

from contracts.company.figures import Fundamentals
from domain.company.figures.tables.charts import build_charts
from tests.support.words import en
from tests.workflows.support.listed_company import COMPANY, FACTS, FIGURES, figure


def found(*figures: object) -> Fundamentals:
    return Fundamentals.model_validate({"company": COMPANY, "figures": figures})


def test_chart_lists_quarters_oldest_first() -> None:
    revenue, margins = build_charts(FACTS.fundamentals)
    assert revenue.title == en("chart-by-quarter", company="Apple Inc.", what=en("chart-revenue"))
    assert revenue.x == ["2025-03", "2025-06"]
    assert revenue.series[0].values == [90, 94]
    assert revenue.y_label == en("chart-in-billion", unit="USD")
    assert margins.series[0].name == en("metric-gross-margin")
    assert margins.series[0].values == [46.5, 46.5]


def test_chart_uses_years_if_quarters_are_too_few() -> None:
    years = [figure("revenue", f"{y}-12-31", 1e6, period="year") for y in (2023, 2024)]
    [chart] = build_charts(found(*years, FIGURES[0]))
    assert chart.title == en("chart-by-year", company="Apple Inc.", what=en("chart-revenue"))


def test_chart_uses_years_if_quarters_have_more_gaps() -> None:
    flows = [
        *(figure("operating_cash_flow", f"{y}-12-31", 5e6, period="year") for y in (2023, 2024)),
        *(figure("free_cash_flow", f"{y}-12-31", 4e6, period="year") for y in (2023, 2024)),
        *(figure("free_cash_flow", f"2025-0{m}-28", 1e6) for m in (3, 6)),
        figure("operating_cash_flow", "2025-06-28", 2e6),
    ]
    [chart] = build_charts(found(*flows))
    assert chart.title == en("chart-by-year", company="Apple Inc.", what=en("chart-cash-flow"))


def test_missing_value_is_a_gap_in_the_chart() -> None:
    flows = [
        figure("operating_cash_flow", "2025-03-29", 5e6),
        figure("operating_cash_flow", "2025-06-28", 6e6),
        figure("free_cash_flow", "2025-06-28", -1e6),
    ]
    [chart] = build_charts(found(*flows))
    assert [series.values for series in chart.series] == [[5, 6], [None, -1]]


def test_quarters_a_year_apart_are_no_series() -> None:
    quarters = [figure("revenue", f"{y}-06-28", 1e6) for y in (2024, 2025)]
    assert list(build_charts(found(*quarters))) == []
    adjacent = figure("revenue", "2025-03-29", 1e6)
    [chart] = build_charts(found(*quarters, adjacent))
    assert chart.x == ["2024-06", "2024-09", "2024-12", "2025-03", "2025-06"]
    assert chart.series[0].values == [1, None, None, 1, 1], "all that is filed is drawn"


def test_one_figure_yields_no_chart() -> None:
    assert list(build_charts(found(FIGURES[0]))) == []


def test_title_names_only_what_is_drawn() -> None:
    """A property company's chart was of net income and funds from operations, of which it filed the former alone."""
    years = [figure("net_income", f"{y}-12-31", 1e6, period="year") for y in (2023, 2024)]
    funds = [figure("funds_from_operations", each.end, 2e6, period="year") for each in years]
    titles = [
        [chart.title for chart in build_charts(found(*each).model_copy(update={"kind": "reit"}))]
        for each in (years, [*years, *funds])
    ]
    wanted = [en("metric-net-income"), en("chart-reit")]
    assert titles == [[en("chart-by-year", company="Apple Inc.", what=what)] for what in wanted]


def test_years_whose_cash_flows_hold_discontinued_operations_are_marked() -> None:
    """J&J's cash flows of 2023 hold Kenvue's, those of 2024 do not."""
    flows = [
        figure(name, f"{y}-12-31", 4e6, period="year")
        for y in (2023, 2024)
        for name in ("operating_cash_flow", "free_cash_flow", "gross_margin")
    ]
    divided = found(*flows).model_copy(update={"divided_years": ["2023-12-31"]})
    [margins, cash] = build_charts(divided)
    assert cash.x == ["2023-12 *", "2024-12"]
    what = en("chart-divided", what=en("chart-cash-flow"))
    assert cash.title == en("chart-by-year", company="Apple Inc.", what=what)
    assert margins.x == ["2023-12", "2024-12"]
    assert "*" not in margins.title
