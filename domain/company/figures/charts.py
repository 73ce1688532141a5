"""A company's figures as specifications of charts; activities draw and store them."""

from collections.abc import Iterator

from contracts.agents.tools import ChartArgs, ChartSeries
from contracts.company.figures import Fundamentals
from contracts.evidence.rows import Period
from contracts.words import Language, say
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.numbers import find_scale

CHARTS = {
    "revenue": ("revenue",),
    "margins": ("gross_margin", "operating_margin", "net_margin"),
    "cash-flow": ("operating_cash_flow", "capital_expenditure", "free_cash_flow"),
}
"""By what they are of: the metrics that are their series."""
PERIODS: tuple[Period, ...] = ("quarter", "year")
MONTH_CHARS = len("2025-06")


def build_charts(fundamentals: Fundamentals, language: Language = "en") -> Iterator[ChartArgs]:
    """Yield revenue, margins and cash flow by quarter, or by year where that has fewer gaps."""
    for subject in CHARTS:
        charts = [_build_chart(fundamentals, subject, period, language) for period in PERIODS]
        yield from sorted(filter(None, charts), key=_share_of_gaps)[:1]


def _share_of_gaps(chart: ChartArgs) -> float:
    values = [value for series in chart.series for value in series.values]
    return values.count(None) / len(values)


def _build_chart(
    fundamentals: Fundamentals, subject: str, period: Period, language: Language
) -> ChartArgs | None:
    """Return a chart of the latest periods, oldest first; None where there are fewer than two."""
    by_label = {
        say_metric(name).say(language): {
            f.end: f for f in fundamentals.figures if (f.metric, f.period) == (name, period)
        }
        for name in CHARTS[subject]
    }
    by_label = {label: by_end for label, by_end in by_label.items() if by_end}
    figures = [figure for by_end in by_label.values() for figure in by_end.values()]
    ends = sorted({figure.end for figure in figures})
    if len(ends) < 2:
        return None
    unit = figures[0].unit
    is_percent = unit == "percent"
    scale, word = (1.0, "percent") if is_percent else find_scale(max(abs(f.value) for f in figures))
    what = say(language, f"chart-{subject}")
    return ChartArgs(
        title=say(language, f"chart-by-{period}", company=fundamentals.company.name, what=what),
        kind="line" if is_percent else "bar",
        x_label=say(language, f"chart-end-{period}"),
        y_label=say(language, f"chart-in-{word}".rstrip(" -"), unit=unit),
        language=language,
        x=[end[:MONTH_CHARS] for end in ends],
        series=[
            ChartSeries(
                name=label,
                values=[by_end[end].value / scale if end in by_end else None for end in ends],
            )
            for label, by_end in by_label.items()
        ],
    )
