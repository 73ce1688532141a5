"""OpenDocument texts, read by pandoc without hidden, struck-out and deleted text."""

from typing import Any

from lxml import etree

from activities.confined.pandoc_process import start_pandoc
from activities.parsing.comments_headers_footers import write_comment, write_margins
from activities.parsing.document import Parsed, Unreadable, line
from activities.parsing.markup_text import list_headings
from activities.parsing.office.conversion import convert_to_text
from activities.parsing.office.package import Package, pack, read_day
from contracts.evidence.read_failures import FormatName
from contracts.media_types import ODT

_FORMAT: FormatName = "odt"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_TEXT, _STYLE = f"{{{_ODF}:text:1.0}}", f"{{{_ODF}:style:1.0}}"
_META, _MANIFEST = f"{{{_ODF}:meta:1.0}}", f"{{{_ODF}:manifest:1.0}}"
_OFFICE, _TABLE = f"{{{_ODF}:office:1.0}}", f"{{{_ODF}:table:1.0}}"
_LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_AUTOMATIC_STYLES = f"{_OFFICE}automatic-styles"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NO_STYLES = f'<o:document-styles xmlns:o="{_ODF}:office:1.0"/>'.encode()
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_PAGES = ("", "-left", "-first")
"""Suffixes of the elements that hold headers and footers."""
_READ = ("content.xml", "styles.xml", "META-INF/manifest.xml")


def read_opendocument(body: bytes) -> Parsed:
    """Return a text document of OpenDocument."""
    package = Package(body, _FORMAT)
    with start_pandoc("--from=odt", "--to=html", "--mathml") as convert:
        _check_encryption(package)
        parts = {name: package.parse(name) for name in _READ if name in package}
        content = parts.get("content.xml")
        if content is None:
            raise Unreadable("part_missing", format=_FORMAT, part="content.xml")
        _drop_unseen(content, _list_unseen_styles(parts.values()))
        _place_comments(content)
        if content.find(_AUTOMATIC_STYLES) is None:  # pandoc asks for it, the standard does not
            content.insert(0, etree.Element(_AUTOMATIC_STYLES))
        packed = {name: etree.tostring(root, encoding="utf-8") for name, root in parts.items()}
        needed = {"mimetype": ODT.encode(), "styles.xml": _NO_STYLES}
        text = convert_to_text(convert, pack(needed | packed), _FORMAT)
    margins = parts.get("styles.xml", content)
    text = "\n\n".join([*_read_margins(margins, "Header"), text, *_read_margins(margins, "Footer")])
    about = package.parse("meta.xml") if "meta.xml" in package else etree.Element("none")
    days = (about.findtext(f".//{name}") for name in (f"{_DC}date", f"{_META}creation-date"))
    return Parsed(
        text,
        ODT,
        title=line(about.findtext(f".//{_DC}title")),
        author=line(
            about.findtext(f".//{_META}initial-creator") or about.findtext(f".//{_DC}creator")
        ),
        published=read_day(*days),
        sections=list_headings(text),
    )


def _check_encryption(package: Package) -> None:
    if "META-INF/manifest.xml" in package:
        manifest = package.parse("META-INF/manifest.xml")
        if any(True for _ in manifest.iter(f"{_MANIFEST}encryption-data")):
            raise Unreadable("encrypted", format=_FORMAT)


def _place_comments(content: Any) -> None:
    """Insert each comment as a paragraph behind the paragraph or table that it is on."""
    for each in reversed([*content.iter(f"{_OFFICE}annotation")]):
        if each.getparent() is None:
            continue
        tables = [*each.iterancestors(f"{_TABLE}table")]
        around = next(each.iterancestors(f"{_TEXT}p", f"{_TEXT}h"), each)
        block = tables[-1] if tables else around
        is_resolved = each.get(f"{_LOEXT}resolved") == "true"
        words = write_comment(
            " ".join(_list_paragraphs(each)),
            each.findtext(f"{_DC}creator") or "",
            is_resolved=is_resolved,
        )
        if words:
            paragraph = block.makeelement(f"{_TEXT}p")
            paragraph.text = words
            block.addnext(paragraph)
        each.clear(keep_tail=True)


def _read_margins(styles: Any, kind: str) -> list[str]:
    """Return the headers or footers of a document's first, left and other pages, without the numbers of pages."""
    names = [f"{space}{kind.lower()}{page}" for space in (_STYLE, _LOEXT) for page in _PAGES]
    lines: list[str] = []
    for page in styles.iter(f"{_STYLE}master-page"):
        for each in page.iter(*names):
            if each.get(f"{_STYLE}display") != "false":
                lines += _list_paragraphs(each)
    return write_margins(kind, lines)


def _list_paragraphs(root: Any) -> list[str]:
    """Return the paragraphs of a part; those of a text box follow the paragraph that it is in."""
    for blank in root.iter(f"{_TEXT}tab", f"{_TEXT}line-break", f"{_TEXT}s"):
        blank.text = " "
    texts: dict[Any, list[str]] = {paragraph: [] for paragraph in root.iter(*_PARAGRAPHS)}
    for text in root.xpath(".//text()"):
        holder = text.getparent().getparent() if text.is_tail else text.getparent()
        around = (each for each in (holder, *holder.iterancestors()) if each in texts)
        if (innermost := next(around, None)) is not None:
            texts[innermost].append(text)
    return ["".join(pieces) for pieces in texts.values()]


def _list_unseen_styles(roots: Any) -> set[str]:
    """Return the names of styles that hide text or strike it out."""
    found = set()
    for root in roots:
        for style in root.iter(f"{_STYLE}style"):
            for about in style.iter(f"{_STYLE}text-properties"):
                struck = about.get(f"{_STYLE}text-line-through-style", "none") != "none"
                typed = about.get(f"{_STYLE}text-line-through-type", "none") != "none"
                if struck or typed or about.get(f"{_TEXT}display") == "none":
                    found.add(style.get(f"{_STYLE}name"))
    return found


def _drop_unseen(content: Any, styles: set[str]) -> None:
    unseen = [
        *content.iter(f"{_TEXT}tracked-changes", f"{_TEXT}hidden-text", f"{_TEXT}hidden-paragraph")
    ]
    styled = content.iter(*(_TEXT + name for name in ("section", "span", "p", "h")))
    unseen += [
        each
        for each in styled
        if each.get(f"{_TEXT}display") == "none" or each.get(f"{_TEXT}style-name") in styles
    ]
    for each in unseen:
        each.clear(keep_tail=True)
