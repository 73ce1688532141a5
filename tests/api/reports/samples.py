"""A report of every part a report can have, with its charts."""

from activities.integrations.charts import draw
from contracts.agents.tools import ChartArgs
from contracts.agents.workbench import Artifact
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.report.research import Comparison, ComparisonRow, Report, Section
from domain.report.markdown import render
from tests.sources import page

TITLE = "Solar pumps in Kenya & Tanzania"
URLS = [f"https://example.org/{n}?year=2020&lang=en" for n in range(1, 9)]
TITLES = ["Kenya", "Ελλάδα", "Россия", "日本のポンプ", "Uganda", "Rwanda", "Mali", "Chad"]


def _claim(number: int) -> Claim:
    source = number % len(URLS) + 1
    return Claim(
        text=f"Claim {number} of the market.",
        citations=[Citation(source=source, quote=f"quote {number}, see [3]")],
        verdict="supported",
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


CHARTS = {"artifacts/a1": _chart()}
_PARTS = Report(
    title=TITLE,
    notes=["Two sources are old."],
    comparison=Comparison(
        columns=["Kenya", "Tanzania"],
        rows=[ComparisonRow(label="Population", cells=[_claim(100), None])],
    ),
    sections=[
        Section(heading=heading, claims=[_claim(n) for n in range(first, first + 7)])
        for heading, first in (("Market", 0), ("Rivals", 7), ("Customers", 14))
    ],
    claims_total=22,
)
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
REPORT = _PARTS.model_copy(
    update={"markdown": render(_PARTS, _sources(), [], offline=True, artifacts=_MADE)}
)
SCRIPTS = (
    "Ελλάδα Москва עברית العربية 中文 日本語カタカナ 한국어 हिन्दी ไทย አማርኛ 😀👩\u200d🚀 → ₹ 𝒳 é"
)
HOSTILE = f"""# <script>alert(1)</script> & "it"

\x00\x0b\ud800\ufffe \u202edesrever <img src=x onerror=alert(1)> <para> &lt;a href="x"&gt;

[run](javascript:alert(1)) [file](file:///etc/passwd) ![seen](http://t.example/x.gif) [all](artifacts/a2)

[1] [3] \\[1\\] `[1]` [typed](#source_9) [[1]](https://other.example/)

{">" * 40} deep

|{"a|" * 40}
|{"-|" * 40}
|{"b|" * 40}

|a|
|-|
|{"long " * 2000}|

{"w" * 9_000}

###### six

## Sources

1. one <https://one.example/?a=1&b="2">
2. two
"""
