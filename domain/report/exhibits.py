"""What a run made, as Markdown: its tables, and its charts by link."""

from collections.abc import Sequence

from contracts.agents.workbench import Artifact
from domain.report.escapes import escaped

PLACE = "artifacts"
"""Where a report's links find them: below the run's address, or beside the saved report."""


def exhibits(artifacts: Sequence[Artifact]) -> list[str]:
    """Return the part of a report that shows what was made; nothing where nothing was."""
    shown = [exhibit(a) for a in artifacts if a.kind in ("table", "chart")]
    return ["## Tables and charts", *shown] if shown else []


def exhibit(artifact: Artifact) -> str:
    """Return one table or chart under its caption."""
    body = _chart(artifact) if artifact.kind == "chart" else _table(artifact)
    return f"**{escaped(artifact.name)}**\n\n{body}"


def _chart(artifact: Artifact) -> str:
    image = f"![{escaped(artifact.name)}]({PLACE}/{artifact.id})"
    return f"{image}\n\n*{escaped(artifact.note)}*" if artifact.note else image


def _table(artifact: Artifact) -> str:
    head, *rows = artifact.preview
    lines = [_row(head), "|" + " --- |" * len(head), *map(_row, rows)]
    whole = f"[all {artifact.rows} rows]({PLACE}/{artifact.id})"
    more = f"\n\n*The first {len(rows)} rows; {whole}.*" if len(rows) < artifact.rows else ""
    return "\n".join(lines) + more


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(escaped(cell) or '–' for cell in cells)} |"
