"""A trace as a waterfall: a line for each span, from its beginning to its end."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from bench.observability.collector import ReceivedSpan
from greenlight.bootstrap import ROOT

STYLE: Any = json.loads((ROOT / "activities/integrations/chart_style.json").read_text("utf-8"))
"""The style of the charts in reports."""
WIDTH, NAMES, LINE, TOP = 1_080, 400, 15, 64
INDENT, FONT = 9, 11
MAX_LINES = 90
MAX_TICKS = 8
KINDS = (
    ("gateway", ("GET /", "POST /", "StartWorkflow", "SignalWorkflow")),
    ("workflow", ("RunWorkflow", "phase ")),
    ("activity", ("RunActivity",)),
    ("model", ("chat ",)),
    ("tool, HTTP, parser", ("execute_tool", "search ", "GET", "HEAD", "POST", "sandbox ")),
)
"""Kinds of spans by how their names begin; the first that fits."""
LEFT_OUT = (
    *("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "StartActivity"),
    "RunActivity:runs.record",
)


class _Line(NamedTuple):
    span: ReceivedSpan
    depth: int


def draw_waterfall(spans: Sequence[ReceivedSpan], title: str) -> str:
    """Return the SVG of one trace; SQL, bookkeeping and the scheduling of activities are left out.

    Its title says how many spans beyond `MAX_LINES` are not drawn.
    """
    every = list(_order(spans))
    lines = every[:MAX_LINES]
    if len(every) > MAX_LINES:
        title = f"{title}; {len(every) - MAX_LINES} further spans are not drawn"
    begin, end = min(s.begin for s in spans), max(line.span.end for line in lines)
    height = TOP + LINE * len(lines) + 12
    drawn = "".join(_draw_line(line, n, begin, end) for n, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="{escape(STYLE["font_family"])}" font-size="{FONT}">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="12" y="22" font-size="15" font-weight="bold" fill="#111111">{escape(title)}</text>'
        f"{_draw_legend()}{_draw_scale(end - begin, height)}{drawn}</svg>\n"
    )


def _order(spans: Sequence[ReceivedSpan]) -> Iterator[_Line]:
    """Yield the spans as a tree, each below its nearest ancestor that is drawn."""
    children: dict[str, list[ReceivedSpan]] = {}
    for span in sorted(spans, key=lambda s: s.begin):
        children.setdefault(span.parent, []).append(span)
    known = {span.id for span in spans}

    def walk(span: ReceivedSpan, depth: int) -> Iterator[_Line]:
        is_drawn = not span.name.startswith(LEFT_OUT)
        if is_drawn:
            yield _Line(span, depth)
        for child in children.get(span.id, ()):
            yield from walk(child, depth + is_drawn)

    for span in spans:
        if span.parent not in known:
            yield from walk(span, 0)


def _find_kind(name: str) -> int:
    fits = (n for n, (_, begins) in enumerate(KINDS) if name.startswith(begins))
    return next(fits, len(KINDS) - 1)


def _draw_line(line: _Line, n: int, begin: int, end: int) -> str:
    span, scale = line.span, (WIDTH - NAMES - 90) / (end - begin)
    x, y = NAMES + (span.begin - begin) * scale, TOP + LINE * n
    wide = max((span.end - span.begin) * scale, 1.5)
    colour = "#D55E00" if span.is_error else STYLE["colors"][_COLOURS[_find_kind(span.name)]]
    took = _format_seconds((span.end - span.begin) / 1e9)
    failed = f" {span.attributes.get('error.type', 'error')}" if span.is_error else ""
    return (
        f'<text x="{12 + INDENT * line.depth}" y="{y + 11}" fill="#333333">{escape(span.name)}</text>'
        f'<rect x="{x:.1f}" y="{y + 3}" width="{wide:.1f}" height="9" fill="{colour}"/>'
        f'<text x="{min(x + wide + 4, WIDTH - 86):.1f}" y="{y + 11}" fill="#666666">{took}{escape(failed)}</text>'
    )


_COLOURS = (5, 0, 2, 3, 4)
"""Indexes into the colors of `STYLE`, by kind of span."""


def _draw_legend() -> str:
    drawn, x = "", 12
    names = [*((name, STYLE["colors"][_COLOURS[n]]) for n, (name, _) in enumerate(KINDS))]
    for name, colour in [*names, ("failed", "#D55E00")]:
        drawn += f'<rect x="{x}" y="35" width="10" height="10" fill="{colour}"/>'
        drawn += f'<text x="{x + 14}" y="44" fill="#333333">{name}</text>'
        x += 34 + 6 * len(name)
    return drawn


def _draw_scale(nanoseconds: int, height: int) -> str:
    drawn, seconds = "", nanoseconds / 1e9
    step = find_step(seconds, MAX_TICKS)
    for n in range(int(seconds / step) + 1):
        x = NAMES + (WIDTH - NAMES - 90) * n * step / seconds
        drawn += f'<path d="M{x:.1f} {TOP - 4}V{height - 6}" stroke="#dddddd"/>'
        drawn += (
            f'<text x="{x + 3:.1f}" y="{TOP - 6}" fill="#666666">{_format_seconds(n * step)}</text>'
        )
    return drawn


def _format_seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1_000:.0f} ms"


def find_step(most: float, ticks: int) -> float:
    """Return the smallest round distance between ticks that needs at most `ticks` of them."""
    steps = (base * 10.0**power for power in range(-3, 9) for base in (1, 2, 5))
    return next(each for each in steps if most / each <= ticks)
