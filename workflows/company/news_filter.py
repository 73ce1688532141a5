"""Which articles count: each story once, none from after the day that is asked about."""

import re
from datetime import datetime, timedelta

from contracts.evidence.sources import SearchHit, Source

TOMORROW = timedelta(days=1)
"""An article may be dated ahead of us by its time zone."""


FORMS = frozenset(
    [
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "co",
        "company",
        "ltd",
        "limited",
        "plc",
        "the",
        "group",
    ]
)
"""What companies' names have in common."""


def names(hit: SearchHit, name: str, ticker: str) -> bool:
    """Whether a search result names the company, by its ticker or the first word that is its own.

    Where the name is not known, what the search service found for the ticker is taken.
    """
    own = [word for word in re.findall(r"\w+", name.casefold()) if word not in FORMS]
    if not own:
        return True
    said = set(re.findall(r"\w+(?:[.-]\w+)*", f"{hit.title} {hit.snippet}"))
    return ticker in said or own[0] in map(str.casefold, said)


def kept(pages: list[Source], *, as_of: str | None, now: str) -> tuple[list[Source], list[str]]:
    """Return the articles to read, newest first, undated ones last, and why others are left out.

    `as_of` is an ISO date, `now` an ISO time. With `as_of` an article must show that it is older.
    """
    latest = as_of or (datetime.fromisoformat(now) + TOMORROW).date().isoformat()
    later = [page for page in pages if page.published and page.published[:10] > latest]
    undated = [page for page in pages if as_of and not page.published]
    left = [page for page in pages if page not in later and page not in undated]
    stories = {_story(page): page for page in reversed(left)}
    told = [
        *(f"left out, dated {page.published}, after {latest}: {page.url}" for page in later),
        *(f"left out, without a date to hold against {latest}: {page.url}" for page in undated),
    ]
    if len(stories) < len(left):
        told.append(f"{len(left) - len(stories)} articles tell what another one tells: left out")
    return sorted(stories.values(), key=_age, reverse=True), told


def _story(page: Source) -> str:
    """Return what two copies of one story share: their headline's words, else their text."""
    return " ".join(re.findall(r"\w+", page.title.casefold())) or page.content_hash


def _age(page: Source) -> tuple[str, str]:
    return page.published or "", page.url
