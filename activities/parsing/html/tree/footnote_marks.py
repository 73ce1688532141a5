"""Separates superscripts, subscripts and note links from the figures before them."""

import re
from typing import Any

from lxml.etree import XPath

from activities.parsing.html.tree.context import find_after, find_before, replace_by_text
from activities.parsing.marks import place_lowered, place_raised

MAX_RAISED_CHARS = 40
"""Longer text in `sup` is not a footnote mark."""
_NOTE = re.compile(r"\d{1,3}|[^\W\d_]|[*†‡§]{1,3}")
_RAISES = re.compile(r"vertical-align\s{0,9}:\s{0,9}(?:super|sub|text-top)\b")
_SPANS, _FONTS = (XPath(f"/descendant::{name}[@style]") for name in ("span", "font"))
_LINKS = XPath("//a[contains(@href, '#')][string-length() <= 3]")


def separate_marks(tree: Any) -> None:
    """Write superscripts, subscripts and note numbers as inline text."""
    for tag in [*tree.iter("sup", "sub"), *_list_styled(tree), *_list_note_links(tree)]:
        text = "".join(tag.itertext())
        if text.strip() and len(text) <= MAX_RAISED_CHARS and tag.getparent() is not None:
            lowers = tag.tag == "sub" or "sub" in (tag.get("style") or "")
            place = place_lowered if lowers and tag.tag != "sup" else place_raised
            replace_by_text(tag, place(find_before(tag), text, find_after(tag)))


def _list_styled(tree: Any) -> list[Any]:
    """Return the elements that a style raises or lowers, without those within a `sup`."""
    found: list[Any] = [
        tag
        for tag in (*_SPANS(tree), *_FONTS(tree))
        if _RAISES.search(tag.get("style")) and next(tag.iterancestors("sup"), None) is None
    ]
    return found


def _list_note_links(tree: Any) -> list[Any]:
    """Return links within a page whose text is a note's number directly after a word."""
    links = _LINKS(tree)
    found = []
    for link in links:
        text, before = "".join(link.itertext()), find_before(link)[-1:]
        is_behind = before.isdigit() or (before.strip() and text.isdecimal())
        if is_behind and _NOTE.fullmatch(text) and next(link.iterancestors("sup"), None) is None:
            found.append(link)
    return found
