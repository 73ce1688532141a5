"""The words of a page with their positions from PDFium, and separated superscripts."""

import ctypes
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter, sub
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfMatrix

from activities.parsing.document import MAX_TEXT_CHARS
from activities.parsing.pdf.calls import (
    get_box,
    get_font_info,
    get_loose_box,
    get_origin,
    read_places,
    to_pointer,
)
from activities.parsing.pdf.directions import LEFTWARD, Sign, is_leftward, list_signs, read_line
from activities.parsing.pdf.lines import Line, Word, make_line
from activities.parsing.superscripts import write_mark

HYPHEN = "\ufffe"
"""PDFium's sign for a hyphen that divides a word at the end of a line."""
_DIVIDERS = "\x02\ufffe"
_WORD = re.compile(r"\s*(?:[^\s\x02\ufffe]+[\x02\ufffe]?|[\x02\ufffe])")
"""A word with the space before it."""
_MARKED = re.compile(r"\d\W{0,5}\Z|[\d)][A-Za-z]\W{0,5}\Z|\)\W{0,5}\Z|\A\(?\d{1,3}\)?[A-Z]")
"""A word that may end with a raised sign, or begin with one."""
_MAX_MARKED = 60
_MIXED = re.compile(r"\d[$€£]|[.,]{2}\d|\d[.,]{2}|\d\(|\d[A-Za-z]\d")
"""Words whose characters may be two overlapping runs, which PDFium orders by position."""
_JOINED = 0.03
"""Maximum gap, in heights, between a run's characters."""
_NO_SPACE = 0.08
"""A smaller gap, in heights, is not a space."""
_RAISED = 0.12
"""Share of a line's height by which a superscript is above its line."""
_MAX_RAISE = 0.5
"""A character that is higher, in heights, is on a line of its own."""
_SUNK = 0.15
"""A character on the line reaches below it by at least this share of its height."""
_RAISED_OUTLINE = 0.2
"""The same for outlines of superscript digits in a font, whose origin is on the line."""
DIGITS = frozenset("0123456789")
"""Digits that a font may show raised; an Arabic zero is a dot above the line."""
_TURN = math.pi / 2
_FRAMES = [PdfMatrix(*each) for each in ((), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))]
"""Rotations of a page that make words with this many quarter turns run from left to right."""
_STEEP = 0.9
"""Rise of a word that is turned, in its length: labels of charts slant by 45 degrees."""
_BELOW = 1e6
"""Place of slanted text: below every line of its page."""
_BOLD = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_FORCE_BOLD, _MAX_NAME = 1 << 18, 128
_NAME_SIZE = ctypes.c_ulong(_MAX_NAME)


def _is_cut(before: str, after: str) -> bool:
    """Return whether two words without a gap are one figure: PDFium sees a space between narrow digits."""
    if before[-1].isdigit():
        return after[0].isdigit() or after[0] in ".,"
    return after[0].isdigit() and before[-1] in ".,"


@dataclass(slots=True)
class _Words:
    """The words of a page as columns of values."""

    texts: list[str]
    starts: list[int]
    ends: list[int]
    lefts: list[float]
    bases: list[float]
    rights: list[float]
    bottoms: list[float]
    heights: list[float]


class TextPage:
    """The characters of one page; close it after use."""

    def __init__(self, page: Any) -> None:
        self.raw = pdfium.FPDFText_LoadPage(page)
        self.at = to_pointer(self.raw)
        self.count = min(max(pdfium.FPDFText_CountChars(self.raw), 0), MAX_TEXT_CHARS)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._place = (ctypes.byref(self._x), ctypes.byref(self._y))
        self._box = pdfium.FS_RECTF()
        self._box_at = ctypes.byref(self._box)
        self._font, self._flags = ctypes.create_string_buffer(_MAX_NAME), ctypes.c_int()
        self._flags_at = ctypes.byref(self._flags)
        self._edges = [ctypes.c_double() for _ in range(4)]
        self._edges_at = [ctypes.byref(edge) for edge in self._edges]
        self.text = self._read_text()
        self.is_leftward = is_leftward(self.text)

    def close(self) -> None:
        """Free the page's characters."""
        pdfium.FPDFText_ClosePage(self.raw)

    def is_bold(self, at: int) -> bool:
        """Return whether a character is written in a bold font."""
        if at < 0:
            return False
        self._font.value = b""
        get_font_info(self.at, at, self._font, _NAME_SIZE, self._flags_at)
        return bool(_BOLD.search(self._font.value) or self._flags.value & _FORCE_BOLD)

    def _read_text(self) -> str:
        buffer = (ctypes.c_ushort * (self.count + 1))()
        written = pdfium.FPDFText_GetText(self.raw, 0, self.count, buffer)
        text = bytes(buffer)[: 2 * self.count].decode("utf-16-le", "surrogatepass")
        if written == self.count + 1 and len(text) == self.count:
            return text  # otherwise some characters are not Unicode, and missing
        codes = (pdfium.FPDFText_GetUnicode(self.raw, at) for at in range(self.count))
        return "".join(chr(code) if 0 < code < 0x110000 else " " for code in codes)

    def read_lines(self) -> list[Line]:
        """Return the words of the page in lines, each on one baseline."""
        text = self.text
        for divider in _DIVIDERS:
            text = text.replace(divider, f"{divider}\n")
        own = [*map(str.split, text.split("\n"))]
        texts = [*chain.from_iterable(own)]
        ends = [*accumulate(map(len, _WORD.findall(self.text)))]
        starts = [*map(sub, ends, map(len, texts))]
        words = _Words(texts, starts, ends, *read_places(self.at, starts, ends))
        bounds = [*accumulate(map(len, own), initial=0)]
        if any(self._is_turned(words, n) for n in bounds if n < len(texts)):
            return self._read_turned()
        self._set_marks_apart(words)
        self._part_runs(words)
        placed = [*zip(words.lefts, words.rights, texts, strict=True)]
        gaps = [*map(sub, words.lefts[1:], words.rights)]
        has_leftward = LEFTWARD.search(self.text) is not None
        lines: list[Line] = []
        for first, stop in pairwise(bounds):
            some, inner = slice(first, stop), gaps[first : stop - 1]
            bases, heights = words.bases[some], words.heights[some]
            if not bases:
                continue
            if has_leftward and any(map(LEFTWARD.search, texts[some])):
                lines += self._read_leftward(starts[first], ends[stop - 1])
                continue
            if bases.count(bases[0]) == len(bases) and (
                not inner or min(inner) >= _NO_SPACE * heights[0]
            ):
                line = Line(-bases[0], heights[0], placed[some], starts[first])
                line.left, line.right = words.lefts[first], words.rights[stop - 1]
                line.gap = max(inner, default=line.gap)
                lines.append(line)
            else:
                lines += _divide(zip(placed[some], bases, heights, starts[some], strict=True))
        return lines

    def _read_leftward(self, start: int, end: int) -> Iterator[Line]:
        """Yield the lines of characters of which some are written from right to left, by their places alone."""
        at = range(start, end + 1)
        signs = list_signs(self.text[start:end], start, read_places(self.at, at[:-1], at[1:]))
        rows: list[list[Sign]] = []
        for sign in sorted(signs, key=lambda sign: sign.y):
            if rows and sign.y - rows[-1][0].y <= _MAX_RAISE * max(sign.height, rows[-1][0].height):
                rows[-1].append(sign)
            else:
                rows.append([sign])
        for row in rows:
            if any(not sign.text.isspace() for sign in row):
                y, height, words = read_line(row, on_leftward=self.is_leftward)
                yield make_line(y, height, words, row[0].at)

    def _is_turned(self, words: "_Words", n: int) -> bool:
        """Return whether a word does not run from left to right: its last character is not on the baseline of its first."""
        base = words.bases[n]
        if (
            0 <= base - words.bottoms[n] <= words.heights[n]
            or not 1 < len(words.texts[n]) <= _MAX_MARKED
        ):
            return False
        rise = abs(self._read_base(words.ends[n] - 1) - base)
        return rise > max(_STEEP * (self._x.value - words.lefts[n]), 1)

    def _part_runs(self, words: "_Words") -> None:
        """Write words of overlapping runs one run after the other: `20223,,350` becomes `2022, 3,350`."""
        for n, word in enumerate(words.texts):
            places = range(words.starts[n], words.ends[n] + 1)
            is_marked = len(word) != len(places) - 1
            if is_marked or len(word) > _MAX_MARKED or not _MIXED.search(word):
                continue
            lefts, _, rights, _, heights = read_places(self.at, places[:-1], places[1:])
            runs: list[tuple[str, float]] = []
            for sign, left, right in zip(word, lefts, rights, strict=True):
                near = (
                    k for k, (_, end) in enumerate(runs) if abs(left - end) < _JOINED * heights[0]
                )
                k = next(near, len(runs))
                runs[k : k + 1] = [("".join(text for text, _ in runs[k : k + 1]) + sign, right)]
            if len(runs) == 2 and not word.startswith(runs[0][0]):
                words.texts[n] = " ".join(text for text, _ in runs)

    def _set_marks_apart(self, words: "_Words") -> None:
        """Separate superscripts from words."""
        bases, heights = words.bases, words.heights
        for n, word in enumerate(words.texts):
            if word.isalpha() or not 1 < len(word) <= _MAX_MARKED or not _MARKED.search(word):
                continue
            sunk, last = bases[n] - words.bottoms[n], word[-1]
            is_level = sunk > _SUNK * heights[n] and last.isalnum()
            at = words.ends[n] - 1
            if is_level and not (
                last in DIGITS and self._is_raised_outline(at, bases[n], heights[n])
            ):
                continue
            marked = self._set_apart(words.starts[n], at + 1, bases[n], heights[n])
            words.texts[n], bases[n], heights[n] = marked

    def _set_apart(
        self, start: int, end: int, base: float, height: float
    ) -> tuple[str, float, float]:
        """Return a word with its superscripts separated, its baseline and its height."""
        core = end - 1
        while core > start and not self.text[core].isalnum():
            core -= 1
        last = self.text[core]
        if abs(self._read_base(core) - base) <= _RAISED * height and not (
            last in DIGITS and self._is_raised_outline(core, base, height)
        ):
            return self.text[start:end], base, height
        text, places = self.text[start:end], range(start, end + 1)
        _, bases, _, _, heights = read_places(self.at, places[:-1], places[1:])
        height = max(heights)
        base = min(own for own, tall in zip(bases, heights, strict=True) if tall > 0.8 * height)
        is_raised = [
            own > base + _RAISED * height
            or (text[n] in DIGITS and self._is_raised_outline(start + n, own, height))
            for n, own in enumerate(bases)
        ]
        if all(is_raised):
            return text, base, height
        runs = groupby(zip(is_raised, text, strict=True), itemgetter(0))
        parts = [(raised, "".join(sign for _, sign in run)) for raised, run in runs]
        written = ""
        for (raised, part), (_, after) in pairwise([*parts, (False, "")]):
            written += write_mark(written, part, after) if raised else part
        return written, base, height

    def _read_base(self, at: int) -> float:
        get_origin(self.at, at, *self._place)
        return self._y.value

    def _is_raised_outline(self, at: int, base: float, height: float) -> bool:
        """Return whether a digit's outline is above the line, as for superscript digits of a font."""
        get_box(self.at, at, *self._edges_at)
        bottom, top = self._edges[2].value, self._edges[3].value
        return bottom > base + _RAISED_OUTLINE * height and top > bottom

    def _read_turned(self) -> list[Line]:
        """Return the lines of a page with rotated text, from each character's position."""
        signs: dict[int, list[tuple[float, float, float, float, str, int]]] = {}
        for at, sign in enumerate(self.text):
            if sign.isspace() and pdfium.FPDFText_IsGenerated(self.raw, at) != 0:
                continue
            angle = pdfium.FPDFText_GetCharAngle(self.raw, at)
            turn = round(angle / _TURN)
            if abs(angle - turn * _TURN) > 0.1:
                signs.setdefault(-1, []).append((0, 0, 0, 0, sign, at))
                continue
            placed = self._place_turned(at, turn % 4)
            signs.setdefault(turn % 4, []).append((*placed, sign, at))
        lines = [
            line
            for turn, found in signs.items()
            if turn >= 0
            for line in _join(found, turn, on_leftward=self.is_leftward)
        ]
        if slanted := signs.get(-1):
            text = " ".join("".join(sign[4] for sign in slanted).split())
            lines.append(make_line(_BELOW, 1.0, [(0.0, 1.0, text)], slanted[0][5], turn=-1))
        return lines

    def _place_turned(self, at: int, turn: int) -> tuple[float, float, float, float]:
        """Return a character's baseline, left and right edge, and height, relative to its direction."""
        get_origin(self.at, at, *self._place)
        get_loose_box(self.at, at, self._box_at)
        box, frame = self._box, _FRAMES[turn]
        _, base = frame.on_point(self._x.value, self._y.value)
        left, bottom, right, top = frame.on_rect(box.left, box.bottom, box.right, box.top)
        return -base, left, right, top - bottom


def _divide(placed: Iterable[tuple[Word, float, float, int]]) -> Iterator[Line]:
    """Split the words of a line wherever baselines differ or words do not follow each other.

    Each word comes with its baseline, height and first character.
    """
    runs: list[tuple[float, float, int, list[Word]]] = []
    for word, base, height, start in placed:
        left, right, text = word
        words = runs[-1][3] if runs else []
        if not words or left <= words[-1][0] or abs(base - runs[-1][0]) > _RAISED * height:
            runs.append((base, height, start, [word]))
            continue
        begin, end, before = words[-1]
        if left - end < _NO_SPACE * height and _is_cut(before, text):
            words[-1] = (begin, right, before + text)
        else:
            words.append(word)
    for base, height, start, words in runs:
        yield make_line(-base, height, words, start)


def _join(
    signs: list[tuple[float, float, float, float, str, int]], turn: int, *, on_leftward: bool
) -> Iterator[Line]:
    """Yield the words that characters of one direction form, line by line."""
    signs.sort(key=lambda sign: sign[0])
    line: list[tuple[float, float, float, float, str, int]] = []
    for sign in signs:
        if line and sign[0] - line[0][0] > 0.3 * max(sign[3], line[0][3]):
            yield from _join_line(line, turn, on_leftward=on_leftward)
            line = []
        line.append(sign)
    if line:
        yield from _join_line(line, turn, on_leftward=on_leftward)


def _join_line(
    line: list[tuple[float, float, float, float, str, int]], turn: int, *, on_leftward: bool
) -> Iterator[Line]:
    if any(LEFTWARD.match(sign[4]) for sign in line):
        line.sort(key=itemgetter(5))
        ys, lefts, rights, heights, texts, _ = zip(*line, strict=True)
        places = (lefts, [-y for y in ys], rights, (), heights)
        signs = [*list_signs("".join(texts), line[0][5], places)]
        yield make_line(*read_line(signs, on_leftward=on_leftward), line[0][5], turn)
        return
    line.sort(key=lambda sign: sign[1])
    words: list[Word] = []
    end, was_space = -math.inf, True
    for _, left, right, height, sign, _ in line:
        if sign.isspace():
            was_space = True
            continue
        if was_space or left - end > 0.15 * height:
            words.append((left, right, sign))
        else:
            words[-1] = (words[-1][0], right, words[-1][2] + sign)
        end, was_space = right, False
    if words:
        height = max(sign[3] for sign in line)
        base = max(sign[0] for sign in line)
        yield make_line(base, height, words, line[0][5], turn)
