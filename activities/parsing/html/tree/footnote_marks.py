"""Separates superscripts, subscripts and note links from the figures before them."""

import re
from typing import Any

from lxml.etree import XPath

from activities.parsing.html.tree.context import find_after, find_before, replace_by_text
from activities.parsing.html.tree.declarations import is_raised
from activities.parsing.html.tree.styles import PageStyles
from activities.parsing.superscripts import place_lowered, place_raised

MAX_RAISED_CHARS = 40
"""Longer text in `sup` is not a footnote mark."""
_NOTE = re.compile(r"\d{1,3}|[^\W\d_]|[*†‡§]{1,3}")
_INLINE = frozenset(("span", "font", "a", "em", "i", "b", "strong", "small", "cite"))
_LINKS = XPath("//a[contains(@href, '#')][string-length() <= 3]")


def separate_marks(tree: Any, styles: PageStyles) -> None:
    """Write superscripts, subscripts and note numbers as inline text."""
    for tag in [*tree.iter("sup", "sub"), *_list_styled(styles), *_list_note_links(tree)]:
        text = "".join(tag.itertext())
        if text.strip() and len(text) <= MAX_RAISED_CHARS and tag.getparent() is not None:
            lowers = tag.tag == "sub" or styles.get(tag).declared.get("vertical-align") == "sub"
            place = place_lowered if lowers and tag.tag != "sup" else place_raised
            replace_by_text(tag, place(find_before(tag), text, find_after(tag)))


def _list_styled(styles: PageStyles) -> list[Any]:
    """Return the elements that a style raises or lowers, without those within a `sup`."""
    return [
        tag
        for tag, style in styles
        if tag.tag in _INLINE
        and is_raised(style.declared)
        and next(tag.iterancestors("sup", "sub"), None) is None
    ]


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
