"""Writes the comments, headers and footers of documents as lines that say what they are, as in `[Header] Draft`."""

import re
from collections.abc import Iterable

from activities.parsing.document import line

MAX_PLACE_CHARS = 80
_HAS_WORD = re.compile(r"[^\W\d_]")


def write_comment(text: str, author: str = "", on: str = "", *, is_resolved: bool = False) -> str:
    """Return a comment with its mark, whose author it is and what it is on; empty without words."""
    words = line(text, len(text))
    if not words:
        return ""
    kind = "Resolved comment" if is_resolved else "Comment"
    by = f" by {name}" if (name := line(author)) else ""
    place = f" on “{shown}”" if (shown := line(on, MAX_PLACE_CHARS)) else ""
    return f"[{kind}{by}{place}] {words}"


def write_margins(kind: str, lines: Iterable[str]) -> list[str]:
    """Return the lines of headers, footers or watermarks that say something, each once and marked by their kind."""
    texts = (line(each, 2_000) for each in lines)
    return [f"[{kind}] {each}" for each in dict.fromkeys(texts) if _HAS_WORD.search(each)]
