"""A PDF is read by a reader of PDFs: its text, its links, its outline, its pictures, its footnotes."""

import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from pypdf import PdfReader

from api.reports.__main__ import render
from contracts.report.document import Document, Note, Paragraph, Quote, Sentence, Working
from tests.api.reports.samples import CHARTS, DOCUMENT, HOSTILE, SCRIPTS, TITLE, URLS, everywhere
from tests.words import en


def made(document: Document) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return render("pdf", Path(folder), document, CHARTS)


def read(document: Document) -> PdfReader:
    return PdfReader(io.BytesIO(made(document)), strict=True)


def list_links(read: PdfReader) -> Iterator[str]:
    """Yield where each link to the web leads."""
    for page in read.pages:
        for annotation in page.get("/Annots", ()):
            found = annotation.get_object()
            if "/A" in found:
                yield found["/A"]["/URI"]


def text(read: PdfReader) -> str:
    return "\n".join(page.extract_text() for page in read.pages)


def fold(text: str) -> str:
    """Return a text without blanks and hyphens, of which a line may end in one."""
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


def test_pdf_headings_are_the_outline(whole: PdfReader) -> None:
    (title, parts) = whole.outline
    assert not isinstance(title, list)
    assert isinstance(parts, list)
    assert title.title == TITLE
    names = [part.title for part in parts if not isinstance(part, list)]
    assert names[:3] == ["Market", "Rivals", "Customers"]
    assert names[-1] == en("sources")


def test_each_note_is_a_footnote_under_its_own_number(whole: PdfReader) -> None:
    told = text(whole)
    for number, note in enumerate(DOCUMENT.notes, start=1):
        shown = f"“{note.text}”" if isinstance(note, Quote) else note.label
        assert re.search(rf"(?<!\d){number}\s?{re.escape(shown)}", told), number
    assert {*list_links(whole)} == {*URLS}


def test_quote_is_printed_once_however_often_it_is_cited(whole: PdfReader) -> None:
    assert text(whole).count("“quote 3, see [3]”") == 1


def test_pdf_charts_are_drawings(whole: PdfReader) -> None:
    assert not [image for page in whole.pages for image in page.images]
    pages = pypdfium2.PdfDocument(made(DOCUMENT))
    blue = np.array([0xB2, 0x72, 0x00])
    assert any(
        (page.render().to_numpy()[..., :3] == blue).all(axis=2).sum() > 1_000 for page in pages
    )


def test_every_script_can_be_read_and_found() -> None:
    sentence = Sentence(lead=SCRIPTS, text=SCRIPTS)
    document = Document(title=SCRIPTS, blocks=[Paragraph(sentences=[sentence])])
    page = pypdfium2.PdfDocument(made(document))[0]
    told = fold(page.get_textpage().get_text_range())
    for part in SCRIPTS.replace("አማርኛ 😀👩\u200d🚀", "").split():
        assert told.count(part) == 3, part


def test_a_report_from_right_to_left_begins_at_the_right() -> None:
    def left(title: str) -> float:
        page = pypdfium2.PdfDocument(made(Document(title=title)))[0]
        return float(page.get_textpage().get_charbox(0)[0])

    assert left("שלום") > 400 > 100 > left("Peace")


def test_foreign_markup_is_text_wherever_it_stands() -> None:
    """Typst has a meaning for each of these."""
    first, *others = map(everywhere, HOSTILE)
    blocks = [block for each in (first, *others) for block in each.blocks]
    file = made(first.model_copy(update={"blocks": blocks}))
    pages = pypdfium2.PdfDocument(file)  # pypdf takes seven times as long to read them
    told = fold("\n".join(page.get_textpage().get_text_range() for page in pages))
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


def test_a_sentence_is_marked_by_its_own_note_and_not_by_those_that_it_names() -> None:
    quote = Quote(source=1, text="made 3")
    notes: list[Note] = [Working(label="Computed", expression="3 / 2", quotes=[2, 3]), quote, quote]
    block = Paragraph(sentences=[Sentence(text="It grew.", notes=[1])])
    told = fold(text(read(Document(title="T", blocks=[block], notes=notes))))
    assert "1,2" not in told
    assert told.count("made3") == 2
