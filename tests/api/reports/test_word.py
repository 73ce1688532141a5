"""A Word document is read by python-docx: its headings, notes, links, tables, pictures."""

import io
import re
import tempfile
import zipfile
from pathlib import Path

import docx
import pytest
from docx.document import Document as Made
from docx.oxml.ns import qn
from docx.text.hyperlink import Hyperlink

from api.reports.__main__ import render
from contracts.report.document import (
    Callout,
    Column,
    Document,
    Note,
    NoteList,
    Paragraph,
    Quote,
    Reference,
    Sentence,
    Table,
)
from tests.api.reports.samples import CHARTS, DOCUMENT, HOSTILE, SCRIPTS, TITLE, URLS, everywhere


def render_word(document: Document) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return render("docx", Path(folder), document, CHARTS)


def read(document: Document) -> Made:
    return docx.Document(io.BytesIO(render_word(document)))


def list_links(made: Made) -> list[Hyperlink]:
    """Return the links that lead out of a file."""
    cells = [cell for table in made.tables for row in table.rows for cell in row.cells]
    places = [*made.paragraphs, *(p for cell in cells for p in cell.paragraphs)]
    return [link for place in places for link in place.hyperlinks if link.url]


@pytest.fixture(scope="module")
def content() -> bytes:
    return render_word(DOCUMENT)


@pytest.fixture(scope="module")
def whole(content: bytes) -> Made:
    return docx.Document(io.BytesIO(content))


def test_word_has_headings_tables_and_quotes(whole: Made) -> None:
    assert whole.core_properties.title == TITLE
    assert whole.core_properties.author == "Greenlight"
    heads = [(p.style.name, p.text) for p in whole.paragraphs if p.style and "Head" in p.style.name]
    assert heads[0] == ("Heading 1", TITLE)
    assert [name for style, name in heads if style == "Heading 2"][:2] == ["Market", "Rivals"]
    comparison, artifact = whole.tables
    assert comparison.cell(1, 0).text == "Population"
    assert comparison.cell(1, 1).text == "Claim 100 of the market.1"
    assert artifact.cell(1, 1).text == "53.8"


def test_notes_are_a_numbered_list_that_the_text_leads_to_and_back(whole: Made) -> None:
    notes = [p for p in whole.paragraphs if p.style and p.style.name == "Footnote Text"]
    assert len(notes) == len(DOCUMENT.notes)
    body = whole.element.body
    marks = {start.get(qn("w:name")) for start in body.iter(qn("w:bookmarkStart"))}
    links = {link.get(qn("w:anchor")) for link in body.iter(qn("w:hyperlink"))}
    for number, (note, drawn) in enumerate(zip(DOCUMENT.notes, notes, strict=True), start=1):
        assert not isinstance(note, Reference)
        shown = f"“{note.text}” — " if isinstance(note, Quote) else f"{note.label}: "
        assert drawn.text.startswith(shown)
        assert {f"note_{number}", f"from_{number}"} <= marks & links


def test_a_note_links_to_its_source(whole: Made) -> None:
    assert {*URLS} <= {link.url for link in list_links(whole)}


def test_word_charts_are_images_with_alternative_text(whole: Made) -> None:
    (shape,) = whole.inline_shapes
    assert shape._inline.docPr.get("descr") == "People"
    (part,) = (part for part in whole.part.package.image_parts)
    assert int.from_bytes(part.blob[16:20], "big") == 1800


def test_every_script_is_rendered() -> None:
    assert read(Document(title=SCRIPTS)).paragraphs[0].text == SCRIPTS


@pytest.mark.parametrize(
    "foreign",
    [pytest.param(told, marks=pytest.mark.full if n > 1 else ()) for n, told in enumerate(HOSTILE)],
    ids=range(len(HOSTILE)),
)
def test_foreign_markup_is_text_wherever_it_stands(foreign: str) -> None:
    content = render_word(everywhere(foreign))
    made = docx.Document(io.BytesIO(content))
    shown = " ".join(re.sub("[\x00\x0b\ufffe\u202e]", "", foreign).split())
    assert made.paragraphs[0].text == shown
    assert made.core_properties.title == shown[:255]
    assert {link.url for link in list_links(made)} == {"https://one.example/"}
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert not [name for name in names if "vba" in name or "embed" in name]


def test_columns_of_a_table_have_the_width_of_the_text_and_room_for_their_words() -> None:
    def build(*cells: str) -> list[int]:
        row: list[Sentence | None] = [Sentence(text=cell) for cell in cells]
        columns = [Column(label="h") for _ in cells]
        [table] = read(Document(title="T", blocks=[Table(columns=columns, rows=[row])])).tables
        return [column.width or 0 for column in table.columns]

    short, word, long = build("a", "Verwaltungsgericht", "it is " * 40)
    assert short < long < 2 * word
    assert build("a", "a", "") == [build("a")[0] // 3] * 3


def test_every_line_that_is_set_off_is_styled_so() -> None:
    block = Callout(title="First", lines=["One.", "Two."])
    shown = read(Document(title="T", blocks=[block])).paragraphs[1:]
    assert [(p.style.name if p.style else "", p.text) for p in shown] == [
        ("Block Text", "First"),
        ("Block Text", "• One."),
        ("Block Text", "• Two."),
    ]


def test_figures_are_aligned_right() -> None:
    columns = [Column(label="Land"), Column(label="Growth", unit="%", is_figure=True)]
    row: list[Sentence | None] = [Sentence(text="Kenya"), Sentence(text="3.5")]
    [table] = read(Document(title="T", blocks=[Table(columns=columns, rows=[row])])).tables
    assert table.cell(0, 1).text == "Growth (%)"
    sides = [table.cell(1, n).paragraphs[0].alignment for n in (0, 1)]
    assert [side.name for side in sides if side is not None] == ["LEFT", "RIGHT"]


def test_number_of_a_note_does_not_run_on_from_a_unit() -> None:
    quoted: list[Note] = [Quote(source=9, text="353 km")]
    cell = Paragraph(
        sentences=[Sentence(text="353 km", notes=[1]), Sentence(text="So.", notes=[1])]
    )
    shown = read(Document(title="T", blocks=[cell, NoteList()], notes=quoted)).paragraphs[1].text
    assert shown == "353 km\u202f1 So.1"
