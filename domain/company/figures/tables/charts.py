"""A company's figures as specifications of charts; activities draw and store them."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from contracts.agents.tool_definitions import ChartArgs, ChartSeries
from contracts.company.figures import Fundamentals
from contracts.evidence.rows import Period
from contracts.words import Language, say
from domain.company.figures.filed.facts import count_days
from domain.company.figures.filed.kinds import KINDS
from domain.company.figures.filed.metrics import say_metric
from domain.company.figures.filed.periods import HALF_YEAR, YEAR, shift_day
from domain.company.figures.numbers import find_scale

MONTH_CHARS = len("2025-06")
LEAST_POINTS = 2
"""Periods that follow each other from which on a chart shows a series."""
GENERAL = ("cash-flow", "margins", "returns")
"""Subjects that do not name their metrics one by one, so that one of them may be unknown."""
MOST_APART = 1.5
"""Days between two periods’ ends, in those between the closest ones, from which on one is missing between."""
MARK = " *"
"""Suffix of a year’s label if its cash flows include discontinued operations; the chart’s title explains it."""
MOST_DAYS: dict[Period, int] = {"quarter": HALF_YEAR.stop, "year": YEAR.stop}
"""Days between the ends of two periods that follow each other: of half years too, where these are filed."""


def build_charts(fundamentals: Fundamentals, language: Language = "en") -> Iterator[ChartArgs]:
    """Yield the charts of the company's kind by quarter, or by year where that has fewer gaps."""
    for subject, metrics in KINDS.templates[fundamentals.kind].charts.items():
        named = fundamentals, subject, metrics, language
        charts = [_build_chart(*named, "quarter"), _build_chart(*named, "year")]
        yield from sorted(filter(None, charts), key=_share_of_gaps)[:1]


def _share_of_gaps(chart: ChartArgs) -> float:
    return fmean(value is None for series in chart.series for value in series.values)


def _take_series(ends: Collection[str], period: Period) -> list[str]:
    """Return the newest of the days that are one period apart, oldest first."""
    newest_first = sorted(ends, reverse=True)
    longest = MOST_DAYS[period]
    gaps = (count_days(earlier, later) > longest for later, earlier in pairwise(newest_first))
    before = next((n for n, is_gap in enumerate(gaps, start=1) if is_gap), len(newest_first))
    return newest_first[:before][::-1]


def _fill_gaps(ends: Collection[str], period: Period) -> list[str]:
    """Return all days, oldest first, with about the days of quarters between them of which nothing is filed.

    Years with a gap before them are left out, as they are of another time.
    """
    if period != "quarter":
        return _take_series(ends, period)
    known, filled = sorted(ends), list[str]()
    apart = min(count_days(earlier, later) - 1 for earlier, later in pairwise(known))
    for end in known:
        while filled and count_days(filled[-1], end) > MOST_APART * apart:
            filled.append(shift_day(filled[-1], apart))
        filled.append(end)
    return filled


def is_of_cash(metrics: Collection[str]) -> bool:
    """Return whether metrics are of the whole company's cash flows, discontinued operations included."""
    return not {"operating_cash_flow", "free_cash_flow"}.isdisjoint(metrics)


def _build_chart(
    fundamentals: Fundamentals,
    subject: str,
    metrics: Sequence[str],
    language: Language,
    period: Period,
) -> ChartArgs | None:
    """Return a chart of the latest periods that follow each other, oldest first, or None if these are too few for a series."""
    shown = [f for f in fundamentals.figures if f.metric in metrics and f.period == period]
    values = {(f.metric, f.end): f.value for f in shown}
    known_ends = {f.end for f in shown}
    if len(_take_series(known_ends, period)) < LEAST_POINTS:
        return None
    ends = _fill_gaps(known_ends, period)
    shown = [f for f in shown if f.end in ends]
    values = {key: value for key, value in values.items() if key[1] in ends}
    unit = shown[0].unit
    is_percent = unit == "percent"
    scale, word = (1.0, "percent") if is_percent else find_scale(max(map(abs, values.values())))
    known = {f.metric for f in shown}
    names = [say_metric(name).say(language) for name in metrics if name in known]
    is_fit = subject in GENERAL or len(names) == len(metrics)
    what = say(language, f"chart-{subject}") if is_fit else ", ".join(names)
    divided = fundamentals.divided_years if period == "year" and is_of_cash(metrics) else []
    if not {*ends}.isdisjoint(divided):
        what = say(language, "chart-divided", what=what)
    return ChartArgs(
        title=say(language, f"chart-by-{period}", company=fundamentals.company.name, what=what),
        kind="line" if is_percent else "bar",
        x_label=say(language, f"chart-end-{period}"),
        y_label=say(language, f"chart-in-{word}".rstrip(" -"), unit=unit),
        language=language,
        x=[end[:MONTH_CHARS] + MARK * (end in divided) for end in ends],
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
