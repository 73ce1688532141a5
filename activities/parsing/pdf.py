"""PDF: its text layer, page by page, and its outline."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import accumulate, islice

import pypdfium2 as pdfium
from pypdfium2.raw import FPDF_ERR_PASSWORD

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

_HYPHENATION = re.compile(r"[\x02\ufffe](?:\r?\n)?")
"""PDFium's mark for a hyphen that breaks a word at the end of a line."""
_DAY = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)")


def read_pdf(body: bytes) -> Parsed:
    """Return the text of a PDF; its own date is the day it was made."""
    try:
        opened = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise Unreadable("is an encrypted PDF; it opens with a password only") from error
        raise
    with opened as document:
        pages = list(_read_pages(document))
        if not any(pages):
            raise Unreadable("is a PDF without text, probably scanned; pictures are not read")
        text = clean("\n\n".join(pages))
        about = document.get_metadata_dict()
        title = line(about["Title"])
        return Parsed(
            text,
            PDF,
            title=title if any(map(str.isalpha, title)) else first_line(text),
            author=line(about["Author"]),
            published=_read_day(about["CreationDate"]),
            sections=sections(text, _read_outline(document, pages)),
        )


def _read_pages(document: pdfium.PdfDocument) -> Iterator[str]:
    chars = 0
    for page in document:
        text = clean(_HYPHENATION.sub("", page.get_textpage().get_text_bounded()))
        page.close()
        yield text
        chars += len(text)
        if chars > MAX_TEXT_CHARS:
            return


def _read_day(moment: str) -> str | None:
    """Return the day of a PDF date such as D:20240502080000Z."""
    found = _DAY.match(moment)
    try:
        return date(*map(int, found.groups())).isoformat() if found else None
    except ValueError:
        return None


def _read_outline(document: pdfium.PdfDocument, pages: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the outline's titles, each with the offset of its page."""
    offsets = list(accumulate((len(page) + 2 for page in pages), initial=0))
    for entry in islice(document.get_toc(), MAX_SECTIONS):
        place = entry.get_dest()
        number = place.get_index() if place else None
        if number is not None and number < len(pages):
            yield entry.get_title(), offsets[number]
