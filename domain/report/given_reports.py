"""Reports given at start: their Markdown is rendered again, so that no foreign Markdown is served."""

import re
from typing import Any

from pydantic import TypeAdapter

from contracts.evidence.sources import Source
from contracts.report.report import Report, Section
from contracts.words import Language
from domain.report.context import ReportContext
from domain.report.formats.markdown import render

_SOURCES = TypeAdapter(list[Source])
_HEADING = re.compile(r"#{1,6}\s+(.*)")


def clean_output(output: Any, language: Language) -> Any:
    """Return a phase's output from outside; of a report in Markdown alone, the lines become its sections."""
    if not isinstance(output.get("report"), dict):
        return output
    report = Report.read_record(output["report"])
    sections = report.sections or _read_sections(report)
    report = report.model_copy(
        update={
            "sections": sections,
            "searches": report.searches or [],
            "document": None,
            "head": None,
        }
    )
    sources = _SOURCES.validate_python(output.get("sources") or [])
    markdown = render(report, ReportContext(sources, language=language))
    report = report.model_copy(update={"markdown": markdown})
    return {**output, "report": report.model_dump(mode="json")}


def _read_sections(report: Report) -> list[Section]:
    """Return a Markdown text's lines under their headings, as unchecked accounts."""
    found: dict[str, list[str]] = {}
    heading = report.title
    for line in report.markdown.splitlines():
        if named := _HEADING.fullmatch(line):
            heading = named[1].strip() or heading
        elif line.strip():
            found.setdefault(heading, []).append(line.strip())
    return [Section(heading=name, account="\n".join(lines)) for name, lines in found.items()]
