"""Headings: which lines of a document are one, and which of them, or of its outline, make its sections."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from activities.parsing.document import MAX_SECTIONS
from activities.parsing.pdf.grid import Line

MAX_HEADING_CHARS = 160
_RANKS = (
    (1, re.compile(r"PART\s+(?:[IVX]{1,4}|\d{1,2})\b(?!.*\bof\b)", re.IGNORECASE)),
    (2, re.compile(r"ITEM\s+\d{1,2}[A-D]?\b[.:\s—–-]{0,3}(?=[A-Z(]|\Z)", re.IGNORECASE)),
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


@dataclass(slots=True)
class Heading:
    """A heading of a document, its rank, and where it stands in the text."""

    text: str
    rank: int
    start: int


class Ranker:
    """Tells which lines are headings, by what most of a document's text looks like."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        heights: Counter[float] = Counter()
        bold = 0
        for line in (line for lines in pages for line in lines):
            if not line.is_row:
                heights[round(line.height * 4) / 4] += len(line.text)
                bold += len(line.text) if line.is_bold else 0
        self.usual = heights.most_common(1)[0][0] if heights else 0.0
        self._is_bold = bold * 2 > heights.total()

    def rank(self, line: Line) -> int:
        """Return a line's rank as a heading, from 1; 0 if it is none."""
        text = line.text
        letters = sum(map(str.isalpha, text[:MAX_HEADING_CHARS]))
        if not 3 <= letters <= len(text) <= MAX_HEADING_CHARS or letters < 0.5 * len(text):
            return 0
        if _is_listed(text) and not _RANKS[0][1].match(text):
            return 0
        is_large = line.height >= _LARGE * self.usual
        is_bold = line.is_bold and not self._is_bold
        is_capital = letters >= 6 and text.upper() == text
        is_short = line.right - line.left <= _SHORT * line.width or line.width < 1
        known = next((rank for rank, words in _RANKS if words.match(text)), 0)
        is_sentence = text[-1] in ".,;:" and not (known and text[-1] in ".:")
        if is_sentence or not (is_large or is_bold or is_capital or (known and is_short)):
            return 0
        if known:
            return known if text[0].isupper() or text[0].isdigit() else 0
        if line.height >= _LARGEST * self.usual:
            return 2
        return 3 if is_large else 4 if is_short and text[0].isupper() else 0


def is_contents(lines: Sequence[Line]) -> bool:
    """Tell whether a page is a table of contents, whose lines are no headings."""
    listed = sum(1 for line in lines if _is_listed(line.text))
    return listed >= _MIN_CONTENTS and listed * 2 > len(lines)


def _is_listed(text: str) -> bool:
    """Tell whether a line ends with a page's number, as one of a table of contents does."""
    end = text[-40:]
    if not _PAGE_AT_END.search(end) or _YEAR_AT_END.search(end):
        return False
    return any(map(str.isalpha, text[:80]))


def choose(found: Iterable[Heading]) -> list[tuple[str, int]]:
    """Return the headings that become sections, in order: of too many the highest ranks."""
    kept: dict[int, Heading] = {}
    for heading in found:
        if heading.start not in kept or heading.rank < kept[heading.start].rank:
            kept[heading.start] = heading
    ranked = sorted(kept.values(), key=lambda heading: (heading.rank, heading.start))
    chosen: list[Heading] = ranked
    if len(ranked) > MAX_SECTIONS:
        last = ranked[MAX_SECTIONS].rank
        upper = [heading for heading in ranked if heading.rank < last]
        rest = [heading for heading in ranked if heading.rank == last]
        chosen = [*upper, *_spread(rest, MAX_SECTIONS - len(upper))]
    return [(heading.text, heading.start) for heading in sorted(chosen, key=lambda h: h.start)]


def _spread(headings: Sequence[Heading], most: int) -> Iterator[Heading]:
    """Yield so many of the headings, from all parts of the document alike."""
    step = len(headings) / max(most, 1)
    for n in range(most):
        yield headings[int(n * step)]
