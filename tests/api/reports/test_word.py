"""A Word document is read by python-docx: its headings, links, bookmarks, tables, pictures."""

import io
import tempfile
import zipfile
from pathlib import Path

import pytest
from docx import Document
from docx.document import Document as Made
from docx.oxml.ns import qn
from docx.text.hyperlink import Hyperlink

from api.reports.__main__ import render
from tests.api.reports.samples import CHARTS, HOSTILE, REPORT, SCRIPTS, TITLE, URLS


def read(markdown: str, title: str = "T") -> Made:
    with tempfile.TemporaryDirectory() as folder:
        return Document(io.BytesIO(render("docx", Path(folder), title, markdown, CHARTS)))


def links(made: Made) -> list[Hyperlink]:
    cells = [cell for table in made.tables for row in table.rows for cell in row.cells]
    places = [*made.paragraphs, *(p for cell in cells for p in cell.paragraphs)]
    return [link for place in places for link in place.hyperlinks]


@pytest.fixture(scope="module")
def whole() -> Made:
    return read(REPORT.markdown, TITLE)


def test_word_has_headings_tables_and_quotes(whole: Made) -> None:
    assert whole.core_properties.title == TITLE
    assert whole.core_properties.author == "Greenlight"
    heads = [(p.style.name, p.text) for p in whole.paragraphs if p.style and "Head" in p.style.name]
    assert heads[0] == ("Heading 1", TITLE)
    assert [name for style, name in heads if style == "Heading 2"][:2] == ["Market", "Rivals"]
    comparison, artifact = whole.tables
    assert comparison.cell(1, 0).text == "Population"
    assert comparison.cell(1, 1).text == "Claim 100 of the market. [1]"
    assert artifact.cell(1, 1).text == "53.8"
    assert any(p.text.startswith("“quote 20, see [3]” — Uganda") for p in whole.paragraphs)


def test_each_citation_leads_to_its_quote_and_each_quote_to_its_page(whole: Made) -> None:
    marks = {
        start.get(qn("w:name")): paragraph
        for paragraph in whole.paragraphs
        for start in paragraph._p.findall(qn("w:bookmarkStart"))
    }
    assert list(marks) == [f"note_{n}" for n in range(1, 23)]
    inner = [link for link in links(whole) if link.fragment and not link.address]
    assert len(inner) == 22
    for link in inner:
        assert link.text == f"[{link.fragment.removeprefix('note_')}]"
    for entry in marks.values():
        assert entry.text.startswith("“quote ")
        assert entry._p.pPr is not None
        assert entry._p.pPr.numPr is not None  # Word writes the number
        [page] = entry.hyperlinks
        assert page.url in URLS


def test_word_charts_are_images_with_alternative_text(whole: Made) -> None:
    (shape,) = whole.inline_shapes
    assert shape._inline.docPr.get("descr") == "People"
    (part,) = (part for part in whole.part.package.image_parts)
    assert int.from_bytes(part.blob[16:20], "big") == 1800


def test_every_script_is_rendered() -> None:
    made = read(f"# {SCRIPTS}")
    assert made.paragraphs[0].text == SCRIPTS


def test_a_hostile_report_is_text() -> None:
    made = read(HOSTILE, "T" * 400)
    assert made.core_properties.title == "T" * 255
    assert made.paragraphs[0].text == '<script>alert(1)</script> & "it"'
    assert {link.url or link.fragment for link in links(made)} == {
        "note_1",
        "https://one.example/?a=1&b=%222%22",
        "https://other.example/",
    }
    held = io.BytesIO()
    made.save(held)
    names = zipfile.ZipFile(held).namelist()
    assert not [name for name in names if "vba" in name or "embed" in name]
