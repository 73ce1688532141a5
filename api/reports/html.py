"""A report as a self-contained HTML page without scripts or outside resources."""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from api.reports.markdown import MARKDOWN
from contracts.report.document import ReportHead
from domain.report.head import render_head

_STYLE = Path(__file__).with_name("report.css").read_text("utf-8")
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; frame-ancestors 'none'; sandbox allow-popups",
}
"""Headers of a report's page, in which nothing can run, load or send anything.

The page itself states the part that a `<meta>` may, for a copy that is opened from a disk.
"""

IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"
}
"""Headers of an artifact; a chart carries its own style."""


def render_page(
    title: str,
    markdown: str,
    charts: Mapping[str, bytes] = MappingProxyType({}),
    head: ReportHead | None = None,
) -> str:
    """Render a whole page; `charts` are SVG by artifact id, and HTML in the Markdown shows as text.

    The head is a `<header>` below the title.
    """
    body = MARKDOWN.render(markdown)
    if head:
        above = f"<header>{MARKDOWN.render(render_head(head))}</header>"
        at = body.find("</h1>") + len("</h1>") if body.startswith("<h1>") else 0
        body = body[:at] + above + body[at:]
    for name, svg in charts.items():
        data_url = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
        body = body.replace(f'src="artifacts/{name}"', f'src="{data_url}"')
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{body}</body></html>"
    )
