"""Formats show the same report: all of its words, no wider than a phone."""

import io
import json
import re
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import async_playwright
from pydantic import JsonValue
from pypdf import PdfReader

from api.reports import Format
from api.reports.html import render_page
from api.reports.pdf_and_word.pandoc_ast import build_ast
from api.reports.pdf_and_word.rendering import render
from bench.page.browser import launch_browser
from contracts.agents.calculations_and_charts import Artifact
from contracts.evidence.claims import Citation, Claim
from contracts.media_types import PDF
from contracts.planning.assumptions import Assumption
from contracts.report.document import Document, Paragraph, Sentence
from contracts.report.report import Comparison, ComparisonRow, Report, Search, Section
from contracts.words import Language
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import write_markdown
from tests.api.reports.samples import everywhere
from tests.support.sources import page


def test_code_keeps_its_signs_in_every_format() -> None:
    sentence = Sentence(text="Set `task_reject_on_lost` to `<b>`, and `acks_late`.")
    document = Document(title="X", blocks=[Paragraph(sentences=[sentence])])
    for format, read in READ.items():
        shown = "".join(read(document).split())
        assert "Settask_reject_on_lostto<b>,andacks_late." in shown, format
    html, ast = render_page(document), json.dumps(build_ast("docx", document, {}))
    assert html.count("<code>") == ast.count('"Code"') == 3


async def test_html_is_no_wider_than_its_window() -> None:
    address = "https://example.org/" + "long-" * 60
    document = everywhere("w" * 300, address)
    async with async_playwright() as playwright:
        browser = await launch_browser(playwright)
        shown = await browser.new_page()
        await shown.set_content(render_page(document))
        for width in (360, 1280):
            await shown.set_viewport_size({"width": width, "height": 700})
            assert await shown.evaluate("document.documentElement.scrollWidth") <= width
        await browser.close()


READ: dict[str, Callable[[Document], str]] = {
    "md": lambda document: strip_tags(
        MarkdownIt().enable("table").render(write_markdown(document))
    ),
    "html": lambda document: strip_tags(render_page(document).partition("</style>")[2]),
    "pdf": lambda document: "".join(
        page.extract_text() for page in PdfReader(io.BytesIO(export("pdf", document))).pages
    ),
    "docx": lambda document: strip_tags(read_word(export("docx", document))),
}


def read_word(content: bytes) -> str:
    """Return the XML of a file's text and of its footnotes."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return "".join(
            parts.read(f"word/{part}.xml").decode() for part in ("document", "footnotes")
        )


def strip_tags(text: str) -> str:
    return unescape(re.sub("<[^>]*>", "", text))


def export(format: Format, document: Document) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return render(format, Path(folder), document, {})


def fold(text: str) -> str:
    """Return a text without blanks, with letters for ligatures and hyphens for minus signs."""
    return re.sub(r"[\s\u200b]", "", unicodedata.normalize("NFKC", text)).replace("−", "-")


def list_texts(value: JsonValue) -> Iterator[str]:
    """Yield what a reader is to see of a document as JSON: its words, but no addresses, codes and paths.

    The sentences that a judgement rests on are printed once, in the text, and named by their numbers.
    """
    if isinstance(value, list):
        for each in value:
            yield from list_texts(each)
    elif isinstance(value, dict):
        value = {
            name: part
            for name, part in value.items()
            if value.get("type") != "basis" or name == "label"
        }
        yield from (str(value[name]) for name in SHOWN if value.get(name))
        for name, part in value.items():
            yield from list_texts(part) if name not in SHOWN else ()


SHOWN = (
    "title",
    "text",
    "lead",
    "label",
    "unit",
    "expression",
    "caption",
    "name",
    "remark",
    "place",
)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("format", READ)
def test_every_format_has_all_words_of_a_report(format: str, language: Language) -> None:
    verdicts = ("supported", "partly", "not_shown", "contradicted", None)
    cited = [Citation(source=1, quote="| Kenya | 3 |", page=2, above=["| | 2020 |"])]
    claims = [
        Claim.model_validate(
            {"text": f"Sentence {n} ‘x{n}’ is “so”.", "citations": cited, "verdict": verdict}
        ).model_copy(update={"id": f"c{n}", "reason": f"why {n}"})
        for n, verdict in enumerate(verdicts)
    ]
    concluded = claims[1].model_copy(update={"citations": [], "id": "", "rests_on": ["c0", "c1"]})
    computed = claims[0].model_copy(update={"text": "7 boats", "working": "3 + 4 = 7"})
    row = ComparisonRow(label="Boats", cells=[computed, None])
    report = Report(
        title="Boats & tugs",
        notes=["Two sources are old."],
        sections=[
            Section(heading="So", claims=[concluded]),
            Section(heading="Land", claims=claims, missing="Costs"),
        ],
        comparison=Comparison(columns=["Kenya", "Mali"], rows=[row]),
        assumptions=[Assumption(id="A1", text="Prices stay.")],
        searches=[Search(query="boats", hits=0)],
        exhibits=["t"],
        claims_unjudged=1,
    )
    preview = [["Land", "Growth"], ["Kenya", "+3.5 %"], ["Mali", "-1,234.5 %"]]
    about = {"media_type": "text/csv", "blob_key": "k", "bytes": 1, "rows": 9, "preview": preview}
    table = Artifact.model_validate({"id": "t", "name": "Growth", "kind": "table", **about})
    source = page("https://a.test/a.pdf", title="Register", publisher="Office", content_type=PDF)
    document = build_document(report, ReportContext([source], [table], language=language))
    shown = fold(READ[format](document))
    told = list_texts(document.model_dump(mode="json", exclude={"language"}))
    wanted = Counter(map(fold, told))
    assert len(wanted) > 40
    assert [text for text, times in wanted.items() if shown.count(text) < times] == []
