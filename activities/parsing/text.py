"""Plain text and Markdown: its title, its day and its sections."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt

from activities.parsing.document import Parsed, bounded, clean, first_line
from contracts.documents import PageSection

_DAY = re.compile(
    r"^[*_> ]{0,9}(?:(?:last )?updated|published|date)[*_]{0,3}:[*_ ]{0,9}(\d{4}-\d\d-\d\d)[*_. ]{0,9}$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that holds a day and nothing else; other days in a text are about something."""


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
