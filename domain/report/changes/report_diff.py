"""Compares two reports by their sentences."""

from collections.abc import Iterator
from typing import NamedTuple

from contracts.report import document as doc
from contracts.report.report import Report
from domain.report.changes.line_diff import diff_lines, pair_changed_lines
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.parts.tables import name_column

MAX_LINES = 2_000


class ReportDiff(NamedTuple):
    """The first lines of a unified diff, and how many more it has."""

    lines: list[str]
    left_out: int


def diff_reports(
    a: tuple[Report, ReportContext] | None,
    b: tuple[Report, ReportContext] | None,
    name_a: str,
    name_b: str,
) -> ReportDiff:
    """Return a unified diff of two reports' sentences, cut at `MAX_LINES`; no line if they are equal."""
    before, after = (
        [] if each is None else list(list_lines(build_document(*each))) for each in (a, b)
    )
    lines = [*diff_lines(before, after, name_a, name_b)]
    return ReportDiff(lines[:MAX_LINES], len(lines[MAX_LINES:]))


def compare_documents(before: doc.Document, after: doc.Document) -> Iterator[tuple[str, str]]:
    """Yield each sentence or row that two documents do not share, as it was and is."""
    texts = ([*_list_own_lines(each)] for each in (before, after))
    return pair_changed_lines(*texts)


def _list_own_lines(document: doc.Document) -> Iterator[str]:
    """Yield the sentences, rows and remarks of a document's text."""
    for block in document.blocks:
        if isinstance(block, doc.Remark | doc.Callout | doc.Paragraph | doc.ItemList | doc.Table):
            yield from (" ".join(line.split()) for line in _list_texts(block))


def list_lines(document: doc.Document) -> Iterator[str]:
    """Yield a document's lines, one per sentence, without notes, whose numbers shift."""
    yield f"# {document.title}"
    for block in document.blocks:
        for line in _list_texts(block):
            yield " ".join(line.split())
    for source in document.sources:
        yield source.path or source.address


def _list_texts(block: doc.Block) -> Iterator[str]:
    match block:
        case doc.DocumentHeading():
            yield f"{'#' * block.level} {block.text}"
        case doc.Remark(text=text) | doc.Exhibit(name=text):
            yield text
        case doc.Callout():
            yield from [block.title, *block.lines] if block.title else block.lines
        case doc.Paragraph(sentences=sentences) | doc.ItemList(items=sentences):
            for sentence in sentences:
                yield " ".join([sentence.text, *(f"({mark.label})" for mark in sentence.marks)])
        case doc.QuoteList():
            yield from (quote.text for quote in block.quotes)
        case doc.Table():
            yield " | ".join(map(name_column, block.columns))
            yield from (
                " | ".join(cell.text if cell else "–" for cell in row) for row in block.rows
            )
        case _:
            pass  # notes are renumbered, and all sources are listed at the end
