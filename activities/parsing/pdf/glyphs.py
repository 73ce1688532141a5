"""The words of a page with their places, as PDFium has them, and raised signs set apart."""

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from activities.parsing.document import MAX_TEXT_CHARS
from activities.parsing.marks import write_mark
from activities.parsing.pdf.calls import (
    get_box,
    get_font_info,
    get_loose_box,
    get_origin,
    to_pointer,
)

Word = tuple[float, float, str]
"""Left edge, right edge and text."""

HYPHEN = "\ufffe"
"""PDFium's sign for a hyphen that divides a word at the end of a line."""
_LINE = re.compile(r"[^\n\x02\ufffe]+[\x02\ufffe]?")
_WORD = re.compile(r"\S+")
_MARKED = re.compile(r"\d\W{0,5}\Z|[\d)][A-Za-z]\W{0,5}\Z|\)\W{0,5}\Z|\A\(?\d{1,3}\)?[A-Z]")
"""A word that may end with a raised sign, or begin with one."""
_MAY_MARK = re.compile(r"[\d)]")
"""What a line has that has a marked word."""
_MAX_MARKED = 60
_NO_SPACE = 0.08
"""A gap between words, in heights, that is none."""
_RAISED = 0.12
"""Share of a line's height by which a raised sign stands above its line."""
_RAISED_OUTLINE = 0.2
"""The same for the outline of a font's own raised digits, which stand on the line."""
_TURN = math.pi / 2
_STEEP = 0.9
"""Rise of a word that is turned, in its length: labels of charts slant by 45 degrees."""
_BELOW = 1e6
"""Place of slanted text: below every line of its page."""
_BOLD = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_FORCE_BOLD, _MAX_NAME = 1 << 18, 128
_NAME_SIZE = ctypes.c_ulong(_MAX_NAME)


def _is_cut(before: str, after: str) -> bool:
    """Tell whether two words without a gap are one figure: PDFium sees a space between narrow digits."""
    if before[-1].isdigit():
        return after[0].isdigit() or after[0] in ".,"
    return after[0].isdigit() and before[-1] in ".,"


@dataclass(slots=True)
class Piece:
    """Words that follow one another on a line; `y` is their baseline and grows downwards."""

    y: float
    height: float
    words: list[Word]
    first: int
    """Index of its first character on the page."""
    turn: int = 0
    """Quarter turns of its direction; -1 for any other angle."""

    @property
    def left(self) -> float:
        """Return its left edge."""
        return min(word[0] for word in self.words)

    @property
    def right(self) -> float:
        """Return its right edge."""
        return max(word[1] for word in self.words)

    @property
    def text(self) -> str:
        """Return its words, joined."""
        return " ".join(word[2] for word in self.words)


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

    def close(self) -> None:
        """Free the page's characters."""
        pdfium.FPDFText_ClosePage(self.raw)

    def is_bold(self, at: int) -> bool:
        """Tell whether a character is written in a bold font."""
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
            return text  # else some of its characters are no Unicode, and left out
        codes = (pdfium.FPDFText_GetUnicode(self.raw, at) for at in range(self.count))
        return "".join(chr(code) if 0 < code < 0x110000 else " " for code in codes)

    def read_pieces(self) -> list[Piece]:
        """Return the words of the page in runs, each on one line."""
        pieces: list[Piece] = []
        for line in _LINE.finditer(self.text):
            if not self._read_line(*line.span(), pieces):
                return self._read_turned()
        return pieces

    def _read_line(self, first: int, last: int, pieces: list[Piece]) -> bool:
        """Add the pieces of a line as PDFium divides them; False if it does not run from left to right."""
        text, raw, x, y, box = self.text, self.at, self._x, self._y, self._box
        (x_at, y_at), box_at = self._place, self._box_at
        longest = _MAX_MARKED if _MAY_MARK.search(text, first, last) else 0
        words: list[Word] = []
        line_base = left_before = right_before = math.inf
        for match in _WORD.finditer(text, first, last):
            start, end = match.span()
            shown = match.group()
            get_origin(raw, start, x_at, y_at)
            left, base = x.value, y.value
            get_loose_box(raw, end - 1, box_at)
            right, height = box.right, box.top - box.bottom
            chars = end - start
            if not words and 1 < chars <= _MAX_MARKED and self._is_turned(end - 1, left, base):
                return False
            if 1 < chars <= longest and not shown.isalpha() and _MARKED.search(shown):
                shown, base, height = self._set_marks_apart(start, end, base, height)
            if right <= left:  # written from right to left
                left, right = box.left, self._find_right(start)
                left_before = -math.inf
            if left <= left_before or abs(base - line_base) > _RAISED * height:
                words = []
                pieces.append(Piece(-base, height, words, start))
                line_base = base
            elif left - right_before < _NO_SPACE * height and _is_cut(words[-1][2], shown):
                left, _, before = words.pop()
                shown = before + shown
            words.append((left, right, shown))
            left_before, right_before = left, right
        return True

    def _is_turned(self, at: int, left: float, base: float) -> bool:
        get_origin(self.at, at, *self._place)
        return abs(self._y.value - base) > max(_STEEP * (self._x.value - left), 1)

    def _find_right(self, at: int) -> float:
        get_loose_box(self.at, at, self._box_at)
        return float(self._box.right)

    def _set_marks_apart(
        self, start: int, end: int, base: float, height: float
    ) -> tuple[str, float, float]:
        """Return a word with its raised signs set apart, its baseline and its height."""
        core = end - 1
        while core > start and not self.text[core].isalnum():
            core -= 1
        last = self.text[core]
        if abs(self._read_base(core) - base) <= _RAISED * height and not (
            last.isdigit() and self._is_raised_outline(core, base, height)
        ):
            return self.text[start:end], base, height
        signs = [(self.text[at], *self._read_sign(at)) for at in range(start, end)]
        height = max(sign[2] for sign in signs)
        base = min(sign[1] for sign in signs if sign[2] > 0.8 * height)
        runs: list[tuple[bool, str]] = []
        for at, (sign, own_base, _) in enumerate(signs, start):
            is_raised = own_base > base + _RAISED * height
            is_raised = is_raised or (
                sign.isdigit() and self._is_raised_outline(at, own_base, height)
            )
            if runs and runs[-1][0] == is_raised:
                runs[-1] = (is_raised, runs[-1][1] + sign)
            else:
                runs.append((is_raised, sign))
        if all(is_raised for is_raised, _ in runs):
            return self.text[start:end], base, height
        written = ""
        for n, (is_raised, run) in enumerate(runs):
            after = runs[n + 1][1] if n + 1 < len(runs) else ""
            written += write_mark(written, run, after) if is_raised else run
        return written, base, height

    def _read_base(self, at: int) -> float:
        get_origin(self.at, at, *self._place)
        return self._y.value

    def _read_sign(self, at: int) -> tuple[float, float]:
        """Return a character's baseline and height."""
        get_loose_box(self.at, at, self._box_at)
        return self._read_base(at), self._box.top - self._box.bottom

    def _is_raised_outline(self, at: int, base: float, height: float) -> bool:
        """Tell whether a digit's outline stands above the line, as a font's own raised digits do."""
        get_box(self.at, at, *self._edges_at)
        bottom, top = self._edges[2].value, self._edges[3].value
        return bottom > base + _RAISED_OUTLINE * height and top > bottom

    def _read_turned(self) -> list[Piece]:
        """Return the words of a page some of whose lines run another way: by each character's place."""
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
        pieces = [
            piece for turn, found in signs.items() if turn >= 0 for piece in _join(found, turn)
        ]
        if slanted := signs.get(-1):
            pieces.append(self._read_slanted(slanted))
        return pieces

    def _place_turned(self, at: int, turn: int) -> tuple[float, float, float, float]:
        """Return a character's baseline, left and right edge and height in the frame of its own direction."""
        get_origin(self.at, at, *self._place)
        get_loose_box(self.at, at, self._box_at)
        x, y, box = self._x.value, self._y.value, self._box
        if turn == 0:
            return -y, box.left, box.right, box.top - box.bottom
        if turn == 1:
            return -x, -box.top, -box.bottom, box.right - box.left
        if turn == 2:
            return y, -box.right, -box.left, box.top - box.bottom
        return x, box.bottom, box.top, box.right - box.left

    def _read_slanted(self, signs: list[tuple[float, float, float, float, str, int]]) -> Piece:
        text = "".join(sign[4] for sign in signs)
        return Piece(_BELOW, 1.0, [(0.0, 1.0, " ".join(text.split()))], signs[0][5], turn=-1)


def _join(signs: list[tuple[float, float, float, float, str, int]], turn: int) -> Iterator[Piece]:
    """Yield the words that characters of one direction form, line by line."""
    signs.sort(key=lambda sign: sign[0])
    line: list[tuple[float, float, float, float, str, int]] = []
    for sign in signs:
        if line and sign[0] - line[0][0] > 0.3 * max(sign[3], line[0][3]):
            yield from _join_line(line, turn)
            line = []
        line.append(sign)
    if line:
        yield from _join_line(line, turn)


def _join_line(
    line: list[tuple[float, float, float, float, str, int]], turn: int
) -> Iterator[Piece]:
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
        yield Piece(base, height, words, line[0][5], turn)
