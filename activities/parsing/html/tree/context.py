"""The text around an element in a line, and removal of an element from its tree in constant time."""

from typing import Any

from lxml.etree import XPath
from lxml.html import defs

from activities.parsing.superscripts import AFTER_CHARS, BEFORE_CHARS

_NEWER_BLOCKS = (
    "article",
    "aside",
    "details",
    "figcaption",
    "figure",
    "footer",
    "header",
    "main",
    "nav",
    "section",
)
BLOCKS = defs.block_tags - {"del", "ins", "noscript"} | {"html", "body", "summary", *_NEWER_BLOCKS}
_LENGTH = XPath("string-length(normalize-space())")
_NO_PROSE = XPath(
    "descendant::*[self::a or self::style or self::noscript or self::template or self::head]"
    "[not(ancestor::a or ancestor::noscript or ancestor::template or ancestor::head)]"
)
_MAX_STEPS = 12
_BREAKS = frozenset(("br", "hr"))


def find_before(tag: Any) -> str:
    """Return the end of the text that precedes an element in its block, of several elements together."""
    found = ""
    for _ in range(_MAX_STEPS):
        previous = tag.getprevious()
        if previous is None:
            tag = tag.getparent()
            if tag is None:
                break
            found = _end((tag.text or "") + found)
            is_edge = tag.tag in BLOCKS
        else:
            found = _end((previous.tail or "") + found)
            is_edge = previous.tag in _BREAKS or previous.tag in BLOCKS
            if not is_edge and len(found) < BEFORE_CHARS:
                found = _end(_find_last(previous) + found)
                is_edge = len(previous) > 0  # text before that is inside the element
            tag = previous
        if is_edge or len(found) == BEFORE_CHARS:
            break
    return found


def _find_last(tag: Any) -> str:
    """Return the last text within an element."""
    for _ in range(_MAX_STEPS):
        if not len(tag):
            return tag.text or ""
        last = tag[-1]
        if last.tail:
            return str(last.tail)
        tag = last
    return ""


def find_after(tag: Any) -> str:
    """Return the start of the text that follows an element in its block."""
    for _ in range(_MAX_STEPS):
        if tag.tail:
            return _start(tag.tail)
        following = tag.getnext()
        if following is None:
            tag = tag.getparent()
            if tag is None or tag.tag in BLOCKS:
                return ""
        elif following.tag in _BREAKS or following.tag in BLOCKS:
            return ""
        elif following.text:
            return _start(following.text)
        elif len(following):
            first = following[0]
            if first.text:
                return _start(first.text)
            tag = first
        else:
            tag = following
    return ""


def _end(text: str) -> str:
    return text[-BEFORE_CHARS:]


def _start(text: str) -> str:
    return text[:AFTER_CHARS]


def replace_by_text(tag: Any, text: str) -> None:
    """Make an element a plain span of a text.

    Removing it would join its neighbours' texts: quadratic time for many in a line.
    """
    tail = tag.tail
    tag.clear()
    tag.tag, tag.text, tag.tail = "span", text, tail


def remove(tag: Any) -> None:
    """Remove an element with all that it holds; an empty span stays where text follows."""
    parent = tag.getparent()
    if parent is None:
        return
    if tag.tail and (tag.tag not in BLOCKS or tag.tail.strip()):
        replace_by_text(tag, "")
    else:
        parent.remove(tag)


def count_chars(tag: Any) -> float:
    """Return the number of characters of an element's text."""
    count: float = _LENGTH(tag)
    return count


def count_prose(tag: Any) -> float:
    """Return the number of characters of an element's text that is seen, and no link."""
    return count_chars(tag) - sum(map(count_chars, _NO_PROSE(tag)))
