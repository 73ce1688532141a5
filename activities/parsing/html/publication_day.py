"""The day a page was published: as it states it for machines, else as it shows it."""

import re
from typing import Any

import htmldate

from activities.parsing.html.dateline import find_dateline, find_only_day
from activities.parsing.text.dates import find_latest_day, mentions_new_year

_PUBLISHED = re.compile(
    r"publi|issued|pubdate|created|datesubmitted|firstpub|article\.date|\bdc(?:terms)?\.?date\b",
    re.IGNORECASE,
)
"""Names of metadata for the date of publication; others may give the date of a change or of delivery."""
_LINKED = re.compile(r'"datePublished"\s{0,9}:\s{0,9}"([^"]{8,40})"')


def find_publication_day(tree: Any, html: str, url: str) -> str | None:
    """Return a page's publication date as stated by the page itself, ignoring dates it writes about.

    Prefer metadata about publication, then the dateline at the heading, then other metadata, then the only
    date shown.
    """
    stated = _find_stated(tree, html, url)
    if stated and _states_publication(tree, stated):
        return stated
    return find_dateline(tree) or stated or find_only_day(tree)


def _find_stated(tree: Any, html: str, url: str) -> str | None:
    """Return the date in a page's metadata, unless htmldate derived it from a year alone."""
    day: str | None = htmldate.find_date(
        tree,
        url=url,
        original_date=True,
        extensive_search=False,
        max_date=find_latest_day().isoformat(),
    )
    is_year = day and day.endswith("-01-01") and not mentions_new_year(html, day[:4])
    return None if is_year else day


def _states_publication(tree: Any, day: str) -> bool:
    """Return whether a page's tags or its linked data state a day as that of its publication."""
    for tag in tree.iter("meta", "time"):
        value = tag.get("content") or tag.get("datetime") or ""
        names = [tag.get(name) or "" for name in ("property", "name", "itemprop")]
        if tag.get("pubdate") is not None:
            names.append("pubdate")
        if day in value and _PUBLISHED.search(" ".join(names)):
            return True
    return any(
        found[1].startswith(day)
        for script in tree.iter("script")
        for found in _LINKED.finditer(script.text or "")
    )
