"""E-books in EPUB: the chapters of the spine in its order."""

import html
import posixpath
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from lxml import etree

from activities.parsing.document import MAX_TEXT_CHARS, Parsed, Unreadable, line, list_unread, tidy
from activities.parsing.html.reader import check_tags
from activities.parsing.markup_text import list_headings, parse_markup, read_tree
from activities.parsing.office.package import Package, read_day
from activities.parsing.text.encodings import decode
from contracts.documents import UnreadCode
from contracts.evidence.read_failures import FormatName
from contracts.media_types import EPUB

_FORMAT: FormatName = "ebook"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_ENCRYPTED = "{http://www.w3.org/2001/04/xmlenc#}"
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]{0,1000}(?:\[[^\]]{0,100000}\][^>]{0,100})?>", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s{0,99}<\?xml[^>]{0,500}\?>")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]{1,30};")
"""An entity that XML does not define."""


def read_ebook(body: bytes) -> Parsed:
    """Return the chapters of an e-book."""
    package = Package(body, _FORMAT)
    part = _find_main(package)
    root = package.parse(part)
    chapters = [*_list_chapters(root, part)]
    locked = _list_encrypted(package)
    texts: list[str] = []
    unread: list[str] = []
    chars = 0
    for name in chapters:
        if name in locked or name not in package or chars > MAX_TEXT_CHARS:
            unread.append(line(posixpath.basename(name)))
            continue
        texts.append(_read_chapter(decode(package.read(name))))
        chars += len(texts[-1])
    if chapters and all(name in locked for name in chapters):
        raise Unreadable("encrypted_by_shop", format=_FORMAT)
    text = tidy("\n\n".join(texts))
    if not text:
        raise Unreadable("no_text_in", format=_FORMAT)
    code: UnreadCode = "parts_encrypted" if locked else "parts_broken"
    return Parsed(
        text,
        EPUB,
        title=line(root.findtext(f".//{_DC}title")),
        author=", ".join(line(each.text) for each in root.iter(f"{_DC}creator")),
        publisher=line(root.findtext(f".//{_DC}publisher")),
        published=read_day(root.findtext(f".//{_DC}date")),
        sections=list_headings(text),
        unread=tuple(list_unread(code, unread, len(chapters))),
    )


def _find_main(package: Package) -> str:
    container = package.parse("META-INF/container.xml")
    found = container.find(f".//{_CONTAINER}rootfile")
    if found is None or not found.get("full-path"):
        raise Unreadable("no_content", format=_FORMAT, part="META-INF/container.xml")
    return str(found.get("full-path"))


def _list_chapters(root: Any, part: str) -> Iterator[str]:
    """Yield the parts of the spine in its order."""
    folder = posixpath.dirname(part)
    hrefs = {each.get("id"): each.get("href") or "" for each in root.iter(f"{_OPF}item")}
    for each in root.iter(f"{_OPF}itemref"):
        href = unquote(hrefs.get(each.get("idref"), "").partition("#")[0])
        if href:
            yield posixpath.normpath(posixpath.join(folder, href))


def _list_encrypted(package: Package) -> set[str]:
    if "META-INF/encryption.xml" not in package:
        return set()
    root = package.parse("META-INF/encryption.xml")
    return {unquote(each.get("URI") or "") for each in root.iter(f"{_ENCRYPTED}CipherReference")}


def _read_chapter(text: str) -> str:
    check_tags(text)
    return read_tree(_load(text))


def _load(text: str) -> Any:
    """Return the tree of a chapter: of XML, where an empty tag ends itself, else of HTML."""
    source = _ENTITY.sub(
        lambda found: html.unescape(found[0]), _DOCTYPE.sub("", _DECLARATION.sub("", text))
    )
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        tree = etree.fromstring(source.encode(), parser)
    except etree.XMLSyntaxError:
        return parse_markup(source.encode())
    for each in tree.iter("*"):
        each.tag = etree.QName(each).localname
    return tree
