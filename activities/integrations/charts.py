"""Charts as SVG: pygal, without its scripts; the same figures give the same bytes."""

import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from contracts.agents.tool_definitions import ChartArgs
from contracts.errors import ToolFailed
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.words import write_digits

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

WIDTH, PLOT_HEIGHT, LEGEND_LINE = 900, 440, 20
BAR_HEIGHT, BAR_GAP = 12, 10
LONGEST_NAME = 40
LINE_OF_NAMES = 90
"""Characters of names that fit next to each other on an axis."""
YEARS_END = 10_000
"""Below it, a number on the x axis may be a year: 2015, not 2,015."""
FLAT_SHARE = 0.2
"""A line chart's axis spans at least this share of its largest value."""
MIN_SPREAD = 1e-9
"""Smallest range of an axis as a share of its largest value: pygal's scale never ends below a float's last digit."""

STYLE: Any = json.loads(files(__package__).joinpath("chart_style.json").read_text("utf-8"))
"""Its colours are Okabe and Ito's, which are distinguishable with colour blindness."""
EMPHASIS = "inline:.plot_title { font-weight: bold } #chart-chart .series .line { stroke-width: 2 }"


def draw(chart: ChartArgs) -> bytes:
    """Return a chart as a self-contained SVG.

    Raises:
        ToolFailed: The figures lie too close to one another for their size.
    """
    _check_spread(chart)
    import pygal  # imported late, because workers without charts need not load it
    from pygal.style import Style

    bar = pygal.HorizontalBar if _is_crowded(chart) else pygal.Bar
    line = pygal.XY if chart.is_measured else pygal.Line
    made = {"bar": bar, "line": line, "scatter": pygal.XY}[chart.kind]
    drawn = made(style=Style(**STYLE), **_options(chart))
    drawn.uuid = "chart"
    drawn.config.css.append(EMPHASIS)
    drawn.add_xml_filter(_remove_scripts)
    order = -1 if made is pygal.HorizontalBar else 1  # these are drawn from below
    if made is not pygal.XY:
        drawn.x_labels = [_format_name(x) for x in chart.x][::order]
    for series in chart.series:
        points = list(zip(chart.x, series.values, strict=True))
        drawn.add(series.name, points if made is pygal.XY else series.values[::order])
    try:
        svg: bytes = drawn.render()
    except (ArithmeticError, ValueError) as error:
        raise ToolFailed(Notice.of("chart-scale", reason=str(error))) from None
    return svg


def _check_spread(chart: ChartArgs) -> None:
    values = [value for series in chart.series for value in series.values if value is not None]
    axes = {"series": values, "x": [x for x in chart.x if isinstance(x, float)]}
    for name, numbers in axes.items():
        if not numbers:
            continue
        spread, largest = max(numbers) - min(numbers), max(map(abs, numbers))
        if 0 < spread < MIN_SPREAD * largest:
            ends = {"low": repr(min(numbers)), "high": repr(max(numbers))}
            raise ToolFailed(Problem.at(name, "chart-spread", least=f"{MIN_SPREAD:g}", **ends))


def _options(chart: ChartArgs) -> dict[str, Any]:
    is_across = chart.kind == "bar" and _is_crowded(chart)
    beside = 1 if is_across else math.ceil(_count_chars(chart) / LINE_OF_NAMES)
    bars = len(chart.x) * (len(chart.series) * BAR_HEIGHT + BAR_GAP) if is_across else 0
    titles = (chart.y_title, chart.x_label) if is_across else (chart.x_label, chart.y_title)
    return {
        "title": chart.title,
        "x_title": titles[0],
        "y_title": titles[1],
        "width": WIDTH,
        "height": max(PLOT_HEIGHT, bars + PLOT_HEIGHT // 3) + LEGEND_LINE * len(chart.series),
        "legend_at_bottom": True,
        "legend_at_bottom_columns": 1,
        "truncate_legend": -1,
        "truncate_label": LONGEST_NAME,
        "x_labels_major_every": beside,
        "show_minor_x_labels": beside == 1,
        "stroke": chart.kind != "scatter",
        "dots_size": 5 if chart.kind == "scatter" else 3,
        "allow_interruptions": True,
        "value_formatter": lambda value: write_digits(chart.language, figure(value)),
        "x_value_formatter": _format_name,
        "range": _span_axis(chart) if chart.kind == "line" else None,
        "js": [],
    }


def _span_axis(chart: ChartArgs) -> tuple[float, float] | None:
    """Return an axis for values that differ little; None for others.

    From zero they would look flat, and between the smallest and the largest a small change would look steep.
    """
    values = [value for series in chart.series for value in series.values if value is not None]
    if not values:
        return None
    span = FLAT_SHARE * max(map(abs, values))
    middle = (max(values) + min(values)) / 2
    is_flat = max(values) - min(values) < span
    return (middle - span / 2, middle + span / 2) if is_flat else None


def _is_crowded(chart: ChartArgs) -> bool:
    """Return whether the names have no room side by side; bars then lie, with a line for each."""
    return _count_chars(chart) > LINE_OF_NAMES


def _count_chars(chart: ChartArgs) -> int:
    return sum(min(len(_format_name(x)), LONGEST_NAME) + 2 for x in chart.x)


def _format_name(x: float | str) -> str:
    if isinstance(x, str):
        return x
    return figure(x).replace(",", "") if abs(x) < YEARS_END else figure(x)


def figure(value: float) -> str:
    """Return a number as people write it."""
    if value and not 1e-3 <= abs(value) < 1e15:
        return f"{value:.3g}"
    told = f"{value:,.3f}".rstrip("0").rstrip(".")
    return "0" if told == "-0" else told


def _remove_scripts(root: "Element") -> "Element":
    """Return a drawing without scripts and without the day it was made."""
    for parent in list(root.iter()):
        for child in list(parent):
            if not isinstance(child.tag, str) or child.tag == "script":
                parent.remove(child)
    return root
