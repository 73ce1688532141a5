"""A report in the formats that need no other program, from one document: Markdown, JSON, HTML, references, a folder."""

from collections.abc import Mapping
from typing import Literal

from api.reports.html import render_page
from api.reports.references import ReferenceFormat, write_references
from contracts.report.document import Document, ReportHead
from contracts.report.report import Report
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import write_markdown
from domain.sources.bibliography import build_bibliography, list_cited

TextFormat = Literal["md", "html", "json"]


def render_report(
    format: TextFormat,
    report: Report,
    context: ReportContext,
    head: ReportHead | None,
    charts: Mapping[str, bytes],
) -> str:
    """Return a report as text; as JSON it is the report itself, with its document and its Markdown."""
    document = build_document(report, context, head)
    if format != "json":
        return render_document(format, document, charts)
    served = {"document": document, "head": head, "markdown": write_markdown(document)}
    return report.model_copy(update=served).model_dump_json()


def render_document(format: TextFormat, document: Document, charts: Mapping[str, bytes]) -> str:
    """Return a document as text; `charts` are SVG by artifact id."""
    if format == "html":
        return render_page(document, charts)
    return write_markdown(document) if format == "md" else document.model_dump_json()


def render_references(format: ReferenceFormat, report: Report, context: ReportContext) -> str:
    """Return the sources that a report cites for reference managers."""
    document = build_document(report, context)
    return write_references(format, build_bibliography(list_cited(document, context.sources)))
