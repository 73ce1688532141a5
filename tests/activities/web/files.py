"""PDFs and Word documents, made as a test needs them."""

import io
import zipfile
import zlib

import docx
from pypdf import PdfReader, PdfWriter

from tests.offline.documents import pdf as page_of

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
"""How the container begins of Office files of before 2007, and of encrypted ones."""

Lines = tuple[str | tuple[float, str], ...]
"""The lines of a page, each with its size if it is not 10 points."""


def pdf(*pages: str, password: str = "", owner: str = "", outline: tuple[str, ...] = ()) -> bytes:
    """Return a PDF with a line on each page, and an outline entry to each, by default its first word."""
    writer = PdfWriter()
    for number, text in enumerate(pages):
        writer.append(PdfReader(io.BytesIO(page_of(text))))
        title = outline[number] if outline else text.split()[0]
        writer.add_outline_item(title=title, page_number=number)
    writer.add_metadata({"/Title": "Pumps", "/Author": "Ann Otieno"})
    writer.add_metadata({"/CreationDate": "D:20240502080000Z"})
    if password or owner:
        writer.encrypt(password, owner or None, algorithm="RC4-128")
    return _bytes(writer)


def printed(*pages: Lines, **about: str) -> bytes:
    """Return a PDF of pages with a line to each text, in 10 points unless a size comes with it."""
    writer = PdfWriter()
    for lines in pages:
        sized = [(10, line) if isinstance(line, str) else line for line in lines]
        shown = ") Tj 0 -24 Td (".join(f") Tj /F1 {size} Tf ({text}" for size, text in sized)
        writer.append(PdfReader(io.BytesIO(page_of(shown))))
    writer.add_metadata({f"/{name}": value for name, value in about.items()})
    return _bytes(writer)


def scanned() -> bytes:
    """Return a PDF that shows something and has no text."""
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    return _bytes(writer)


def unpacking(size: int) -> bytes:
    """Return a small PDF whose only page unpacks to `size` bytes."""
    stream = zlib.compress(bytes(size), level=1)
    head = b"<< /Length %d /Filter /FlateDecode >>" % len(stream)
    before, _, after = page_of("a").partition(b"4 0 obj\n")
    rest = after[after.index(b"endobj") :]
    return before + b"4 0 obj\n" + head + b"\nstream\n" + stream + b"\nendstream\n" + rest


def slow() -> bytes:
    """Return a PDF that takes long to read."""
    return page_of("a" + ") Tj 0 1 Td (a" * 500_000)


def word() -> bytes:
    """Return a Word document with headings, a table in their midst, and a table inside of it."""
    document = docx.Document()
    document.core_properties.author = "Ann Otieno"
    document.add_heading("Pumps in Kenya", level=1)
    document.add_paragraph("Two thirds live from farming.")
    table = document.add_table(rows=3, cols=2)
    for place, text in zip(
        (cell for line in table.rows for cell in line.cells),
        ["Country", "Irrigated", "Kenya", "1,500 sq km", "Both|all"],
        strict=False,
    ):
        place.text = text
    table.rows[2].cells[0].merge(table.rows[2].cells[1])
    table.rows[1].cells[0].add_table(rows=1, cols=1).rows[0].cells[0].text = "inside"
    document.add_heading("Costs", level=2)
    document.add_paragraph("They fell.")
    return _bytes(document)


def packed(name: str, content: bytes) -> bytes:
    """Return a zip file of one part."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(name, content)
    return buffer.getvalue()


def packed_word(content: bytes) -> bytes:
    """Return a Word document with this XML as its text."""
    buffer = io.BytesIO(packed("word/document.xml", content))
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", f'<Override ContentType="{main}"/>')
    return buffer.getvalue()


def _bytes(made: object) -> bytes:
    buffer = io.BytesIO()
    save = made.write if isinstance(made, PdfWriter) else made.save  # type: ignore[attr-defined]
    save(buffer)
    return buffer.getvalue()
