"""A line of a page: its words with their places, on one baseline, from its characters to its paragraph."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import sub

Word = tuple[float, float, str]
"""Left edge, right edge and text."""


@dataclass(slots=True)
class Line:
    """Words that follow one another on a line, or a table's row; `y` is their baseline and grows downwards."""

    y: float
    height: float
    words: list[Word]
    first: int
    """Index of its first character on the page; -1 for a line without characters."""
    turn: int = 0
    """Quarter turns of its direction; -1 for any other angle."""
    left: float = 0
    right: float = 0
    gap: float = -math.inf
    """The widest gap between two of its words."""
    cells: Sequence[Word] = ()
    """Its words, joined where the gap is narrow."""
    is_row: bool = False
    """It is a row of a table."""
    is_bold: bool = False
    is_apart: bool = False
    """Whether it has wide gaps, and so is not a line of a paragraph."""
    is_edge: bool = False
    """It is a running head or a page's number."""
    block: int = 0
    width: float = 0
    """Width of its block."""
    _text: str = ""

    def keep(self, words: list[Word]) -> None:
        """Replace its words."""
        self.words, self._text = words, ""
        if len(words) == 1:
            self.left, self.right, _ = words[0]
        elif words:
            lefts, rights, _ = zip(*words, strict=True)
            self.left, self.right, self.gap = (
                lefts[0],
                max(rights),
                max(map(sub, lefts[1:], rights)),
            )

    def cut(self, words: list[Word]) -> "Line":
        """Return a line of some of its words."""
        return make_line(self.y, self.height, words, self.first, self.turn)

    def split(self, gap: float) -> list[Word]:
        """Join its words to cells that are at least `gap` heights apart."""
        if self.gap < gap * self.height:
            return [(self.left, self.right, self.text)]
        cells: list[Word] = []
        begin, end = 0, self.words[0][1]
        for at, (left, right, _) in enumerate(self.words):
            if left - end >= gap * self.height:
                cells.append(_join(self.words[begin:at], end))
                begin, end = at, right
            elif right > end:
                end = right
        return [*cells, _join(self.words[begin:], end)]

    @property
    def text(self) -> str:
        """Return its words, joined."""
        if not self._text:
            self._text = " ".join([word[2] for word in self.words])
        return self._text

    def become_row(self, text: str, left: float, right: float) -> "Line":
        """Return itself as a table's row."""
        self._text, self.left, self.right, self.is_row = text, left, right, True
        return self


def make_line(y: float, height: float, words: list[Word], first: int, turn: int = 0) -> Line:
    """Return a line of words."""
    line = Line(y, height, words, first, turn)
    line.keep(words)
    return line


def _join(words: list[Word], right: float) -> Word:
    return words[0][0], right, " ".join([word[2] for word in words])
