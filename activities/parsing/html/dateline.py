"""The date that a page shows as its own: in the dateline at its heading, or as its only separate date."""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from lxml.etree import XPath, iterwalk

from activities.parsing.text.dates import (
    COVERS,
    PUBLISHED,
    TIME,
    UPDATED,
    find_latest_day,
    split_days,
)

MAX_HEADINGS = 3
MAX_BEHIND, MAX_AHEAD = 12, 6
"""Number of text nodes after and before a heading that are searched for its dateline."""
MAX_WALKED = 500
"""Maximum number of elements after a heading that are searched for stretches of text."""
MAX_STATED_CHARS, MAX_OPENING_CHARS = 90, 60
"""Maximum length of a dateline, and of the text before the date at a paragraph's start."""
MAX_STRETCHES = 20_000
_UNSHOWN = ("script", "style", "noscript")
_SEEN = "[normalize-space()][not(parent::script or parent::style or parent::noscript)]"
_HEADINGS = XPath(f"(//h1)[position() <= {MAX_HEADINGS}]")
_LESSER_HEADINGS = XPath(f"(//h2|//h3)[position() <= {MAX_HEADINGS}]")
_AHEAD = XPath(f"preceding::text(){_SEEN}[position() <= {MAX_AHEAD}]", smart_strings=False)
_SHOWN = XPath(f"//body//text(){_SEEN}", smart_strings=False)
_PIECE = (
    "pressemitteilung|pressemeldung|meldung|mitteilung|nachricht|artikel|beitrag|press release|news"
    "|communiqué|comunicado|comunicato"
)
_LABEL = r"[^\W\d_][^\d.!?]{0,40}"
_BEFORE = re.compile(
    rf"(?:(?:{_LABEL})?[,|•·/–—-]|(?:[^\W\d_]{{1,20}}\s){{0,3}}(?:{PUBLISHED}|{UPDATED}|{_PIECE})"
    r"(?::|\s(?:vom|am|on|of|from|le|du|el|del|il|em|de))?)?\s*[(\[]?",
    re.IGNORECASE,
)
"""Text that may precede the date in a dateline: a place or a label, such as `Hamburg, ` or `News • `."""
_AFTER = re.compile(
    rf"[)\]]?\s*(?:(?:[,|•·/–—-]|\b(?:von|by|par|por|di)\b)\s*(?:{_LABEL})?)?", re.IGNORECASE
)
"""Text that may follow the date: `, by Ann Otieno`, ` | News`."""
_OPENED = re.compile(r"[)\]]?(?:\s*[–—:|-]\s|\.\s(?=[A-ZÄÖÜ„“\"»])|\s*(?=[„“\"»]))")
"""Separators between the date at a paragraph's start and its first sentence."""
_EVENT = re.compile(
    r"\b(?:town hall|auditorium|ballroom|stadium|arena|theat(?:er|re)|chapel|church|doors|tickets?|admission|concert"
    r"|webinar|workshop|festival|exhibition|kick-?off|\w{0,20}(?:halle|saal|bühne|theater|museum|kirche|rathaus|stadion)"
    r"|einlass|eintritt|beginn|konzert|vortrag|lesung|ausstellung|führung|salle|théâtre|musée|église|mairie|spectacle"
    r"|teatro|museo|auditorio|concierto|mostra)\b",
    re.IGNORECASE,
)
"""Words near a day that mark it as an event's date or place."""
_MAX_PLACE_CHARS = 30
_BLANKED = re.compile(r" {6,}")
"""Where the day stood."""
_SHORT_YEAR = re.compile(r"(?<![\d.])(\d{2})\.(\d{2})\.(\d{2})(?![\d.])")


def find_dateline(tree: Any) -> str | None:
    """Return the day of a text node near a main heading that consists of a day, with at most a label or an author.

    A day within a sentence is one that the page writes about.
    """
    for heading in _HEADINGS(tree) or _LESSER_HEADINGS(tree):
        walked = islice(_list_behind(heading), 2 * MAX_WALKED)
        behind, ahead = islice(filter(str.strip, walked), MAX_BEHIND), _AHEAD(heading)
        title = "".join(heading.itertext())
        stretches = [("", title), *pairwise([title, *behind])]
        for above, stated in (*stretches, *reversed([*pairwise(["", *ahead])])):
            if not COVERS.search(above) and (day := _read_dateline(stated)):
                return day
    return None


def _list_behind(heading: Any) -> Iterator[str]:
    """Yield the text nodes after a heading, and an empty one for each element without text."""
    tag = heading
    while tag is not None:
        yield tag.tail or ""
        following = tag.getnext()
        for event, each in iterwalk(following, ("start", "end")) if following is not None else ():
            if event == "start":
                yield (each.text or "") if each.tag not in _UNSHOWN else ""
            elif each is not following:
                yield each.tail or ""
        tag = tag.getparent() if following is None else following


def find_only_day(tree: Any) -> str | None:
    """Return the only date that a page shows as a dateline anywhere; None if there are none or several."""
    shown = ["", *_SHOWN(tree)[:MAX_STRETCHES]]
    days: set[str] = set()
    for above, text in pairwise(shown):
        if not COVERS.search(above) and (day := _read_dateline(text)):
            days.add(day)
        if len(days) > 1:
            return None
    return days.pop() if days else None


def _read_dateline(text: str) -> str | None:
    """Return the day of a dateline, or the one that a paragraph opens with."""
    line = " ".join(text[: 4 * MAX_STATED_CHARS].split())
    is_whole = len(line) <= MAX_STATED_CHARS and len(text) <= 4 * MAX_STATED_CHARS
    line = line if is_whole else line[:MAX_OPENING_CHARS]
    if not any(map(str.isdigit, line)):
        return None
    days, rest = split_days(TIME.sub(" ", _SHORT_YEAR.sub(r"\1.\2.20\3", line)))
    if len(days) != 1 or days[0] > find_latest_day():
        return None
    before, after = (part.strip() for part in _BLANKED.split(rest, maxsplit=1))
    if COVERS.search(before) or _EVENT.search(rest):
        return None
    opens = len(before) < _MAX_PLACE_CHARS and _OPENED.match(after)
    fits = _BEFORE.fullmatch(before) and (opens or (is_whole and _AFTER.fullmatch(after)))
    return days[0].isoformat() if fits else None
