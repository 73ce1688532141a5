"""Files as text: plain ones here, others in a process that may die of them."""

import asyncio
import json
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path

from activities.apart import confine, run_apart
from activities.parsing.document import Parsed, Unreadable
from activities.parsing.files import MAX_MEMORY_BYTES, MAX_SECONDS, read_file
from contracts.media_types import DOCX, PDF

HTML = "text/html; charset=utf-8"
FORMATS = {
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".html": HTML,
    ".htm": HTML,
    ".pdf": PDF,
    ".docx": DOCX,
}
PLAIN = (".md", ".txt")
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
    content = read_plain(body) if suffix in PLAIN else read_apart(body, FORMATS[suffix])
    if not content.text.strip():
        raise Unreadable("has no text in it")
    return content


def read_plain(body: bytes) -> Parsed:
    """Read plain text or Markdown in UTF-8; its title is the first heading, else the first line."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8: {error.reason} at byte {error.start}") from error
    if "\x00" in text:
        raise Unreadable("is binary data")
    heading = HEADING.search(text)
    first = next((line for line in text.splitlines() if line.strip()), "")
    title = heading[1] if heading else first
    return Parsed(text, "text/plain", title=title.strip(" #*_\t")[:200])


def read_apart(body: bytes, content_type: str) -> Parsed:
    """Read a file in a process of its own, within bounds of time and memory."""
    reading = run_apart("offline.library.reader", content_type, given=body, seconds=MAX_SECONDS)
    try:
        answer = json.loads(asyncio.run(reading))
    except TimeoutError as error:
        raise Unreadable(f"takes longer than {MAX_SECONDS} s to read") from error
    except ValueError as error:
        raise Unreadable("ended the process that read it") from error
    if isinstance(answer, str):
        raise Unreadable(answer)
    return Parsed(**answer)


def parse(body: bytes, content_type: str) -> Parsed:
    """Parse a web page, a PDF or a Word document as the product does when it fetches one."""
    if content_type != HTML:
        return read_file(body, content_type)
    from activities.parsing.html import read_html  # takes half a second to load
    from activities.parsing.text import decode

    return read_html(decode(body, "utf-8"), "text/html", "")


def main() -> None:
    """Print what is in the file on stdin as JSON, or as a string why it cannot be read."""
    confine(MAX_SECONDS, MAX_MEMORY_BYTES)
    try:
        found = parse(sys.stdin.buffer.read(), sys.argv[1])
        answer: object = asdict(replace(found, sections=()))
    except Unreadable as error:
        answer = str(error)
    except MemoryError:
        answer = f"takes more than {MAX_MEMORY_BYTES // 10**6} MB of memory to read"
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
