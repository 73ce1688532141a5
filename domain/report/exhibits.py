"""A run's artifacts as Markdown: tables, and links to charts."""

from collections.abc import Sequence

from contracts.agents.workbench import Artifact
from domain.report.escapes import escape_markdown

PLACE = "artifacts"
"""Path of an artifact's link: below the run's address, or beside the saved report."""


def render_artifacts(artifacts: Sequence[Artifact]) -> list[str]:
    """Return the part of a report that shows its artifacts; empty where there are none."""
    shown = [render_artifact(a) for a in artifacts if a.kind in ("table", "chart")]
    return ["## Tables and charts", *shown] if shown else []


def render_artifact(artifact: Artifact) -> str:
    """Return one table or chart under its caption."""
    body = _render_chart(artifact) if artifact.kind == "chart" else _render_table(artifact)
    return f"**{escape_markdown(artifact.name)}**\n\n{body}"


def _render_chart(artifact: Artifact) -> str:
    image = f"![{escape_markdown(artifact.name)}]({PLACE}/{artifact.id})"
    return f"{image}\n\n*{escape_markdown(artifact.note)}*" if artifact.note else image


def _render_table(artifact: Artifact) -> str:
    head, *rows = artifact.preview
    lines = [_render_row(head), "|" + " --- |" * len(head), *map(_render_row, rows)]
    whole = f"[all {artifact.rows} rows]({PLACE}/{artifact.id})"
    more = f"\n\n*The first {len(rows)} rows; {whole}.*" if len(rows) < artifact.rows else ""
    return "\n".join(lines) + more


def _render_row(cells: list[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) or '–' for cell in cells)} |"
