"""Finds outdated versions of a page among search hits by the version numbers in titles and URLs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from contracts.evidence.sources import FoundPage

_BETWEEN_PARTS = re.compile(r"\s[—–|·-]\s|:\s")
"""Separates the parts of a title, such as a page's name from its site's."""
_NUMBER = r"\bv?(\d{1,5}(?:\.\d{1,5}){1,3})\b"
_IN_URL = re.compile(_NUMBER, re.IGNORECASE)
"""A version number, such as 2.15.0 or v3.9."""
_IN_TITLE = re.compile(
    _NUMBER + r"(?= ?(?:$|[()\],]|documentation|docs|manual|reference|release|guide))",
    re.IGNORECASE,
)
"""A version number that ends its part of a title or stands before such a word; others may be amounts."""
_EDITION = re.compile(r"\b((?:19|20)\d\d) edition\b", re.IGNORECASE)
"""A year that is called an edition; any other year says what the page is about."""
_CURRENT = {"latest", "stable", "current"}
"""What the newest version is called in URLs."""
Version = tuple[int, ...]
NEWEST: Version = (1_000_000,)
"""The version assumed for a page whose URL and title state none: sites serve their newest documentation that way."""


def list_outdated(pages: Iterable[FoundPage]) -> set[str]:
    """Return the URLs of pages of which another page is a newer version.

    Pages are versions of one another if their titles, parts of these, or their URLs are alike but for a version
    number or edition: "Retries - Tasks 2.15" and "Locks - Tasks 3.9" share the part "Tasks".
    """
    versions: defaultdict[str, dict[str, Version]] = defaultdict(dict)
    for page in pages:
        for key, version in _list_versions(page):
            versions[key][page.url] = min(version, versions[key].get(page.url, version))
    return {
        url
        for known in versions.values()
        for url, version in known.items()
        if version < max(known.values())
    }


def _list_versions(page: FoundPage) -> Iterator[tuple[str, Version]]:
    """Yield what a page may have in common with its versions, each with the version that it has."""
    title = " ".join(page.title.split())
    bare, version = _take_version(title, _EDITION, _IN_TITLE)
    yield f"title {bare}", version
    for part in _BETWEEN_PARTS.split(title):
        bare, version = _take_version(part, _EDITION, _IN_TITLE)
        if version != NEWEST and bare:
            yield f"part {bare}", version
    bare, version = _take_version(page.url, _IN_URL)
    yield f"url {bare}", version


def _take_version(text: str, *patterns: re.Pattern[str]) -> tuple[str, Version]:
    """Return the words of a text without its version number or edition, and that version."""
    for pattern in patterns:
        if found := pattern.search(text):
            rest = f"{text[: found.start()]} {text[found.end() :]}"
            return _list_words(rest), tuple(map(int, found[1].split(".")))
    return _list_words(text), NEWEST


def _list_words(text: str) -> str:
    words = re.findall(r"\w+", text.casefold())
    return " ".join(word for word in words if word not in _CURRENT)
