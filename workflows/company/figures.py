"""A company's figures as charts and as a table; pure: the activities draw and keep them."""

from collections.abc import Iterator

from contracts.agents.tools import Cell, ChartArgs, Series, TableArgs
from contracts.evidence.company import Figure, Fundamentals, Period

FLOWS = {
    "Operating cash flow": "operating_cash_flow",
    "Capital expenditure": "capital_expenditure",
    "Free cash flow": "free_cash_flow",
}
MARGINS = {
    "Gross margin": "gross_margin",
    "Operating margin": "operating_margin",
    "Net margin": "net_margin",
}
SPANS: dict[Period, str] = {"quarter": "quarter", "year": "fiscal year"}
COLUMNS = ["Figure", "Twelve months to", "Quarter to, or on", "Fiscal year to", "Filings"]
SCALES = ((1e12, "trillion "), (1e9, "billion "), (1e6, "million "))
MOST_ROWS, MOST_FILINGS = 200, 3
MONTH = len("2025-06")


def charts(found: Fundamentals) -> Iterator[ChartArgs]:
    """Yield revenue, margins and cash flow by quarter, or by year where that shows more."""
    for title, names in (
        ("revenue", {"Revenue": "revenue"}),
        ("margins", MARGINS),
        ("cash flow", FLOWS),
    ):
        drawn = [_chart(found, title, names, period) for period in SPANS]
        yield from sorted(filter(None, drawn), key=_gaps)[:1]


def _gaps(chart: ChartArgs) -> float:
    """Return which share of a chart's values is missing."""
    values = [value for series in chart.series for value in series.values]
    return values.count(None) / len(values)


def table(found: Fundamentals) -> TableArgs:
    """Return the key figures, a line each: the newest of every kind of period, and their filings."""
    by_metric: dict[str, dict[str, Figure]] = {}
    for figure in found.figures:  # newest first
        by_metric.setdefault(figure.metric, {}).setdefault(figure.period, figure)
    return TableArgs(
        title=f"{found.company.name}: key figures",
        columns=COLUMNS,
        rows=[_row(metric, figures) for metric, figures in by_metric.items()][:MOST_ROWS],
    )


def _chart(
    found: Fundamentals, title: str, names: dict[str, str], period: Period
) -> ChartArgs | None:
    """Return a chart of the latest periods, oldest first; None where there are fewer than two."""
    by_name = {
        label: {f.end: f for f in found.figures if (f.metric, f.period) == (metric, period)}
        for label, metric in names.items()
    }
    by_name = {label: figures for label, figures in by_name.items() if figures}
    ends = sorted({end for figures in by_name.values() for end in figures})
    if len(ends) < 2:
        return None
    unit = next(iter(next(iter(by_name.values())).values())).unit
    most = max(abs(f.value) for figures in by_name.values() for f in figures.values())
    scale, word = (1.0, "") if unit == "percent" else _scale(most)
    return ChartArgs(
        title=f"{found.company.name}: {title} by {SPANS[period]}",
        kind="line" if unit == "percent" else "bar",
        x_label=f"{SPANS[period]} to",
        y_label=f"{word}{unit}",
        x=[end[:MONTH] for end in ends],
        series=[
            Series(name=label, values=[_value(figures.get(end), scale) for end in ends])
            for label, figures in by_name.items()
        ],
    )


def _value(figure: Figure | None, scale: float) -> float | None:
    return figure.value / scale if figure else None


def _row(metric: str, figures: dict[str, Figure]) -> list[Cell]:
    name = metric.replace("_", " ").replace("eps", "EPS").replace("fcf", "FCF")
    filings = next(iter(figures.values())).accessions
    shown = [
        figures.get("ttm"),
        figures.get("quarter", figures.get("instant")),
        figures.get("year"),
    ]
    return [name[:1].upper() + name[1:], *map(_shown, shown), ", ".join(filings[:MOST_FILINGS])]


def _shown(figure: Figure | None) -> str:
    """Return a figure as people write it, and the last day of its period."""
    if figure is None:
        return ""
    scale, word = _scale(abs(figure.value))
    number = f"{figure.value / scale:,.2f}".removesuffix(".00")
    unit = f" {word}{figure.unit}".replace("/shares", " per share").replace(" percent", "%")
    return f"{number}{unit} ({figure.end})"


def _scale(size: float) -> tuple[float, str]:
    return next(((s, word) for s, word in SCALES if size >= s), (1.0, ""))
