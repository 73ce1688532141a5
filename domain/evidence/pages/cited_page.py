"""A cited page as a judge sees it: title, date, headings, table headers and excerpts."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import attrgetter, itemgetter

from contracts.documents import UnreadPart
from contracts.evidence.rows import FigureRow, PlacedRow
from contracts.evidence.sources import name_day
from contracts.models.call import Input, to_input
from contracts.notices import tell_unread_parts
from domain.evidence.figures.notation.dates import Date, parse_dates
from domain.evidence.figures.notation.quantities import YEAR, Quantity, read_quantities
from domain.evidence.figures.notation.units import SCALES
from domain.evidence.figures.quote_reading import QuoteScales, find_row
from domain.evidence.normal_forms import normalize
from domain.evidence.pages.page_breaks import mark_pages
from domain.evidence.pages.page_disclaimers import PageNotice, find_governing, list_notices
from domain.evidence.pages.table_heads import HEADER_CHARS, HEADER_REACH, PageHeads
from domain.evidence.quotes import Snapshot, Span
from domain.evidence.sentences import (
    find_lead,
    find_likely_end,
    find_likely_start,
    find_neighbours,
    find_sentence,
    mark_cuts,
)

SHARES = re.compile(r"\bshares\b", re.IGNORECASE)
PERIODS = frozenset({"day", "week", "month", "year"})
_PERIOD = re.compile(r"[\w-]{1,30}[\s-](?:day|week|month|year)s?\b", re.IGNORECASE)
_PERIOD_NAMES = {
    "quarter": "a quarter",
    "ttm": "twelve months",
    "year": "a fiscal year",
    "to_date": "a fiscal year to date",
    "remainder": "months of a fiscal year",
}
"""Names of periods, written for the judge."""
OPENING_CHARS = 1_000
"""The page's own date is looked for in this many characters at its beginning."""
_GROUP_REACH = 400
"""A row's group name is looked for in this many characters above it."""
_STRETCH = 80
_OPENING, _BEFORE, _AFTER = 200, 300, 200
"""Characters shown of a long sentence: of its beginning, before a quote in it, and after it."""
_NEIGHBOUR_CHARS = 500
"""Characters of the sentences before and after a quote's, each."""
_ROW_SHARE = 4
"""Rows come with their table's header, so a quarter of a sentence's context suffices."""
_ROWS = 125, 60
"""Characters of the rows before and after a row, at least."""
_FIGURE = re.compile(r"(?<![\d.,])\d++(?>(?:[.,]\d+)*)(?!\s?(?:%|per ?cent))")
"""A figure that may be an amount."""
_PLAIN = re.compile(r"\d{1,30}(?:\.\d{1,30})?")
_EDGES = " .\n"
_KNOWN_CHARS = 40
"""Characters shown of a notice that an earlier excerpt of the page already has."""
SKIPPED = "\n…\n"
"""Separates excerpts."""


@dataclass(frozen=True)
class CitedPage:
    """A source with its snapshot, author (`by`), publication date (ISO, or empty) and the parts that were not read."""

    title: str
    snapshot: Snapshot
    by: str = ""
    published: str = ""
    unread: tuple[UnreadPart, ...] = ()
    rows: tuple[PlacedRow, ...] = ()
    """The figures in the text, in order, if the page's author (our own code) provided an index."""

    @cached_property
    def years(self) -> frozenset[str]:
        """Years anywhere on the page: the year of a table's row is in its header."""
        return frozenset(YEAR.findall(self.snapshot.text))

    @cached_property
    def periods(self) -> tuple[Quantity, ...]:
        """Lengths of time anywhere on the page: a row's period is in its table's header."""
        told = "\n".join(match.group() for match in _PERIOD.finditer(self.snapshot.text))
        return tuple(found for found in read_quantities(told) if found.unit in PERIODS)

    @cached_property
    def opening_days(self) -> list[tuple[Date, Span]]:
        """Days in the page's opening with their position; in a press release they name the reported period."""
        text = self.snapshot.text[:OPENING_CHARS]
        days = [date for date in parse_dates(normalize(text))[0] if date.is_day]
        words = (r"\s+".join(map(re.escape, date.shown.split())) for date in days)
        found = ((date, re.search(shown, text)) for date, shown in zip(days, words, strict=True))
        return [(date, match.span()) for date, match in found if match]

    def widen(self, start: int, end: int) -> tuple[int, int]:
        """Return a span widened to whole lines, or to whole words where lines are long."""
        text = self.snapshot.text
        start, end = max(start, 0), min(end, len(text))
        low, high = max(start - _STRETCH, 0), end + _STRETCH
        first = text.rfind("\n", low, start) + 1 or text.rfind(" ", low, start) + 1 or low
        last = max(text.find("\n", end, high), 0) or max(text.find(" ", end, high), 0) or len(text)
        return first, min(last, high)

    def find_whole(self, start: int, end: int) -> str:
        """Return what a quote is cut from: its sentence, table row or list item; empty if it is not cut.

        The sentence that introduces a list precedes its item. `…` marks an omission.
        """
        text = self.snapshot.text
        row = find_row(text, start, end)
        lead = "" if row else find_lead(text, start, HEADER_REACH)
        first, last = row or find_sentence(text, start, end)
        if not lead and text[first:last].strip(_EDGES) == text[start:end].strip(_EDGES):
            return ""
        parts = [(first, min(first + _OPENING, start)), (max(start - _BEFORE, first), start)]
        is_long = parts[1][0] > parts[0][1]
        whole = "\n…\n".join(text[a:z] for a, z in parts) if is_long else text[first:start]
        rest = text[end : min(last, end + _AFTER)] + ("\n…" if last > end + _AFTER else "")
        return "\n".join(filter(None, [lead[-HEADER_CHARS:], f"{whole}{text[start:end]}{rest}"]))

    def _widen_to_sentences(self, start: int, end: int, around: int) -> Span:
        """Widen a quote to whole sentences with their neighbours, or to the rows around it.

        With `around` more characters, the span begins and ends at sentences if possible. A quoted day in
        the page's opening is shown with its line.
        """
        text = self.snapshot.text
        if any(span == (start, end) for _, span in self.opening_days):
            line = text.rfind("\n", 0, start) + 1, text.find("\n", end) % (len(text) + 1)
            return max(line[0], start - _OPENING), min(line[1], end + _OPENING)
        first, last = find_sentence(text, start, end)
        if find_row(text, start, end):
            before, after = (around // _ROW_SHARE,) * 2 if around else _ROWS
        else:
            first, last = find_neighbours(text, first, last, _NEIGHBOUR_CHARS)
            before = after = around
        if not before:
            return first, last
        low, high = self.widen(start - before, end + after)
        end = find_likely_end(text, last, high) if high > last else last
        return min(first, find_likely_start(text, low, first)), end

    @cached_property
    def heads(self) -> PageHeads:
        """Lines that apply to every part of the page."""
        return PageHeads(self.snapshot.text)

    def find_heading(self, at: int) -> str:
        """Return the heading above an offset, or an empty text."""
        return self.heads.find_heading(at)

    def list_above(self, start: int, end: int) -> list[str]:
        """Return the lines above a passage that are needed to read its figures.

        For a table row they hold its unit, years and columns; for a sentence without a scale, the scale
        of the section's amounts.
        """
        text = self.snapshot.text
        quote = text[start:end]
        if find_row(text, start, end):
            return [line for line in self.heads.find_headers(start, end) if line not in quote]
        figures = [number for number in _FIGURE.findall(quote) if not YEAR.fullmatch(number)]
        is_sized = any(word in SCALES for word in re.findall(r"\w+", quote.casefold()))
        if not figures or is_sized or not self.heads.scales.find_of_prose(start):
            return []
        return [line for line in [self.heads.find_section_scale(start)] if line not in quote]

    def find_notices(self, at: int, *, whole: bool = False) -> list[str]:
        """Return the page's notices that apply at an offset, nearest first, the last of each kind.

        Notices that the page has ended are omitted, and with `whole` those that are part of a longer
        sentence.
        """
        found = (find_governing(notices, at) for notices in self._notices.values())
        last = sorted((one for one in found if one and not (whole and one.is_cut)), reverse=True)
        return list(dict.fromkeys(notice.text for notice in last))

    def find_notices_below(self, at: int) -> list[str]:
        """Return what the page says from an offset on of all its words, nearest first: the first of each kind."""
        first = (
            next((each for each in (notices[n], notices[-1]) if each.since <= at), None)
            for notices in self._notices_of_whole
            if (n := bisect_left(notices, at, key=itemgetter(0))) < len(notices)
        )
        return list(dict.fromkeys(notice.text for notice in sorted(filter(None, first))))

    def find_scales(self, start: int, end: int, quoted: Sequence[Span]) -> QuoteScales:
        """Return the possible scales of a quote's figures; headers above it that are also quoted count."""
        governing, of_prose = (
            self.heads.scales.find_governing(start),
            self.heads.scales.find_of_prose(start),
        )
        cited = [n for a, z in quoted if a < start for n in self.heads.scales.list_cited(a, z)]
        return QuoteScales(
            header=governing.factor if governing else 0.0,
            own=self._find_indexed_scale(start, end) or self.heads.scales.find_of_row(start, end),
            of_shares=self._find_scale_of_shares(start),
            others=(*self.heads.scales.list_of_footnotes(end), *cited),
            of_prose=tuple({*cited, *([of_prose.factor] if of_prose else [])}),
        )

    def _find_scale_of_shares(self, at: int) -> float:
        """Return the scale of share counts if shares are named just above the row and counted separately, else 0."""
        scale = self.heads.scales.find_of_shares(at)
        first = max(scale.start if scale else 0, at - _GROUP_REACH)
        return scale.factor if scale and SHARES.search(self.snapshot.text, first, at) else 0.0

    def _find_indexed_scale(self, start: int, end: int) -> float:
        """Return the scale of a span's figures as the page's index has it, or 0: no words need to state it."""
        text = self.snapshot.text
        placed = self._find_placed(start, end)
        found = {_find_factor(p.row.value, text[p.start : p.end]) for p in placed} - {0.0, 1.0}
        return found.pop() if len(found) == 1 else 0.0

    def _find_rows(self, start: int, end: int) -> Iterator[FigureRow]:
        """Yield the page's indexed figures within a span."""
        return (placed.row for placed in self._find_placed(start, end))

    def _find_placed(self, start: int, end: int) -> Iterator[PlacedRow]:
        first = bisect_right(self.rows, start, key=attrgetter("end"))
        for placed in islice(self.rows, first, None):
            if placed.start >= end:
                return
            yield placed

    def list_price_days(self, start: int, end: int) -> list[str]:
        """Return the days of the share prices that the figures of a quote rest on."""
        days = (row.price_day for row in self._find_rows(start, end))
        return [*dict.fromkeys(filter(None, days))]

    @cached_property
    def _year_ends(self) -> frozenset[str]:
        """Last days of the fiscal years of which the page has figures; twelve months that end on one of them are that year."""
        return frozenset(placed.row.end for placed in self.rows if placed.row.period == "year")

    def name_periods(self, start: int, end: int) -> list[str]:
        """Return the kinds of period that a quote states figures of, each with its last day if all share one."""
        ends: dict[str, set[str]] = {}
        for row in self._find_rows(start, end):
            is_year = row.period == "ttm" and row.end in self._year_ends
            period = "year" if is_year else row.period
            if period in _PERIOD_NAMES:
                ends.setdefault(_PERIOD_NAMES[period], set()).add(row.end)
        return [f"{kind} to {min(of)}" if len(of) == 1 else kind for kind, of in ends.items()]

    def describe(self, cited: Sequence[Span], around: int = 0) -> str:
        """Describe the page and its excerpts around quotes for a model, each part once.

        Title, author, publisher and date come first, then `unread:` parts. `above:` precedes lines from
        further up than an excerpt, `below:` notices of the whole page from further down.
        """
        spans: list[Span] = []
        for first, last in sorted(cited):
            start, end = self._widen_to_sentences(first, last, around)
            if spans and start <= spans[-1][1]:
                start, reach = spans.pop()
                end = max(end, reach)
            spans.append((start, end))
        excerpts = []
        told: set[str] = set()
        for start, end in spans:
            text = self.snapshot.text[start:end]
            series = [
                self.heads.find_series_head(at) for at, _ in sorted(cited) if start <= at < end
            ]
            begin, stop = mark_cuts(self.snapshot.text, start, end)
            shown = mark_pages(self.snapshot.text, start, end, begin) + stop
            headers = [self.find_heading(start), *self.heads.find_headers(start, end), *series]
            headers += _shorten_known(self.find_notices(start), text, told)
            headers = [
                f"above: {line}" for line in dict.fromkeys(headers) if line and line not in text
            ]
            below = _shorten_known(self.find_notices_below(end), text, told)
            excerpts.append("\n".join([*headers, shown, *(f"below: {line}" for line in below)]))
        title = "" if excerpts[0].startswith(f"{self.title}\n") else self.title
        about = ", ".join(filter(None, (title, self.by, name_day(self.published))))
        if self.unread:
            about += f"\nunread: {tell_unread_parts(self.title, self.unread)}"
        return f"{about}\n\n{SKIPPED.join(excerpts)}"

    @cached_property
    def _notices(self) -> dict[str, list[PageNotice]]:
        return list_notices(self.snapshot.text)

    @cached_property
    def _notices_of_whole(self) -> list[list[PageNotice]]:
        """Notices that also apply to the text above them, by kind."""
        return [[n for n in notices if n.of_whole] for notices in self._notices.values()]


def _find_factor(value: float, shown: str) -> float:
    """Return the factor by which a figure exceeds the number that shows it, or 0 if it is not a power of a thousand."""
    digits = shown.strip(" ()-").replace(",", "")
    if not value or not _PLAIN.fullmatch(digits) or not float(digits):
        return 0.0
    power = round(math.log10(abs(value) / float(digits)))
    return 10.0**power if power % 3 == 0 else 0.0


def _shorten_known(notices: Sequence[str], text: str, told: set[str]) -> list[str]:
    """Return the notices that an excerpt lacks, shortened if they were shown before (`told`)."""
    new = [line for line in notices if line not in text]
    shown = [f"{line[:_KNOWN_CHARS]}…" if line in told else line for line in new]
    told.update(line for line in notices if len(line) > _KNOWN_CHARS)
    return shown


def describe_pages(
    pages: Mapping[int, CitedPage], cited: Mapping[int, Sequence[Span]], around: int = 0
) -> list[Input]:
    """Return what a model sees of pages around their quotes, an input for each: `page-1` and so on."""
    return [to_input(f"page-{n}", pages[n].describe(cited[n], around)) for n in sorted(cited)]
