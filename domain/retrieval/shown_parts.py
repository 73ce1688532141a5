"""The parts of a long document that are opened: its best pages, a section, a page, or the text from a place on."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from contracts.documents import PAGE_BREAK, PageSection
from contracts.evidence.sources import OpenedPart, OpenedParts, PartsRequest
from domain.evidence.pages.page_breaks import find_page, trim_pages
from domain.evidence.pages.table_heads import PageHeads, list_above
from domain.evidence.quotes import Span
from domain.retrieval.document_rows import Row, find_headings, split_rows
from domain.retrieval.row_passages import PASSAGE_CHARS, find_passages
from domain.retrieval.row_ranking import (
    CorpusStatistics,
    count_row,
    count_statistics,
    rank,
    score_rows,
)
from domain.retrieval.search_words import Query, list_terms, parse_query

PAGE_CHARS = 18_000
"""Characters of a document that an agent reads at once; the whole text stays in its snapshot."""
OUTLINE_CHARS = 800
"""Characters of the headings that are listed of a long document."""


@dataclass(frozen=True)
class Extent:
    """How many characters of a document are shown for a query."""

    pages: int
    """Limit for its best pages together."""
    page: int
    """Limit for one page; longer ones are reduced to the passages that answer the query best."""
    total: int
    """Limit for everything, including one passage of each page that follows in the ranking."""
    rows: int
    """Maximum number of pages or equivalent parts."""

    def share(self, wishes: int) -> "Extent":
        """Return what each of several wishes may take."""
        if wishes == 1:
            return self
        most = min(MIN_WISH_CHARS, self.total, PAGE_CHARS // wishes)
        total = max(self.total // wishes, most)
        page = min(self.page, total // 2)
        return Extent(pages=total, page=page, total=total, rows=max(self.rows // wishes, MIN_ROWS))


ABOUT = Extent(pages=8_000, page=4_000, total=10_000, rows=10)
"""Limits of `fetch_url`: they show as much of the evidence as 18,000 characters of whole pages do."""
FIND = Extent(pages=1_600, page=1_600, total=2_400, rows=5)
"""Limits of `find`: the best page or its passages, and passages that suggest the next page to open."""
MIN_WISH_CHARS = 3_400
"""Characters that each of several wishes may take, as long as all of them fit `PAGE_CHARS`."""
MIN_ROWS = 3
"""Pages that are shown of each of several wishes, at least."""
MAX_WISHES = 6
"""Wishes that are looked for one by one; the last of them holds the rest."""
LONG_CHARS = PAGE_CHARS * 5 // 4
"""A text up to this length is shown whole: a call for the rest would cost more than the rest."""
WHOLE_DOCUMENT_CHARS = 200_000
"""A document from this length on, some hundred pages, costs what a long one does; a shorter one a part of that."""
HEADING_LINES = 4
"""Number of lines at the top of a page that are searched for a heading."""
MIN_LIKENESS = 0.5
"""Minimum share of terms that a heading and a request have in common."""
_MUCH_TOO_LONG = 2
"""A named section this many times longer than its room is shown by its best passages instead of its beginning."""
_HEADING_CHARS = 120
_SHOWN_HEADING_CHARS = 60
_HEAD_CHARS = 600
"""Maximum number of characters of the lines shown above a passage."""
_ROWS = 2
"""Passages shown of a page that is a table, at least."""
_PAGE_NUMBER = re.compile(r"[^\d|.,$%]{2}[ |.]{0,99}(?<![\d,.])(\d{1,3})[ |]{0,9}$")
_MIN_ENTRIES = 8
"""Lines with page numbers that a table of contents has, at least."""
CUT_CHARS = 800
"""Characters between two places at which a part may be cut, at least."""
GAP_CHARS = 150
"""Parts at most this far apart are joined, since a gap mark would be as long."""
_WISH_END = re.compile(r"[;\n]")
_MARK_CHARS = 8
"""Characters of a heading's marks, as of `## `, at most."""
_NUMBERED = re.compile(r"\W*+([^\W\d]*+\W*+)(\d{1,3})(?!\d)")
"""A numbered heading: an optional word such as `Item`, followed by a number."""
_ENDS = (
    re.compile(r"\n[^\S\n]{0,99}\n"),
    re.compile(r"[.!?:|]\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?]\s|[。！？]"),
)


def open_parts(text: str, request: PartsRequest) -> OpenedParts:
    """Return the parts of a text that answer a request, at most `PAGE_CHARS` together, or the reason for none."""
    pages = text.count(PAGE_BREAK) + 1 if PAGE_BREAK in text else None
    outline = outline_sections(text, request.sections)
    found: list[OpenedPart] | str
    if asked := request.about or request.find:
        extent = ABOUT if request.about else FIND
        found = open_best(text, request.sections, request.name, asked, extent)
    elif request.section:
        found = open_section(text, request.sections, request.section)
    elif request.page is not None:
        found = _open_page(text, request.page)
    else:
        found = _open_from(text, request.start)
    if isinstance(found, str):
        return OpenedParts(pages=pages, outline=outline, problem=found)
    return OpenedParts(parts=[*_add_scales(text, found)], pages=pages, outline=outline)


def _add_scales(text: str, parts: Iterable[OpenedPart]) -> Iterator[OpenedPart]:
    """Yield parts, above each what its section's figures are in, unless it says so itself."""
    heads = PageHeads(text)
    for part in parts:
        scale = heads.find_section_scale(part.start)
        if scale in part.heading or scale in text[part.start : part.end]:
            yield part
        else:
            heading = " / ".join(filter(None, (part.heading, scale)))
            yield part.model_copy(update={"heading": heading})


def outline_sections(text: str, sections: Sequence[PageSection]) -> str:
    """Return the top-level headings of a document with their pages, as many as fit `OUTLINE_CHARS`."""
    told: list[str] = []
    end = room = 0
    for section in sorted(sections, key=lambda each: (each.start, -each.end)):
        if section.start < end:
            continue  # it is part of the one before
        end = section.end
        page = f" (p. {text.count(PAGE_BREAK, 0, section.start) + 1})" if PAGE_BREAK in text else ""
        told.append(f"{section.heading}{page}")
        room += len(told[-1]) + 3
        if room > OUTLINE_CHARS:
            return " | ".join([*told[:-1], "…"])
    return " | ".join(told)


def open_best(
    text: str, sections: Sequence[PageSection], name: str, asked: str, extent: Extent = ABOUT
) -> list[OpenedPart] | str:
    """Return the most relevant pages, then passages of the next ones, in the text's order.

    Long pages are reduced to their best passages. Rows without any requested word are omitted.
    """
    rows = split_rows(text, sections)
    terms = {("", n): count_row(name, row.head, row.text) for n, row in enumerate(rows)}
    wishes = _split_wishes(asked)
    share, room = extent.share(len(wishes)), 0
    opened: list[OpenedPart] = []
    for wish in wishes:
        query = parse_query(wish)
        statistics = count_statistics(terms.values(), query.terms)
        ranked = [
            rows[n]
            for _, n in rank(score_rows(query, terms, statistics))
            if any(t in terms["", n].head or t in terms["", n].text for t in query.terms)
        ]
        ranked.sort(key=_is_contents)  # a table of contents mentions everything and answers nothing
        choice = _Choice(text, query, statistics, frozenset(list_terms(name)))
        room += share.total  # including what earlier wishes left over
        section = _clip_rows(rows, _find_named(text, sections, wish))
        found = choice.open_rows(section, replace(share, total=room), ranked)
        room -= measure(found)
        opened += (part.model_copy(update={"rank": rank}) for rank, part in enumerate(found))
    if not opened:
        return f"find: no part of it has any word of {asked!r}"
    return [*_join(sorted(opened, key=lambda part: part.start))]


def _split_wishes(asked: str) -> list[str]:
    """Split a request into wishes at semicolons and line breaks."""
    wishes = [wish for part in _WISH_END.split(asked) if (wish := part.strip())]
    few, rest = wishes[: MAX_WISHES - 1], "; ".join(wishes[MAX_WISHES - 1 :])
    return [*few, *filter(None, [rest])] or [asked]


def _find_named(text: str, sections: Sequence[PageSection], wish: str) -> Span:
    """Return the span of the section whose heading a wish contains verbatim, or an empty span.

    Of several headings, the longest is used; of equally long ones, the first.
    """
    words = f" {' '.join(list_terms(wish))} "
    named = [
        (len(terms), -start, heading)
        for start, heading in find_headings(text, sections)
        if len(terms := list_terms(heading)) > 1 and f" {' '.join(terms)} " in words
    ]
    if not named:
        return 0, 0
    _, start, heading = max(named)
    return -start, _find_section_end(text, sections, -start, heading)


def _clip_rows(rows: Sequence[Row], span: Span) -> Iterator[Row]:
    """Yield the rows of a section, without what of them is outside it."""
    for row in rows:
        first, last = max(row.start, span[0]), min(row.end, span[1])
        if first < last:
            content = row.text[first - row.start : last - row.start]
            yield replace(row, start=first, end=last, text=content)


def measure(parts: Iterable[OpenedPart]) -> int:
    """Return how many characters parts have together."""
    return sum(part.end - part.start for part in parts)


@dataclass(frozen=True)
class _Choice:
    """Selects what is shown of rows: whole rows if they fit, else the passages with most query terms."""

    text: str
    query: Query
    statistics: CorpusStatistics
    name: frozenset[str]
    """Terms of the document's name, which any passage may contain."""

    def open_rows(
        self, section: Iterable[Row], extent: Extent, ranked: Sequence[Row]
    ) -> list[OpenedPart]:
        """Return the section that is named, then the first of the ranked rows, as far as there is room.

        Of a section that is not much too long the beginning is shown. Rows are whole or cut to their best passages,
        then cut to one passage each.
        """
        opened: list[OpenedPart] = []
        room = pages_room = extent.total
        named = list(section)
        begins = sum(len(row.text) for row in named) <= room * _MUCH_TOO_LONG
        for row in named:
            parts = self.begin(row, room) if begins else self.cut(row, room)
            room -= measure(parts)
            opened += parts
        pages_room = min(extent.pages, room)
        for row in ranked[: extent.rows]:
            parts = self.cut(row, extent.page)
            if measure(parts) > min(pages_room, room):
                parts = self.cut(row, PASSAGE_CHARS)
            else:
                pages_room -= measure(parts)
            if (size := measure(parts)) <= room:
                room -= size
                opened += parts
        return opened

    def begin(self, row: Row, chars: int) -> list[OpenedPart]:
        """Return the beginning of a row, up to the end of a line or a sentence, which may be cut further."""
        ends = (
            [len(row.text)]
            if len(row.text) <= chars
            else [
                match.end()
                for kind in _ENDS[2:]
                for match in kind.finditer(row.text, 0, max(chars, 0))
            ]
        )
        text = row.text[: max(ends, default=0)].rstrip()
        begun = replace(row, end=row.start + len(text), text=text)
        cuts = list(_list_cuts(self.text, begun.start, begun.end))
        parts = self.cut(begun, chars) if text else []
        return [part.model_copy(update={"cuts": cuts}) for part in parts]

    def cut(self, row: Row, chars: int) -> list[OpenedPart]:
        """Return a row whole, or else its best passages within a length, each under the head of its table."""
        if len(row.text) <= chars:
            shows = [row.page] if row.page else []
            return [OpenedPart(start=row.start, end=row.end, page=row.page, shows=shows)]
        most = max(chars // PASSAGE_CHARS, 1)
        known = self.name
        if _is_table(row.text):
            # All rows share the title's words, so select rows by the other words.
            told = known | {*list_terms(row.head)}
            others = {*self.query.terms} - told
            known, most = (
                (told, max(most, _ROWS)) if others & {*list_terms(row.text)} else (known, most)
            )
        passages = find_passages(row, self.query, most, weigh=self.statistics.weigh, name=known)
        found = sorted((passage.start, passage.end) for passage in passages)
        return [
            OpenedPart(start=start, end=end, page=row.page, heading=self._head(row, start, end))
            for start, end in found
        ]

    def _head(self, row: Row, start: int, end: int) -> str:
        """Return the context above a passage: its heading, and the header of the table in which it begins."""
        above = " / ".join(list_above(self.text, start, end))
        return above[:_HEAD_CHARS] or ("" if row.page else row.head[:_SHOWN_HEADING_CHARS])


def _is_table(text: str) -> bool:
    """Return whether most lines of a row are a table's."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(line.startswith("|") for line in lines) * 2 > len(lines)


def _is_contents(row: Row) -> bool:
    """Return whether most lines of a row end with the number of a page, each no smaller than the one before."""
    lines = [line for line in row.text.splitlines() if any(map(str.isalnum, line))]
    ends = [int(found[1]) for line in lines if (found := _PAGE_NUMBER.search(line))]
    rising = sum(a <= b for a, b in pairwise(ends))
    return len(ends) >= _MIN_ENTRIES and len(ends) * 2 > len(lines) and rising >= len(ends) - 2


def _join(parts: Sequence[OpenedPart]) -> Iterator[OpenedPart]:
    """Yield parts in the text's order, joining parts of one page or section that overlap or adjoin."""
    last: OpenedPart | None = None
    for part in parts:
        if last and part.start - last.end <= GAP_CHARS and part.page == last.page:
            shows = sorted({*last.shows, *part.shows})
            rank = min(last.rank, part.rank)
            update = {"end": max(part.end, last.end), "shows": shows, "rank": rank}
            last = last.model_copy(update=update)
            continue
        if last:
            yield last
        last = part
    if last:
        yield last


def open_section(text: str, sections: Sequence[PageSection], asked: str) -> list[OpenedPart] | str:
    """Return the beginning of the section whose heading is most similar to the request.

    Headings are those of the document's outline, Markdown headings, and the first lines of pages.
    """
    headings = [(start, heading, False) for start, heading in find_headings(text, sections)]
    headings += [(start, line, True) for start, line in _list_first_lines(text)]
    wanted = frozenset(list_terms(asked))
    likeness = [
        (_compare(wanted, asked, heading), not is_line, n)
        for n, (_, heading, is_line) in enumerate(headings)
    ]
    best = max(likeness, key=lambda each: (each[0], each[1], -each[2]), default=(0.0, False, 0))
    if best[0] < MIN_LIKENESS:
        near = sorted((each for each in likeness if each[0]), key=lambda each: -each[0])[:5]
        names = ", ".join(repr(headings[n][1][:_HEADING_CHARS]) for _, _, n in near)
        told = f"the nearest are {names}" if names else "`find` looks for words in the text"
        return f"section: no heading is like {asked!r}; {told}"
    start, heading, _ = headings[best[2]]
    end = _find_section_end(text, sections, start, heading)
    return [_make_part(text, start, min(end, find_end(text, start)), heading)]


def _find_section_end(text: str, sections: Sequence[PageSection], start: int, heading: str) -> int:
    """Return the end of a section: its known end, else the next heading.

    "Note 22" always ends "Note 21", because an outline may lack one of them. A heading without text of its
    own includes the section below it.
    """
    following = [(at, named) for at, named in find_headings(text, sections) if at > start]
    body = _find_body(text, [(start, heading), *following])
    ends = [s.end for s in sections if s.start == start and s.end > body]
    ends = ends or [at for at, _ in following if at > body]
    siblings = (at for at, named in following if _follows(named, heading))
    return min([*ends[:1], *islice(siblings, 1)], default=len(text))


def _find_body(text: str, headings: Iterable[tuple[int, str]]) -> int:
    """Return where the text below the first heading begins, after headings that follow it directly."""
    end = 0
    for at, heading in headings:
        if end and any(map(str.isalnum, text[end:at])):
            break
        line = text.find("\n", at) % (len(text) + 1)
        end = min(line, at + len(heading) + _MARK_CHARS)
    return end


def _follows(heading: str, before: str) -> bool:
    """Return True if a heading has the next number of the same kind, as Note 22 after Note 21."""
    found, known = _NUMBERED.match(heading), _NUMBERED.match(before)
    if not (found and known):
        return False
    is_alike = found[1].casefold() == known[1].casefold()
    return is_alike and int(found[2]) == int(known[2]) + 1


def _compare(wanted: frozenset[str], asked: str, heading: str) -> float:
    """Return how like two headings are, from 0 to 1."""
    if " ".join(asked.split()).casefold() == " ".join(heading.split()).casefold():
        return 2.0
    terms = frozenset(list_terms(heading))
    return len(wanted & terms) / len(wanted | terms) if wanted | terms else 0.0


def _list_first_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first lines of each page with their offsets."""
    if PAGE_BREAK not in text:
        return
    at = 0
    for content in text.split(PAGE_BREAK):
        place = at
        for line in content[: HEADING_LINES * 200].split("\n")[: HEADING_LINES + 1]:
            if 0 < len(line.strip()) <= _HEADING_CHARS:
                yield place, line.strip()
            place += len(line) + 1
        at += len(content) + 1


def _open_page(text: str, page: int) -> list[OpenedPart] | str:
    contents = text.split(PAGE_BREAK)
    if len(contents) == 1:
        return "page: the document has no pages; give `find`, `section` or `start`"
    if page > len(contents):
        return f"page: the document has {len(contents)} pages"
    start = sum(len(content) + 1 for content in contents[: page - 1])
    end = min(start + len(contents[page - 1]), find_end(text, start))
    if not text[start:end].strip():
        return f"page: page {page} has no text"
    return [_make_part(text, start, end)]


def _open_from(text: str, start: int) -> list[OpenedPart] | str:
    if start >= len(text):
        return f"start: the text has {len(text)} characters"
    return [_make_part(text, start, find_end(text, start))]


def weigh_documents(lengths: Iterable[int]) -> float:
    """Return how many whole long documents cost as much as texts of these lengths; short texts cost nothing."""
    return sum(min(chars / WHOLE_DOCUMENT_CHARS, 1) for chars in lengths if chars > LONG_CHARS)


def find_end(text: str, start: int) -> int:
    """Return where a part that begins at an offset ends: with the text if that is near, else after a sentence."""
    if len(text) - start <= LONG_CHARS:
        return len(text)
    low, high = start + PAGE_CHARS * 3 // 4, start + PAGE_CHARS
    for kind in _ENDS:
        if places := [match.end() for match in kind.finditer(text, low, high)]:
            return places[-1]
    return high


def _make_part(text: str, start: int, end: int, heading: str = "") -> OpenedPart:
    first, last = trim_pages(text, *_strip(text, (start, end)))
    page, end_page = find_page(text, first), find_page(text, last)
    shows = [*range(page, end_page + 1)] if page and end_page else []
    return OpenedPart(
        start=first,
        end=last,
        page=page,
        shows=shows,
        heading=heading[:_HEADING_CHARS],
        cuts=list(_list_cuts(text, first, last)),
    )


def _list_cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the line ends at which a part may be cut, at least `CUT_CHARS` apart."""
    cut = text.find("\n", start + CUT_CHARS, end)
    while cut >= 0:
        yield cut
        cut = text.find("\n", cut + CUT_CHARS, end)


def _strip(text: str, span: Span) -> Span:
    content = text[slice(*span)]
    start = span[0] + len(content) - len(content.lstrip())
    return start, max(start + len(content.strip()), start)
