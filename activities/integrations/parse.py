"""Reading what was fetched: pages in a thread, files in a process that may die of them."""

import asyncio
import dataclasses
import json
from urllib.parse import urlsplit

from activities.apart import run_apart
from activities.parsing.document import Parsed, Section, Unreadable
from activities.parsing.files import MAX_SECONDS
from activities.parsing.html import is_html, read_html
from activities.parsing.text import decode, read_text
from contracts.errors import FetchRefused
from contracts.media_types import FILES, PDF

AT_ONCE = 2
"""Files read at a time: each may take a gigabyte."""


class PageParser:
    """Extracts text where a long page holds up nobody else, and a hostile file harms nobody."""

    def __init__(self, max_seconds: float = MAX_SECONDS) -> None:
        self._max_seconds = max_seconds
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def parse(self, body: bytes, media_type: str, charset: str, url: str) -> Parsed:
        """Return the readable text of a page or a file."""
        host = urlsplit(url).hostname or ""
        try:
            parsed = await self._read(body, media_type, charset, url)
        except Unreadable as error:
            raise FetchRefused(f"The page at {host!r} {error}.") from error
        return dataclasses.replace(parsed, publisher=parsed.publisher or host)

    async def _read(self, body: bytes, media_type: str, charset: str, url: str) -> Parsed:
        if not media_type and body.startswith(b"%PDF-"):
            media_type = PDF
        if media_type not in FILES:
            return await asyncio.to_thread(_read_page, body, media_type, charset, url)
        async with self._turns:
            return await self._read_apart(body, media_type)

    async def _read_apart(self, body: bytes, media_type: str) -> Parsed:
        """Read a file in a process of its own."""
        seconds = self._max_seconds
        try:
            told = await run_apart("activities.parsing", media_type, given=body, seconds=seconds)
        except TimeoutError as error:
            raise Unreadable(f"takes longer than {seconds:g} s to read") from error
        return _heard(told)


def _read_page(body: bytes, media_type: str, charset: str, url: str) -> Parsed:
    text = decode(body, charset)
    html = is_html(text, media_type)
    parsed = read_html(text, media_type, url) if html else read_text(text, media_type)
    if not parsed.text:
        raise Unreadable("has no readable text")
    return parsed


def _heard(told: bytes) -> Parsed:
    try:
        answer = json.loads(told)
    except ValueError as error:
        raise Unreadable("ended the process that read it; it cannot be read") from error
    if "unreadable" in answer:
        raise Unreadable(answer["unreadable"])
    sections = tuple(Section(**section) for section in answer["parsed"].pop("sections"))
    links = tuple(answer["parsed"].pop("links"))
    return Parsed(**answer["parsed"], sections=sections, links=links)
