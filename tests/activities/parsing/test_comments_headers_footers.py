"""What stands beside a document's text is read, and each of its lines says what it is."""

import io
import zipfile
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from pptx import Presentation
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Highlight, Text
from pypdf.generic import ArrayObject, FloatObject, NameObject, TextStringObject

from activities.parsing.document import Parsed
from activities.parsing.read_document import read_document
from contracts.documents import UnreadPart
from contracts.media_types import RTF
from tests.activities.parsing.office.documents import zipped
from tests.activities.parsing.office.test_books import opendocument
from tests.offline.documents import pdf


def read(made: Any) -> Parsed:
    """Return what is read of a document that a library saves."""
    buffer = io.BytesIO()
    getattr(made, "save", None) and made.save(buffer)
    return read_document(buffer.getvalue() or made, "")


def lines(made: Any) -> list[str]:
    return [each for each in read(made).text.splitlines() if each]


def test_comments_charts_chart_sheets_and_headers_of_a_workbook_are_read() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append([2025, "11.4 %"])
    sheet["B1"].comment = Comment("Restated:\ntrue churn was 14.2 %", "Ann Otieno")
    sheet.oddHeader.center.text = '&"Arial,Bold"DRAFT'
    sheet.oddFooter.left.text = "&P of &N"
    for title, place in (
        ("Churn by year", sheet),
        ("Churn by month", book.create_chartsheet("Plot")),
    ):
        chart = BarChart()
        chart.title = title
        place.add_chart(chart)
    assert lines(book) == [
        *("# Sheet", "| 2025 | 11.4 % |", "Churn by year"),
        "[Comment by Ann Otieno on “B1: 11.4 %”] Restated: true churn was 14.2 %",
        *("[Header] DRAFT", "# Plot", "Churn by month"),
    ]


def test_threads_of_a_workbook_are_read_once_with_their_answers() -> None:
    names = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    book = openpyxl.Workbook()
    book.active["A1"] = 11.4
    book.active["A1"].comment = Comment("[Threaded comment] Your version of Excel …", "tc={1}")
    buffer = io.BytesIO()
    book.save(buffer)
    with zipfile.ZipFile(buffer) as saved:
        parts: dict[str, bytes | str] = {name: saved.read(name) for name in saved.namelist()}
        texts = {name: saved.read(name).decode() for name in parts if name.endswith(".rels")}
    related = "http://schemas.microsoft.com/office/2017/10/relationships"
    for rels, kind, target in (
        ("xl/worksheets/_rels/sheet1.xml.rels", "threadedComment", "/xl/threads.xml"),
        ("xl/_rels/workbook.xml.rels", "person", "/xl/persons.xml"),
    ):
        entry = f'<Relationship Id="x{kind}" Type="{related}/{kind}" Target="{target}"/></Relationships>'
        parts[rels] = texts[rels].replace("</Relationships>", entry)
    parts["xl/persons.xml"] = (
        f'<personList xmlns="{names}"><person displayName="Ann" id="p"/></personList>'
    )
    parts["xl/threads.xml"] = (
        f'<ThreadedComments xmlns="{names}"><threadedComment ref="A1" personId="p" id="1" done="1"><text>14.2?</text>'
        '</threadedComment><threadedComment ref="A1" personId="p" id="2" parentId="1"><text>Yes.</text>'
        "</threadedComment></ThreadedComments>"
    )
    assert lines(zipped(parts))[2:] == [
        f"[Resolved comment by Ann on “A1: 11.4”] {text}" for text in ("14.2?", "Yes.")
    ]


@pytest.mark.parametrize("is_new", [False, True])
def test_comments_on_slides_are_read_in_both_forms(is_new: bool) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Churn"
    buffer = io.BytesIO()
    deck.save(buffer)
    with zipfile.ZipFile(buffer) as saved:
        parts: dict[str, bytes | str] = {name: saved.read(name) for name in saved.namelist()}
        texts = {name: saved.read(name).decode() for name in parts if name.endswith(".rels")}
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    p = "http://schemas.openxmlformats.org/presentationml/2006/main"
    a = "http://schemas.openxmlformats.org/drawingml/2006/main"
    authors = "authors" if is_new else "commentAuthors"
    for rels, kind, target in (
        ("ppt/slides/_rels/slide1.xml.rels", "comments", "/ppt/comments.xml"),
        ("ppt/_rels/presentation.xml.rels", authors, "/ppt/people.xml"),
    ):
        entry = (
            f'<Relationship Id="x{kind}" Type="{kinds}/{kind}" Target="{target}"/></Relationships>'
        )
        parts[rels] = texts[rels].replace("</Relationships>", entry)
    parts["ppt/people.xml"] = f'<p:l xmlns:p="{p}"><p:cmAuthor id="7" name="Ann"/></p:l>'
    body = f'<p:txBody><a:p xmlns:a="{a}"><a:r><a:t>It was 14.2 %.</a:t></a:r></a:p></p:txBody>'
    text = body if is_new else "<p:text>It was 14.2 %.</p:text>"
    parts["ppt/comments.xml"] = f'<p:cmLst xmlns:p="{p}"><p:cm authorId="7">{text}</p:cm></p:cmLst>'
    assert lines(zipped(parts))[-1] == "[Comment by Ann] It was 14.2 %."


def test_notes_on_a_pdf_stand_below_their_page() -> None:
    writer = PdfWriter()
    for text in ("Churn was 11.4 %.", "The end."):
        writer.append(PdfReader(io.BytesIO(pdf(text))))
    corners = ArrayObject(map(FloatObject, (72, 700, 200, 700, 72, 690, 200, 690)))
    box = (72, 690, 200, 700)
    for note in (Text(rect=box, text="It was 14.2 %."), Highlight(rect=box, quad_points=corners)):
        note[NameObject("/T")] = TextStringObject("Ann")
        writer.add_annotation(0, note)
    buffer = io.BytesIO()
    writer.write(buffer)
    first, second = read(buffer.getvalue()).text.split("\f")
    assert first.split("\n\n") == ["Churn was 11.4 %.", "[Comment by Ann] It was 14.2 %.\n"]
    assert second.strip() == "The end."


def test_comments_and_headers_of_opendocument_are_read() -> None:
    comment = (
        "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-03</dc:date>"
        "<text:p>It was 14.2 %.</text:p></office:annotation>"
    )
    made = opendocument(
        f"<text:p>Churn was {comment}11.4 %.</text:p><text:p>The end.</text:p>",
        header="<text:p>DRAFT</text:p>",
    )
    assert lines(made) == [
        *("[Header] DRAFT", "Churn was 11.4 %.", "[Comment by Ann] It was 14.2 %.", "The end.")
    ]


def test_headers_of_left_and_first_pages_of_opendocument_are_read_and_boxes_in_them_once() -> None:
    box = "<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    inner = "Restated" + box.format("Twice") + box.format("Thrice")
    pages = (
        f"<style:header><text:p>DRAFT<text:tab/>of May{box.format(inner)}{box.format('Last')}, as sent</text:p></style:header>"
        "<style:header-left><text:p>NOT APPROVED</text:p></style:header-left>"
        '<style:footer-left style:display="false"><text:p>never shown</text:p></style:footer-left>'
        "<loext:footer-first><text:p>Confidential</text:p></loext:footer-first>"
        "<style:footer-left><text:p>In thousands</text:p></style:footer-left>"
    )
    assert lines(opendocument("<text:p>Churn fell.</text:p>", pages=pages)) == [
        *("[Header] DRAFT of May, as sent", "[Header] Restated", "[Header] Twice"),
        *("[Header] Thrice", "[Header] Last", "[Header] NOT APPROVED", "Churn fell."),
        *("[Footer] Confidential", "[Footer] In thousands"),
    ]


def test_comments_and_headers_of_rich_text_are_told() -> None:
    rtf = rb"{\rtf1{\header DRAFT}Churn fell.{\*\annotation It rose.}\par}"
    assert read_document(rtf, RTF).unread == (
        UnreadPart(code="comments", count=1),
        UnreadPart(code="headers", count=1, names=["header"]),
    )
