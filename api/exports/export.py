"""Reports as files: which kinds there are, how large one may be, what it is called."""

import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread

from api.exports.blocks import Span, Table, Text, blocks, clean
from contracts.errors import Conflict
from contracts.research import Report

Format = Literal["pdf", "docx"]
MEDIA_TYPES: dict[Format, str] = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
MAX_CHARS, MAX_PARTS = 500_000, 5_000
"""What is set within seconds: some two hundred pages; a part is a paragraph or a row of a table."""

AT_ONCE = CapacityLimiter(2)
"""Others wait: a large report keeps a core busy for seconds."""


async def export(report: Report, format: Format, charts: Mapping[str, bytes]) -> bytes:
    """Return a report as a file, made beside the event loop.

    Raises:
        Conflict: The report is too large.
    """
    if len(report.markdown) > MAX_CHARS:
        raise _too_large(format, f"{len(report.markdown):,} characters", f"{MAX_CHARS:,}")
    return await to_thread.run_sync(_made, report, format, charts, limiter=AT_ONCE)


def _made(report: Report, format: Format, charts: Mapping[str, bytes]) -> bytes:
    """Load what makes it, only now: a gateway that exports nothing need not wait for it."""
    title = clean(report.title)
    found = blocks(report.markdown, charts) or [Text((Span(title or "Report"),), level=1)]
    parts = sum(len(block.rows) if isinstance(block, Table) else 1 for block in found)
    if parts > MAX_PARTS:
        raise _too_large(format, f"{parts:,} paragraphs and rows", f"{MAX_PARTS:,}")
    if format == "pdf":
        from api.exports.pdf import pdf

        return pdf(title, found, charts)
    from api.exports.word import word

    return word(title, found, charts)


def _too_large(format: Format, has: str, may: str) -> Conflict:
    return Conflict(f"the report has {has}, and a {format} may have {may}; take md or html")


def headers(title: str, format: Format) -> dict[str, str]:
    """Return what a file is served with: it is kept, by the report's name, and never run."""
    name = "-".join(re.findall(r"\w+", title))[:80] or "report"
    return {
        "Content-Disposition": f"attachment; filename=\"report.{format}\"; filename*=UTF-8''"
        f"{quote(f'{name}.{format}')}"
    }
