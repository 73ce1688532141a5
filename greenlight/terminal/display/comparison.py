"""Two runs side by side, as people read it."""

from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from greenlight.terminal.display.run import block, facts, usd

LISTS = {
    "request": "What was asked",
    "config": "What was set",
    "plan": "The plan",
    "phases": "How the phases ended",
}
STYLES = {"+": "green", "-": "red", "@": "dim"}


def comparison(found: dict[str, Any]) -> RenderableType:
    """Return what differs between two runs; what is alike is left out."""
    a, b, read = found["a"], found["b"], found["sources"]
    rows = [(name, _both(*(str(side[name]) for side in (a, b)))) for name in ("run_id", "status")]
    rows += [
        ("definition", _both(*(f"{s['definition_id']} {s['definition_version']}" for s in (a, b)))),
        ("cost", _both(*(usd(side["usage"]["usd"]) for side in (a, b)))),
        ("decisions", _both(*(", ".join(d["action"] for d in s["decisions"]) for s in (a, b)))),
        ("sources", f"{len(read['both'])} in both"),
        *((f"only in {side}", "\n".join(read[f"only_{side}"])) for side in ("a", "b")),
    ]
    parts: list[RenderableType] = [facts(rows)]
    parts += [_changes(title, found[name]) for name, title in LISTS.items() if found[name]]
    if found["report"]:
        lines = (Text(line, style=STYLES.get(line[:1], "")) for line in found["report"])
        parts += [Text("\nThe report", style="bold"), block(Group(*lines))]
    return Group(*parts)


def _both(a: str, b: str) -> str:
    return a if a == b else f"{a or 'none'}  →  {b or 'none'}"


def _changes(title: str, changes: list[dict[str, Any]]) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in (title, "a", "b"):
        table.add_column(name, overflow="fold")
    for change in changes:
        table.add_row(*(Text(_value(change[name])) for name in ("path", "a", "b")))
    return Group("", block(table))


def _value(value: Any) -> str:
    return "" if value is None else str(value)
