"""Word documents, as shown with all changes accepted."""

import posixpath
from collections.abc import Iterator
from functools import partial
from typing import Any

from lxml import etree

from activities.confined.pandoc_process import start_pandoc
from activities.parsing.document import Parsed, first_line, line, list_unread
from activities.parsing.document_metadata import clean_title
from activities.parsing.markup_text import list_headings
from activities.parsing.office.conversion import convert_to_text
from activities.parsing.office.drawing import list_drawn_lines
from activities.parsing.office.package import Package, pack
from activities.parsing.office.word.markup import simplify
from activities.parsing.office.word.numbering import Numbering
from activities.parsing.office.word.remarks import load_comments, place_comments, read_margins
from activities.parsing.office.word.styles import Styles, W, find_paragraph
from contracts.documents import UnreadPart
from contracts.evidence.read_failures import FormatName
from contracts.media_types import DOCX

_FORMAT: FormatName = "word"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_NOTES = ("footnotes", "endnotes")
_ATTACHED = frozenset(["aFChunk", "package", "oleObject"])
"""Relations to other documents within this one."""


def read_word(body: bytes) -> Parsed:
    """Read a Word document; its date is the day it was last saved."""
    package = Package(body, _FORMAT)
    with start_pandoc("--from=docx", "--to=html", "--mathml") as convert:
        main = package.find("", "officeDocument") or "word/document.xml"
        root = package.parse(main)
        above, below = read_margins(package, main, root)
        parts, title, unread = _simplify(package, main, root)
        body_text = convert_to_text(convert, _pack(parts), _FORMAT)
    text = "\n\n".join([*above, body_text, *below])
    about = package.core
    return Parsed(
        text,
        DOCX,
        title=clean_title(line(about.get("title"))) or title or first_line(body_text),
        author=line(about.get("author")),
        published=about.get("published") or None,
        sections=list_headings(text),
        unread=tuple(unread),
    )


def _simplify(
    package: Package, main: str, document: Any
) -> tuple[dict[str, Any], str, list[UnreadPart]]:
    """Return the parts of a document with text in them, its title, and what of it is not read."""
    found = (package.find(main, kind) for kind in ("styles", "numbering"))
    about, lists = (package.parse(name) if name else None for name in found)
    styles = Styles(about)
    names = {"document": main, **{kind: package.find(main, kind) for kind in _NOTES}}
    parts, pictures, title = {}, 0, ""
    comments, resolved = load_comments(package, main)
    for kind, name in names.items():
        if name:
            root = document if kind == "document" else package.parse(name)
            if kind == "document":
                title = _find_title(root, styles)
            place_comments(root, comments, resolved)
            load = partial(list_drawn_lines, package=package, part=name)
            pictures += simplify(root, styles, Numbering(lists, styles), load)
            parts[kind] = root
    return parts, title, [*_list_unread(package, main, pictures)]


def _list_unread(package: Package, main: str, pictures: int) -> Iterator[UnreadPart]:
    if pictures:
        yield UnreadPart(code="images", count=pictures)
    attached = [each.target for each in package.relate(main).values() if each.kind in _ATTACHED]
    yield from list_unread("attachments", [line(posixpath.basename(name)) for name in attached])


def _find_title(root: Any, styles: Styles) -> str:
    """Return the first paragraph that is styled as the document's title."""
    for style in root.iter(f"{W}pStyle"):
        paragraph = find_paragraph(style)
        if paragraph is not None and styles.get(style.get(f"{W}val")).is_title:
            own = (text for text in paragraph.iter(f"{W}t") if find_paragraph(text) is paragraph)
            return line("".join(text.text or "" for text in own))
    return ""


def _pack(parts: dict[str, Any]) -> bytes:
    """Return a Word document of parts that were simplified, with styles for its headings alone."""
    levels = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>'
        for n in range(1, 7)
    )
    styles = f'<w:styles xmlns:w="{W[1:-1]}">{levels}</w:styles>'
    types = "".join(
        f'<Override PartName="/word/{kind}.xml" ContentType="{_WORD}.{_type(kind)}+xml"/>'
        for kind in (*parts, "styles")
    )
    related = "".join(
        f'<Relationship Id="{kind}" Type="{_OFFICE}/{kind}" Target="{kind}.xml"/>'
        for kind in (*parts, "styles")
        if kind != "document"
    )
    start = f'<Relationship Id="main" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    xml = '<Default Extension="xml" ContentType="application/xml"/>'
    return pack(
        {
            "[Content_Types].xml": f'<Types xmlns="{_TYPES}">{xml}{types}</Types>'.encode(),
            "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}">{start}</Relationships>'.encode(),
            "word/_rels/document.xml.rels": (
                f'<Relationships xmlns="{_RELATIONS}">{related}</Relationships>'.encode()
            ),
            "word/styles.xml": styles.encode(),
            **{
                f"word/{kind}.xml": etree.tostring(root, encoding="utf-8")
                for kind, root in parts.items()
            },
        }
    )


def _type(kind: str) -> str:
    return "document.main" if kind == "document" else kind
