"""A company's figures as specifications of charts and of a table; activities draw and store them."""

from collections.abc import Iterator

from contracts.agents.tools import ChartArgs, ChartSeries, TableArgs, TableCell
from contracts.company.figures import Figure, Fundamentals
from contracts.evidence.rows import Period
from domain.company.figures.filed.metrics import LABELS, METRICS, name_row
from domain.company.figures.notes import describe_dates
from domain.company.figures.numbers import find_scale, format_number

CHARTS = {
    "revenue": {"Revenue": "revenue"},
    "margins": {
        "Gross margin": "gross_margin",
        "Operating margin": "operating_margin",
        "Net margin": "net_margin",
    },
    "cash flow": {
        "Operating cash flow": "operating_cash_flow",
        "Capital expenditure": "capital_expenditure",
        "Free cash flow": "free_cash_flow",
    },
}
"""Title -> label of each series -> its metric."""
PERIODS: dict[Period, str] = {"quarter": "quarter", "year": "fiscal year"}
COLUMNS = ["Figure", "Twelve months to", "Quarter to, or on", "Fiscal year to"]
MAX_ROWS = 200
MONTH_CHARS = len("2025-06")


def build_charts(fundamentals: Fundamentals) -> Iterator[ChartArgs]:
    """Yield revenue, margins and cash flow by quarter, or by year where that has fewer gaps."""
    for title, metrics in CHARTS.items():
        charts = [_build_chart(fundamentals, title, metrics, period) for period in PERIODS]
        yield from sorted(filter(None, charts), key=_share_of_gaps)[:1]


def build_table(fundamentals: Fundamentals, today: str) -> TableArgs:
    """Return the key figures, most important first: of each metric its newest value of each kind of period.

    A growth stands behind what grows; the title says how old they are on the day that the run looks from.
    """
    by_metric: dict[str, dict[str, Figure]] = {}
    for figure in fundamentals.figures:  # newest first
        by_metric.setdefault(figure.metric, {}).setdefault(figure.period, figure)
    rows: list[list[TableCell]] = []
    for metric in sorted(by_metric.keys() & LABELS.keys(), key=_rank):
        figures, growths = by_metric[metric], by_metric.get(f"{metric}_growth", {})
        quarter = "quarter" if "quarter" in figures else "instant"
        cells = (_format(figures.get(of), growths.get(of)) for of in ("ttm", quarter, "year"))
        rows.append([name_row(metric), *cells])
    dates = describe_dates(fundamentals, fundamentals.as_of or today)
    title = f"{fundamentals.company.name}: key figures {dates}"
    return TableArgs(title=title, columns=COLUMNS, rows=rows[:MAX_ROWS])


def _rank(metric: str) -> tuple[bool, int]:
    return not METRICS[metric].key, [*LABELS].index(metric)


def _share_of_gaps(chart: ChartArgs) -> float:
    values = [value for series in chart.series for value in series.values]
    return values.count(None) / len(values)


def _build_chart(
    fundamentals: Fundamentals, title: str, metrics: dict[str, str], period: Period
) -> ChartArgs | None:
    """Return a chart of the latest periods, oldest first; None where there are fewer than two."""
    by_label = {
        label: {f.end: f for f in fundamentals.figures if (f.metric, f.period) == (metric, period)}
        for label, metric in metrics.items()
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


def _format(figure: Figure | None, growth: Figure | None) -> str:
    """Return a figure with its unit, its growth and the last day of its period."""
    if figure is None:
        return ""
    scale, word = find_scale(figure.value)
    number = format_number(figure.value / scale, 2).removesuffix(".00")
    unit = f" {word}{figure.unit}".replace("/shares", " per share").replace(" percent", "%")
    grown = ""
    if growth and growth.end == figure.end:
        grown = f", {'+' * (growth.value > 0)}{format_number(growth.value, 1)}%"
    return f"{number}{unit}{grown} ({figure.end})"
