"""Reading a file: what each format says about its text, title, author and date."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from activities.parsing.document import Unreadable
from activities.parsing.files import read_file
from contracts.media_types import DOCX, PDF

FORMATS = {
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".htm": "text/html; charset=utf-8",
    ".pdf": PDF,
    ".docx": DOCX,
}
LARGEST_BYTES = 20_000_000


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


def packed(media_type: str, data: bytes) -> Content:
    """Read a PDF or Word document as those do who fetch it."""
    found = read_file(data, media_type)
    return Content(found.text, found.title, found.author, found.published)


READERS: dict[str, Callable[[bytes], Content]] = {
    ".md": plain_text,
    ".txt": plain_text,
    ".html": html_page,
    ".htm": html_page,
    ".pdf": partial(packed, PDF),
    ".docx": partial(packed, DOCX),
}
