"""Each format names the page of a quote, and links to it where the document is a PDF."""

import io
import re
import tempfile
import zipfile
from pathlib import Path

import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from pypdf import PdfReader

from api.reports import Format
from api.reports.html import render_page
from api.reports.pdf_and_word.rendering import render
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import OWN_FILE, Source
from contracts.media_types import DOCX, PDF
from contracts.report.document import Document, Quote
from contracts.report.report import Report, Section
from contracts.words import say
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import write_markdown
from tests.support.sources import page

QUOTE = "Revenue was 12,000 million USD in fiscal 2024."
ROW = "| Net cash | 37,141 | 39,539 |"
HEADS = ["(dollars in millions)", "| | 2022 | 2021 |"]
TEXT = f"ACME\n\f\nContents\n\f\n{QUOTE}\n\n{HEADS[0]}\n{HEADS[1]}\n|---|---|---|\n{ROW}\n"
WEB = "https://example.org/acme.pdf?a=1"
FORMATS = ["md", "json", "html", "pdf", "docx"]


def make_document(*sources: Source, quote: str = QUOTE) -> Document:
    """Return the document of a report that cites the same passage of each source."""
    citations = [Citation(source=n, quote=quote) for n in range(1, len(sources) + 1)]
    claim = Claim(text=f"{quote} It rose.", citations=citations)
    pages = {n: CitedPage("Acme", Snapshot(TEXT)) for n in range(1, len(sources) + 1)}
    [check] = check_claims([claim], pages)
    sections = [Section(heading="Sales", claims=[check.claim])]
    report = Report(title="Acme", sections=sections, searches=[])
    return build_document(report, ReportContext(list(sources)))


def export(format: Format, document: Document) -> bytes:
    """Render without the subprocess of its own that the gateway does it in."""
    with tempfile.TemporaryDirectory() as folder:
        return render(format, Path(folder), document, {})


def read(document: Document, format: str) -> tuple[str, set[str]]:
    """Return a format's text and the destinations of its links."""
    if format == "md":
        markdown = write_markdown(document)
        return markdown, set(re.findall(r"\]\(<(.+?)>\)", markdown))
    if format == "json":
        quotes = [note for note in document.notes if isinstance(note, Quote)]
        told = [part for quote in quotes for part in (quote.place, *quote.above, quote.text)]
        return " ".join(told), {quote.address for quote in quotes}
    if format == "html":
        html = render_page(document)
        links = set(re.findall(r'href="([^"]+)"', html))
        return re.sub(r"<[^>]+>", "", html), {link.replace("&amp;", "&") for link in links}
    if format == "pdf":
        reader = PdfReader(io.BytesIO(export("pdf", document)))
        notes = [note.get_object() for each in reader.pages for note in each.get("/Annots", [])]
        links = {str(note["/A"]["/URI"]) for note in notes if "/URI" in note.get("/A", {})}
        return "\n".join(each.extract_text() for each in reader.pages), links
    with zipfile.ZipFile(io.BytesIO(export("docx", document))) as parts:
        notes = parse_xml(parts.read("word/footnotes.xml"))
        relations = parts.read("word/_rels/footnotes.xml.rels").decode()
    links = {link.replace("&amp;", "&") for link in re.findall(r'Target="([^"]+)"', relations)}
    return "".join(part.text or "" for part in notes.iter(qn("w:t"))), links


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_names_the_page_of_a_quote(format: str) -> None:
    document = make_document(page(WEB, title="Acme", content_type=PDF))
    text, links = read(document, format)
    assert "p. 3" in text
    assert f"{WEB}#page=3" in links


@pytest.mark.parametrize("format", FORMATS)
def test_document_that_is_no_pdf_is_not_linked_by_page(format: str) -> None:
    """A browser opens no page of it."""
    document = make_document(page(WEB, title="Acme", content_type=DOCX))
    text, links = read(document, format)
    assert "p. 3" in text
    assert not any("#page" in link for link in links)


@pytest.mark.parametrize("url", [f"{OWN_FILE}acme.pdf", "http://127.0.0.1:8461/pages/acme.pdf"])
def test_page_of_this_machine_opens_in_the_file_that_the_run_keeps(url: str) -> None:
    document = make_document(page(url, title="Acme", content_type=PDF))
    _, links = read(document, "html")
    assert "artifacts/source-1#page=3" in links
    for format in ("pdf", "docx"):
        text, links = read(document, format)
        assert "p. 3" in text
        assert not any("artifacts" in link for link in links), "it leads nowhere outside the run"
    assert "artifacts/source-1#" not in write_markdown(document)


def test_address_with_a_fragment_of_its_own_opens_at_the_page() -> None:
    document = make_document(page(f"{WEB}#top", title="Acme", content_type=PDF))
    assert f"{WEB}#page=3" in read(document, "md")[1]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_shows_above_a_quoted_row_its_scale_and_its_columns(format: str) -> None:
    document = make_document(page(WEB, title="Acme", content_type=PDF), quote=ROW)
    text, _ = read(document, format)
    words = re.sub(r"[\\\s]+", " ", text)
    assert -1 < words.find(HEADS[0]) < words.find("2022 | 2021") < words.rfind(ROW.strip("| "))
    assert not any(f"{sign}|" in words.partition(HEADS[0])[2] for sign in "“„/:"), "no bars around"
    text, _ = read(make_document(page(WEB, title="Acme", content_type=PDF)), format)
    assert HEADS[0] not in text


@pytest.mark.parametrize(("kind", "told"), [(PDF, 1), (DOCX, 0)])
def test_a_report_says_once_that_pages_are_sheets_of_a_pdf(kind: str, told: int) -> None:
    files = [page(f"{WEB}{n}", title="Acme", content_type=kind) for n in (1, 2)]
    document = make_document(*files)
    words = say("en", "sheets")
    assert [getattr(block, "text", "") for block in document.appendix].count(words) == told
    assert write_markdown(document).count(words) == render_page(document).count(words) == told
