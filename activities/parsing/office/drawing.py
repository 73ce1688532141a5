"""Drawings in Office documents with text in separate parts: charts and diagrams."""

import math
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from activities.parsing.document import row
from activities.parsing.office.number_formats import show_number
from activities.parsing.office.package import RELATION_ID, Package, read_int, remove
from activities.parsing.superscripts import AFTER_CHARS, BEFORE_CHARS, place_lowered, place_raised

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
MAX_POINTS = 2_000
_MIN_PICTURE = (2_160_000, 1_080_000)
"""Width and height in EMU, 6 and 3 cm, from which on a picture may hold text."""


def choose_alternatives(root: Any) -> None:
    """Replace each alternative by the branch that says most; the first of equals is the newer one."""
    for element in [*root.iter(f"{_MC}AlternateContent")]:
        branches = element.iterchildren(f"{_MC}Choice", f"{_MC}Fallback")
        chosen = max(branches, key=_count_text, default=None)
        for child in [] if chosen is None or element.getparent() is None else [*chosen]:
            element.addprevious(child)
        remove(element)


def _count_text(branch: Any) -> int:
    return sum(len(text.text or "") for text in branch.iter("{*}t"))


def is_large(extent: Any) -> bool:
    """Return whether a picture is large enough to contain readable text."""
    size = [read_int(extent.get(name)) for name in ("cx", "cy")] if extent is not None else (0, 0)
    return size[0] >= _MIN_PICTURE[0] and size[1] >= _MIN_PICTURE[1]


def list_drawn_lines(drawing: Any, package: Package, part: str) -> list[str]:
    """Return what the charts and diagrams say that a drawing shows, a line to a row or a shape."""
    lines: list[str] = []
    for shown in [*drawing.iter(f"{_C}chart", f"{_DGM}relIds")]:
        is_chart = shown.tag == f"{_C}chart"
        relation = shown.get(f"{RELATION_ID}{'id' if is_chart else 'dm'}")
        target = package.relate(part).get(relation)
        if target is not None and target.target in package:
            root = package.parse(target.target)
            lines += list_chart_lines(root) if is_chart else _list_diagram_lines(root)
    return lines


def _list_diagram_lines(root: Any) -> Iterator[str]:
    for point in root.iter(f"{_DGM}t"):
        for paragraph in point.iter(f"{A}p"):
            if text := "".join(each.text or "" for each in paragraph.iter(f"{A}t")).strip():
                yield text


def list_chart_lines(root: Any) -> Iterator[str]:
    """Yield a chart's titles, and the values that it shows as the rows of a table."""
    for title in root.iter(f"{_C}title"):
        if text := "".join(each.text or "" for each in title.iter(f"{A}t")).strip():
            yield text
    for plot in root.iter(f"{_C}plotArea"):
        series = [*plot.iter(f"{_C}ser")]
        names = [_read_points(each.find(f"{_C}tx")).get(0, "") for each in series]
        columns = [
            _read_points(
                next(each.iterchildren(f"{_C}val", f"{_C}yVal"), None), _find_label_format(each)
            )
            for each in series
        ]
        labels: dict[int, str] = {}
        for each in series:
            labels = labels or _read_points(next(each.iterchildren(f"{_C}cat", f"{_C}xVal"), None))
        if not any(columns):
            continue
        yield row(["", *names])
        numbers = sorted({*labels, *(n for column in columns for n in column)})
        for number in numbers[:MAX_POINTS]:
            yield row([labels.get(number, ""), *(column.get(number, "") for column in columns)])
        if more := len(numbers[MAX_POINTS:]):
            yield f"[{more} more points of this chart were not read]"


def _find_label_format(series: Any) -> str:
    """Return the number format of a series' labels; empty if it is that of the values."""
    shown = series.find(f"{_C}dLbls/{_C}numFmt")
    is_own = shown is not None and shown.get("sourceLinked") not in {"1", "true"}
    return (shown.get("formatCode") or "") if is_own else ""


def _find_format(point: Any) -> str:
    """Return the number format of the cache that holds a point; empty for texts."""
    cache = point.getparent()
    if cache.tag not in {f"{_C}numCache", f"{_C}numLit"}:
        return ""
    head = islice(cache, 2)  # it comes first
    return next((each.text for each in head if each.tag == f"{_C}formatCode"), "") or "General"


def _show_value(value: str, code: str) -> str:
    """Return a cached value in its number format; as it is if it is no number."""
    try:
        number = float(value)
    except ValueError:
        return value
    return show_number(number, code) if math.isfinite(number) else value


def _read_points(element: Any, label_format: str = "") -> dict[int, str]:
    """Return the cached values of a series as it shows them, by their index."""
    found: dict[int, str] = {}
    for point in () if element is None else element.iter(f"{_C}pt"):
        index, value = point.get("idx") or "", point.findtext(f"{_C}v") or ""
        if index.isdecimal() and len(index) < 7:
            code = label_format or point.get("formatCode") or _find_format(point)
            found[int(index)] = _show_value(value, code) if code else value
    if not found and element is not None and (value := element.findtext(f"{_C}v")):
        found[0] = value
    return found


def join_raised(pieces: list[tuple[str, str]]) -> str:
    """Return pieces of a line, each with how it is set: `superscript`, `subscript` or plain."""
    joined = ""
    for (text, align), (after, _) in pairwise([*pieces, ("", "")]):
        if align in {"superscript", "subscript"}:
            place = place_raised if align == "superscript" else place_lowered
            joined += place(joined[-BEFORE_CHARS:], text, after[:AFTER_CHARS])
        else:
            joined += text
    return joined


def read_paragraph(paragraph: Any) -> str:
    """Return a DrawingML paragraph's text, without struck-out text and with superscripts separated."""
    pieces: list[tuple[str, str]] = []
    for each in paragraph.iter(f"{A}r", f"{A}fld", f"{A}br", f"{M}t"):
        about = each.find(f"{A}rPr")
        if each.tag in {f"{A}br", f"{M}t"}:
            pieces.append(("\n" if each.tag == f"{A}br" else each.text or "", ""))
        elif about is None or about.get("strike", "noStrike") == "noStrike":
            raised = "" if about is None else about.get("baseline", "").strip("0.%")
            align = raised and ("subscript" if raised.startswith("-") else "superscript")
            pieces.append((each.findtext(f"{A}t") or "", align))
    return join_raised(pieces).strip()
