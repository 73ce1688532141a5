"""E-books, OpenDocument and rich text are read as they are shown."""

import pytest

from activities.parsing.document import Unreadable
from activities.parsing.read_document import read_document
from contracts.media_types import EPUB, ODT, RTF
from tests.activities.parsing.office.documents import zipped
from tests.support.words import en, opening

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"""
OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Harbours</dc:title><dc:creator>Ann Otieno</dc:creator><dc:creator>Ben Kim</dc:creator>
<dc:date>2021-03-04T00:00:00Z</dc:date></metadata><manifest><item id="a" href="a%20b.xhtml"/>
<item id="z" href="z.xhtml"/></manifest><spine><itemref idref="z"/><itemref idref="a"/></spine></package>"""
CHAPTER = """<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x "y">]><html xmlns="http://www.w3.org/1999/xhtml">
<head><title/><script src="x"/></head><body><h1>{}</h1><p>It&nbsp;moved 77<sup>1</sup> tons.<a id="n"/></p>
<p><del>30</del> 19 euros <span hidden="">no</span></p></body></html>"""


def book(**parts: str) -> bytes:
    return zipped(
        {
            "mimetype": EPUB,
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": OPF,
            "OEBPS/a b.xhtml": CHAPTER.format("Second"),
            "OEBPS/z.xhtml": CHAPTER.format("First"),
            **{f"META-INF/{name}.xml": xml for name, xml in parts.items()},
        }
    )


def test_chapters_are_read_in_the_order_of_the_spine() -> None:
    page = read_document(book(), "")
    chapter = ["It moved 77 [1] tons.", "19 euros"]
    lines = [each for each in page.text.splitlines() if each]
    assert lines == ["# First", *chapter, "# Second", *chapter]
    assert (page.title, page.author) == ("Harbours", "Ann Otieno, Ben Kim")
    assert (page.published, page.media_type) == ("2021-03-04", EPUB)
    assert [each.heading for each in page.sections] == ["First", "Second"]


LOCK = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">
{}</encryption>"""
LOCKED = '<e:EncryptedData><e:CipherData><e:CipherReference URI="OEBPS/{}"/></e:CipherData></e:EncryptedData>'


def test_locked_chapters_are_told_and_a_locked_book_is_refused() -> None:
    page = read_document(book(encryption=LOCK.format(LOCKED.format("z.xhtml"))), "")
    [part] = page.unread
    assert (part.code, part.count, part.of, part.names) == ("parts_encrypted", 1, 2, ["z.xhtml"])
    whole = LOCK.format(LOCKED.format("z.xhtml") + LOCKED.format("a%20b.xhtml"))
    with pytest.raises(
        Unreadable,
        match=opening("failure.encrypted_by_shop", "format", format=en("failure.format.ebook")),
    ):
        read_document(book(encryption=whole), "")


NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "style", "table", "meta", "manifest")
)
NAMES += " xmlns:dc='http://purl.org/dc/elements/1.1/'"
NAMES += " xmlns:draw='urn:oasis:names:tc:opendocument:xmlns:drawing:1.0'"
NAMES += " xmlns:loext='urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0'"
STYLED = """<office:automatic-styles>
<style:style style:name="S" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>
<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="U" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
</office:automatic-styles>"""


def opendocument(body: str, manifest: str = "", header: str = "", pages: str = "") -> bytes:
    page = f"<style:master-page><style:header>{header}</style:header>{pages}</style:master-page>"
    styles = f"<office:document-styles {NAMES}><office:master-styles>{page}</office:master-styles></office:document-styles>"
    return zipped(
        {
            **({"styles.xml": styles} if header or pages else {}),
            "mimetype": ODT,
            "content.xml": f"<office:document-content {NAMES}>{STYLED}<office:body><office:text>{body}"
            "</office:text></office:body></office:document-content>",
            "META-INF/manifest.xml": f"<manifest:manifest {NAMES}>{manifest}</manifest:manifest>",
            "meta.xml": f"<office:document-meta {NAMES}><office:meta>"
            "<dc:title>Fleet</dc:title><dc:date>2024-05-03T10:00:00</dc:date></office:meta></office:document-meta>",
        }
    )


def test_opendocument_is_read_without_what_is_hidden_struck_or_deleted() -> None:
    deleted = "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
    deleted += "</text:changed-region></text:tracked-changes>"
    page = read_document(
        opendocument(
            f"{deleted}<text:h text:outline-level='2'>Price</text:h>"
            "<text:p>The plan costs <text:span text:style-name='S'>30 </text:span>19"
            "<text:span text:style-name='U'>1</text:span> euros<text:span text:style-name='H'> no</text:span>.</text:p>"
            "<table:table><table:table-row><table:table-cell><text:p>North</text:p></table:table-cell>"
            "<table:table-cell><text:p>412</text:p></table:table-cell></table:table-row></table:table>"
        ),
        "",
    )
    assert [each for each in page.text.splitlines() if each] == [
        *("## Price", "The plan costs 19 [1] euros.", "| North | 412 |"),
    ]
    assert (page.title, page.published, page.media_type) == ("Fleet", "2024-05-03", ODT)


def test_encrypted_opendocument_is_refused() -> None:
    locked = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    with pytest.raises(
        Unreadable, match=opening("failure.encrypted", "format", format=en("failure.format.odt"))
    ):
        read_document(opendocument("<text:p>a</text:p>", locked), "")


def test_rich_text_is_read() -> None:
    rtf = rb"{\rtf1\ansi\ansicpg1252 Miete: 1.250 \'80{\super 1} kalt, {\strike 30 }19 euros{\v hidden}.\par}"
    page = read_document(rtf, "")
    assert page.text == "Miete: 1.250 € [1] kalt, 19 euros."
    assert page.media_type == RTF
