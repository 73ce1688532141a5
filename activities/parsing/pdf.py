"""PDF: its text layer, page by page, and its outline."""

import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

from pypdf import DocumentInformation, PdfReader
from pypdf.errors import LimitReachedError, PyPdfError

from activities.parsing.document import (
    MAX_SECTIONS,
    MAX_TEXT_CHARS,
    Parsed,
    Unreadable,
    clean,
    first_line,
    line,
    sections,
)
from contracts.media_types import PDF

_DAMAGE = (PyPdfError, AttributeError, KeyError, TypeError, ValueError, RecursionError)
"""What pypdf raises over a part that is out of form; the text may be whole all the same."""


def read_pdf(body: bytes) -> Parsed:
    """Return the text of a PDF; its own date is the day it was made."""
    try:
        return _read(body)
    except LimitReachedError as error:
        raise Unreadable("is a PDF that unpacks to more than can be read") from error


def _read(body: bytes) -> Parsed:
    reader = PdfReader(io.BytesIO(body))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("is an encrypted PDF; it opens with a password only")
    pages = list(_pages(reader))
    if not any(pages):
        raise Unreadable("is a PDF without text, probably scanned; pictures are not read")
    text = clean("\n\n".join(pages))
    info = reader.metadata or DocumentInformation()
    title = line(info.title)
    return Parsed(
        text,
        PDF,
        title=title if any(map(str.isalpha, title)) else first_line(text),
        author=line(info.author),
        published=_made(info),
        sections=sections(text, _outline(reader, pages)),
    )


def _pages(reader: PdfReader) -> Iterator[str]:
    chars = 0
    for page in reader.pages:
        text = clean(page.extract_text())
        yield text
        chars += len(text)
        if chars > MAX_TEXT_CHARS:
            return


def _made(info: DocumentInformation) -> str | None:
    try:
        return info.creation_date.date().isoformat() if info.creation_date else None
    except _DAMAGE:
        return None


def _outline(reader: PdfReader, pages: list[str]) -> list[tuple[str, int]]:
    """Return the outline's titles, each with the offset of its page."""
    offsets = [0]
    for page in pages:
        offsets.append(offsets[-1] + len(page) + 2)
    try:
        entries = islice(_flat(reader.outline), MAX_SECTIONS)
        numbered = [(str(e.title), reader.get_destination_page_number(e)) for e in entries]
    except _DAMAGE:
        return []
    return [(title, offsets[n]) for title, n in numbered if n is not None and n < len(pages)]


def _flat(outline: list[Any]) -> Iterator[Any]:
    for entry in outline:
        if isinstance(entry, list):
            yield from _flat(entry)
        else:
            yield entry
