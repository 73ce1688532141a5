"""Subprocess that renders one report as JSON from stdin to a file on stdout: `-m api.reports FORMAT`."""

import json
import sys
from collections.abc import Mapping
from typing import cast

from activities.subprocess_sandbox import serve
from api.reports import MAX_MEMORY_BYTES, MAX_SECONDS, Format
from api.reports.blocks import ReportText, Span, parse_blocks, strip_unprintable


def render(format: Format, title: str, markdown: str, charts: Mapping[str, str]) -> bytes:
    """Render a report as a file; charts are SVG by their link target in the Markdown."""
    title = strip_unprintable(title)
    parsed = parse_blocks(markdown, charts) or [ReportText((Span(title or "Report"),), level=1)]
    if format == "pdf":
        from api.reports.pdf import render_pdf  # either library takes a while to load

        return render_pdf(title, parsed, charts)
    from api.reports.word import render_docx

    return render_docx(title, parsed, charts)


if __name__ == "__main__":
    wanted = cast("Format", sys.argv[1])
    serve(lambda report: render(wanted, **json.loads(report)), MAX_SECONDS, MAX_MEMORY_BYTES)
