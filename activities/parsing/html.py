"""Web pages: the main text, without what surrounds it, and what the head says."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import urljoin

import trafilatura
from trafilatura.settings import Document

from activities.parsing.document import (
    MAX_LINK_CHARS,
    MAX_LINKS,
    Parsed,
    Unreadable,
    clean,
    line,
    sections,
)

MAX_TAGS = 150_000
"""About seven seconds of work; a long annual report has 20,000."""
MAX_DEPTH = 255
"""The parser drops what is nested deeper."""

HTML = {"text/html", "application/xhtml+xml"}
_LOOKS_LIKE_HTML = re.compile(
    r"\s{0,999}<(!doctype html|!--|\?xml|html|head|body|div|p|h1|title|meta)\b", re.IGNORECASE
)
_TOO_DEEP = f"boolean({'/*' * (MAX_DEPTH + 1)})"


def is_html(text: str, media_type: str) -> bool:
    """Tell whether a page is HTML: by its type, or by its looks if it has none."""
    return media_type in HTML or (not media_type and bool(_LOOKS_LIKE_HTML.match(text)))


def read_html(html: str, media_type: str, url: str) -> Parsed:
    """Return the main text of a page; empty if it has none."""
    tree = _tree(html)
    links = () if tree is None else tuple(_links(tree, url))
    found = trafilatura.bare_extraction(
        tree,
        url=url,
        with_metadata=True,
        include_comments=False,
        include_tables=True,
        date_extraction_params=_stated_dates(),
    )
    if not isinstance(found, Document):
        return Parsed("", media_type or "text/html")
    text = clean(found.text or "")
    return Parsed(
        text,
        media_type or "text/html",
        title=line(found.title),
        author=line(found.author),
        publisher=line(found.sitename),
        published=found.date,
        description=line(found.description),
        sections=sections(text, _headings(found.body)),
        links=links,
    )


def _tree(html: str) -> Any:
    if html.count("<") > MAX_TAGS:
        raise Unreadable("has too many tags to read")
    if "html" not in html[:50].lower():
        html = f"<html>{html}"  # the tag is optional, but without it a page is taken for a fragment
    tree = trafilatura.load_html(html)
    if tree is not None and tree.xpath(_TOO_DEEP):
        raise Unreadable(f"nests its tags more than {MAX_DEPTH} deep; it cannot be read")
    return tree


def _stated_dates() -> dict[str, object]:
    """Ask htmldate for dates a page states as such, not those it makes of words and years."""
    today = datetime.now(UTC).date().isoformat()
    return {"original_date": True, "extensive_search": False, "max_date": today}


def _links(tree: Any, url: str) -> Iterator[str]:
    """Yield the addresses that the first of a page's links lead to."""
    for base in tree.xpath("//base/@href")[:1]:
        url = _join(url, base) or url
    for href in islice(tree.iterfind(".//a[@href]"), MAX_LINKS):
        target = _join(url, href.get("href"))
        if target.startswith(("http://", "https://")) and len(target) <= MAX_LINK_CHARS:
            yield target


def _join(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip())
    except ValueError:  # no address, such as `http://[`
        return ""


def _headings(body: Any) -> Iterator[tuple[str, int]]:
    for head in () if body is None else body.iter("head"):
        yield "".join(map(str, head.itertext())), 0
