"""The head of a report as Markdown: what is missing, the question, the short answer, and what it took."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from contracts.notices import Lack, Notice
from contracts.report.document import ReportHead
from contracts.report.research import Report
from contracts.runs.state import ENDED
from contracts.terms import format_usd
from domain.report.answer import IN_SHORT
from domain.report.inline import escape_markdown
from domain.report.links import disarm_markdown


def list_report_notices(status: str, notices: Sequence[Notice], lack: Lack | None) -> list[Notice]:
    """Return the notices that stand above a run's report, or above what there is in place of one.

    What a validation found stands in the notes of the report itself.
    """
    told = [notice for notice in notices if notice.code != "report-insufficient"]
    draft = Notice(code="run-unfinished", params={"status": status})
    return [
        *([] if status in ENDED else [draft]),
        *told,
        *([Notice(code=lack)] if lack else []),
    ]


def add_head(report: Report, head: ReportHead | None) -> Report:
    """Return a report as it is served: its Markdown has the head below its title."""
    markdown = report.markdown if head is None else insert_head(report.markdown, head)
    return report.model_copy(update={"markdown": markdown, "head": head})


def remove_head(report: Report) -> Report:
    """Return a report without the head that it was served with."""
    if report.head is None:
        return report
    markdown = report.markdown.replace(f"{render_head(report.head)}\n\n", "", 1)
    return report.model_copy(update={"markdown": markdown, "head": None})


def clean_output(value: Any) -> Any:
    """Return a phase's output from outside: its reports without a head, their Markdown disarmed."""
    if isinstance(value, list):
        return [clean_output(item) for item in value]
    if not isinstance(value, dict):
        return value
    if {"title", "sections", "markdown"} <= value.keys():
        report = remove_head(Report.model_validate(value))
        markdown = disarm_markdown(report.markdown)
        return report.model_copy(update={"markdown": markdown}).model_dump(mode="json")
    return {name: clean_output(part) for name, part in value.items()}


def insert_head(markdown: str, head: ReportHead) -> str:
    """Return a report's Markdown with the head below its title, or at its beginning if it has none."""
    first, _, rest = markdown.partition("\n")
    title, body = (first, rest.lstrip("\n")) if first.startswith("# ") else ("", markdown)
    return "\n\n".join(filter(None, (title, render_head(head), body)))


def render_head(head: ReportHead) -> str:
    """Return a head as Markdown; all words in it are escaped."""
    return "\n\n".join(_render_parts(head))


def _render_parts(head: ReportHead) -> Iterator[str]:
    first, *more = [escape_markdown(notice.text) for notice in head.notices] or [""]
    if first:
        items = "\n".join(f"> - {text}" for text in more)
        yield f"> **{first}**" + (f"\n>\n{items}" if items else "")
    yield f"**Question:** {escape_markdown(head.question)}"
    if head.answer:
        yield f"**{IN_SHORT}:** {escape_markdown(head.answer)}"
    yield f"*{escape_markdown(describe_facts(head))}*"


def describe_facts(head: ReportHead) -> str:
    """Return the day, the price, the model and how many sources were read, in one line."""
    price = "free" if head.offline else format_usd(head.usd)
    model = "offline stand-in, no model" if head.offline else head.model
    read = "1 source read" if head.sources_read == 1 else f"{head.sources_read} sources read"
    return " · ".join([head.date[:10], price, model, read])


def find_summary(outputs: Iterable[object]) -> str:
    """Return the text of the last output that sums up; empty where none does."""
    found = [output.get("summary") for output in outputs if isinstance(output, dict)]
    texts = [summary.get("text") for summary in found if isinstance(summary, dict)]
    return next((text for text in reversed(texts) if isinstance(text, str)), "")
