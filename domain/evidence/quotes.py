"""Quotes, located in the snapshots they cite."""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import itemgetter

from domain.evidence.figures.notation.figure_parser import splits_figure
from domain.evidence.normal_forms import DROPPED, fold
from domain.evidence.pages.page_breaks import find_page, strip_marks

MIN_WIDTH = 12
"""A shorter quote must be a whole line, fill a cell, or follow a label."""

MAX_QUOTE_CHARS = 2_000
"""A longer quote is a page, not a quote."""

_MAX_OCCURRENCES = 1_000
_LINE_START = re.compile(r"(?:\A|\n)[ \t|•*-]*\Z")
_LINE_END = re.compile(r"[ \t|]{0,8}(?:\n|\Z)")
_CELL_START = re.compile(r"(?:\||: )[ \t]*\Z")
_CELL_END = re.compile(r"[ \t]{0,8}(?:\||\n|\Z)")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
_MARGIN = 8
_PARTS = re.compile(r"[^\n]{1,400}")
_WORDS = re.compile(r"\w+")

Span = tuple[int, int]


class Snapshot:
    """The text of a source, searched for quotes."""

    def __init__(self, text: str, shown: Sequence[Span] = ()) -> None:
        self.text = text
        self.shown = shown
        """The stretches that an agent was shown; empty: the whole text."""

    @cached_property
    def _folded(self) -> tuple[str, "array[int]"]:
        return fold(self.text)

    def find(self, quote: str) -> Span | None:
        """Return the span of a quote, verbatim or in text that looks the same, or None.

        Of several occurrences, prefer one that was shown, then the nearest to a shown span, then the
        first.
        """
        quote = quote.strip()
        if len(quote) > MAX_QUOTE_CHARS:
            return None
        span = self._find_shown(quote)
        if span is None and (bare := strip_marks(quote)) != quote:
            return self._find_shown(bare)
        return span

    def find_page(self, at: int) -> int | None:
        """Return the number of the page at an offset, or None if the text has no pages."""
        return find_page(self.text, at)

    def find_nearest(self, told: str) -> tuple[int, Span]:
        """Return how many words a text shares with the line that is nearest to it, or part of a long one, and its span."""
        wanted = {*_WORDS.findall(told.casefold())}
        parts = (part.span() for part in _PARTS.finditer(self.text))
        near = (
            (len(wanted & {*_WORDS.findall(self.text[a:z].casefold())}), (a, z)) for a, z in parts
        )
        return max(near, key=itemgetter(0), default=(0, (0, 0)))

    def _find_shown(self, quote: str) -> Span | None:
        found = (span for span in self._spans(quote) if self._is_quotable(*span))
        if not self.shown:
            return next(found, None)
        nearest: tuple[int, Span] | None = None
        for span in found:
            away = min(max(a - span[0], span[1] - z, 0) for a, z in self.shown)
            if not away:
                return span
            nearest = min(filter(None, (nearest, (away, span))))
        return nearest[1] if nearest else None

    def _spans(self, quote: str) -> Iterator[Span]:
        yield from _find_occurrences(self.text, quote)
        text, places = self._folded
        for start, end in _find_occurrences(text, fold(quote)[0].strip(' "')):
            stop = places[end] if end < len(places) else len(self.text)
            first = places[start]
            yield first, first + len(self.text[first:stop].rstrip(DROPPED))

    def _is_quotable(self, start: int, end: int) -> bool:
        """Return whether a span, taken by itself, keeps its meaning: no word and no figure is cut."""
        text = self.text
        if any(_splits_word(text, at) or splits_figure(text, at) for at in (start, end)):
            return False
        wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text[start:end])
        if end - start + wide >= MIN_WIDTH:
            return True
        low = max(0, start - _MARGIN)
        if _LINE_START.search(text, low, start):
            return bool(_LINE_END.match(text, end))
        fills = _CELL_START.search(text, low, start) and _CELL_END.match(text, end)
        return bool(fills) and any(map(str.isalpha, text[start:end]))


def find_missing_quotes(text: str, quotes: list[str]) -> list[str]:
    """Return the quotes that a text does not have."""
    snapshot = Snapshot(text)
    return [quote for quote in quotes if snapshot.find(quote) is None]


def _find_occurrences(text: str, part: str) -> Iterator[Span]:
    """Yield the spans of a part, up to a bound."""
    at = text.find(part) if part else -1
    for _ in range(_MAX_OCCURRENCES):
        if at < 0:
            return
        yield at, at + len(part)
        at = text.find(part, at + 1)


def _splits_word(text: str, at: int) -> bool:
    around = text[at - 1 : at + 1] if at else ""
    is_word = all(char.isalnum() or unicodedata.combining(char) for char in around)
    return len(around) == 2 and is_word and not _UNSPACED.search(around)
