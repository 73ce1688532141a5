"""A process that sets one report and may die of it: `-m api.reports FORMAT`."""

import json
import sys
from collections.abc import Mapping
from typing import cast

from activities.subprocess_sandbox import serve
from api.reports.blocks import Span, Text, blocks, clean
from api.reports.formats import MAX_MEMORY_BYTES, MAX_SECONDS, Format


def typeset(format: Format, title: str, markdown: str, charts: Mapping[str, str]) -> bytes:
    """Return a report as a file; charts are SVG, by their places in the Markdown."""
    title = clean(title)
    found = blocks(markdown, charts) or [Text((Span(title or "Report"),), level=1)]
    if format == "pdf":
        from api.reports.pdf import pdf  # either takes a while to load

        return pdf(title, found, charts)
    from api.reports.word import word

    return word(title, found, charts)


if __name__ == "__main__":
    wanted = cast("Format", sys.argv[1])
    serve(lambda report: typeset(wanted, **json.loads(report)), MAX_SECONDS, MAX_MEMORY_BYTES)
