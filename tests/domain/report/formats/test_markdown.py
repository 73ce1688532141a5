"""The Markdown of a document: escaped text, numbers of notes, links to the web and to mail alone."""

import re
from typing import Any

import pytest
from lxml.html import fromstring

from api.reports.html import render_page
from contracts.evidence.claims import Citation, Claim
from contracts.notices import Notice
from contracts.report.document import (
    Basis,
    Callout,
    Column,
    Document,
    DocumentHeading,
    DocumentSource,
    Doubt,
    Exhibit,
    ItemList,
    Mark,
    NoteList,
    Paragraph,
    Quote,
    QuoteList,
    Reference,
    Remark,
    Sentence,
    SourceList,
    Table,
    Working,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Search, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import escape_markdown, write_markdown
from tests.support.sources import page
from tests.support.words import en

DOUBTED = Sentence(
    text="It grew.",
    notes=[1, 2],
    marks=[Mark(code="partly", look="doubtful", label="in part", note=3)],
)
CONCLUDED = Sentence(
    text="It is dry.",
    notes=[1],
    marks=[
        Mark(code="judged_assumed", look="judged", label="from", position="before_notes"),
        Mark(code="assumed", look="computed", label="assuming", position="after_notes"),
    ],
)
CITED = Sentence(text="It sells.", notes=[2, 3])
WHOLE = Document(
    title="Pumps *now*",
    opening=[Paragraph(sentences=[Sentence(lead="Question:", text="Where?")])],
    blocks=[
        Callout(title="Old.", lines=["One.", "Two."]),
        Callout(lines=["Mine.", "Yours."]),
        DocumentHeading(text="Land"),
        Paragraph(sentences=[CONCLUDED, DOUBTED]),
        Table(
            caption="All",
            columns=[Column(label="Land"), Column(label="Growth", unit="%", is_figure=True)],
            rows=[[Sentence(text="Kenya"), None]],
            remark="The first row",
            artifact="a1",
        ),
        Exhibit(name="Sales", artifact="a2", remark="By year"),
        Exhibit(name="Lost"),
        ItemList(is_ordered=True, items=[Sentence(text="One."), Sentence(text="Two.")]),
        QuoteList(quotes=[Quote(source=9, text="far")]),
    ],
    appendix=[
        DocumentHeading(level=3, text="Evidence"),
        Remark(text="A remark."),
        NoteList(),
        SourceList(numbers=[2, 1]),
    ],
    notes=[
        Quote(source=1, text="dry", page=3, place="p. 3", address="https://a.test/a.pdf#page=3"),
        Working(label="Computed", expression="1 × 2", quotes=[1]),
        Doubt(code="partly", label="In part", text="of 2019"),
        Basis(label="From", sentences=[DOUBTED, Sentence(text="It fell.")]),
        Basis(label="From", sentences=[Sentence(text="So.", notes=[4, 1, 2]), CITED]),
        Reference(source=2),
    ],
    sources=[
        DocumentSource(
            number=1, title="A", about=["Ann", "2025"], address="https://a.test/", doubts=["old"]
        ),
        DocumentSource(number=2, title="B", address="artifacts/source-2", path="b.md"),
    ],
)
WRITTEN = r"""# Pumps \*now\*

**Question:** Where?

> **Old.**
>
> - One.
> - Two.

> Mine.
>
> Yours.

## Land

It is dry. [from 1, assuming] It grew. [1, 2] *(in part [3])*

**All**

| Land | Growth (%) |
| --- | ---: |
| Kenya | – |

*[The first row](artifacts/a1)*

![Sales](artifacts/a2)

*By year*

**Lost**

1. One.
2. Two.

- “far” — SOURCE

---

# APPENDIX

### Evidence

*A remark.*

1. “dry” — [A](<https://a.test/>), Ann, 2025, [p. 3](<https://a.test/a.pdf#page=3>)
2. Computed: 1 × 2 [1]
3. In part: of 2019
4. From: It grew. [1, 2] *(in part [3])* It fell.
5. From: [1–4]
6. B: b.md

- B: b.md
- A — Ann, 2025: <https://a.test/> *(old)*
""".replace("SOURCE", en("source", n=9)).replace("APPENDIX", en("appendix"))


def test_each_block_has_its_form() -> None:
    assert write_markdown(WHOLE) == WRITTEN


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Set `acks_late`, then `*`.", "Set `acks_late`, then `*`."),
        ("`a_b` is no `", "`a_b` is no \\`"),
        ("A `b | c` and ` `", "A \\`b \\| c\\` and \\` \\`"),
        ("(`x_y`)", "(`x_y`)"),
    ],
)
def test_words_between_backticks_are_code(text: str, written: str) -> None:
    sentence = Sentence(text=text)
    document = Document(title="", blocks=[Paragraph(sentences=[sentence])])
    assert write_markdown(document) == f"{written}\n"


HOSTILE = [
    "![see](http://beacon.test/?q=1) [click](http://evil.test) [ref]: http://evil.test",
    '<img src="http://beacon.test"><script>alert(1)</script><a href="javascript:alert(1)">x</a>',
    "&#91;9&#93; &lt;img src=http://beacon.test&gt; &#x21;&#x5b;a](http://beacon.test)",
    "\\![see](http://beacon.test) \\\\[click](http://evil.test) `</code>` ~~~ | a | b |",
    "# A heading\n\n---\n\n- a list\n\n> a quote\n\n<http://evil.test> http://evil.test [2] [^1]",
]
PLAIN = {
    *("body", "h1", "h2", "h3", "p", "blockquote", "strong", "em", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "code"),
}
"""What a report is made of."""


def everywhere(text: str) -> Document:
    """Return a report with a page's text in every possible place."""
    quote = [Citation(source=1, quote=text)]
    about = {"expression": "1", "working": text, "verdict": "partly", "reason": text}
    claim = Claim.model_validate({"text": text, "citations": quote} | about)
    pages = [
        page(url, title=text, publisher=text, published=text)
        for url in ("http://a.test/", "http://b.test/")
    ]
    table = Comparison(columns=[text], rows=[ComparisonRow(label=text, cells=[claim])])
    sections = [
        Section(heading=text, claims=[claim]),
        Section(heading=text, missing=" ".join(text.split())),
    ]
    report = Report(
        title=text,
        comparison=table,
        sections=sections,
        notes=[text],
        caveats=[text],
        would_change=[text],
        searches=[
            Search(
                query=text,
                hits=0,
                error=Notice.of("search-no-answer", service="Brave Search", error=text),
            )
        ],
        claims_total=1,
    )
    return build_document(report, ReportContext(pages, offline=True))


def shown_of(document: Document) -> Any:
    return fromstring(render_page(document)).find("body")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_pages_text_stays_text_wherever_it_stands(text: str) -> None:
    """The text adds no image, link, tag or citation, and is shown unchanged."""
    document = everywhere(text)
    numbers = re.findall(r"(?<!\\)\[(\d+|\^.*?)(?<!\\)\]", write_markdown(document))
    assert set(numbers) == {"1", "2", "3"}
    shown = shown_of(document)
    assert {node.tag for node in shown.iter()} <= PLAIN
    assert {link.get("href") for link in shown.iter("a")} == {
        *("http://a.test/", "http://b.test/", "#note_1", "#note_2", "#note_3")
    }
    places = shown_of(everywhere("Pumps")).text_content().count("Pumps")
    said, words = (" ".join(t.replace("`", "").split()) for t in (shown.text_content(), text))
    assert said.count(words) == places > 10, "but for backticks, which mark code in sentences"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("- 12.5 % was the change.", "\\- 12.5 % was the change."),
        ("+ 3 million people came.", "\\+ 3 million people came."),
        ("2024. Sales fell.", "2024\\. Sales fell."),
        ("007) was his number.", "007\\) was his number."),
        ("-12.5 % in 2024.", "-12.5 % in 2024."),
        ("2024.5 is no year.", "2024.5 is no year."),
    ],
)
def test_text_that_begins_like_an_item_of_a_list_keeps_its_sign(text: str, written: str) -> None:
    assert escape_markdown(text) == written
