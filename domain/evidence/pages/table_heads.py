"""The context above a part of a page: its heading, and its table's header with unit, years and columns."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from operator import itemgetter

from domain.evidence.figures.notation.dates import parse_dates
from domain.evidence.figures.notation.scales import PageScales, is_prose
from domain.evidence.normal_forms import normalize
from domain.evidence.pages.page_breaks import mark_pages, trim_pages
from domain.evidence.sentences import find_likely_end, find_likely_start, find_sentence, mark_cuts

_HEADING = re.compile(
    r"^(?:```|~~~).*?(?:^(?:```|~~~)|\Z)"
    r"|(?:(?:\A|\n[ \t]{0,99}\n)#|^#{2,6})[ \t]+([^\n]{1,200})$",
    re.MULTILINE | re.DOTALL,
)
"""A code fence, in which `#` begins a comment, or a heading; a single `#` needs an empty line before it."""
_YEARS = re.compile(r"\b(?:19|20)\d\d(?:\D{1,30}?\b(?:19|20)\d\d\b)+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_HEAD = re.compile(r"\|[^\n]{0,2000}\n\|[\s:-]{0,20}-")
_ROW_FIGURE = re.compile(r"\d[.,]\d|\d\s?%|(?<!\d)\d{3}(?!\d)")
"""Matches figures that a line of column titles does not contain, apart from days and years."""
_LINE_START = re.compile(r"^", re.MULTILINE)
_LABEL = re.compile(r"(\w[^\n:|]{0,150}):[ \t]")
"""The label of a labelled line."""
_SERIES_WORDS = 2
"""First words that the labels of a series share: “Exchange rates, currency”, “Exchange rates, 2024”."""
_HEAD_ROWS = 3
HEADER_REACH = 6_000
"""A table's header is looked for in this many characters above a row."""
_OF_TABLE = re.compile(
    r"\b(?:tables?|following|follows|below|tabellen?|folgende\w*|tableau|suivante?s?|tabla|siguientes?)\b",
    re.IGNORECASE,
)
_TITLE_REACH = 2_000
HEADER_CHARS = 500
"""Characters of a line above, at most."""
_TITLE_CHARS = 200


@dataclass(frozen=True)
class PageHeads:
    """The headings of a text and the heads of its tables."""

    text: str

    def find_heading(self, at: int) -> str:
        """Return the heading above an offset, or an empty text."""
        n = bisect_right(self._headings, at, key=itemgetter(0))
        return self._headings[n - 1][1] if n else ""

    def find_headers(self, start: int, end: int) -> list[str]:
        """Return the lines above a span that say what its table counts in, its years and its columns.

        What the span itself has is not looked for above it, unless it begins within another table.
        """
        text, top = self.text, self._find_top(start)
        is_row = top < start
        low, high = (top, start) if is_row else (max(start - HEADER_REACH, 0), end)
        governing = self.scales.find_governing(start if is_row else end)
        section = self.scales.find_of_prose(start)
        above = [s.start for s in (governing, section) if s and s.kind == "section"]
        scales = [self._read_line(place) for place in above if place < start]
        above = [governing.start] if governing and governing.kind == "table" else []
        if is_row:
            title = self._find_title(top)
            if above and self._is_of_other(above[0], title):
                above = []
            above.append(title)
        elif above and _HEAD.search(text, above[0], start):
            above = []  # it is of a table that has ended
        years = [match.start() for match in _YEARS.finditer(text, low, high)]
        above += [place for place in years if self._is_head(place, is_row=is_row)][-1:]
        above = [place for place in above if 0 < start - place < HEADER_REACH]
        columns = self._list_columns(start)
        others = [line for line in map(self._read_line, above) if line not in columns]
        return list(dict.fromkeys(filter(None, [*scales, *others, *columns])))

    def find_section_scale(self, at: int) -> str:
        """Return the line that says what the figures of the section at an offset are in, or an empty text."""
        scale = self.scales.find_of_section(at)
        return self._read_line(scale.start) if scale else ""

    def find_series_head(self, at: int) -> str:
        """Return the first line of the series of labelled lines at an offset, or an empty string.

        It often is the only line that states the series' unit or basis.
        """
        first = self.text.rfind("\n", 0, at) + 1
        label = _LABEL.match(self.text, first)
        if not label:
            return ""
        known, head = _name_series(label), label
        above = self.text[max(first - HEADER_REACH, 0) : first].splitlines()
        for line in reversed(above):
            found = _LABEL.match(line)
            if not found or _name_series(found) != known:
                break
            head = found
        return head.string.strip()[:HEADER_CHARS] if head[1] != label[1] else ""

    def _list_columns(self, at: int) -> list[str]:
        """Return the rows above a line that name the columns of its table.

        Below the first row of a table with a rule, and in one without, these are rows that name no line of figures.
        """
        top = self._find_first_row(at)
        places = [top + m.start() for m in _LINE_START.finditer(self.text[top:at])][:-1]
        is_ruled = bool(_HEAD.match(self.text, top))
        first, others = (places[:1], places[2:]) if is_ruled else ([], places)
        heads = takewhile(self._names_columns, others[:_HEAD_ROWS])
        lines = map(self._read_line, (*first, *heads))
        return [line for line in lines if line.strip("| ")]

    def _names_columns(self, at: int) -> bool:
        """Return whether a row has words, days or years but no figures; a row with a label needs two years."""
        label, *cells = self._find_line(at).strip("|").split("|")
        _, rest = parse_dates(normalize(" ".join(cells)))
        years = sum(bool(_YEAR.search(cell)) for cell in cells)
        is_named = years > 1 if label.strip() else any(map(str.strip, cells))
        return is_named and not _ROW_FIGURE.search(rest)

    def _find_title(self, top: int) -> int:
        """Return where the title of a table is: the last line above it, or what a paragraph there says of it."""
        text = self.text
        last = at = max(
            len(text[max(top - _TITLE_REACH, 0) : top].rstrip()) + max(top - _TITLE_REACH, 0) - 1, 0
        )
        line = text.rfind("\n", 0, at) + 1
        while at > line and last - line > _TITLE_CHARS:
            start, end = find_sentence(text, at, at)
            if _OF_TABLE.search(text, start, end):
                return start
            at = start - 2
        return last

    def _is_of_other(self, scale: int, title: int) -> bool:
        """Return whether a scale is in the row of a table above the line that introduces the next one, as `Prices:` does."""
        is_introduced = self._find_line(title).rstrip("*_ ").endswith(":")
        return scale < title and is_introduced and self._find_line(scale).startswith("|")

    def _find_top(self, at: int) -> int:
        """Return the start of the Markdown table at an offset, or the offset itself outside a table."""
        top = self._find_first_row(at)
        return top if top < at and _HEAD.match(self.text, top) else at

    def _find_first_row(self, at: int) -> int:
        """Return the start of the table's first row, or the offset itself outside a table or too far below its head."""
        text = self.text
        top, line = at + 1, text.rfind("\n", 0, at) + 1
        while line < top and text.startswith("|", line):
            if at - line >= HEADER_REACH:
                return at
            top, line = line, text.rfind("\n", 0, max(line - 1, 0)) + 1
        return min(top, at)

    def _is_head(self, at: int, *, is_row: bool) -> bool:
        """Return whether a line with years may be a table's head: it is not prose and has no other figures."""
        line = self._find_line(at)
        if line.startswith("|") and not is_row:
            return False  # the row of another table
        _, rest = parse_dates(normalize(line))
        return not (_ROW_FIGURE.search(rest) or is_prose(line))

    def _read_line(self, at: int) -> str:
        """Return the line at an offset, of a long one the sentence, or the first words if that is long as well."""
        line = self._find_line(at).lstrip("# ")
        if len(line) > _TITLE_CHARS and not line.startswith("|"):
            start, end = find_sentence(self.text, at, at)
            line = " ".join(self.text[start:end].split())
        if len(line) <= HEADER_CHARS:
            return line
        return f"{line[:HEADER_CHARS].rpartition(' ')[0] or line[:HEADER_CHARS]} …"

    def _find_line(self, at: int) -> str:
        text = self.text
        end = _YEARS.match(text, at)
        last = text.find("\n", end.end() if end else at)
        line = text[text.rfind("\n", 0, at) + 1 : last if last >= 0 else len(text)]
        return " ".join(line.split())

    @cached_property
    def _headings(self) -> list[tuple[int, str]]:
        found = _HEADING.finditer(self.text)
        return [(match.start(1), match[1]) for match in found if match[1]]

    @cached_property
    def scales(self) -> PageScales:
        """The scales of the text's figures."""
        return PageScales(self.text)


def _name_series(label: re.Match[str]) -> list[str]:
    name, *_ = re.split("[,(]", label[1].casefold())
    return name.split()[:_SERIES_WORDS]


def list_above(text: str, start: int, end: int) -> list[str]:
    """Return the heading above a part of a text, and the header (unit, years, columns) of the table it starts in.

    Lines within the part are omitted. Reads at most `HEADER_REACH` characters above the part.
    """
    low = max(start - HEADER_REACH, 0)
    first, part = start - low, text[start:end]
    page = PageHeads(text[low:end])
    is_row = text.startswith("|", text.rfind("\n", low, start) + 1)
    lines = [page.find_heading(first), *(page.find_headers(first, end - low) if is_row else [])]
    return [line for line in dict.fromkeys(lines) if line and line not in part]


def show_excerpt(text: str, start: int, end: int) -> str:
    """Return the sentences and rows that a part of a text touches, below their context (`above:`)."""
    start = find_likely_start(text, start, end)
    start, end = trim_pages(text, start, find_likely_end(text, start, end))
    begin, stop = mark_cuts(text, start, end)
    above = [f"above: {line}" for line in list_above(text, start, end)]
    return "\n".join([*above, mark_pages(text, start, end, begin).rstrip() + stop])
