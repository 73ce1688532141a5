"""Word documents: paragraphs and tables in their order, and heading styles."""

import io
import zipfile
from collections.abc import Iterator

import docx
from docx.table import Table, _Cell

from activities.parsing.document import Parsed, Unreadable, clean, first_line, line, row, sections
from contracts.media_types import DOCX

MAX_UNPACKED_BYTES = 100_000_000
_OLE = b"\xd0\xcf\x11\xe0"
"""What Word's older format begins with, and what wraps an encrypted document."""


def read_word(body: bytes) -> Parsed:
    """Return the text of a Word document; its own date is the day it was last saved."""
    _check(body)
    word = docx.Document(io.BytesIO(body))
    lines: list[str] = []
    headings: list[tuple[str, int]] = []
    styles = ("Heading", "Title")
    heading_styles = {each.style_id for each in word.styles if (each.name or "").startswith(styles)}
    for block in word.iter_inner_content():
        if isinstance(block, Table):
            lines += _list_rows(block)
            continue
        lines.append(block.text)
        if block._p.style in heading_styles:  # `block.style` looks through all styles each time
            headings.append((block.text, 0))
    text, about = clean("\n".join(lines)), word.core_properties
    if not text:
        raise Unreadable("is a Word document without text")
    return Parsed(
        text,
        DOCX,
        title=line(about.title) or first_line(text),
        author=line(about.author),
        published=about.modified.date().isoformat() if about.modified else None,
        sections=sections(text, headings),
    )


def _check(body: bytes) -> None:
    """Refuse what is locked or unpacks to too much; `zipfile` reads no more than is declared."""
    if body.startswith(_OLE):
        raise Unreadable("is an encrypted Word document or one of the old .doc format")
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        size = sum(part.file_size for part in packed.infolist())
    if size > MAX_UNPACKED_BYTES:
        limit = MAX_UNPACKED_BYTES // 1_000_000
        raise Unreadable(f"is a Word document that unpacks to more than {limit} MB")


def _list_rows(table: Table) -> Iterator[str]:
    for each in table.rows:
        yield row(map(_text, dict.fromkeys(each.cells)))  # a merged cell comes once per column


def _text(cell: _Cell) -> str:
    blocks = cell.iter_inner_content()
    return " ".join(
        " ".join(_list_rows(block)) if isinstance(block, Table) else block.text for block in blocks
    )
