"""A company's figures as specifications of charts; activities draw and store them."""

from collections.abc import Iterator, Sequence

from contracts.agents.tools import ChartArgs, ChartSeries
from contracts.company.figures import Fundamentals
from contracts.evidence.rows import Period
from domain.company.figures.filed.metrics import LABELS
from domain.company.figures.numbers import find_scale

CHARTS = {
    "revenue": ("revenue",),
    "margins": ("gross_margin", "operating_margin", "net_margin"),
    "cash flow": ("operating_cash_flow", "capital_expenditure", "free_cash_flow"),
}
"""By title: the metrics that are its series."""
PERIODS: dict[Period, str] = {"quarter": "quarter", "year": "fiscal year"}
MONTH_CHARS = len("2025-06")


def build_charts(fundamentals: Fundamentals) -> Iterator[ChartArgs]:
    """Yield revenue, margins and cash flow by quarter, or by year where that has fewer gaps."""
    for title, metrics in CHARTS.items():
        charts = [_build_chart(fundamentals, title, metrics, period) for period in PERIODS]
        yield from sorted(filter(None, charts), key=_share_of_gaps)[:1]


def _share_of_gaps(chart: ChartArgs) -> float:
    values = [value for series in chart.series for value in series.values]
    return values.count(None) / len(values)


def _build_chart(
    fundamentals: Fundamentals, title: str, metrics: Sequence[str], period: Period
) -> ChartArgs | None:
    """Return a chart of the latest periods, oldest first; None where there are fewer than two."""
    by_label = {
        LABELS[name]: {
            f.end: f for f in fundamentals.figures if (f.metric, f.period) == (name, period)
        }
        for name in metrics
    }
    by_label = {label: by_end for label, by_end in by_label.items() if by_end}
    figures = [figure for by_end in by_label.values() for figure in by_end.values()]
    ends = sorted({figure.end for figure in figures})
    if len(ends) < 2:
        return None
    unit = figures[0].unit
    is_percent = unit == "percent"
    scale, word = (1.0, "") if is_percent else find_scale(max(abs(f.value) for f in figures))
    return ChartArgs(
        title=f"{fundamentals.company.name}: {title} by {PERIODS[period]}",
        kind="line" if is_percent else "bar",
        x_label=f"end of the {PERIODS[period]}",
        y_label=f"{word}{unit}",
        x=[end[:MONTH_CHARS] for end in ends],
        series=[
            ChartSeries(
                name=label,
                values=[by_end[end].value / scale if end in by_end else None for end in ends],
            )
            for label, by_end in by_label.items()
        ],
    )
