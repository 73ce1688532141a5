"""Files of a library as text."""

import asyncio
import re
from pathlib import Path

from activities.call_pool import MAX_SECONDS
from activities.parsing.document import Parsed, Unreadable
from activities.parsing.encodings import decode
from activities.parsing.page_parser import PageParser
from contracts.media_types import DOCX, PDF

HTML = "text/html; charset=utf-8"
PLAIN = {".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8"}
FORMATS = PLAIN | {".html": HTML, ".htm": HTML, ".pdf": PDF, ".docx": DOCX}
LARGEST_BYTES = 20_000_000
HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)


def read(path: Path) -> Parsed:
    """Return the content of a file.

    Raises:
        Unreadable: it cannot be read as its format; the message says why.
        OSError: it cannot be opened.
    """
    if path.stat().st_size > LARGEST_BYTES:
        raise Unreadable(f"is larger than {LARGEST_BYTES // 1_000_000} MB")
    suffix, body = path.suffix.lower(), path.read_bytes()
    content = (
        read_plain(body) if suffix in PLAIN else read_apart(body, FORMATS[suffix].partition(";")[0])
    )
    if not content.text.strip():
        raise Unreadable("has no text in it")
    return content


def read_plain(body: bytes) -> Parsed:
    """Read plain text or Markdown in any encoding; its title is the first heading, else the first line."""
    text = decode(body)
    if "\x00" in text:
        raise Unreadable("is binary data")
    heading = HEADING.search(text)
    first = next((line for line in text.splitlines() if line.strip()), "")
    title = heading[1] if heading else first
    return Parsed(text, "text/plain", title=title.strip(" #*_\t")[:200])


def read_apart(body: bytes, media_type: str) -> Parsed:
    """Read a file as the product reads what it fetches: in a process within bounds."""

    async def parse() -> Parsed:
        parser = PageParser(MAX_SECONDS)
        try:
            return await parser.read(body, media_type)
        finally:
            await parser.close()

    return asyncio.run(parse())
