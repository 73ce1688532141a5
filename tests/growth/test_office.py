"""The time to read an Office document is linear in its size, for every kind of content."""

from collections.abc import Callable

import pytest

from activities.parsing.read_document import read_document
from tests.activities.parsing.office.documents import word
from tests.activities.parsing.office.test_books import opendocument
from tests.activities.parsing.office.test_workbook import raw
from tests.growth.measure import MAX_RATIO, TIMES, measure

SMALL = 100


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


CELL = f"<w:tc>{p('12')}</w:tc>"
BOX = f"<w:r><w:pict><v:textbox><w:txbxContent>{p('b')}</w:txbxContent></v:textbox></w:pict></w:r>"
FRAME = "<draw:frame><draw:text-box><text:p>b</text:p></draw:text-box></draw:frame>"
BEGIN, END = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end"))
MERGED = '<w:tc><w:tcPr><w:gridSpan w:val="60"/><w:vMerge/></w:tcPr><w:p/></w:tc>'

MERGE, HIDDEN = '<mergeCell ref="A1:XFD1048576"/>', '<col min="5" max="6" hidden="1"/>'


def note(number: int) -> str:
    return f'<w:footnote w:id="{number}">{p("n")}</w:footnote>'


def refer(number: int) -> str:
    return f'<w:r><w:t>a</w:t><w:footnoteReference w:id="{number}"/></w:r>'


def comments(count: int, references: str, paragraphs: int = 1) -> bytes:
    """Return a document whose comments are all on the same empty texts."""
    opened = "".join(f'<w:commentRangeStart w:id="{n}"/>' for n in range(count))
    closed = "".join(f'<w:commentRangeEnd w:id="{n}"/>' for n in range(count))
    made = "".join(f'<w:comment w:id="{n}">{p("c") * paragraphs}</w:comment>' for n in range(count))
    texts = "<w:r><w:t/></w:r>" * count
    return word(
        f"<w:p>{opened}{texts}{closed}{references}<w:r><w:t>a</w:t></w:r></w:p>",
        comments=f"w:comments >{made}</w:comments>",
    )


def headers(count: int) -> bytes:
    """Return a document of as many sections with headers of even pages as its settings are long."""
    even = '<w:sectPr><w:headerReference w:type="even" r:id="header"/></w:sectPr>'
    return word(
        p("a", even) * count,
        settings=f"w:settings >{'<w:rsid/>' * 20 * count}</w:settings>",
        header=f"w:hdr >{p('h')}</w:hdr>",
    )


def remark(number: int) -> str:
    return f'<w:r><w:commentReference w:id="{number}"/></w:r>'


DOCUMENTS: dict[str, Callable[[int], bytes]] = {
    "rows": lambda n: word(f"<w:tbl>{f'<w:tr>{CELL * 3}</w:tr>' * n}</w:tbl>"),
    "cells of a row": lambda n: word(f"<w:tbl><w:tr>{CELL * n}</w:tr></w:tbl>"),
    "merged cells": lambda n: word(f"<w:tbl>{f'<w:tr>{MERGED}</w:tr>' * (n // 4)}</w:tbl>"),
    "paragraphs of a cell": lambda n: word(
        f"<w:tbl><w:tr><w:tc>{p('1') * n}</w:tc></w:tr></w:tbl>"
    ),
    "insertions": lambda n: word(f"<w:p>{'<w:ins><w:r><w:t>a</w:t></w:r></w:ins>' * n}</w:p>"),
    "joined paragraphs": lambda n: word(p("a", "<w:rPr><w:del/></w:rPr>") * n),
    "text boxes": lambda n: word(f"<w:p>{BOX * n}</w:p>"),
    "fields": lambda n: word(f"<w:p>{BEGIN * n}{END * n}<w:r><w:t>x</w:t></w:r></w:p>"),
    "notes": lambda n: word(
        f"<w:p>{''.join(map(refer, range(n)))}</w:p>", footnotes="".join(map(note, range(n)))
    ),
    "comments": lambda n: comments(n, "".join(map(remark, range(n)))),
    "references to a comment": lambda n: comments(1, remark(0) * n, n),
    "headers": headers,
    "text boxes of a header": lambda n: word(
        f'{p("a")}<w:sectPr><w:headerReference r:id="header"/></w:sectPr>',
        header=f"w:hdr ><w:p>{BOX * n}</w:p></w:hdr>",
    ),
    "boxes of an OpenDocument header": lambda n: opendocument(
        "<text:p>a</text:p>", header=f"<text:p>{FRAME * n}</text:p>"
    ),
    "cells of a sheet": lambda n: raw(f"<row>{'<c><v>12.5</v></c>' * 9}</row>" * n),
    "cells of a sheet's row": lambda n: raw(f"<row>{'<c><v>12.5</v></c>' * n}</row>"),
    "merged ranges of a sheet": lambda n: raw(
        '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>',
        after=f"<mergeCells>{MERGE * n}</mergeCells>",
    ),
    "hidden columns": lambda n: raw(
        "<row><c><v>1</v></c></row>" * n,
        before=f"<cols>{HIDDEN * n}</cols>",
    ),
    "parts of a message": lambda n: (
        b"From: a@b.c\nTo: b\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n"
        + b"--x\nContent-Type: text/csv; name=a\n\nhi\n" * (n // 2)
    ),
    "diagonal of a sheet": lambda n: raw(
        "".join(f"<row>{'<c/>' * (r % 9)}<c><v>1</v></c></row>" for r in range(n))
    ),
}


@pytest.mark.parametrize("size", [SMALL, pytest.param(SMALL * 4, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_time_grows_with_the_size(name: str, size: int) -> None:
    """Eightfold input takes less than 22 times as long: n log n below 10, a square 64."""
    small, large = DOCUMENTS[name](size), DOCUMENTS[name](size * TIMES)
    read_document(small, "")
    ratio = measure(lambda: read_document(large, "")) / max(
        measure(lambda: read_document(small, ""), 2), 0.004
    )
    assert ratio < MAX_RATIO, f"{ratio:.0f} times as long"
