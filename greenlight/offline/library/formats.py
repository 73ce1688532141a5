"""Reading a file: what each format says about its text, title, author and date."""

import io
import re
from dataclasses import dataclass
from pathlib import Path

FORMATS = {
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".htm": "text/html; charset=utf-8",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
LARGEST_BYTES = 20_000_000


class Unreadable(Exception):
    """A file that is not what its name says, or has no text."""


@dataclass(frozen=True)
class Content:
    """What could be read from a file."""

    text: str
    title: str = ""
    publisher: str = ""
    published: str | None = None


def read(path: Path) -> Content:
    """Return the content of a file.

    Raises:
        Unreadable: it cannot be read as its format; the message says why.
        OSError: it cannot be opened.
    """
    if path.stat().st_size > LARGEST_BYTES:
        raise Unreadable(f"larger than {LARGEST_BYTES // 1_000_000} MB")
    data = path.read_bytes()
    try:
        content = READERS[path.suffix.lower()](data)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"not readable as {path.suffix.lower()}: {error}") from error
    if not content.text.strip():
        raise Unreadable("no text in it")
    return content


def plain_text(data: bytes) -> Content:
    """Read plain text or Markdown in UTF-8; its title is the first heading, else the first line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: {error.reason} at byte {error.start}") from error
    if "\x00" in text:
        raise Unreadable("binary data")
    heading = re.search(r"^#{1,6}[ \t]+(.+)$", text, re.MULTILINE)
    first = next((line for line in text.splitlines() if line.strip()), "")
    title = heading[1] if heading else first
    return Content(text, title=title.strip(" #*_\t")[:200])


def html_page(data: bytes) -> Content:
    """Read a web page: its main text and what its head says."""
    import trafilatura  # takes half a second, and a library without web pages needs none

    page = trafilatura.bare_extraction(data, with_metadata=True, include_comments=False)
    if page is None:
        raise Unreadable("no main text found in the page")
    found = page if isinstance(page, dict) else page.as_dict()
    return Content(
        found.get("text") or "",
        title=found.get("title") or "",
        publisher=found.get("sitename") or found.get("author") or "",
        published=found.get("date"),
    )


def pdf(data: bytes) -> Content:
    """Read a PDF's text layer."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    text = "\n\n".join(page.extract_text() for page in reader.pages)
    info = reader.metadata
    created = info.creation_date.date().isoformat() if info and info.creation_date else None
    title, author = (info.title, info.author) if info else (None, None)
    return Content(text, title=title or "", publisher=author or "", published=created)


def docx(data: bytes) -> Content:
    """Read a Word document: its paragraphs and tables."""
    from docx import Document as WordDocument

    word = WordDocument(io.BytesIO(data))
    rows = (row for table in word.tables for row in table.rows)
    cells = ["\t".join(cell.text for cell in row.cells) for row in rows]
    about = word.core_properties
    return Content(
        "\n".join([*(paragraph.text for paragraph in word.paragraphs), *cells]),
        title=about.title or "",
        publisher=about.author or "",
        published=about.modified.date().isoformat() if about.modified else None,
    )


READERS = {
    ".md": plain_text,
    ".txt": plain_text,
    ".html": html_page,
    ".htm": html_page,
    ".pdf": pdf,
    ".docx": docx,
}
