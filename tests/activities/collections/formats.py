"""Small documents of every format, each with a word of its own and a figure."""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from email.message import EmailMessage

import docx
import openpyxl
import pptx

from contracts.media_types import ODT, SUFFIXES
from tests.activities.web.files import pdf

Maker = Callable[[str], bytes]


def _word(text: str) -> bytes:
    document, file = docx.Document(), io.BytesIO()
    document.add_heading("Pumps", level=1)
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


def _sheet(text: str) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    assert book.active is not None
    book.active.append(["Note", text])
    book.save(file)
    return file.getvalue()


def _slides(text: str) -> bytes:
    deck, file = pptx.Presentation(), io.BytesIO()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = text
    deck.save(file)
    return file.getvalue()


def _mail(text: str) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Pumps", "ann@example.org", "ben@example.org"
    mail.set_content(text)
    return mail.as_bytes()


def _book(text: str) -> bytes:
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package version="3.0" xmlns="http://www.idpf.org/2007/opf" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Pumps</dc:title>'
        '<dc:identifier id="i">i</dc:identifier><dc:language>en</dc:language></metadata>'
        '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>'
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("mimetype", "application/epub+zip")
        made.writestr("META-INF/container.xml", container)
        made.writestr("c.opf", package)
        made.writestr("a.xhtml", _page(text))
    return buffer.getvalue()


def _open_document(text: str) -> bytes:
    names = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{names}:office:1.0" xmlns:text="{names}:text:1.0"'
        f' office:version="1.3"><office:body><office:text><text:p>{text}</text:p></office:text>'
        "</office:body></office:document-content>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("mimetype", ODT)
        made.writestr("content.xml", content)
    return buffer.getvalue()


def _page(text: str) -> bytes:
    body = f"<h1>Pumps</h1><p>{text}</p><p>{'They sell well in Kenya. ' * 9}</p>"
    head = "<head><title>Pumps</title></head>"
    return f'<html xmlns="http://www.w3.org/1999/xhtml">{head}<body>{body}</body></html>'.encode()


def _table(separator: str) -> Maker:
    def make(text: str) -> bytes:
        file = io.StringIO()
        csv.writer(file, delimiter=separator).writerows([["Place", "Note"], ["Kenya", text]])
        return file.getvalue().encode()

    return make


MAKERS: dict[str, Maker] = {
    ".md": lambda text: f"# Pumps\n\n{text}\n".encode(),
    ".txt": lambda text: f"{text}\n".encode(),
    ".html": _page,
    ".xhtml": _page,
    ".pdf": lambda text: pdf("Pumps of Kenya", text),
    ".docx": _word,
    ".csv": _table(","),
    ".tsv": _table("\t"),
    ".json": lambda text: json.dumps({"note": text}).encode(),
    ".jsonl": lambda text: f"{json.dumps({'note': text})}\n".encode() * 2,
    ".xlsx": _sheet,
    ".pptx": _slides,
    ".eml": _mail,
    ".epub": _book,
    ".odt": _open_document,
    ".rtf": lambda text: f"{{\\rtf1\\ansi {text}\\par}}".encode(),
}


def make_documents(count: int) -> Iterator[tuple[str, bytes, str]]:
    """Yield names, contents and the word that each document alone has, one format after the other."""
    known = [suffix for suffix in MAKERS if suffix in SUFFIXES]
    for n in range(count):
        suffix = known[n % len(known)]
        word = f"zorb{chr(97 + n // 26)}{chr(97 + n % 26)}x"
        yield (
            f"{suffix[1:]}/{n}{suffix}",
            MAKERS[suffix](f"The {word} pump costs {n + 1}70 USD."),
            word,
        )
