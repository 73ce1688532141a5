"""From the bytes of a page to the text a person would read on it."""

import asyncio
import codecs
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import charset_normalizer
import trafilatura
from trafilatura.settings import Document

from contracts.errors import FetchRefused

MAX_TEXT_CHARS = 2_000_000
MAX_TAGS = 150_000
"""About seven seconds of work; a long annual report has 20,000."""

_HTML = {"text/html", "application/xhtml+xml"}
_BOMS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_META_CHARSET = re.compile(
    rb"""<meta[^<>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w:.-]{2,40})""", re.IGNORECASE
)
_XML_CHARSET = re.compile(rb"""\A\s{0,99}<\?xml[^<>]{0,200}?encoding=["']([\w:.-]{2,40})""")
_LOOKS_LIKE_HTML = re.compile(
    r"\s{0,999}<(!doctype html|!--|\?xml|html|head|body|div|p|h1|title|meta)\b", re.IGNORECASE
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]+")
_BINARY = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")


@dataclass(frozen=True)
class Parsed:
    """The readable part of a page, and what it says about itself."""

    text: str
    media_type: str
    title: str = ""
    author: str = ""
    publisher: str = ""
    published: str | None = None
    description: str = ""


class PageParser:
    """Extracts text in a thread, so that a long page holds up nobody else."""

    async def parse(self, body: bytes, media_type: str, charset: str, url: str) -> Parsed:
        """Return the readable text of a page."""
        parsed = await asyncio.to_thread(_parse, body, media_type, charset, url)
        if not parsed.text:
            raise FetchRefused(f"The page at {urlsplit(url).hostname!r} has no readable text.")
        return parsed


def _parse(body: bytes, media_type: str, charset: str, url: str) -> Parsed:
    text = decode(body, charset)
    if media_type in _HTML or (not media_type and _LOOKS_LIKE_HTML.match(text)):
        return _parse_html(text, media_type or "text/html", url)
    clean = _clean(text)
    return Parsed(text=clean, media_type=media_type or "text/plain", title=_first_line(clean))


def decode(body: bytes, charset: str) -> str:
    """Return the body as text: what is valid UTF-8 is that, whatever the label says."""
    if body.startswith(_BINARY):
        raise FetchRefused("The page is a binary file under a text label; it cannot be read.")
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, "replace")
    for encoding in ("" if _is_stateful(body) else "utf-8", charset, _declared(body)):
        text = _try(body, encoding)
        if text is not None:
            return text
    best = charset_normalizer.from_bytes(body[:100_000]).best()
    return body.decode(best.encoding if best else "utf-8", "replace")


def _is_stateful(body: bytes) -> bool:
    """Tell whether ASCII bytes may mean something else here, as in ISO-2022 or UTF-16."""
    return b"\x1b" in body or b"\x00" in body


def _declared(body: bytes) -> str:
    found = _META_CHARSET.search(body[:4_096]) or _XML_CHARSET.match(body[:512])
    return found.group(1).decode("ascii") if found else ""


def _try(body: bytes, encoding: str) -> str | None:
    if not encoding:
        return None
    try:
        return body.decode(encoding)
    except (LookupError, ValueError):
        return None


def _parse_html(html: str, media_type: str, url: str) -> Parsed:
    host = urlsplit(url).hostname or ""
    if html.count("<") > MAX_TAGS:
        raise FetchRefused(f"The page at {host!r} has too many tags to read.")
    if "html" not in html[:50].lower():
        html = f"<html>{html}"  # the tag is optional, but without it a page is taken for a fragment
    found = trafilatura.bare_extraction(
        html, url=url, with_metadata=True, include_comments=False, include_tables=True
    )
    if not isinstance(found, Document):
        return Parsed(text="", media_type=media_type)
    return Parsed(
        text=_clean(found.text or ""),
        media_type=media_type,
        title=_line(found.title),
        author=_line(found.author),
        publisher=_line(found.sitename) or host,
        published=found.date,
        description=_line(found.description),
    )


def _clean(text: str) -> str:
    """Drop control characters, which no reader sees and no database keeps."""
    lines = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return lines.strip()[:MAX_TEXT_CHARS]


def _line(text: str | None) -> str:
    return " ".join(_CONTROL.sub("", text or "").split())[:300]


def _first_line(text: str) -> str:
    """Return the first line that says something; a rule or a bare bracket does not."""
    lines = (_line(line).lstrip("# ") for line in text[:300].splitlines())
    return next((line for line in lines if any(map(str.isalnum, line))), "")
