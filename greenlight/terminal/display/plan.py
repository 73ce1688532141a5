"""Plans: their steps, price, and changes between versions."""

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from contracts.base import Json
from contracts.report.research import SEARCHES, Plan, PlanDraft, PlanStep, join_searches
from contracts.runs.state import StateView
from domain.search_scope import describe_scope
from greenlight.terminal.display import widgets

LABELS = {
    "search_terms": "Searches",
    "geographical_scope": "Scope",
    "expanded_queries": "Queries",
    "focus_areas": "Focus",
    "max_age_days": "Age of sources in days",
}
SHORT_CHARS = 80
"""A changed field is shown with its values before and after if neither is longer."""
_STEP_PATH = re.compile(r"steps\[(\d+)\](?:\.(\w+))?")


def draw_plan(
    shown: Plan, state: StateView, *, before: Plan | None, max_searches: int
) -> RenderableType:
    """Draw a plan with its price, at most `max_searches` searches, and its changes since `before`."""
    rows: list[RenderableType] = ["", Text("The plan: " + shown.title, style="bold")]
    if before is not None:
        rows.append(draw_difference(before, shown) or Text("changed: nothing", style="yellow"))
    if shown.goal:
        rows.append(widgets.indent(Text(shown.goal)))
    scope = describe_scope(len(state.files), state.collections, state.searched)
    details = widgets.draw_facts(
        [
            ("startup", state.startup.name if state.startup else ""),
            ("scope", shown.geographical_scope),
            ("searches", "\n".join(widgets.shorten(shown.searches, max_searches))),
            ("in", scope if shown.searches else ""),
            ("focus", " · ".join(shown.focus_areas)),
            ("sources", f"at most {shown.max_age_days} days old" if shown.max_age_days else ""),
            ("outline", "\n".join(shown.outline)),
            ("requires", "\n".join(shown.requirements)),
            ("assumes", "\n".join(shown.assumptions)),
            ("time", shown.estimated_duration),
            ("price", Text(widgets.format_price(shown.estimated_cost, state), style="bold green")),
            ("plan", Text(shown.hash[:12], style="dim")),
        ]
    )
    return Group(*rows, widgets.indent(_draw_steps(shown), 1, 1), details)


def draw_difference(before: Plan, shown: Plan) -> RenderableType | None:
    """Draw the fields in which a plan differs from the one before, short ones with both values."""
    changed = [n for n in Plan.model_fields if getattr(before, n) != getattr(shown, n)]
    if not changed:
        return None
    names = ", ".join(format_label(name).lower() for name in changed)
    old, new = (
        plan.model_dump(mode="json", include={*PlanDraft.model_fields}) for plan in (before, shown)
    )
    values = [(n, format_value(old[n]), format_value(new[n])) for n in changed if n in old]
    rows = [
        (format_label(name), f"{a or 'none'} → {b or 'none'}")
        for name, a, b in values
        if max(len(a), len(b)) <= SHORT_CHARS
    ]
    title = Text(f"changed: {names}", style="yellow")
    return Group(title, widgets.draw_facts(rows)) if rows else title


def _draw_steps(shown: Plan) -> Table:
    is_timed = any(step.estimated_duration for step in shown.steps)
    time = [Column("Time", justify="right", no_wrap=True)] if is_timed else []
    table = widgets.make_table(
        Column("#", style="dim", justify="right"),
        Column("Step", overflow="fold"),
        Column("By", style="cyan"),
        *time,
    )
    for number, step in enumerate(shown.steps, 1):
        what = Text.assemble(
            step.name, ("\n" + step.description if step.description else "", "dim")
        )
        who = Text(step.agent_role.replace("_", " "))
        times = [Text(step.estimated_duration)] if is_timed else []
        table.add_row(str(number), what, who, *times)
    return table


def draw_changes(shown: Json, changes: Json) -> RenderableType:
    """Draw changed fields of a plan, what stood there and what shall."""
    rows: list[tuple[str, RenderableType]] = []
    if set(SEARCHES) <= changes.keys():
        shown, changes = join_searches(shown), join_searches(changes)
        del changes[SEARCHES[1]]
    for name, value in changes.items():
        before = Text(format_value(shown.get(name)) or "none", style="dim strike")
        rows.append((format_label(name), Group(before, Text(format_value(value) or "none"))))
    return widgets.draw_facts(rows)


def format_label(field: str) -> str:
    """Format the name of a plan's field."""
    return LABELS.get(field, field.replace("_", " ").capitalize())


def format_paths(paths: Iterable[str]) -> str:
    """Format changed paths such as `steps[2].description` as a person reads them, counted from 1."""
    return ", ".join(dict.fromkeys(map(_format_path, paths)))


def _format_path(path: str) -> str:
    if (place := _STEP_PATH.fullmatch(path)) is None:
        return format_label(path).lower()
    step = f"step {int(place[1]) + 1}"
    return f"{step}: {format_label(place[2]).lower()}" if place[2] else step


def format_value(value: Any) -> str:
    """Format the value of a plan's field as one line; of a step with all that it says."""
    if isinstance(value, list):
        return "; ".join(format_value(item) for item in value)
    if not isinstance(value, dict):
        return str(value or "")
    step = PlanStep.model_validate(value)
    about = ", ".join(filter(None, [step.agent_role, step.estimated_duration]))
    return f"{step.name} ({about}){step.description and f': {step.description}'}"
