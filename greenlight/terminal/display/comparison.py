"""Comparison of two runs."""

from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from greenlight.terminal.display.widgets import draw_facts, format_usd, indent

LISTS = {
    "request": "What was asked",
    "config": "What was set",
    "plan": "The plan",
    "phases": "How the phases ended",
}
STYLES = {"+": "green", "-": "red", "@": "dim"}


def draw_comparison(comparison: dict[str, Any]) -> RenderableType:
    """Draw the differences of two runs."""
    a, b, sources = comparison["a"], comparison["b"], comparison["sources"]
    rows = [
        (name, _format_pair(*(str(side[name]) for side in (a, b)))) for name in ("run_id", "status")
    ]
    rows += [
        (
            "definition",
            _format_pair(*(f"{s['definition_id']} {s['definition_version']}" for s in (a, b))),
        ),
        ("cost", _format_pair(*(format_usd(side["usage"]["usd"]) for side in (a, b)))),
        (
            "decisions",
            _format_pair(*(", ".join(d["action"] for d in s["decisions"]) for s in (a, b))),
        ),
        ("sources", f"{len(sources['both'])} in both"),
        *((f"only in {side}", "\n".join(sources[f"only_{side}"])) for side in ("a", "b")),
    ]
    parts: list[RenderableType] = [draw_facts(rows)]
    parts += [
        _draw_changes(title, comparison[name]) for name, title in LISTS.items() if comparison[name]
    ]
    if comparison["report"]:
        lines = (Text(line, style=STYLES.get(line[:1], "")) for line in comparison["report"])
        parts += [Text("\nThe report", style="bold"), indent(Group(*lines))]
    return Group(*parts)


def _format_pair(a: str, b: str) -> str:
    return a if a == b else f"{a or 'none'}  →  {b or 'none'}"


def _draw_changes(title: str, changes: list[dict[str, Any]]) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in (title, "a", "b"):
        table.add_column(name, overflow="fold")
    for change in changes:
        table.add_row(*(Text(_format_value(change[name])) for name in ("path", "a", "b")))
    return Group("", indent(table))


def _format_value(value: Any) -> str:
    return "" if value is None else str(value)
