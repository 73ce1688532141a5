"""Publication dates printed next to the main heading, for pages without date metadata."""

from itertools import pairwise
from typing import Any

from lxml.etree import XPath

from activities.parsing.text.dates import COVERS, read_day

MAX_HEADINGS = 3
MAX_BEHIND, MAX_AHEAD = 12, 6
"""Stretches of text behind a heading, and ahead of it, among which its dateline is sought."""
MAX_STATED_CHARS = 60
_SEEN = "[normalize-space()][not(parent::script or parent::style or parent::noscript)]"
_HEADINGS = XPath(f"(//h1)[position() <= {MAX_HEADINGS}]")
_BEHIND = XPath(f"(following::text(){_SEEN})[position() <= {MAX_BEHIND}]", smart_strings=False)
_AHEAD = XPath(f"preceding::text(){_SEEN}[position() <= {MAX_AHEAD}]", smart_strings=False)


def find_dateline(tree: Any) -> str | None:
    """Return the day of a stretch of text beside a main heading that is a day and nothing else.

    A day within a sentence is one that the page writes about.
    """
    for heading in _HEADINGS(tree):
        behind, ahead = _BEHIND(heading), _AHEAD(heading)
        title = "".join(heading.itertext())
        for above, stated in (*pairwise([title, *behind]), *reversed([*pairwise(["", *ahead])])):
            text = " ".join(stated.split())
            may_state = len(text) <= MAX_STATED_CHARS and any(map(str.isdigit, text))
            may_state = may_state and not COVERS.search(above)
            if may_state and (day := read_day(text)):
                return day
    return None
