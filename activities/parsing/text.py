"""Plain text: which encoding it is in, and what it is called."""

import codecs
import re
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import accumulate, pairwise

import charset_normalizer
from charset_normalizer.utils import iana_name
from markdown_it import MarkdownIt

from activities.parsing.document import Parsed, Unreadable, bounded, clean, first_line
from contracts.documents import PageSection

_BOMS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_META_CHARSET = re.compile(
    rb"""<meta[^<>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w:.-]{2,40})""", re.IGNORECASE
)
_XML_CHARSET = re.compile(rb"""\A\s{0,99}<\?xml[^<>]{0,200}?encoding=["']([\w:.-]{2,40})""")
_DAY = re.compile(
    r"^[*_> ]{0,9}(?:(?:last )?updated|published|date)[*_]{0,3}:[*_ ]{0,9}(\d{4}-\d\d-\d\d)[*_. ]{0,9}$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that holds a day and nothing else; other days in a text are about something."""
_BINARY = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8")


def read_text(text: str, media_type: str) -> Parsed:
    """Return plain text or Markdown as it is, called after its first line."""
    cleaned = clean(text)
    return Parsed(
        cleaned,
        media_type or "text/plain",
        title=first_line(cleaned),
        published=_find_day(cleaned),
        sections=_find_sections(cleaned) if media_type == "text/markdown" else (),
    )


def _find_day(text: str) -> str | None:
    """Return the day that a line of a text states as its own, if that has come."""
    with suppress(ValueError):
        if found := _DAY.search(text):
            day = date.fromisoformat(found[1])
            return day.isoformat() if day <= datetime.now(UTC).date() else None
    return None


def _find_sections(text: str) -> tuple[PageSection, ...]:
    """Return what stands under each heading of a Markdown text."""
    tokens = MarkdownIt("zero").enable(["heading", "lheading", "fence", "code"]).parse(text)
    starts = list(accumulate((len(each) + 1 for each in text.split("\n")), initial=0))
    found = [
        (inner.content, starts[token.map[0]])
        for token, inner in pairwise(tokens)
        if token.type == "heading_open" and token.map
    ]
    return bounded(found, len(text))


def decode(body: bytes, charset: str) -> str:
    """Return the body as text: what is valid UTF-8 is that, whatever the label says."""
    if body.startswith(_BINARY):
        raise Unreadable("is a binary file under a text label; it cannot be read")
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body.decode(encoding, "replace")
    # ASCII bytes may mean something else, as in ISO-2022 or UTF-16.
    is_stateful = b"\x1b" in body or b"\x00" in body
    found = _META_CHARSET.search(body[:4_096]) or _XML_CHARSET.match(body[:512])
    declared = found.group(1).decode("ascii") if found else ""
    for encoding in ("" if is_stateful else "utf-8", charset, declared):
        # By an encoding for texts: Python knows more, and some take hours.
        with suppress(LookupError, ValueError):
            return body.decode(iana_name(encoding))
    best = charset_normalizer.from_bytes(body[:100_000]).best()
    return body.decode(best.encoding if best else "utf-8", "replace")
