"""A company's figures as charts and as a table; pure: the activities draw and keep them."""

from collections.abc import Iterator

from contracts.company import Figure, Fundamentals, Period
from contracts.tools import Cell, ChartArgs, Series, TableArgs

MILLION = 1e6
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
COLUMNS: dict[Period, str] = {
    "ttm": "Twelve months to",
    "quarter": "Quarter to",
    "year": "Fiscal year to",
    "instant": "On",
}
SCALES = ((1e12, "trillion "), (1e9, "billion "), (MILLION, "million "))
MOST_ROWS, MOST_FILINGS = 200, 8


def charts(found: Fundamentals) -> Iterator[ChartArgs]:
    """Yield revenue, margins and cash flow by quarter, or by year where quarters are too few."""
    for title, names in (
        ("revenue", {"Revenue": "revenue"}),
        ("margins", MARGINS),
        ("cash flow", FLOWS),
    ):
        drawn = (_chart(found, title, names, period) for period in SPANS)
        yield from [chart for chart in drawn if chart][:1]


def table(found: Fundamentals) -> TableArgs:
    """Return the key figures, a line each: the newest of every kind of period, and their filings."""
    by_metric: dict[str, dict[str, Figure]] = {}
    for figure in found.figures:  # newest first
        by_metric.setdefault(figure.metric, {}).setdefault(figure.period, figure)
    return TableArgs(
        title=f"{found.company.name}: key figures",
        columns=["Figure", *COLUMNS.values(), "Filings"],
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
    scale = 1.0 if unit == "percent" else MILLION
    return ChartArgs(
        title=f"{found.company.name}: {title} by {SPANS[period]}",
        kind="line" if unit == "percent" else "bar",
        x_label=f"{SPANS[period]} to",
        y_label="percent" if unit == "percent" else f"million {unit}",
        x=ends,
        series=[
            Series(name=label, values=[_value(figures.get(end), scale) for end in ends])
            for label, figures in by_name.items()
        ],
    )


def _value(figure: Figure | None, scale: float) -> float | None:
    return figure.value / scale if figure else None


def _row(metric: str, figures: dict[str, Figure]) -> list[Cell]:
    filings = dict.fromkeys(a for figure in figures.values() for a in figure.accessions)
    name = metric.replace("_", " ").replace("eps", "EPS").replace("fcf", "FCF")
    return [
        name[:1].upper() + name[1:],
        *(_shown(figures.get(period)) for period in COLUMNS),
        ", ".join([*filings][:MOST_FILINGS]),
    ]


def _shown(figure: Figure | None) -> str:
    """Return a figure as people write it, and the last day of its period."""
    if figure is None:
        return ""
    size = abs(figure.value)
    scale, word = next(((s, w) for s, w in SCALES if size >= s), (1.0, ""))
    number = f"{figure.value / scale:,.2f}".removesuffix(".00")
    unit = "%" if figure.unit == "percent" else f" {word}{figure.unit}"
    return f"{number}{unit} ({figure.end})"
