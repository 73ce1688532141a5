"""A Word document is read by python-docx and as XML: its headings, footnotes, links, tables, pictures."""

import io
import re
import tempfile
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.document import Document as Made
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.text.hyperlink import Hyperlink

from api.reports.pdf_and_word.rendering import render
from contracts.report.document import (
    Basis,
    Callout,
    Column,
    Document,
    Doubt,
    Note,
    NoteList,
    Paragraph,
    Quote,
    Reference,
    Sentence,
    Table,
    Working,
)
from domain.report.formats.client_copy import leave_out_appendix
from tests.api.reports.samples import CHARTS, DOCUMENT, HOSTILE, SCRIPTS, TITLE, URLS, everywhere
from tests.support.words import en


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
    assert comparison.cell(1, 1).text == "Claim 100 of the market."
    assert artifact.cell(1, 1).text == "53.8"


def parse_part(content: bytes, part: str = "document") -> Any:
    """Return the XML of a part of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return parse_xml(parts.read(f"word/{part}.xml"))


def join_text(element: Any) -> str:
    return "".join(each.text or "" for each in element.iter(qn("w:t")))


def read_footnotes(content: bytes) -> list[list[str]]:
    """Return the paragraphs of each footnote in the order in which the text refers to them, as Word numbers them."""
    body, notes = (parse_part(content, part) for part in ("document", "footnotes"))
    shown = {
        note.get(qn("w:id")): [join_text(line).strip() for line in note.iter(qn("w:p"))]
        for note in notes.iter(qn("w:footnote"))
    }
    return [shown[ref.get(qn("w:id"))] for ref in body.iter(qn("w:footnoteReference"))]


def read_references(content: bytes, part: str = "document") -> list[tuple[str, str]]:
    """Return which footnote each cross-reference leads to, and the number that it shows."""
    return [
        (field.get(qn("w:instr"), ""), join_text(field))
        for field in parse_part(content, part).iter(qn("w:fldSimple"))
    ]


def test_each_note_is_a_footnote_where_it_is_first_cited(content: bytes, whole: Made) -> None:
    footnotes = read_footnotes(content)
    assert len(footnotes) == len(DOCUMENT.notes)
    for note, [line] in zip(DOCUMENT.notes, footnotes, strict=True):
        assert not isinstance(note, Reference)
        shown = f"“{note.text}” — " if isinstance(note, Quote) else f"{note.label}: "
        assert line.startswith(shown)
    assert not [p for p in whole.paragraphs if p.style and p.style.name == "Footnote Text"]


def test_later_citation_refers_to_the_footnote_by_its_number() -> None:
    quoted: list[Note] = [Quote(source=9, text=text) for text in "abcd"]
    first = [Sentence(text=f"S{n}.", notes=[n]) for n in (1, 2, 3)]
    again = [Sentence(text="Again.", notes=[1, 2, 3]), Sentence(text="New.", notes=[2, 4])]
    content = render_word(
        Document(title="T", blocks=[Paragraph(sentences=[*first, *again])], notes=quoted)
    )
    assert [line[:3] for [line] in read_footnotes(content)] == ["“a”", "“b”", "“c”", "“d”"]
    assert read_references(content) == [(f" NOTEREF from_{n} \\h ", f"{n}") for n in (1, 3, 2)]
    names = {mark.get(qn("w:name")) for mark in parse_part(content).iter(qn("w:bookmarkStart"))}
    assert {"from_1", "from_2", "from_3", "from_4"} <= names


def test_notes_that_only_notes_name_are_below_the_first_that_names_them() -> None:
    notes: list[Note] = [
        Working(label="Sum", expression="1 + 2", quotes=[3, 2]),
        Quote(source=9, text="cited too"),
        Quote(source=9, text="named alone"),
        Basis(label="From", sentences=[Sentence(text="Three.", notes=[1, 3])]),
        Doubt(code="partly", label="Partly", text="nobody cites it"),
    ]
    cited = [Sentence(text=f"S{n}.", notes=[n]) for n in (1, 2, 4)]
    content = render_word(
        Document(title="T", blocks=[Paragraph(sentences=cited), NoteList()], notes=notes)
    )
    working, quote, basis, rest = read_footnotes(content)
    source = en("source", n=9)
    assert working == ["Sum: 1 + 2 [2, 1.1]", f"1.1 “named alone” — {source}"]
    assert quote == [f"“cited too” — {source}"]
    assert basis == ["From: [1, 1.1]"]
    assert rest == ["Partly: nobody cites it"]
    footnotes = parse_part(content, "footnotes")
    links = [link.get(qn("w:anchor")) for link in footnotes.iter(qn("w:hyperlink"))]
    assert links == ["note_1_1"] * 2
    assert [shown for _, shown in read_references(content, "footnotes")] == ["2", "1"]


def test_sources_of_a_copy_without_appendix_are_a_numbered_list() -> None:
    content = render_word(leave_out_appendix(DOCUMENT))
    assert read_footnotes(content) == []
    made = docx.Document(io.BytesIO(content))
    listed = [p for p in made.paragraphs if p.style and p.style.name == "Footnote Text"]
    assert len(listed) == len(URLS)
    marks = {start.get(qn("w:name")) for start in made.element.body.iter(qn("w:bookmarkStart"))}
    assert {f"note_{n}" for n in range(1, len(URLS) + 1)} <= marks


def test_a_note_links_to_its_source(content: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        relations = unescape(parts.read("word/_rels/footnotes.xml.rels").decode())
    assert all(f'Target="{url}"' in relations for url in URLS)


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
    content = render_word(Document(title="T", blocks=[cell, NoteList()], notes=quoted))
    [shown] = docx.Document(io.BytesIO(content)).paragraphs[1:]
    assert shown.text == "353 km\u202f So."
    assert [text for _, text in read_references(content)] == ["1"]
