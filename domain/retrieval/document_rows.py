"""The rows of a document that are searched: its pages, or else its sections in parts of some 400 words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from contracts.documents import PAGE_BREAK, PageSection
from domain.evidence.quotes import Span

HEAD_CHARS = 250
"""Characters at the top of a page, or of headings, used as a row's head."""
PART_CHARS, MIN_PART_CHARS = 2_400, 600
"""Longest part of a section, about 400 words, and the length up to which short sections share a row."""
MAX_PAGE_CHARS = 12_000
"""A longer page is several rows with the same page number."""
_MARKS = re.compile(r"[#|]|-{3,99}|_{3,99}")
"""Marks of headings and tables, and rules."""
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_BREAKS = (
    re.compile(r"\n[^\S\n]{0,99}\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?]\s|[。！？]"),
    re.compile(r"\s"),
)
"""Places to cut a long text, the best kind first."""


@dataclass(frozen=True)
class Row:
    """A stretch of a document's text that is found as one."""

    start: int
    end: int
    page: int | None
    """The page number, counted from 1; None if the document has no pages."""
    head: str
    text: str


def split_rows(text: str, sections: Sequence[PageSection] = ()) -> list[Row]:
    """Return the rows of a document in order; stretches without a word or figure are left out."""
    rows = _split_pages(text) if PAGE_BREAK in text else _split_sections(text, sections)
    return [row for row in rows if any(map(str.isalnum, row.text))]


def _split_pages(text: str) -> Iterator[Row]:
    start = 0
    for page, content in enumerate(text.split(PAGE_BREAK), start=1):
        head = _flatten(_MARKS.sub(" ", content[: 2 * HEAD_CHARS]))
        for first, last in _split_span(text, start, start + len(content), MAX_PAGE_CHARS):
            yield _make_row(text, first, last, head, page)
        start += len(content) + 1


def _split_sections(text: str, sections: Sequence[PageSection]) -> Iterator[Row]:
    headings: list[str] = []
    start = 0
    for at, heading in [*find_headings(text, sections), (len(text), "")]:
        if at - start < MIN_PART_CHARS and at < len(text):
            headings.append(heading)
            continue
        for first, last in _split_span(text, start, at, PART_CHARS):
            yield _make_row(text, first, last, _flatten(" / ".join(headings)))
        headings, start = [heading], at


def find_headings(text: str, sections: Iterable[PageSection]) -> list[tuple[int, str]]:
    """Return a text's headings with offsets: those of its sections, and Markdown headings."""
    marked = {match.start(): match[1] for match in _HEADING.finditer(text)}
    named = {section.start: section.heading for section in sections if section.start < len(text)}
    return sorted((marked | named).items())


def _split_span(text: str, start: int, end: int, most: int) -> Iterator[Span]:
    """Split a span into parts of at most `most` characters, between paragraphs if possible."""
    while end - start > most:
        cut = _find_cut(text, start + most // 2, start + most)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _find_cut(text: str, low: int, high: int) -> int:
    for kind in _BREAKS:
        if places := [match.end() for match in kind.finditer(text, low, high)]:
            return places[-1]
    return high


def _make_row(text: str, start: int, end: int, head: str, page: int | None = None) -> Row:
    content = text[start:end]
    start += len(content) - len(content.lstrip())
    bare = content.strip()
    return Row(start, start + len(bare), page, head[:HEAD_CHARS], bare)


def _flatten(text: str) -> str:
    return " ".join(text.split())
