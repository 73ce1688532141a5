"""A report as a folder: quotes lead to their place in the page and back, and a page's text stays text."""

import io
import re
import zipfile

import pytest
from lxml.html import HtmlElement, fromstring
from markdown_it import MarkdownIt

from api.reports.markdown_folder import build_folder, write_page
from contracts.evidence.claims import Citation, Claim
from contracts.report.document import Document, Exhibit, Quote
from contracts.report.report import Report, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.api.reports.samples import HOSTILE, everywhere
from tests.support.sources import page

QUOTE = "sells 4,000 pumps"
TEXTS = {
    1: f"# No heading\n\n- x\n    code\nKenya {QUOTE} a year.\f1986. A [link](https://evil.example) <b>bold</b> &amp; | a | b |\n---\nEnd",
    2: "Nobody cites this: ![x](https://evil.example/x.gif)",
}


def draw(text: str) -> HtmlElement:
    """Return Markdown as a viewer shows it that lets HTML through."""
    return fromstring(f"<div>{MarkdownIt().enable('table').render(text)}</div>")


def read_folder(folder: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(folder)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def make(texts: dict[int, str]) -> dict[str, str]:
    start = texts[1].find(QUOTE)
    cited = Citation(source=1, quote=QUOTE, start=start, end=start + len(QUOTE))
    claim = Claim(text="It sells.", citations=[cited], verdict="supported")
    report = Report(
        title="Pumps", sections=[Section(heading="Market", claims=[claim])], searches=[]
    )
    sources = [page(f"https://example.org/{n}", title=f"Page {n}") for n in texts]
    return read_folder(
        build_folder(build_document(report, ReportContext(sources)), sources, texts, {})
    )


def test_each_quote_leads_to_its_place_in_the_page_and_back() -> None:
    files = make(TEXTS)
    report = draw(files["report.md"])
    [path] = {link for link in report.xpath("//li//a/@href") if "#note" in link and "pages" in link}
    name, _, anchor = path.partition("#")
    shown = draw(files[name])
    [place] = shown.xpath(f"//a[@id='{anchor}']")
    assert ["".join(each.itertext()) for each in shown.xpath("//b")] == [QUOTE]
    after = "".join(place.xpath("following::text()"))
    assert after.removeprefix(f"[{anchor.removeprefix('note-')}] ").startswith(QUOTE)
    [back] = {link for link in shown.xpath("//a/@href") if link.startswith("../")}
    assert report.xpath(f"//li/a[@id='{back.removeprefix('../report.md#')}']")


def test_every_link_of_the_folder_leads_somewhere() -> None:
    files = make(TEXTS)
    anchors = {
        (name, found) for name, text in files.items() for found in draw(text).xpath("//a/@id")
    }
    for name in ("report.md", "pages/1.md", "pages/2.md"):
        for link in draw(files[name]).xpath("//a/@href"):
            path, _, anchor = link.partition("#")
            if not link.startswith("https://example.org/"):
                target = path.removeprefix("../") or name
                assert target in files
                assert not anchor or (target, anchor) in anchors


def test_charts_and_tables_are_shown_from_their_files_in_the_folder() -> None:
    sales, lost = (Exhibit(name=name, artifact=f"chart-{name}") for name in ("sales", "lost"))
    exhibits = {"artifacts/chart-sales.svg": b"<svg/>"}
    document = Document(title="T", blocks=[sales, lost])
    files = read_folder(build_folder(document, [], {}, exhibits))
    assert draw(files["report.md"]).xpath("//img/@src") == ["artifacts/chart-sales.svg"]
    assert exhibits.keys() <= files.keys()


def test_pages_without_quotes_are_there_too() -> None:
    assert {"report.md", "pages/1.md", "pages/2.md", "references.bib"} == make(TEXTS).keys()


@pytest.mark.parametrize("text", [*TEXTS.values(), *HOSTILE])
def test_text_of_a_page_is_shown_as_it_is(text: str) -> None:
    document = Document(title="T", sources=everywhere("x").sources)
    source = page("https://one.example/")
    shown = draw(write_page(document, 1, source, text, []).partition("---\n")[2])
    assert "".join(shown.itertext()).split() == text.replace("\x00", "\ufffd").split()
    tags = {each.tag for each in shown.iter()}
    assert tags <= {"div", "p", "br", "hr"}


@pytest.mark.parametrize("start", range(0, 40, 3))
def test_text_around_an_anchor_is_shown_as_it_is(start: int) -> None:
    text, source = TEXTS[1], page("https://one.example/")
    document = Document(
        title="T", sources=everywhere("x").sources, notes=[Quote(source=1, text="x")]
    )
    shown = draw(
        write_page(
            document,
            1,
            source,
            text,
            [(start, start + 7, 1), (start + 3, start + 9, 1), (start + 40, start + 44, 1)],
        ).partition("---\n")[2]
    )
    told = "".join(shown.itertext()).replace("[1]", "")
    assert re.sub(r"\s+", "", told) == re.sub(r"\s+", "", text)
