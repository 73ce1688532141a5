"""Reading a file: what each format says about its text, title, author and date."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from activities.parsing.document import Parsed, Unreadable
from activities.parsing.page_parser import PageParser
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


def sandboxed(media_type: str, data: bytes) -> Content:
    """Read a web page, PDF or Word document as those do who fetch it."""

    async def parse() -> Parsed:
        parser = PageParser()
        try:
            return await parser.read(data, media_type)
        finally:
            await parser.close()

    found = asyncio.run(parse())
    return Content(found.text, found.title, found.publisher or found.author, found.published)


READERS: dict[str, Callable[[bytes], Content]] = {
    ".md": plain_text,
    ".txt": plain_text,
    ".html": partial(sandboxed, "text/html"),
    ".htm": partial(sandboxed, "text/html"),
    ".pdf": partial(sandboxed, PDF),
    ".docx": partial(sandboxed, DOCX),
}
