"""A company's figures as specifications of charts; activities draw and store them."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from contracts.agents.tool_definitions import ChartArgs, ChartSeries
from contracts.company.figures import Fundamentals
from contracts.evidence.rows import Period
from contracts.words import Language, say
from domain.company.figures.filed.kinds import KINDS
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.numbers import find_scale

MONTH_CHARS = len("2025-06")


def build_charts(fundamentals: Fundamentals, language: Language = "en") -> Iterator[ChartArgs]:
    """Yield the charts of the company's kind by quarter, or by year where that has fewer gaps."""
    for subject, metrics in KINDS.templates[fundamentals.kind].charts.items():
        named = fundamentals, subject, metrics, language
        charts = [_build_chart(*named, "quarter"), _build_chart(*named, "year")]
        yield from sorted(filter(None, charts), key=_share_of_gaps)[:1]


def _share_of_gaps(chart: ChartArgs) -> float:
    return fmean(value is None for series in chart.series for value in series.values)


def _build_chart(
    fundamentals: Fundamentals,
    subject: str,
    metrics: Sequence[str],
    language: Language,
    period: Period,
) -> ChartArgs | None:
    """Return a chart of the latest periods, oldest first, or None if there are fewer than two."""
    shown = [f for f in fundamentals.figures if f.metric in metrics and f.period == period]
    values = {(f.metric, f.end): f.value for f in shown}
    ends = sorted({f.end for f in shown})
    if len(ends) < 2:
        return None
    unit = shown[0].unit
    is_percent = unit == "percent"
    scale, word = (1.0, "percent") if is_percent else find_scale(max(map(abs, values.values())))
    what = say(language, f"chart-{subject}")
    known = {f.metric for f in shown}
    return ChartArgs(
        title=say(language, f"chart-by-{period}", company=fundamentals.company.name, what=what),
        kind="line" if is_percent else "bar",
        x_label=say(language, f"chart-end-{period}"),
        y_label=say(language, f"chart-in-{word}".rstrip(" -"), unit=unit),
        language=language,
        x=[end[:MONTH_CHARS] for end in ends],
        series=[
            ChartSeries(
                name=say_metric(name).say(language),
                values=[
                    values[name, end] / scale if (name, end) in values else None for end in ends
                ],
            )
            for name in metrics
            if name in known
        ],
    )
