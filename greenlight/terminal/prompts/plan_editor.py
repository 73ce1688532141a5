"""Changing a plan by hand, field by field."""

from collections.abc import Callable
from typing import Any

from rich.console import Console

from contracts.base import Json
from contracts.report.research import PlanDraft
from greenlight.terminal.display import plan
from greenlight.terminal.display import run as show

Read = Callable[[str], str]


def fields(shown: Json, console: Console, read: Read) -> Json:
    """Let a person change fields until an empty line; return the changed ones, whole."""
    names = list(PlanDraft.model_fields)
    changes: Json = {}
    console.print(
        show.menu(
            [(str(n), plan.label(f), plan.brief(shown.get(f))) for n, f in enumerate(names, 1)]
        )
    )
    while typed := read("  Which field? (Enter: done) › "):
        if not typed.isdigit() or not 1 <= int(typed) <= len(names):
            console.print(f"  [yellow]Type a number from 1 to {len(names)}.[/]")
            continue
        name = names[int(typed) - 1]
        value = _changed(name, {**shown, **changes}.get(name), console, read)
        if value is not None:
            changes[name] = value
            console.print(f"  [green]✓[/] {plan.label(name)}")
    return changes


def _changed(name: str, now: Any, console: Console, read: Read) -> Any:
    if name == "steps":
        return _steps(now, console, read)
    if isinstance(now, list):
        console.print(show.lines(now))
        typed = read("  New list, separated by ; (Enter: keep) › ")
        return [item.strip() for item in typed.split(";") if item.strip()] or None
    console.print(show.lines([now]))
    return read("  New text (Enter: keep) › ") or None


def _steps(now: list[Json], console: Console, read: Read) -> list[Json] | None:
    console.print(show.lines([step["name"] for step in now]))
    typed = read("  Steps to keep, in their new order, e.g. 2 1 (Enter: keep) › ").split()
    numbers = [int(n) for n in typed if n.isdigit() and 1 <= int(n) <= len(now)]
    return [now[n - 1] for n in dict.fromkeys(numbers)] or None
