"""The parts of a long document that are opened: its best pages, a section, a page, or the text from a place on."""

import re
from collections.abc import Iterator, Sequence

from contracts.documents import PAGE_BREAK, PageSection
from contracts.evidence.sources import OpenedPart, OpenedParts, PartsRequest
from domain.evidence.quotes import Span
from domain.retrieval.ranking import count_row, count_statistics, rank, score_rows
from domain.retrieval.rows import Row, find_headings, split_rows
from domain.retrieval.terms import list_terms, parse_query

PAGE_CHARS = 18_000
"""Characters of a document that an agent reads at once; the whole text stays in its snapshot."""
LONG_CHARS = PAGE_CHARS * 5 // 4
"""A text up to this length is shown whole: a call for the rest would cost more than the rest."""
HEADING_LINES = 4
"""Lines at the top of a page among which a heading may stand."""
MIN_LIKENESS = 0.5
"""Share of their terms that a heading and what is asked for have in common."""
_HEADING_CHARS = 120
_ENDS = (
    re.compile(r"\n[^\S\n]{0,99}\n"),
    re.compile(r"[.!?:|]\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?]\s|[。！？]"),
)


def open_parts(text: str, request: PartsRequest) -> OpenedParts:
    """Return the parts of a text that answer a request, at most `PAGE_CHARS` together, or why there are none."""
    pages = text.count(PAGE_BREAK) + 1 if PAGE_BREAK in text else None
    found: list[OpenedPart] | str
    if request.about:
        found = open_best(text, request.sections, request.name, request.about)
    elif request.section:
        found = open_section(text, request.sections, request.section)
    elif request.page is not None:
        found = _open_page(text, request.page)
    else:
        found = _open_from(text, request.start)
    if isinstance(found, str):
        return OpenedParts(pages=pages, problem=found)
    return OpenedParts(parts=found, pages=pages)


def open_best(
    text: str, sections: Sequence[PageSection], name: str, about: str
) -> list[OpenedPart] | str:
    """Return the rows that bear most on what is asked, as many as are read at once, in the text's order.

    A row without any word of it, such as an empty page, is no filler.
    """
    rows = split_rows(text, sections)
    terms = {("", n): count_row(name, row.head, row.text) for n, row in enumerate(rows)}
    query = parse_query(about)
    scores = score_rows(query, terms, count_statistics(terms.values(), query.terms))
    room, chosen = PAGE_CHARS, []
    for key in rank(scores):
        row, own = rows[key[1]], terms[key]
        if len(row.text) <= room and any(t in own.head or t in own.text for t in query.terms):
            room -= len(row.text)
            chosen.append(row)
    if not chosen:
        return f"find: no part of it has any word of {about!r}"
    return [*_join(sorted(chosen, key=lambda row: row.start))]


def _join(rows: Sequence[Row]) -> Iterator[OpenedPart]:
    """Yield rows as parts; those of one page or section that follow one another are one."""
    last: OpenedPart | None = None
    for row in rows:
        follows = last and row.start - last.end <= 4 and (row.page == last.page)
        if last and follows:
            last = last.model_copy(update={"end": row.end})
            continue
        if last:
            yield last
        last = OpenedPart(
            start=row.start, end=row.end, page=row.page, heading=row.head[:_HEADING_CHARS]
        )
    if last:
        yield last


def open_section(text: str, sections: Sequence[PageSection], asked: str) -> list[OpenedPart] | str:
    """Return the beginning of the section whose heading is most like what is asked for.

    Headings are those of the document's outline, lines marked as in Markdown, and the first lines of pages.
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
        near = sorted(likeness, key=lambda each: -each[0])[:5] if likeness else []
        names = ", ".join(repr(headings[n][1][:_HEADING_CHARS]) for _, _, n in near)
        return f"section: no heading is like {asked!r}; the nearest are {names or 'none'}"
    start, heading, _ = headings[best[2]]
    named = next((s for s in sections if s.start == start), None)
    end = (
        named.end
        if named
        else _find_section_end(start, [s for s, _, is_line in headings if not is_line], text)
    )
    return [_make_part(text, start, min(end, find_end(text, start)), heading)]


def _find_section_end(start: int, starts: Sequence[int], text: str) -> int:
    return min((other for other in starts if other > start), default=len(text))


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


def find_end(text: str, start: int) -> int:
    """Return where a part that begins at an offset ends: with the text if that is near, else behind a sentence."""
    if len(text) - start <= LONG_CHARS:
        return len(text)
    low, high = start + PAGE_CHARS * 3 // 4, start + PAGE_CHARS
    for kind in _ENDS:
        if places := [match.end() for match in kind.finditer(text, low, high)]:
            return places[-1]
    return high


def _make_part(text: str, start: int, end: int, heading: str = "") -> OpenedPart:
    first, last = _strip(text, (start, end))
    page = text.count(PAGE_BREAK, 0, first) + 1 if PAGE_BREAK in text else None
    return OpenedPart(start=first, end=last, page=page, heading=heading[:_HEADING_CHARS])


def _strip(text: str, span: Span) -> Span:
    content = text[slice(*span)]
    start = span[0] + len(content) - len(content.lstrip())
    return start, max(start + len(content.strip()), start)
