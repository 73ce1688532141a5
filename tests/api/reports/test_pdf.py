"""A PDF is read by a reader of PDFs: its text, its links, its outline, its pictures, its notes."""

import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import pytest
from pypdf import PdfReader

from api.reports.pdf_and_word.rendering import render
from contracts.evidence.claims import Citation, Claim
from contracts.report.document import Document, Paragraph, Quote, Reference, Sentence
from contracts.report.report import Report, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.api.reports.samples import CHARTS, DOCUMENT, HOSTILE, SCRIPTS, TITLE, URLS, everywhere
from tests.support.sources import page
from tests.support.words import en


def made(document: Document) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return render("pdf", Path(folder), document, CHARTS)


def read(document: Document) -> PdfReader:
    return PdfReader(io.BytesIO(made(document)), strict=True)


def list_links(read: PdfReader) -> Iterator[str]:
    """Yield where each link to the web leads."""
    for each in read.pages:
        for annotation in each.get("/Annots", ()):
            action = annotation.get_object().get("/A", {})
            if "/URI" in action:
                yield action["/URI"]


def text(read: PdfReader) -> str:
    return "\n".join(each.extract_text() for each in read.pages)


def fold(text: str) -> str:
    """Return a text without blanks and zero-width spaces, at which lines may break."""
    return re.sub(r"[\s\u200b]", "", text)


@pytest.fixture(scope="module")
def whole() -> PdfReader:
    return read(DOCUMENT)


def test_pdf_has_the_text_of_the_report(whole: PdfReader) -> None:
    assert whole.metadata is not None
    assert whole.metadata.title == TITLE
    assert str(whole.root_object["/Lang"]) == "en"
    told = text(whole)
    for part in (TITLE, "Two sources are old.", "Claim 20 of the market.", "quote 20, see [3]"):
        assert part in told
    assert all(part in told for part in ("Population", "All of it", "Ελλάδα", "Россия"))
    assert "日本のポンプ" in told


def test_pdf_is_in_the_language_of_the_report() -> None:
    german = DOCUMENT.model_copy(update={"language": "de"})
    assert str(read(german).root_object["/Lang"]) == "de"


def list_level(part: Any) -> list[Any]:
    return (
        [each for each in part if not isinstance(each, list)] if isinstance(part, list) else [part]
    )


def test_pdf_headings_are_the_outline(whole: PdfReader) -> None:
    names = [[part.title for part in parts] for parts in map(list_level, whole.outline)]
    assert names[0] == [TITLE]
    assert names[1][:3] == ["Market", "Rivals", "Customers"]
    assert names[1][-1] == en("sources")
    assert names[2:] == [[en("appendix")], [en("details"), en("evidence")]]
    start = next(n for n, each in enumerate(whole.pages) if en("appendix") in each.extract_text())
    assert whole.pages[start].extract_text().startswith(en("appendix")), "on a page of its own"


def test_notes_are_listed_under_their_numbers_in_the_evidence(whole: PdfReader) -> None:
    _, told = text(whole).rsplit(en("evidence"), 1)
    for number, note in enumerate(DOCUMENT.notes, start=1):
        assert not isinstance(note, Reference)
        shown = f"“{note.text}”" if isinstance(note, Quote) else note.label
        assert re.search(rf"(?<!\d){number}\.\s*{re.escape(shown)}", told), number
    assert {*list_links(whole)} == {*URLS}


def test_quote_is_printed_once_however_often_it_is_cited(whole: PdfReader) -> None:
    assert text(whole).count("“quote 3, see [3]”") == 1


def test_pdf_charts_are_drawings(whole: PdfReader) -> None:
    assert not [image for each in whole.pages for image in each.images]
    pages = pypdfium2.PdfDocument(made(DOCUMENT))
    blue = np.array([0xB2, 0x72, 0x00])
    assert any(
        (each.render().to_numpy()[..., :3] == blue).all(axis=2).sum() > 1_000 for each in pages
    )


def test_every_script_can_be_read_and_found() -> None:
    sentence = Sentence(lead=SCRIPTS, text=SCRIPTS)
    document = Document(title=SCRIPTS, blocks=[Paragraph(sentences=[sentence])])
    first = pypdfium2.PdfDocument(made(document))[0]
    told = fold(first.get_textpage().get_text_range())
    for part in SCRIPTS.replace("አማርኛ 😀👩\u200d🚀", "").split():
        assert told.count(part) == 3, part


def test_a_report_from_right_to_left_begins_at_the_right() -> None:
    def left(title: str) -> float:
        first = pypdfium2.PdfDocument(made(Document(title=title)))[0]
        return float(first.get_textpage().get_charbox(0)[0])

    assert left("שלום") > 400 > 100 > left("Peace")


def test_foreign_markup_is_text_wherever_it_stands() -> None:
    """Typst has a meaning for each of these."""
    first, *others = map(everywhere, HOSTILE)
    more = (block for each in others for block in each.blocks if block.type != "notes")
    file = made(first.model_copy(update={"blocks": [*first.blocks, *more]}))
    pages = pypdfium2.PdfDocument(file)  # pypdf takes seven times as long to read them
    told = fold("\n".join(each.get_textpage().get_text_range() for each in pages))
    for foreign in HOSTILE:
        shown = fold(re.sub("[\x00\x0b\ufffe\u202e]", "", foreign))
        assert told.count(shown) >= 10, foreign
    pdf = PdfReader(io.BytesIO(file), strict=True)
    assert {*list_links(pdf)} == {"https://one.example/"}
    assert "/JavaScript" not in str(pdf.root_object)


def test_an_empty_report_is_a_page() -> None:
    assert text(read(Document(title="T"))).startswith("T")
    assert text(read(Document(title="\x00"))).startswith("Report")


def test_closing_quotation_mark_behind_a_number_is_no_prime() -> None:
    said = Paragraph(sentences=[Sentence(text="The folder ‘lib32’ is Ann’s.")])
    assert "‘lib32’ is Ann’s." in text(read(Document(title="T", blocks=[said])))


def test_first_page_holds_the_whole_answer_however_much_it_rests_on() -> None:
    """Notes below the page would take its room, one for each sentence that a judgement rests on."""
    rows = [
        Claim(
            text=f"Land {n} had {n} million people.",
            id=f"c{n}",
            citations=[Citation(source=1, quote=f"Population of land {n}: {n} million")],
        )
        for n in range(1, 41)
    ]
    judged = [
        Claim(text=f"Land {n} comes first.", citations=[], rests_on=[row.id for row in rows])
        for n in range(1, 7)
    ]
    report = Report(
        title="Lands",
        sections=[Section(heading="Answer", claims=judged), Section(heading="People", claims=rows)],
        searches=[],
    )
    document = build_document(report, ReportContext([page("https://a.test/", title="Register")]))
    first = fold(read(document).pages[0].extract_text())
    assert all(fold(claim.text) in first for claim in judged)


def test_a_note_leads_to_its_text_and_back(whole: PdfReader) -> None:
    links = [
        annotation.get_object()
        for each in whole.pages
        for annotation in each.get("/Annots", ())
        if "/URI" not in annotation.get_object().get("/A", {})
    ]
    assert len(links) >= 2 * len(DOCUMENT.notes)
