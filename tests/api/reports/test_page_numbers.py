"""Each format names the page of a quote, and links to it where the document is a PDF."""

import io
import re

import pytest
from docx import Document
from pypdf import PdfReader

from api.reports.export import export_report
from api.reports.html import render_page
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import OWN_FILE, Source
from contracts.media_types import DOCX, PDF
from contracts.report.research import Report, Section
from domain.evidence.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import check_claims
from domain.report.inline import unlink_kept
from domain.report.markdown import render
from tests.sources import page

QUOTE = "Revenue was 12,000 million USD in fiscal 2024."
TEXT = f"ACME\n\f\nContents\n\f\n{QUOTE}"
WEB = "https://example.org/acme.pdf?a=1"
FORMATS = ["md", "json", "html", "pdf", "docx"]


def make_report(*sources: Source) -> Report:
    """Return a report that cites the same sentence of each source."""
    citations = [Citation(source=n, quote=QUOTE) for n in range(1, len(sources) + 1)]
    claim = Claim(text=f"{QUOTE} It rose.", citations=citations)
    pages = {n: CitedPage("Acme", Snapshot(TEXT)) for n in range(1, len(sources) + 1)}
    [check] = check_claims([claim], pages)
    report = Report(title="Acme", sections=[Section(heading="Sales", claims=[check.claim])])
    shown = render(report, list(sources), [], offline=False)
    return report.model_copy(update={"markdown": shown})


async def read(report: Report, format: str) -> tuple[str, set[str]]:
    """Return a format's text and the destinations of its links."""
    if format == "md":
        return report.markdown, set(re.findall(r"\]\(<(.+?)>\)", report.markdown))
    if format == "json":
        cited = report.model_dump(mode="json")["sections"][0]["claims"][0]["citations"]
        return " ".join(f"p. {each['page']}" for each in cited), set()
    if format == "html":
        html = render_page(report.title, report.markdown)
        return re.sub(r"<[^>]+>", "", html), set(re.findall(r'href="([^"]+)"', html))
    if format == "pdf":
        reader = PdfReader(io.BytesIO(await export_report(report, "pdf", {})))
        notes = [note.get_object() for each in reader.pages for note in each.get("/Annots", [])]
        links = {str(note["/A"]["/URI"]) for note in notes if "/URI" in note.get("/A", {})}
        return "\n".join(each.extract_text() for each in reader.pages), links
    document = Document(io.BytesIO(await export_report(report, "docx", {})))
    links = {relation.target_ref for relation in document.part.rels.values()}
    return "\n".join(part.text for part in document.paragraphs), links


@pytest.mark.parametrize("format", FORMATS)
async def test_every_format_names_the_page_of_a_quote(format: str) -> None:
    report = make_report(page(WEB, title="Acme", content_type=PDF))
    text, links = await read(report, format)
    assert "p. 3" in text
    assert format == "json" or f"{WEB}#page=3" in {link.replace("&amp;", "&") for link in links}


@pytest.mark.parametrize("format", FORMATS)
async def test_document_that_is_no_pdf_is_not_linked_by_page(format: str) -> None:
    """A browser opens no page of it."""
    report = make_report(page(WEB, title="Acme", content_type=DOCX))
    text, links = await read(report, format)
    assert "p. 3" in text
    assert not any("#page" in link for link in links)


@pytest.mark.parametrize("url", [f"{OWN_FILE}acme.pdf", "http://127.0.0.1:8461/pages/acme.pdf"])
async def test_page_of_this_machine_opens_in_the_file_that_the_run_keeps(url: str) -> None:
    report = make_report(page(url, title="Acme", content_type=PDF))
    _, links = await read(report, "html")
    assert "artifacts/source-1#page=3" in links
    for format in ("pdf", "docx"):
        text, links = await read(report, format)
        assert "p. 3" in text
        assert not any("artifacts" in link for link in links), "it leads nowhere outside the run"
    assert "artifacts/source-1#" not in unlink_kept(report.markdown)


async def test_address_with_a_fragment_of_its_own_opens_at_the_page() -> None:
    report = make_report(page(f"{WEB}#top", title="Acme", content_type=PDF))
    assert f"{WEB}#page=3" in (await read(report, "md"))[1]
