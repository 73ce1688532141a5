"""A document that is broken, locked, huge or malicious is refused by a sentence that names the part."""

import asyncio
import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from activities.confined.call_pool import READING, CallPool
from activities.parsing.document import Unreadable
from activities.parsing.office import package
from activities.parsing.page_parser import PageParser
from activities.parsing.read_document import read_document
from contracts.evidence.read_failures import FailureCode, describe_failure
from contracts.notices import Notice
from tests.activities.parsing.office.documents import W, word
from tests.activities.parsing.office.test_workbook import raw

TEXT = "<w:p><w:r><w:t>Pumps sell.</w:t></w:r></w:p>"
MAIN = "word/document.xml"


def replaced(body: bytes, name: str, content: bytes) -> bytes:
    """Return a zip file with another content of one part."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(body)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for each in old.namelist():
            new.writestr(each, content if each == name else old.read(each))
    return buffer.getvalue()


def damaged(body: bytes, name: str) -> bytes:
    """Return a zip file with a part that does not match its checksum."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        at = packed.getinfo(name).header_offset + 30 + len(name)
    broken = bytearray(body)
    broken[at + 8] ^= 0xFF
    return bytes(broken)


def locked(body: bytes) -> bytes:
    """Return a zip file with members marked as encrypted."""
    return body.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")


def document(text: str, doctype: str = "") -> bytes:
    xml = f'{doctype}<w:document xmlns:w="{W}"><w:body>{text}</w:body></w:document>'
    return replaced(word(""), MAIN, xml.encode())


LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha"}">' for n in range(9))
DEEP = "<w:tbl><w:tr><w:tc>" * 20_000 + TEXT + "</w:tc></w:tr></w:tbl>" * 20_000


ENTITIES = describe_failure("part_entities", format="word", part=MAIN)


def of(code: FailureCode, format: str = "word", **params: Any) -> Notice:
    """Return a failure of a document of a format."""
    return describe_failure(code, format=format, **params)


@pytest.mark.parametrize(
    ("make", "failure"),
    [
        (lambda: word(TEXT)[:-60], of("cut_off")),
        (lambda: damaged(word(TEXT * 50), MAIN), of("part_damaged", part=MAIN)),
        (lambda: locked(word(TEXT)), of("encrypted")),
        (lambda: document(TEXT, f"<!DOCTYPE x [{LAUGHS}]>"), ENTITIES),
        (
            lambda: document("&x;", '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
            ENTITIES,
        ),
        (lambda: document(DEEP), of("part_nested", part=MAIN)),
        (lambda: document("<w:p>"), of("part_not_xml", part=MAIN)),
        (
            lambda: replaced(word(""), MAIN, bytes(90_000_000)),
            of("part_large", part=MAIN, size=90, most=40),
        ),
        (lambda: word("<w:p/>"), of("no_text_in")),
        (
            lambda: damaged(raw("<row><c><v>1</v></c></row>" * 99), "xl/sheet1.xml"),
            of("part_damaged", "workbook", part="xl/sheet1.xml"),
        ),
        (
            lambda: replaced(raw(""), "xl/workbook.xml", b"<x"),
            of("part_not_xml", "workbook", part="xl/workbook.xml"),
        ),
    ],
)
def test_bad_document_is_refused_with_the_part(make: Callable[[], bytes], failure: Notice) -> None:
    with pytest.raises(Unreadable) as refused:
        read_document(make(), "")
    assert refused.value.failure == failure


async def test_bad_document_is_refused_in_confinement_and_leaves_the_process() -> None:
    """Pandoc has started by then, and ends without a signal, which a confined process cannot send."""
    parser = PageParser(pool=CallPool(*READING, size=1))
    try:
        for _ in range(3):
            async with asyncio.timeout(30):
                with pytest.raises(Unreadable) as refused:
                    await parser.read(document(TEXT, f"<!DOCTYPE x [{LAUGHS}]>"), "")
            assert refused.value.failure == ENTITIES
        assert (await parser.read(word(TEXT), "")).text == "Pumps sell."
    finally:
        await parser.close()


def test_parts_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_UNPACKED_BYTES", 1_000_000)
    large = TEXT * 15_000
    with pytest.raises(Unreadable) as refused:
        read_document(word(large, footnotes="<w:footnote/>" * 50_000), "")
    assert refused.value.failure == of("unpacks_large", most=1)


def test_damaged_picture_does_not_cost_the_text() -> None:
    buffer = io.BytesIO(word(TEXT))
    with zipfile.ZipFile(buffer, "a") as packed:
        packed.writestr("word/media/image1.png", bytes(1_000))
        packed.writestr("../../etc/passwd", "x")
    body = damaged(buffer.getvalue(), "word/media/image1.png")
    assert read_document(body, "").text == "Pumps sell."


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"Pumps sell. " * 20, "text/plain"),
        (word(TEXT * 20), ""),
        (raw("<row><c><v>12</v></c></row>" * 99), ""),
    ],
)
def test_text_beyond_the_limit_is_told(
    body: bytes, media_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.parsing.document.MAX_TEXT_CHARS", 100)
    page = read_document(body, media_type)
    assert len(page.text) == 100
    [part] = page.unread
    assert part.code == "text_cut"
    assert part.of == part.count + 100
    assert all(each.end <= 100 for each in page.sections)
