"""A PDF is read by a reader of PDFs: its text, its links, its outline, its pictures."""

import io
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from pypdf import PdfReader

from api.reports.__main__ import render
from domain.report.inline import escape_markdown
from tests.api.reports.samples import CHARTS, HOSTILE, REPORT, SCRIPTS, TITLE, URLS


def made(markdown: str, title: str = "T") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return render("pdf", Path(folder), title, markdown, CHARTS)


def read(markdown: str, title: str = "T") -> PdfReader:
    return PdfReader(io.BytesIO(made(markdown, title)), strict=True)


def links(read: PdfReader) -> Iterator[tuple[int, str, float]]:
    """Yield each link of the text to the web: its page, its address, where its upper edge is."""
    for number, page in enumerate(read.pages):
        for annotation in page.get("/Annots", ()):
            found = annotation.get_object()
            if "/A" in found:
                yield number, found["/A"]["/URI"], float(found["/Rect"][3])


def notes(read: PdfReader) -> Counter[tuple[int, float]]:
    """Count the links within the document by where they lead: a page, and a height on it."""
    numbers = {page.indirect_reference: number for number, page in enumerate(read.pages)}
    annotations = [a.get_object() for page in read.pages for a in page.get("/Annots", ())]
    places = [found["/Dest"] for found in annotations if "/Dest" in found]
    return Counter((numbers[place[0]], float(place[3])) for place in places)


def text(read: PdfReader) -> str:
    return "\n".join(page.extract_text() for page in read.pages)


@pytest.fixture(scope="module")
def whole() -> PdfReader:
    return read(REPORT.markdown, TITLE)


def test_pdf_has_the_text_of_the_report(whole: PdfReader) -> None:
    assert whole.metadata is not None
    assert whole.metadata.title == TITLE
    assert str(whole.root_object["/Lang"]) == "en"
    told = text(whole)
    for part in (TITLE, "Two sources are old.", "Claim 20 of the market.", "quote 20, see [3]"):
        assert part in told
    assert all(part in told for part in ("Population", "All of it", "Ελλάδα", "Россия"))
    assert "日本のポンプ" in told


def test_pdf_headings_are_the_outline(whole: PdfReader) -> None:
    (title, parts) = whole.outline
    assert not isinstance(title, list)
    assert isinstance(parts, list)
    assert title.title == TITLE
    names = [part.title for part in parts if not isinstance(part, list)]
    assert names[:3] == ["Market", "Rivals", "Customers"]
    assert names[-1] == "Sources"


def test_each_citation_leads_to_its_quote_and_each_quote_to_its_page(whole: PdfReader) -> None:
    found = notes(whole)
    entries = sorted(found, key=lambda place: (place[0], -place[1]))
    told = text(whole)
    assert len(entries) == 22
    web = list(links(whole))
    for number, entry in enumerate(entries, start=1):
        cited = told.count(f"[{number}]") - (22 if number == 3 else 0)  # escaped in quotes
        assert found[entry] == cited > 0
        near = [url for page, url, upper in web if page == entry[0] and abs(entry[1] - upper) < 20]
        assert set(near) & set(URLS)


def test_pdf_charts_are_drawings(whole: PdfReader) -> None:
    assert not [image for page in whole.pages for image in page.images]
    pages = pypdfium2.PdfDocument(made(REPORT.markdown))
    blue = np.array([0xB2, 0x72, 0x00])
    assert any(
        (page.render().to_numpy()[..., :3] == blue).all(axis=2).sum() > 1_000 for page in pages
    )


def test_every_script_can_be_read_and_found() -> None:
    page = pypdfium2.PdfDocument(made(f"# {SCRIPTS}\n\n**{SCRIPTS}** *{SCRIPTS}* `{SCRIPTS}`"))[0]
    told = page.get_textpage().get_text_range()
    told = "".join(told.split())
    for part in SCRIPTS.replace("አማርኛ 😀👩\u200d🚀", "").split():
        assert told.count(part) == 4, part


def test_a_report_from_right_to_left_begins_at_the_right() -> None:
    def left(markdown: str, title: str) -> float:
        page = pypdfium2.PdfDocument(made(markdown, title))[0]
        return float(page.get_textpage().get_charbox(0)[0])

    assert left("שלום", "שלום") > 400 > 100 > left("Peace", "Peace")


def test_foreign_characters_and_markup_are_text() -> None:
    """Typst has a meaning for each of these."""
    wrong = '#import "/etc/passwd": * $x$ @ref <label> #panic() {=typst} // /* \\u{41} = - + / ~'
    told = text(
        read(f"# T\n\n    {wrong}\n\n{escape_markdown(wrong)}\n\n- {escape_markdown(wrong)}")
    )
    assert told.count(wrong) == 3


def test_a_hostile_report_is_text() -> None:
    pdf = read(HOSTILE)
    told = text(pdf)
    assert "<script>alert(1)</script> & " in told
    assert "<img src=x onerror=alert(1)> <para>" in told
    assert notes(pdf).total() == 1
    assert {address for _, address, _ in links(pdf)} == {
        "https://one.example/?a=1&b=%222%22",
        "https://other.example/",
    }
    assert "/JavaScript" not in str(pdf.root_object)


def test_an_empty_report_is_a_page() -> None:
    assert text(read("")).startswith("T")
