"""Headings: which lines of a document are one, and which of them, or of its outline, make its sections."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

from activities.parsing.document import MAX_SECTIONS
from activities.parsing.pdf.lines import Line

MAX_HEADING_CHARS = 160
_RANKS = (
    (1, re.compile(r"PART\s+(?:[IVX]{1,4}|\d{1,2})\b(?!.*\bof\b)", re.IGNORECASE)),
    (2, re.compile(r"ITEM\s+\d{1,2}[A-D]?\b[.:\s—–-]{0,3}(?=(?-i:[A-Z(])|\Z)", re.IGNORECASE)),
    (
        2,
        re.compile(
            r"(?:THE\s.{3,60}\s)?(?:CONDENSED\s|INTERIM\s|UNAUDITED\s)*CONSOLIDATED\s(?:CONDENSED\s)?"
            r"(?:STATEMENTS?|BALANCE\sSHEETS?|INCOME\sSTATEMENTS?|RESULTS)\b",
            re.IGNORECASE,
        ),
    ),
    (
        2,
        re.compile(
            r"NOTES TO (?:THE )?(?:CONDENSED )?(?:CONSOLIDATED )?FINANCIAL STATEMENTS"
            r"|REPORTS? OF INDEPENDENT REGISTERED|MANAGEMENT[’']S (?:DISCUSSION|REPORT)",
            re.IGNORECASE,
        ),
    ),
    (3, re.compile(r"NOTE\s+\d{1,2}[A-Z]?\s*[.:—–-]", re.IGNORECASE)),
    (
        3,
        re.compile(
            r"(?:CHAPTER|APPENDIX|ANNEX|SECTION|EXHIBIT|KAPITEL|ANHANG)\s+[\dA-Z]{1,4}\b",
            re.IGNORECASE,
        ),
    ),
    (3, re.compile(r"\d{1,2}\.\s+[A-Z]|[IVX]{1,4}\.\s+[A-Z]")),
    (4, re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[A-Z]")),
)
"""Words that begin a heading, with its rank."""
_LARGE, _LARGEST = 1.12, 1.45
"""Height of a heading's letters in that of the text's."""
_SHORT = 0.8
"""Share of its block's width that a heading fills, at most."""
_PAGE_AT_END = re.compile(r"(?:[\s.|…_]|\.\s)(?:[A-Z]-)?\d{1,3}\s*\|?\Z")
_YEAR_AT_END = re.compile(r"(?:[A-Z][a-z]+ \d{1,2},?|and) \d{1,4}\Z")
_MIN_CONTENTS = 5
_MIN_LINES = 12
"""Minimum number of lines from which a page's own usual height and weight are taken."""
_MAX_OTHERS = 5_000
_CALLED = re.compile(r"(?:ITEM|NOTE|PART|CHAPTER|SECTION)\s+[\dIVX]|\d{1,2}\.\s", re.IGNORECASE)
"""Beginnings of headings that may end with a full stop or colon."""
_REFERS = re.compile(
    r"\b(?:of|in|to) (?:this|our) |\bsee\b|\b(?:for|with) (?:further|additional|more) |\bprospectively\b",
    re.IGNORECASE,
)
"""Words of a sentence that points to a heading."""


@dataclass(slots=True)
class Heading:
    """A heading of a document, its rank, and its place in the text."""

    text: str
    rank: int
    start: int


class Ranker:
    """Decides which lines are headings, by comparison with most of a document's text."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        self.usual, self._is_bold = _measure(line for lines in pages for line in lines)

    def rank_on(self, lines: Sequence[Line]) -> Callable[[Line], int]:
        """Return a function that ranks a page's lines as headings."""
        if is_contents(lines):
            return lambda _: 0
        usual, is_bold = _measure(lines)
        usual, is_bold = max(usual, self.usual), is_bold or self._is_bold
        if len(lines) < _MIN_LINES:  # the page only has headings
            usual, is_bold = self.usual, self._is_bold
        return lambda line: _rank(line, usual, all_bold=is_bold)


def _measure(lines: Iterable[Line]) -> tuple[float, bool]:
    """Return the commonest height of lines, and whether most of their text is bold."""
    heights: Counter[float] = Counter()
    bold = 0
    for line in lines:
        if not line.is_row:
            heights[round(line.height * 4) / 4] += len(line.text)
            bold += len(line.text) if line.is_bold else 0
    usual = heights.most_common(1)[0][0] if heights else 0.0
    return usual, bold * 2 > heights.total()


def _rank(line: Line, usual: float, *, all_bold: bool) -> int:
    """Return a line's rank as a heading, from 1; 0 if it is not a heading."""
    text = line.text
    if not 3 <= len(text) <= MAX_HEADING_CHARS or text[0].islower():
        return 0
    if text[-1] in ".,;:" and not (_CALLED.match(text) and len(text) < 100):  # a sentence
        return 0
    is_short = line.right - line.left <= _SHORT * line.width or line.width < 1
    is_large, is_bold = line.height >= _LARGE * usual, line.is_bold and not all_bold
    is_capital = text.upper() == text
    if not (is_large or is_bold or is_capital or is_short):
        return 0
    letters = sum(map(str.isalpha, text[:MAX_HEADING_CHARS]))
    if letters < max(3, 0.5 * len(text)):
        return 0
    known = next((rank for rank, words in _RANKS if words.match(text)), 0)
    if (_is_listed(text) and known != 1 and not is_large) or _REFERS.search(text):
        return 0
    stands_out = is_large or is_bold or (is_capital and letters >= 6)
    if not (stands_out or (known and is_short)):
        return 0
    if known:
        return known
    if line.height >= _LARGEST * usual:
        return 2
    return 3 if is_large else 4 if is_short else 0


def is_contents(lines: Sequence[Line]) -> bool:
    """Return True if most lines of a page are entries of a table of contents."""
    listed = sum(1 for line in lines if _is_listed(line.text))
    return listed >= _MIN_CONTENTS and listed * 2 > len(lines)


def _is_listed(text: str) -> bool:
    """Return whether a line ends with a page's number, as one of a table of contents does."""
    end = text[-40:]
    if (
        not end.rstrip(" |")[-1:].isdigit()
        or not _PAGE_AT_END.search(end)
        or _YEAR_AT_END.search(end)
    ):
        return False
    return any(map(str.isalpha, text[:80]))


def choose(found: Iterable[Heading], chars: int) -> list[tuple[str, int]]:
    """Return the headings that become sections, in order.

    If there are too many, half of the sections get the highest ranks, and others split the longest sections.
    """
    kept: dict[int, Heading] = {}
    for heading in found:
        if heading.start not in kept or heading.rank < kept[heading.start].rank:
            kept[heading.start] = heading
    ranked = sorted(kept.values(), key=lambda heading: (heading.rank, heading.start))
    if len(ranked) > MAX_SECTIONS:
        ranked = _divide(ranked[: MAX_SECTIONS // 2], ranked[MAX_SECTIONS // 2 :], chars)
    return [(heading.text, heading.start) for heading in sorted(ranked, key=lambda h: h.start)]


def _divide(chosen: list[Heading], others: list[Heading], chars: int) -> list[Heading]:
    """Return headings with more of the others, each in the midst of the longest section that has any."""
    others = sorted(others[:_MAX_OTHERS], key=lambda heading: heading.start)
    places = [heading.start for heading in others]
    starts = sorted({0, *(heading.start for heading in chosen), chars})
    gaps = [(start - end, start, end) for start, end in pairwise(starts)]
    heapify(gaps)
    while gaps and len(chosen) < MAX_SECTIONS:
        _, start, end = heappop(gaps)
        within = others[bisect_right(places, start) : bisect_left(places, end)]
        if not within:
            continue
        middle, reach = (start + end) / 2, max((end - start) / 4, 1)
        best = min(within, key=lambda h: (abs(h.start - middle) > reach, h.rank, h.start))
        chosen.append(best)
        heappush(gaps, (start - best.start, start, best.start))
        heappush(gaps, (best.start - end, best.start, end))
    return chosen
