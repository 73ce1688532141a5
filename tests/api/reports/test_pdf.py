"""A PDF is read by a reader of PDFs: its text, its links, its outline, its pictures."""

import io
from collections import Counter
from collections.abc import Iterator

import pytest
from pypdf import PdfReader

from api.reports.__main__ import render
from tests.api.reports.samples import CHARTS, HOSTILE, REPORT, SCRIPTS, TITLE, URLS


def read(markdown: str, title: str = "T") -> PdfReader:
    return PdfReader(io.BytesIO(render("pdf", title, markdown, CHARTS)), strict=True)


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
    assert "□" not in told


def test_pdf_headings_are_the_outline(whole: PdfReader) -> None:
    (title, parts) = whole.outline
    assert not isinstance(title, list)
    assert isinstance(parts, list)
    assert title.title == TITLE
    names = [part.title for part in parts if not isinstance(part, list)]
    assert names[:3] == ["Market", "Rivals", "Customers"]
    assert names[-1] == "Sources"


def test_each_note_leads_to_its_source_and_each_source_to_its_page(whole: PdfReader) -> None:
    """Once for each claim, once for its quote."""
    found = notes(whole)
    entries = sorted(found, key=lambda place: (place[0], -place[1]))
    told = text(whole)
    assert len(entries) == len(URLS)
    for number, (entry, url) in enumerate(zip(entries, URLS, strict=True), start=1):
        cited = told.count(f"[{number}]") - (22 if number == 3 else 0)  # escaped in quotes
        assert found[entry] == cited > 0
        ((page, upper),) = [(page, upper) for page, there, upper in links(whole) if there == url]
        assert page == entry[0]
        assert 0 < entry[1] - upper < 40


def test_pdf_charts_are_images(whole: PdfReader) -> None:
    (image,) = (image for page in whole.pages for image in page.images)
    assert image.image is not None
    assert image.image.width == 1800
    colors = image.image.convert("RGB").getcolors(1 << 24) or []
    assert (0x00, 0x72, 0xB2) in [color for _, color in colors]


def test_characters_without_a_font_are_boxes_with_a_note() -> None:
    told = text(read(f"# {SCRIPTS}\n\n**{SCRIPTS}** `{SCRIPTS}`"))
    for part in ("Ελλάδα Москва", "中文 日本語カタカナ 한국어", "→ ₹ □", "é", "shown as □"):
        assert part in told
    assert "from right to left" in told
    assert "shown as" not in text(read("# Ελλάδα 日本"))


def test_text_without_italics_is_upright() -> None:
    def fonts(markdown: str) -> set[str]:
        (page,) = read(markdown).pages
        used = page["/Resources"]["/Font"].values()  # type: ignore[index]
        return {str(font.get_object()["/BaseFont"]).partition("-")[2] for font in used}

    assert "Oblique" in fonts("*Kenya*")
    assert "Oblique" not in fonts("*ⴰⵣⵓⵍ*")


def test_a_hostile_report_is_text() -> None:
    made = read(HOSTILE)
    told = text(made)
    assert "<script>alert(1)</script> & " in told
    assert "<img src=x onerror=alert(1)> <para>" in told
    assert notes(made).total() == 1
    assert {address for _, address, _ in links(made)} == {
        "https://one.example/?a=1&b=%222%22",
        "https://other.example/",
    }
    assert "/JavaScript" not in str(made.root_object)


def test_an_empty_report_is_a_page() -> None:
    assert text(read("")).startswith("T")
