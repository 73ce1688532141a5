"""A report as a folder of Markdown with the pages that it cites: each quote leads to its place in its page, and back."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from api.reports.references import write_references
from api.reports.zip_writer import write_zip
from contracts.documents import PAGE_BREAK
from contracts.evidence.sources import Source
from contracts.report import document as doc
from contracts.words import say
from domain.report.formats.markdown import (
    REPORT_FILE,
    escape_markdown,
    name_anchor,
    name_page,
    write_anchor,
    write_folder_markdown,
)
from domain.sources.bibliography import build_bibliography, list_cited

Place = tuple[int, int, int]
"""Where a quote begins and ends in its page, and the number of its note."""
_BOLD, _BOLD_ENDS = "<b>", "</b>"
"""HTML, since `**` depends on the signs around it."""
MAX_FOLDER_BYTES = 20_000_000
"""Limit of the pages, tables and charts of a folder."""
_LINE = r"(?:^|(?<=[\f\r]))"
"""The start of a line, also after a page break."""
_SIGN = re.compile(
    rf"{_LINE}[ \t]*(?:(?P<bullet>[-+=])|(?P<number>\d{{1,9}})(?P<stop>[.)]))|{_LINE}[ \t]+|"
    r"(?P<sign>[\\`*_\[\]<>|~#]|&(?=#?\w{1,40};))",
    re.MULTILINE,
)
"""Markdown syntax, and leading spaces, of which four would start a code block."""


def build_folder(
    document: doc.Document,
    sources: Sequence[Source],
    pages: Mapping[int, str],
    exhibits: Mapping[str, bytes],
) -> bytes:
    """Return a zip of the report, the text of its pages by their sources' numbers, and its tables and charts by path."""
    listed = {number: pages[number] for number in list_listed(document) if number in pages}
    paths = {path.rpartition(".")[0]: path for path in exhibits}
    report = write_folder_markdown(document, listed.keys(), paths)
    files: dict[str, bytes] = {REPORT_FILE: report.encode()}
    cited = list_cited_places(document)
    for number, text in sorted(listed.items()):
        written = write_page(document, number, sources[number - 1], text, cited[number])
        files[name_page(number)] = written.encode()
    entries = build_bibliography(list_cited(document, sources))
    files["references.bib"] = write_references("bib", entries).encode()
    return write_zip({**files, **exhibits})


def list_listed(document: doc.Document) -> list[int]:
    """Return the numbers of the sources that a document lists."""
    blocks = [*document.blocks, *document.appendix]
    return [n for block in blocks if isinstance(block, doc.SourceList) for n in block.numbers]


def list_cited_places(document: doc.Document) -> dict[int, list[Place]]:
    """Return by source where each quote begins and ends in its page, with the number of its note."""
    places = defaultdict(list)
    for number, note in enumerate(document.notes, start=1):
        if isinstance(note, doc.Quote) and note.start >= 0:
            places[note.source].append((note.start, note.end, number))
    return places


def write_page(
    document: doc.Document,
    number: int,
    source: Source,
    text: str,
    places: Iterable[Place],
) -> str:
    """Write a page as Markdown, with quoted passages in bold after an anchor for each note."""
    named = document.sources[number - 1]
    about = [*named.about, source.url if named.address == source.url else named.path or named.title]
    read = say(document.language, "page-read", day=source.retrieved_at[:10])
    head = f"# {escape_markdown(named.title)}\n\n{escape_markdown(' · '.join([*about, read]))}\n\n---\n\n"
    parts, at = [], 0
    for offset, mark in _list_marks(place for place in places if place[1] <= len(text)):
        parts += [_escape(text, at, offset), mark]
        at = offset
    body = "".join([*parts, _escape(text, at, len(text))])
    body = body.replace(PAGE_BREAK, "\n\n---\n\n")
    return f"{head}{body.replace(chr(10), '  ' + chr(10))}\n"


def _list_marks(places: Iterable[Place]) -> Iterator[tuple[int, str]]:
    """Yield the insertions into a page's text: anchors, and where bold text begins and ends.

    Overlapping passages form one bold span.
    """
    end = -1
    for start, stop, note in sorted(places):
        if 0 <= end < start:
            yield end, _BOLD_ENDS
        yield start, f"{write_anchor(note)}[\\[{note}\\]](../{REPORT_FILE}#{name_anchor(note)}) "
        if end < start:
            yield start, _BOLD
        end = max(end, stop)
    if end >= 0:
        yield end, _BOLD_ENDS


def _escape(text: str, start: int, end: int) -> str:
    """Escape Markdown and HTML in a part of a page's text, keeping its lines."""
    parts, at = [], start
    for sign in _SIGN.finditer(text, start, end):
        parts.append(text[at : sign.start()])
        if sign["number"]:
            parts.append(f"{sign['number']}\\{sign['stop']}")
        elif kept := sign["bullet"] or sign["sign"]:
            parts.append(f"\\{kept}")
        at = sign.end()
    return "".join([*parts, text[at:end]])
