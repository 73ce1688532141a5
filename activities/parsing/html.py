"""Web pages: the main text, without what surrounds it, and what the head says."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urljoin

import htmldate
import trafilatura
from trafilatura import metadata
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
MAX_ATTRIBUTES = 1_000
"""Of one tag; the parser's time grows with the square of their number."""
SHORT_TEXT_CHARS = 1_000
"""A shorter text is extracted again in full; source: trafilatura's evaluation set, where the fast
extraction of all 990 pages has F1 .919, this .924 and the full one, a sixth slower, .925."""

HTML = {"text/html", "application/xhtml+xml"}
_LOOKS_LIKE_HTML = re.compile(
    r"\s{0,999}<(!doctype html|!--|\?xml|html|head|body|div|p|h1|title|meta)\b", re.IGNORECASE
)
_QUOTED = r"""=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))"""
_TAGS = re.compile(
    r"<(?:!--.*?(?:-->|\Z)|script\b.*?(?:</script|\Z)|style\b.*?(?:</style|\Z)"
    rf"|(?P<tag>[a-z](?:[^>=]++|{_QUOTED}|=)*+))",
    re.IGNORECASE | re.DOTALL,
)
"""Possessive, and closed by the text's end if by nothing else: it never goes back, so it is linear."""
_TOO_DEEP = f"boolean({'/*' * (MAX_DEPTH + 1)})"


def is_html(text: str, media_type: str) -> bool:
    """Tell whether a page is HTML: by its type, or by its looks if it has none."""
    return media_type in HTML or (not media_type and bool(_LOOKS_LIKE_HTML.match(text)))


def read_html(html: str, media_type: str, url: str) -> Parsed:
    """Return the main text of a page; empty if it has none."""
    check_tags(html)
    tree = _load_tree(html)
    if tree is None:
        return Parsed("", media_type or "text/html")
    links = tuple(_list_links(tree, url))
    about = _read_metadata(tree)
    published = _find_date(tree, url)
    # By rules, and where these find little by other extractors too.
    found = trafilatura.bare_extraction(tree, fast=True, include_comments=False)
    if not isinstance(found, Document) or len(found.text or "") < SHORT_TEXT_CHARS:
        found = trafilatura.bare_extraction(_load_tree(html), include_comments=False)
    if not isinstance(found, Document):
        return Parsed("", media_type or "text/html")
    body = () if found.body is None else found.body.iter("head")
    headings = [("".join(map(str, head.itertext())), 0) for head in body]
    text = clean(found.text or "")
    return Parsed(
        text,
        media_type or "text/html",
        title=line(about.title),
        author=line(about.author),
        publisher=line(about.sitename),
        published=published,
        description=line(about.description),
        sections=sections(text, headings),
        links=links,
    )


def check_tags(html: str) -> None:
    """Refuse, in linear time, a page of tags over which the parser would take too long."""
    if html.count("<") > MAX_TAGS:
        raise Unreadable("has too many tags to read")
    for found in _TAGS.finditer(html):
        if found.end("tag") - found.start("tag") < 2 * MAX_ATTRIBUTES:
            continue
        # The tag's name and those of its attributes, without their quoted values.
        names = re.sub(_QUOTED, " ", found["tag"]).replace("/", " ").split()
        if len(names) > MAX_ATTRIBUTES:
            raise Unreadable(f"has a tag with more than {MAX_ATTRIBUTES:,} attributes")


def _load_tree(html: str) -> Any:
    if "html" not in html[:50].lower():
        html = f"<html>{html}"  # the tag is optional, but without it a page is taken for a fragment
    tree = trafilatura.load_html(html)
    if tree is not None and tree.xpath(_TOO_DEEP):
        raise Unreadable(f"nests its tags more than {MAX_DEPTH} deep; it cannot be read")
    return tree


def _read_metadata(tree: Any) -> Document:
    """Return the title, author, publisher and description that a page states.

    trafilatura's `extract_metadata` also guesses authors from the layout, at a fifth of the time of
    reading the text; of 166 guesses in its evaluation set 87 are right.
    """
    about = metadata.examine_meta(tree)
    if about.author and " " not in about.author:
        about.author = None
    with suppress(Exception):  # trafilatura's reader of JSON-LD fails on some, and says so itself
        about = metadata.extract_meta_json(tree, about)
    about.title = about.title or metadata.extract_title(tree)
    about.sitename = (about.sitename or metadata.extract_sitename(tree) or "").lstrip("@")
    return about


def _find_date(tree: Any, url: str) -> str | None:
    """Return the day a page was published, as its head says or else its text."""
    today = datetime.now(UTC).date().isoformat()
    find = partial(htmldate.find_date, tree, url=url, original_date=True, max_date=today)
    date: str | None = find()
    if date and date.endswith("-01-01"):  # what htmldate makes of a year alone
        date = find(extensive_search=False)
    return date


def _list_links(tree: Any, url: str) -> Iterator[str]:
    """Yield the addresses that the first of a page's links lead to."""
    for base in tree.xpath("//base/@href")[:1]:
        url = _join(url, base) or url
    for href in islice(tree.iterfind(".//a[@href]"), MAX_LINKS):
        target = _join(url, href.get("href"))
        if target.startswith(("http://", "https://")) and len(target) <= MAX_LINK_CHARS:
            yield target


def _join(base: str, href: str) -> str:
    href = href.strip()
    if href.startswith(("http://", "https://")):
        return href  # as it is, which spares a third of the joins
    try:
        return urljoin(base, href)
    except ValueError:  # no address, such as `http://[`
        return ""
