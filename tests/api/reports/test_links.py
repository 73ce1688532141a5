"""Reports contain only web and mail links in every format, for any input."""

import io
import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from pypdf import PdfReader

from api.reports.html import render_page
from api.reports.pdf_and_word.rendering import render as render_file
from contracts.agents.calculations_and_charts import Artifact
from contracts.blobs import BlobKey
from contracts.evidence.claims import Citation, Claim
from contracts.report.document import Document
from contracts.report.report import Report, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import write_markdown
from tests.api.conftest import Site
from tests.support.sources import page

ALLOWED = re.compile(r"https?://[^/\s]|mailto:[^\s]|#", re.IGNORECASE)
KEPT = re.compile(r"(artifacts/source-\d+|sources/\d+/snapshot)$")
"""What the page finds below the run's address; no file has it."""
FOREIGN = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<b>x</b>",
    "vbscript:x",
    "file:///etc/passwd",
    "ms-word:ofe|u|https://evil.example/a.docx",
    "smb://evil.example/share",
    "//evil.example/path",
    r"\\evil.example\share",
    "/v1/workflows",
    "ftp://evil.example",
    "tel:+1234",
    "https:evil.example",
    "https:///evil.example",
    "",
)
FORMS: dict[str, Callable[[str], str]] = {
    "inline": lambda to: f"[x]({to})",
    "in brackets": lambda to: f"[x](<{to}>)",
    "with a title": lambda to: f'[x]({to} "title")',
    "behind a line end": lambda to: f"[x](\n  {to}\n)",
    "reference": lambda to: f"[x][r]\n\n[r]: {to}",
    "reference of two lines": lambda to: f"[x][r]\n\n[r]:\n  <{to}> 'title'",
    "reference in a quote": lambda to: f"> [x][r]\n>\n> [r]:\n> {to}",
    "reference in a list": lambda to: f"- [x]\n\n  [x]: {to}",
    "shortcut over lines": lambda to: f"[x\ny]\n\n[x\ny]: {to}",
    "autolink": lambda to: f"<{to}>",
    "image": lambda to: f"![x]({to})",
    "image in a link": lambda to: f"[![x]({to})]({to})",
    "link in brackets": lambda to: f"[a [x]({to}) b]({to})",
    "behind code": lambda to: f"[`\\`]({to})",
    "behind a backslash": lambda to: f"[x\\\\]({to})",
    "entities": lambda to: "[x](" + "".join(f"&#{ord(c)};" for c in to) + ")",
    "escapes": lambda to: "[x](" + re.sub(r"([:/])", r"\\\1", to) + ")",
    "tag": lambda to: f'<a href="{to}">x</a>',
    "block": lambda to: f'<div>\n<a href="{to}">x</a>\n</div>',
    "image tag": lambda to: f'x <img src="{to}"> y',
    "in a table": lambda to: f"| a |\n| - |\n| [x]({to}) |",
    "in a heading": lambda to: f"## [x]({to})",
    "carriage return": lambda to: f"[x][r]\r\r[r]: {to}",
}
HOSTILE = {f"{form}, {to}": write(to) for form, write in FORMS.items() for to in FOREIGN}
REMOTE_IMAGES = ("![x](https://evil.example/x.gif)", "![x][i]\n\n[i]: https://evil.example/x.gif")


class Permissive(MarkdownIt):
    """A reader of Markdown that makes links of any address, and runs HTML."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        return True


class Addresses(HTMLParser):
    """Collects where a page's elements lead, and what they load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"href", "xlink:href", "action", "formaction"}:
                self.found.append(value or "")
            elif name in {"src", "srcset", "data", "poster", "background"}:
                self.loaded.append(value or "")


def read_markdown(markdown: str) -> Addresses:
    reader = Permissive("commonmark", {"html": True}).enable("table")
    return Addresses(reader.render(markdown))


def as_file(format: Any, document: Document) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return render_file(format, Path(folder), document, {})


def read_pdf(document: Document) -> Iterator[str]:
    for part in PdfReader(io.BytesIO(as_file("pdf", document))).pages:
        for annotation in part.get("/Annots", ()):
            if action := annotation.get_object().get("/A"):
                yield str(action.get("/URI", action))


def read_word(document: Document) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(as_file("docx", document))) as parts:
        for name in parts.namelist():
            if name.endswith(".rels"):
                yield from re.findall(
                    r'Target="([^"]+)" TargetMode="External"', parts.read(name).decode()
                )


def read_html(document: Document) -> Addresses:
    return Addresses(render_page(document).partition("<body>")[2])


def list_wrong(addresses: Addresses) -> list[str]:
    """Return where it leads that it may not, and what it would load."""
    return [to for to in addresses.found if not ALLOWED.match(to)] + addresses.loaded


@pytest.mark.parametrize("to", [*FOREIGN, "https://a.example\n\n[x](javascript:1)"])
def test_sources_titles_and_models_words_make_no_other_link(to: str) -> None:
    write = "\n".join(form(to) for form in FORMS.values())
    source = page(to or "x:", title=write, publisher=write)
    claim = Claim(text=write, citations=[Citation(source=1, quote=write)], verdict="supported")
    section = Section(heading=write, claims=[claim], missing=write, remarks=[write], account=write)
    made = [
        Artifact(
            id=f"a) [x]({to}",
            name=write,
            kind=kind,
            media_type="text/csv",
            blob_key=BlobKey("k"),
            bytes=1,
            preview=[[write], [write]],
            rows=9,
            note=write,
        )
        for kind in ("table", "chart")
    ]
    report = Report(
        title=write,
        sections=[section],
        notes=[write],
        caveats=[write],
        searches=[],
        exhibits=[each.id for each in made],
    )
    document = build_document(report, ReportContext([source, page("https://ok.example/")], made))
    assert list_wrong(read_markdown(write_markdown(document))) == []
    assert [to for to in list_wrong(read_html(document)) if not KEPT.match(to)] == []
    if to == FOREIGN[0]:  # the destinations are the builder's, the same for every format
        for read in (read_pdf, read_word):
            assert {*read(document)} == {"https://ok.example/"}


async def test_a_given_report_is_served_without_its_hostile_links(site: Site) -> None:
    hostile = "# Pumps\n\n" + "\n\n".join([*HOSTILE.values(), *REMOTE_IMAGES])
    report = {"title": "Pumps", "sections": [], "markdown": hostile}
    decided = {"decision": {"action": "wait"}, "report": report}
    body = {"inputs": {"ticker": "AAPL"}, "only": ["investment"], "given": {"investment": decided}}
    run = await site.start("investment_analysis", **body)
    await site.follow(run, 0)
    markdown = (await site.get(f"{run}/report")).text
    whole = json.loads((await site.get(f"{run}/report", format="json")).content)
    page_of = (await site.get(f"{run}/report", format="html")).text.partition("<body>")[2]
    assert "alert(1)" in markdown
    assert list_wrong(read_markdown(markdown)) == []
    assert list_wrong(read_markdown(whole["markdown"])) == []
    assert list_wrong(Addresses(page_of)) == []
    kept = (await site.get(run, include="outputs")).json()["outputs"]["investment"]["report"]
    assert list_wrong(read_markdown(kept["markdown"])) == []
