"""The drawings on a page: lines, pictures, and whether words are visible."""

import ctypes
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from typing import Any

import pypdfium2 as pypdfium
import pypdfium2.raw as pdfium

from activities.parsing.pdf.calls import (
    count_marks,
    get_bounds,
    get_fill_color,
    get_object,
    get_render_mode,
    get_text_object,
    get_type,
    to_pointer,
)
from activities.parsing.pdf.glyphs import TextPage
from activities.parsing.pdf.lines import Line, Word

Rule = tuple[float, float, float]
"""A horizontal line: its height, which grows downwards, and its left and right end."""
Box = tuple[float, float, float, float]

MAX_OBJECTS, SPARE_OBJECTS = 1_500, 30_000
"""Objects of a page that are looked at, and of all pages that have more."""
MAX_RENDERED = 30
"""Pages of a document that are drawn to see whether words are visible; beyond them all words are."""
_MAX_DEPTH = 3
_MAX_THICK = 2.5
_MIN_LINE = 4.0
_STRUCK = (0.12, 0.45)
"""Where a line strikes words out: above their baseline, in heights."""
_STRUCK_REACH = 0.6
"""A strike-through line extends beyond its words by at most this many text heights."""
_MAX_NEAR = 20
_MAX_POINTS = 5_000_000
"""Points of a page that is drawn."""
_TINY, _READABLE = 2.3, 4.0
_WHITE, _CLEAR = 240, 25
_INVISIBLE = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_COLOR = [ctypes.c_uint() for _ in range(4)]
_COLOR_AT = [*map(ctypes.byref, _COLOR)]
_CONTRAST = 24
"""Minimum difference between the lightest and darkest point of visible content."""
_DIGITS = re.compile(r"\d+")


@dataclass
class Drawn:
    """The horizontal lines of a page, its pictures, and how many other shapes it has."""

    rules: list[Rule] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)
    shapes: int = 0


class Eye:
    """Looks at the pages of one document, within bounds for all of them."""

    def __init__(self) -> None:
        self._spare = SPARE_OBJECTS
        self._rendered = 0
        self._seen: dict[tuple[str, int, int], bool] = {}

    def read_drawn(self, page: Any) -> Drawn:
        """Return a page's drawings; nothing if it has more objects than the document's remaining budget."""
        drawn = Drawn()
        count = pdfium.FPDFPage_CountObjects(page)
        if count > MAX_OBJECTS:
            if count > self._spare:
                return drawn
            self._spare -= count
        boxes = [ctypes.c_float() for _ in range(4)]
        places = [*map(ctypes.byref, boxes)]
        objects = [*map(get_object, repeat(to_pointer(page)), range(count))]
        kinds = [*map(get_type, objects)]
        for at in compress(range(count), map(pdfium.FPDF_PAGEOBJ_TEXT.__ne__, kinds)):
            if kinds[at] == pdfium.FPDF_PAGEOBJ_FORM:
                _look_into(objects[at], drawn, pypdfium.PdfMatrix(), 0)
            else:
                get_bounds(objects[at], *places)
                left, bottom, right, top = boxes
                _add(drawn, kinds[at], (left.value, bottom.value, right.value, top.value))
        drawn.rules.sort()
        return drawn

    def drop_unseen(
        self, page: pypdfium.PdfPage, chars: TextPage, lines: Sequence[Line], drawn: Drawn
    ) -> list[Line]:
        """Return the lines of a page that a reader can see."""
        doubtful = [at for at, line in enumerate(lines) if _is_doubtful(chars, line, drawn)]
        if not doubtful:
            return list(lines)
        tallest = max(line.height for line in lines)
        keys = {at: _to_key(lines[at]) for at in doubtful}
        unseen = {at for at in doubtful if lines[at].height < _TINY and tallest > _READABLE}
        asked = [at for at in doubtful if at not in unseen and keys[at] not in self._seen]
        width, height = page.get_size()
        if asked and self._rendered < MAX_RENDERED and width * height <= _MAX_POINTS:
            self._rendered += 1
            picture = _Picture(page)
            self._seen |= {keys[at]: picture.shows(lines[at]) for at in asked}
        unseen |= {at for at in doubtful if not self._seen.get(keys[at], True)}
        return [line for at, line in enumerate(lines) if at not in unseen]


def drop_struck(lines: Sequence[Line], rules: Sequence[Rule]) -> list[Line]:
    """Return lines without the words that a line strikes out."""
    if not rules:
        return list(lines)
    for line in lines:
        low = bisect_left(rules, (line.y - _STRUCK[1] * line.height,))
        high = bisect_left(rules, (line.y - _STRUCK[0] * line.height,))
        struck = {
            word
            for rule in rules[low : min(high, low + _MAX_NEAR)]
            for word in _list_struck(line, rule)
        }
        if struck:
            line.keep([word for word in line.words if word not in struck])
    return [line for line in lines if line.words]


def _list_struck(line: Line, rule: Rule) -> list[Word]:
    """Return the words that a line covers, if it begins and ends with them."""
    _, left, right = rule
    covered = [
        w for w in line.words if left < (w[0] * 3 + w[1]) / 4 and (w[0] + w[1] * 3) / 4 < right
    ]
    reach = _STRUCK_REACH * line.height
    if line.turn or not covered:
        return []
    is_fit = covered[0][0] - left < reach and right - covered[-1][1] < reach
    return covered if is_fit else []


def _add(drawn: Drawn, kind: int, box: Box) -> None:
    left, bottom, right, top = box
    if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
        drawn.pictures.append(box)
    elif kind == pdfium.FPDF_PAGEOBJ_PATH:
        if top - bottom > _MAX_THICK:
            drawn.shapes += right - left > _MAX_THICK
        elif right - left >= _MIN_LINE:
            drawn.rules.append((-(top + bottom) / 2, left, right))


def _look_into(form: Any, drawn: Drawn, matrix: pypdfium.PdfMatrix, depth: int) -> None:
    """Add what a group of objects shows."""
    pointer = ctypes.cast(form, pdfium.FPDF_PAGEOBJECT)
    own = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(pointer, own)
    inner = pypdfium.PdfMatrix.from_raw(own).multiply(matrix)
    boxes = [ctypes.c_float() for _ in range(4)]
    for at in range(min(pdfium.FPDFFormObj_CountObjects(pointer), MAX_OBJECTS)):
        shown = pdfium.FPDFFormObj_GetObject(pointer, at)
        kind = pdfium.FPDFPageObj_GetType(shown)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
            _look_into(shown, drawn, inner, depth + 1)
        elif kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH):
            pdfium.FPDFPageObj_GetBounds(shown, *map(ctypes.byref, boxes))
            _add(drawn, kind, inner.on_rect(*(box.value for box in boxes)))


def _to_key(line: Line) -> tuple[str, int, int]:
    """Return the common part of a banner on many pages."""
    return _DIGITS.sub("0", line.text), round(line.left), round(line.y)


def _is_doubtful(chars: TextPage, line: Line, drawn: Drawn) -> bool:
    """Return whether a line may be invisible: by its size, color, way of drawing or layer.

    Slanted text is on no line that could be checked, so it is never doubted.
    """
    if line.turn < 0:
        return False
    if line.height < _TINY:
        return True
    get_fill_color(chars.at, line.first, *_COLOR_AT)
    red, green, blue, alpha = _COLOR
    if red.value >= _WHITE and green.value >= _WHITE and blue.value >= _WHITE:
        return True
    if alpha.value <= _CLEAR:
        return True
    shown = get_text_object(chars.at, line.first)
    if not shown:
        return False
    if get_render_mode(shown) in _INVISIBLE:
        return not _is_over(line, drawn.pictures)
    return count_marks(shown) > 0 and any(name == "OC" for name in _list_marks(shown))


def _is_over(line: Line, pictures: Sequence[Box]) -> bool:
    """Return whether a picture lies under a line: of a scan it is what the picture shows."""
    x, y = (line.left + line.right) / 2, -line.y
    return line.turn != 0 or any(
        left <= x <= right and bottom <= y <= top for left, bottom, right, top in pictures
    )


def _list_marks(pointer: ctypes.c_void_p) -> Iterator[str]:
    """Yield the names of the marks on an object; `OC` is a layer's."""
    shown = ctypes.cast(pointer, pdfium.FPDF_PAGEOBJECT)
    size = ctypes.c_ulong()
    for at in range(min(max(pdfium.FPDFPageObj_CountMarks(shown), 0), 8)):
        name = (ctypes.c_ushort * 16)()
        mark = pdfium.FPDFPageObj_GetMark(shown, at)
        if pdfium.FPDFPageObjMark_GetName(mark, name, 32, size) and size.value <= 32:
            yield bytes(name)[: size.value - 2].decode("utf-16-le", "replace")


class _Picture:
    """A page drawn in shades of gray, a point to a pixel of it."""

    def __init__(self, page: pypdfium.PdfPage) -> None:
        self._page = page
        self._bitmap = page.render(scale=1, grayscale=True)
        self._pixels = memoryview(self._bitmap.buffer).cast("B")

    def shows(self, line: Line) -> bool:
        """Return True if the rendered page has visible contrast inside the line's box."""
        if line.turn:
            return True
        raw, width, height = self._page.raw, self._bitmap.width, self._bitmap.height
        xs, ys = [], []
        for x in (line.left, line.right):
            for y in (-line.y, -line.y + 0.6 * line.height):
                at_x, at_y = ctypes.c_int(), ctypes.c_int()
                pdfium.FPDF_PageToDevice(raw, 0, 0, width, height, 0, x, y, at_x, at_y)
                xs.append(min(max(at_x.value, 0), width - 1))
                ys.append(min(max(at_y.value, 0), height - 1))
        points = [
            self._pixels[
                row * self._bitmap.stride + min(xs) : row * self._bitmap.stride + max(xs) + 1
            ]
            for row in range(min(ys), max(ys) + 1)
        ]
        return max(map(max, points)) - min(map(min, points)) >= _CONTRAST
