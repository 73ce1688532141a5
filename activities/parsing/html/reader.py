"""Web pages: the main text, without what surrounds it, and what the head says."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from html import unescape
from itertools import accumulate
from typing import Any
from urllib.parse import urljoin

import trafilatura
from lxml.etree import XPath, strip_tags
from trafilatura import metadata
from trafilatura.json_metadata import extract_json
from trafilatura.settings import DEFAULT_CONFIG, Document, Extractor

from activities.parsing.document import (
    MAX_LINK_CHARS,
    MAX_LINKS,
    Parsed,
    Unreadable,
    clean,
    first_line,
    line,
    sections,
)
from activities.parsing.html.captcha_and_consent_walls import find_wall
from activities.parsing.html.filing_markup import read_cover, read_parts, read_risk_headings
from activities.parsing.html.publication_day import find_publication_day
from activities.parsing.html.tables import narrow_tables
from activities.parsing.html.tree.context import count_chars
from activities.parsing.html.tree.preparation import drop_scripts, prepare
from activities.parsing.text.filing_day import find_publication, is_filing
from contracts.documents import CoverPage, UnreadPart

MAX_TAGS = 150_000
"""About seven seconds of work; a long annual report has 20,000."""
MAX_DEPTH = 255
"""The parser drops deeper elements."""
MAX_ATTRIBUTES = 1_000
"""Maximum number of one tag's attributes; the parser's time grows with the square of their number."""
MAX_LINKED = 0.05
"""A page whose linked text is at most this share is a document without navigation, such as a filing.

It is read as a whole, since its tables and headers would be mistaken for navigation.
"""
SHORT_TEXT_CHARS = 1_000
"""A shorter text is extracted again in full; source: trafilatura's evaluation set, where the fast
extraction of all 990 pages has F1 .920, this .926 and the full one, a sixth slower, .926."""

_ANY_LENGTH = deepcopy(DEFAULT_CONFIG)
_ANY_LENGTH["DEFAULT"]["MIN_EXTRACTED_SIZE"] = "1"
_PLAIN, _FULL, _SHORT, _WHOLE = (
    Extractor(output_format="python", comments=False, **options)  # reads a configuration each time
    for options in ({"fast": True}, {}, {"config": _ANY_LENGTH}, {"fast": True, "recall": True})
)
"""Extraction options: rules only, with other extractors, for short pages, and for whole documents."""
_INLINE = (
    *("abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "em", "font", "i", "ins", "kbd"),
    *("label", "mark", "q", "small", "span", "strong", "time", "tt", "u", "var", "wbr"),
)
_MIN_SHARE = 0.9
_DIGITS = re.compile(r"\d{1,99}")

FACT = "<ix:"
"""Prefix of Inline XBRL tags, used in companies' filings."""
HTML = {"text/html", "application/xhtml+xml"}
_FILED = ("dei:EntityRegistrantName", "dei:DocumentType", "dei:DocumentPeriodEndDate")
_LOOKS_LIKE_HTML = re.compile(
    r"\s{0,999}<(!doctype html|!--|\?xml|html|head|body|div|p|h1|title|meta)\b", re.IGNORECASE
)
_QUOTED = r"""=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))"""
_TAGS = re.compile(
    r"<(?:!--.*?(?:-->|\Z)|script\b.*?(?:</script|\Z)|style\b.*?(?:</style|\Z)"
    rf"|(?P<tag>[a-z](?>(?:[^>=]++|{_QUOTED}|=)*)))",
    re.IGNORECASE | re.DOTALL,
)
"""Possessive, and also ended by the end of the text, so it never backtracks and runs in linear time."""
_HREFS, _BASES = (XPath(f"//{tag}/@href", smart_strings=False) for tag in ("a", "base"))
_TOO_DEEP = f"boolean({'/*' * (MAX_DEPTH + 1)})"


def is_html(text: str, media_type: str) -> bool:
    """Return whether a page is HTML, by its type or, without one, by its beginning."""
    return media_type in HTML or (not media_type and bool(_LOOKS_LIKE_HTML.match(text)))


def read_html(html: str, media_type: str, url: str) -> Parsed:
    """Return the main text of a page; empty if it has none.

    Raises:
        Unreadable: It has too many tags, is nested too deep, or only shows a wall.
    """
    check_tags(html)
    tree = load_tree(html)
    if tree is None:
        return Parsed("", media_type or "text/html")
    has_facts = FACT in html
    parts = read_parts(tree) if has_facts else ()
    cover = read_cover(tree) if has_facts else CoverPage()
    risks = read_risk_headings(tree) if has_facts else ()
    drop_scripts(tree)
    published = find_publication_day(tree, html, url)
    hidden = _prepare(tree, html)
    links = tuple(_list_links(tree, url))
    about = _read_metadata(tree)
    found = _extract(tree, _WHOLE if _is_document(tree) else _PLAIN)
    if found is None or len(found.text) < SHORT_TEXT_CHARS:  # try other extractors than rules too
        tree = load_tree(html)
        _prepare(tree, html)
        found = _extract(deepcopy(tree), _FULL) or found
        if found and _is_dump(found):
            found = _extract_short(tree) or found
    if found is None:
        return Parsed("", media_type or "text/html")
    body = () if found.body is None else found.body.iter("head")
    headings = [("".join(map(str, head.itertext())), 0) for head in body]
    text = clean(narrow_tables(found.text))
    if wall := find_wall(about.title or "", text):
        raise Unreadable(wall)
    if is_filing(text) or not published:
        published = find_publication(text, published)
    return Parsed(
        text,
        media_type or "text/html",
        title=line(about.title) or first_line(text),
        author=line(about.author),
        publisher=line(about.sitename),
        published=published,
        description=line(about.description),
        sections=sections(text, headings),
        links=links,
        parts=parts,
        cover=cover,
        risks=risks,
        unread=(UnreadPart(code="text_hidden", count=hidden),) if hidden else (),
    )


def _extract(tree: Any, options: Extractor) -> Any:
    """Return trafilatura's result, or None if it finds no text."""
    found = trafilatura.bare_extraction(tree, options=options)
    return found if isinstance(found, Document) and found.text else None


def _is_dump(found: Document) -> bool:
    """Return whether a text is all that a short page says, a line for each of its tags, as in `1,` and `234`."""
    body = found.body
    return body is not None and len(body) == 1 and "\n" in (body[0].text or "")


def _extract_short(tree: Any) -> Any:
    """Return the text of a short page by its blocks and tables, if that is nearly all and has all figures."""
    strip_tags(tree, *_INLINE)
    whole = _extract(deepcopy(tree), _FULL)
    found = _extract(tree, _SHORT)
    if found is None or whole is None:
        return whole
    shares = [sum(map(str.isalnum, each.text)) for each in (found, whole)]
    figures = [{*_DIGITS.findall(each.text)} for each in (found, whole)]
    is_whole = shares[0] >= _MIN_SHARE * shares[1] and figures[0] >= figures[1]
    return found if is_whole else whole


def _is_document(tree: Any) -> bool:
    """Return whether so little text is linked that the page has no navigation."""
    unread = sum(map(count_chars, tree.iter("script", "style", "noscript")))
    most = MAX_LINKED * max(sum(map(count_chars, tree.iter("body"))) - unread, 1)
    return all(linked < most for linked in accumulate(map(count_chars, tree.iter("a"))))


def check_tags(html: str) -> None:
    """Refuse, in linear time, a page of tags over which the parser would take too long."""
    if html.count("<") > MAX_TAGS:
        raise Unreadable("tags_many")
    for tag in _TAGS.findall(html):
        if len(tag) < 2 * MAX_ATTRIBUTES:
            continue
        # The tag's name and those of its attributes, without their quoted values.
        names = re.sub(_QUOTED, " ", tag).replace("/", " ").split()
        if len(names) > MAX_ATTRIBUTES:
            raise Unreadable("attributes_many", most=MAX_ATTRIBUTES)


def load_tree(html: str) -> Any:
    """Parse a page and return its element tree, or None if the text contains no elements.

    Raises:
        Unreadable: The elements are nested too deeply. Not retried.
    """
    if "html" not in html[:50].lower():
        html = f"<html>{html}"  # the tag is optional, but without it a page is taken for a fragment
    tree = trafilatura.load_html(html)
    if tree is not None and tree.xpath(_TOO_DEEP):
        raise Unreadable("tags_nested", most=MAX_DEPTH)
    return tree


def _prepare(tree: Any, html: str) -> int:
    if FACT in html:
        _unwrap_facts(tree)
    return prepare(tree, is_scripted="<script" in html.lower())


def _unwrap_facts(tree: Any) -> None:
    """Replace Inline XBRL tags, which no extractor knows, by their text.

    A title that is a file name becomes company, form and period.
    """
    facts = tree.xpath("//*[starts-with(name(), 'ix:')]")
    told = {tag.get("name"): line(tag.text_content()) for tag in facts}
    about = [told[name] for name in _FILED if told.get(name)]
    if len(about) > 1 and (title := tree.find(".//title")) is not None:
        title.text = ", ".join(about)
    for tag in facts:
        if tag.tag == "ix:header":  # hidden, and repeats what is shown below
            tag.drop_tree()
        else:
            tag.drop_tag()


def _read_metadata(tree: Any) -> Document:
    """Return the title, author, publisher and description that a page states.

    trafilatura's `extract_metadata` also guesses authors from the layout, at a fifth of the time of
    reading the text; of 166 guesses in its evaluation set 87 are right.
    """
    about = metadata.examine_meta(tree)
    if about.author and " " not in about.author:
        about.author = None
    with suppress(Exception):  # trafilatura's reader of JSON-LD fails on some, and says so itself
        about = _read_linked_data(tree, about)
    about.title = about.title or metadata.extract_title(tree)
    about.sitename = (about.sitename or metadata.extract_sitename(tree) or "").lstrip("@")
    return about


def _read_linked_data(tree: Any, about: Document) -> Document:
    """Add what JSON-LD states; trafilatura repairs it first, which few pages need and takes most of the time."""
    texts = [script.text for script in tree.iter("script") if script.text]
    try:
        stated = [json.loads(unescape(text), strict=False) for text in texts]
    except ValueError:
        return metadata.extract_meta_json(tree, about)
    for each in stated:
        about = extract_json(each, about)
    return about


def _list_links(tree: Any, url: str) -> Iterator[str]:
    """Yield the addresses that the first of a page's links lead to."""
    for base in _BASES(tree)[:1]:
        url = _join(url, base, "") or url
    root = _join(url, "/", "").rstrip("/")
    for href in _HREFS(tree)[:MAX_LINKS]:
        target = _join(url, href, root)
        if target.startswith(("http://", "https://")) and len(target) <= MAX_LINK_CHARS:
            yield target


def _join(base: str, href: str, root: str) -> str:
    """Return the address of a link on a page; most need no joining, which spares half of the time."""
    href = href.strip()
    if href.startswith(("http://", "https://")):
        return href
    if root and href[:1] == "/" and href[1:2] != "/" and "/." not in href:
        return root + href
    try:
        return urljoin(base, href)
    except ValueError:  # not a URL, such as `http://[`
        return ""
