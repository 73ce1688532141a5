"""Files of a library as text."""

import asyncio
import re
from pathlib import Path

from activities.call_pool import MAX_SECONDS
from activities.parsing.document import Parsed, Unreadable
from activities.parsing.encodings import decode
from activities.parsing.page_parser import PageParser
from contracts.media_types import MARKDOWN, PLAIN, SUFFIXES

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
    body, media_type = path.read_bytes(), SUFFIXES[path.suffix.lower()]
    is_plain = media_type in {MARKDOWN, PLAIN} and is_utf8(body)
    content = read_plain(body) if is_plain else read_apart(body, media_type)
    if not content.text.strip():
        raise Unreadable("has no text in it")
    return content


def is_utf8(body: bytes) -> bool:
    """Tell whether bytes are a text in UTF-8."""
    try:
        return "\x00" not in body.decode()
    except UnicodeDecodeError:
        return False


def read_plain(body: bytes) -> Parsed:
    """Read plain text or Markdown in UTF-8; its title is the first heading, else the first line."""
    text = decode(body)
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
