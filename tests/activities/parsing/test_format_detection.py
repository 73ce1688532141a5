"""A document's type comes from its bytes, not from its label or name."""

import io
import zipfile

import pytest

from activities.parsing.document import Parsed, Unreadable
from activities.parsing.page_parser import PageParser
from activities.parsing.read_document import read_document
from contracts.evidence.read_failures import FailureCode, describe_failure
from contracts.media_types import CSV, DOCX, HTML, JSON, JSON_LINES, MARKDOWN, PDF, PLAIN, SUFFIXES
from contracts.notices import Notice
from tests.activities.web import files
from tests.conftest import ROOT

URL = "http://water.test/download"
PAGE = f"<!DOCTYPE html><html><body><p>{'Pumps sell well in Kenya. ' * 9}</p></body></html>"
LABELS = ["", "application/octet-stream", PLAIN, PDF, DOCX, HTML, "application/x-unknown"]


def odf(kind: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
    return buffer.getvalue()


def office(kind: str) -> bytes:
    return files.packed("[Content_Types].xml", f'"application/{kind}.main+xml"'.encode())


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (files.pdf("Pumps sell"), PDF),
        (b"\r\nserver line\r\n" + files.pdf("Pumps sell"), PDF),
        (files.word(), DOCX),
        (PAGE.encode(), HTML),
    ],
)
def test_format_is_that_of_the_bytes(body: bytes, media_type: str, label: str) -> None:
    parsed = read_document(body, label, url=URL)
    assert parsed.media_type == media_type
    assert "Pumps" in parsed.text


@pytest.mark.parametrize("label", ["", "application/octet-stream", PLAIN])
@pytest.mark.parametrize(
    ("text", "media_type", "shown"),
    [
        ("Item,Year,Price\nPump,2024,12\nPipe,2025,3\n", CSV, "| Pump | 2024 | 12 |"),
        ("Item\tPrice\nPump\t12\nPipe\t3\n", CSV, "| Pump | 12 |"),
        ('{"pump": {"price": 12.50}}', JSON, "pump.price: 12.50"),
        ('{"pump": 1}\n{"pump": 2}\n', JSON, "| 2 |"),
        ("Pumps, pipes, and taps.\nAll 3 sell, they say, well.\nEnd, of, it.", PLAIN, "All 3 sell"),
        ("Dear Ann,\n\nPumps sell.\n", PLAIN, "Dear Ann,"),
        ("[Pumps] sell.", PLAIN, "[Pumps] sell."),
        ("BMW pumps\nMZ and ID3 and PAR1 stand in texts, too.", PLAIN, "BMW pumps"),
    ],
)
def test_text_without_a_label_is_what_it_looks_like(
    text: str, media_type: str, shown: str, label: str
) -> None:
    parsed = read_document(text.encode(), label, url=URL)
    assert shown in parsed.text
    assert parsed.media_type.replace(JSON_LINES, JSON) == media_type


@pytest.mark.parametrize("end", ["csv", "CSV?version=2"])
def test_end_of_an_address_tells_the_format_of_plain_text(end: str) -> None:
    parsed = read_document(b"Pump;12", PLAIN, url=f"http://water.test/a%20b.{end}")
    assert (parsed.text, parsed.media_type) == ("| Pump | 12 |", CSV)
    assert parsed.title.casefold() == "a b.csv"


def test_label_of_a_text_counts_where_it_tells_something() -> None:
    text = "Item,Year,Price\nPump,2024,12\nPipe,2025,3\n"
    assert read_document(text.encode(), MARKDOWN, url=URL).text == text.strip()


def named(code: FailureCode, name: str) -> Notice:
    return describe_failure(code, name=name)


def save_as(kind: str, suffix: str) -> Notice:
    return describe_failure("save_as", kind=kind, suffix=suffix)


OFFICE_SUFFIXES = ".docx, .xlsx, .pptx"


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(9), named("picture", "PNG")),
        (b"\xff\xd8\xff\xe0" + bytes(9), named("picture", "JPEG")),
        (b"GIF89a" + bytes(9), named("picture", "GIF")),
        (b"RIFF\x00\x01\x00\x00WEBPVP8 " + bytes(9), named("picture", "WebP")),
        (b"\x00\x00\x00\x18ftypheic" + bytes(9), named("picture", "HEIC")),
        (b"\x00\x00\x00\x18ftypisom" + bytes(9), named("video", ".mp4, .mov")),
        (b"ID3\x03" + bytes(9), named("sound", ".mp3")),
        (b"\x1f\x8b\x08" + bytes(9), named("archive", "gzip")),
        (files.packed("a.txt", b"Pumps"), named("archive", "zip")),
        (files.packed("META-INF/MANIFEST.MF", b"Pumps"), named("archive", "Java")),
        (files.packed("Index/Document.iwa", b"Pumps"), save_as("iwork", OFFICE_SUFFIXES)),
        (odf("spreadsheet"), save_as("ods", ".xlsx")),
        (office("vnd.ms-excel.sheet.binary.macroEnabled"), save_as("xlsb", ".xlsx")),
        (office("vnd.ms-visio.drawing"), save_as("visio", ".pdf")),
        (files.OLE + "WordDocument".encode("utf-16-le"), save_as("old_word", ".docx")),
        (files.OLE + "Workbook".encode("utf-16-le"), save_as("old_workbook", ".xlsx")),
        (files.OLE + "PowerPoint Document".encode("utf-16-le"), save_as("old_slides", ".pptx")),
        (files.OLE + "__properties_version1.0".encode("utf-16-le"), save_as("outlook", ".eml")),
        (
            files.OLE + "EncryptedPackage".encode("utf-16-le"),
            describe_failure("encrypted", format="office"),
        ),
        (files.OLE, save_as("old_office", OFFICE_SUFFIXES)),
        (files.word()[:-300], describe_failure("cut_off", format="word")),
        (b"PK\x03\x04" + bytes(99), describe_failure("cut_off", format="zip")),
        (bytes(range(256)) * 9, describe_failure("unknown")),
    ],
)
@pytest.mark.parametrize("label", ["", PLAIN, PDF])
def test_what_is_not_read_is_named(body: bytes, failure: Notice, label: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_document(body, label, url=URL)
    assert refused.value.failure == failure


async def test_signed_label_of_a_server_does_not_hide_a_file(parser: PageParser) -> None:
    parsed: Parsed = await parser.parse(files.word(), "application/octet-stream", "", URL)
    assert "Two thirds live from farming." in parsed.text


def test_docs_list_the_endings_of_all_names() -> None:
    docs = (ROOT / "docs" / "runs.md").read_text("utf-8")
    assert [suffix for suffix in SUFFIXES if f"`{suffix}`" not in docs] == []
