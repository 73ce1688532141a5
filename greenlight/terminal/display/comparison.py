"""Comparison of two runs."""

from collections.abc import Callable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column
from rich.text import Text

from contracts.words.dollars import format_usd
from greenlight.terminal.display.widgets import draw_facts, indent, make_table

LISTS = {
    "request": "Request",
    "config": "Configuration",
    "plan": "The plan",
    "phases": "How the phases ended",
}
STYLES = {"+": "green", "-": "red", "@": "dim"}


def draw_comparison(comparison: dict[str, Any]) -> RenderableType:
    """Draw the differences of two runs."""
    a, b, sources = comparison["a"], comparison["b"], comparison["sources"]

    def pair(format_side: Callable[[dict[str, Any]], str]) -> str:
        before, after = format_side(a), format_side(b)
        return before if before == after else f"{before or 'none'}  →  {after or 'none'}"

    rows = [
        ("run_id", pair(lambda side: str(side["run_id"]))),
        ("status", pair(lambda side: str(side["status"]))),
        ("way to research", pair(lambda s: f"{s['definition_id']} {s['definition_version']}")),
        ("cost", pair(lambda side: format_usd(side["usage"]["usd"]))),
        ("decisions", pair(lambda side: ", ".join(d["action"] for d in side["decisions"]))),
        ("sources", f"{len(sources['both'])} in both"),
        *((f"only in {side}", "\n".join(sources[f"only_{side}"])) for side in ("a", "b")),
    ]
    parts: list[RenderableType] = [draw_facts(rows)]
    for name, title in LISTS.items():
        if not comparison[name]:
            continue
        table = make_table(*(Column(name, overflow="fold") for name in (title, "a", "b")))
        for change in comparison[name]:
            values = (change["path"], change["a"], change["b"])
            table.add_row(*(Text("" if value is None else str(value)) for value in values))
        parts += ["", indent(table), *_say_cut(comparison, name)]
    if comparison["report"]:
        lines = (Text(line, style=STYLES.get(line[:1], "")) for line in comparison["report"])
        parts += [Text("\nThe report", style="bold"), indent(Group(*lines))]
        parts += _say_cut(comparison, "report")
    return Group(*parts)


def _say_cut(comparison: dict[str, Any], part: str) -> list[RenderableType]:
    """Return the line that says how much of a part is not listed."""
    count = comparison["cut"].get(part)
    unit = "lines" if part == "report" else "differences"
    return [indent(Text(f"… and {count:,} more {unit}"))] if count else []
