"""A report of every part a report can have, with its charts."""

from typing import Any

from activities.integrations.charts import draw
from contracts.agents.calculations_and_charts import Artifact
from contracts.agents.tool_definitions import ChartArgs
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.report.document import (
    Column,
    Document,
    DocumentHeading,
    DocumentSource,
    Exhibit,
    ItemList,
    Note,
    NoteList,
    Paragraph,
    Quote,
    Remark,
    Sentence,
    SourceList,
    Table,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from tests.support.sources import page

TITLE = "Solar pumps in Kenya & Tanzania"
URLS = [f"https://example.org/{n}?year=2020&lang=en" for n in range(1, 9)]
TITLES = ["Kenya", "Ελλάδα", "Россия", "日本のポンプ", "Uganda", "Rwanda", "Mali", "Chad"]


def _claim(number: int, **more: Any) -> Claim:
    source = number % len(URLS) + 1
    return Claim(
        text=f"Claim {number} of the market.",
        citations=[Citation(source=source, quote=f"quote {number}, see [3]")],
        verdict="supported",
        **more,
    )


def _chart() -> str:
    asked = {"kind": "bar", "title": "People", "x_label": "Country", "y_label": "people"}
    series = [{"name": "2020", "values": [53.8, 59.7]}]
    return draw(
        ChartArgs.model_validate({**asked, "x": ["Kenya", "Tanzania"], "series": series})
    ).decode()


def _sources() -> list[Source]:
    told = zip(URLS, TITLES, strict=True)
    return [page(url, title=title, publisher="The Publisher") for url, title in told]


CHARTS = {"a1": _chart()}
_MADE = [
    Artifact(
        id="a1", name="People", kind="chart", media_type="image/svg+xml", blob_key="k", bytes=1
    ),
    Artifact(
        id="a2",
        name="All of it",
        kind="table",
        media_type="text/csv",
        blob_key="k",
        bytes=1,
        preview=[["Country", "People"], ["Kenya", "53.8"]],
        rows=1,
    ),
]
_JUDGEMENT = Claim(
    text="Kenya comes first.",
    citations=[],
    rests_on=["c1", "c2"],
    verdict="partly",
    reason="one of two",
)
_REPORT = Report(
    title=TITLE,
    notes=["Two sources are old."],
    comparison=Comparison(
        columns=["Kenya", "Tanzania"],
        rows=[ComparisonRow(label="Population", cells=[_claim(100), None])],
    ),
    sections=[
        Section(heading=heading, claims=[_claim(n, id=f"c{n}") for n in range(first, first + 7)])
        for heading, first in (("Market", 0), ("Rivals", 7), ("Customers", 14))
    ]
    + [Section(heading="So", claims=[_JUDGEMENT, _claim(3)])],
    claims_total=24,
    searches=[],
    exhibits=["a1", "a2"],
)
DOCUMENT = build_document(_REPORT, ReportContext(_sources(), _MADE, offline=True))
SCRIPTS = (
    "Ελλάδα Москва עברית العربية 中文 日本語カタカナ 한국어 हिन्दी ไทย አማርኛ 😀👩\u200d🚀 → ₹ 𝒳 é"
)


def everywhere(text: str, address: str = "https://one.example/", **more: Any) -> Document:
    """Return a document with a text in every possible place."""
    sentence = Sentence(text=text, lead=text, notes=[1])
    notes: list[Note] = [Quote(source=1, text=text, page=1, place=text, address=address)]
    return Document(
        title=text,
        blocks=[
            DocumentHeading(text=text),
            Paragraph(sentences=[sentence, sentence]),
            ItemList(items=[sentence]),
            ItemList(is_ordered=True, items=[sentence]),
            Remark(text=text),
            Table(caption=text, columns=[Column(label=text)], rows=[[sentence]], remark=text),
            Exhibit(name=text, artifact="a1", remark=text),
            NoteList(),
            SourceList(numbers=[1]),
        ],
        notes=notes,
        sources=[DocumentSource(number=1, title=text, about=[text], address=address)],
        **more,
    )


HOSTILE = [
    "<script>alert(1)</script> & \"it\" <img src=x onerror=alert(1)> <para> &lt;a href='x'&gt;",
    "\x00\x0b\ufffe \u202edesrever",
    "[run](javascript:alert(1)) ![seen](http://t.example/x.gif) [1] [^1] `code` | a | b |",
    '#import "/etc/passwd": * $x$ @ref <label> #panic() {=typst} // /* \\u{41} = - + / ~',
    "= Head",
    "- item",
    "1. item",
    "w" * 2_000,
]
