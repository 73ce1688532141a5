"""Documents that tests build of a few sections, and what they look for in them."""

from typing import Any, TypeVar

from contracts.evidence.claims import Citation, Claim
from contracts.evidence.sources import Source
from contracts.report.document import (
    Document,
    DocumentHeading,
    ItemList,
    Paragraph,
    Sentence,
)
from contracts.report.report import Comparison, ComparisonRow, Report, Search, Section
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.parts.answer import put_answer_first
from tests.support.sources import page

QUOTE = "Irrigated land, Kenya: 1,030 sq km (2012)"
CLAIM = Claim(text="1,030 sq km", citations=[Citation(source=1, quote=QUOTE)], verdict="supported")
SEARCHES = [
    Search(query=f"{land} {what}", hits=3) for what in ("irrigation", "costs") for land in "XY"
]
B = TypeVar("B")


def build(*sections: Section, sources: list[Source] | None = None, **more: Any) -> Document:
    """Return the document of a report over one table and these sections."""
    table = Comparison(
        columns=["Kenya"], rows=[ComparisonRow(label="Irrigated land", cells=[CLAIM])]
    )
    about = {
        "title": "Pumps",
        "comparison": table,
        "sections": list(sections),
        "claims_total": 1,
        "searches": SEARCHES,
    }
    report = put_answer_first(Report.model_validate(about | more), "en")
    read = [page("http://a.test/", title="A")] if sources is None else sources
    return build_document(report, ReportContext(read))


def said(text: str, quote: str = "", **about: Any) -> Claim:
    quoted = [Citation(source=1, quote=quote)] if quote else []
    return Claim.model_validate({"text": text, "citations": quoted, "verdict": "supported"} | about)


def find(document: Document, kind: type[B]) -> list[B]:
    return [block for block in [*document.blocks, *document.appendix] if isinstance(block, kind)]


def list_headings(document: Document) -> list[str]:
    return [heading.text for heading in find(document, DocumentHeading)]


def list_sentences(document: Document) -> list[Sentence]:
    """Return the sentences of paragraphs."""
    return [each for block in find(document, Paragraph) for each in block.sentences]


def list_marks(sentence: Sentence) -> list[tuple[str, int | None]]:
    return [(mark.code, mark.note) for mark in sentence.marks]


def list_grounds(sentence: Sentence) -> tuple[list[str], list[int]]:
    """Return the codes of a sentence's marks, and its notes."""
    return [mark.code for mark in sentence.marks], sentence.notes


def list_under(document: Document, heading: str) -> list[str]:
    """Return the items of the list below a heading."""
    at = next(
        n
        for n, b in enumerate(document.blocks)
        if isinstance(b, DocumentHeading) and b.text == heading
    )
    listed = next(block for block in document.blocks[at:] if isinstance(block, ItemList))
    return [item.text for item in listed.items]


LAND = Section(heading="Land", claims=[said("It is dry.", "dry", id="dry")])
COSTS = Section(heading="Costs", claims=[said("Pumps cost $300.", "$300", id="cost")])
ADVICE = Section(
    heading="Advice",
    claims=[
        said("Pumps pay.", id="pay", rests_on=["dry", "cost"]),
        said("Enter Kenya.", rests_on=["pay", "none"]),
    ],
)
