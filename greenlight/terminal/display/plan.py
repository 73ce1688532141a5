"""What a plan looks like, and how two of them differ."""

from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contracts.report.research import CostEstimate, Plan
from contracts.runs.state import StateView
from greenlight.terminal.display import run as show

LABELS = {
    "search_terms": "Search terms",
    "geographical_scope": "Scope",
    "expanded_queries": "Queries",
    "focus_areas": "Focus",
}


def draw(
    shown: Plan, state: StateView, *, before: Plan | None, searches_shown: int | None
) -> RenderableType:
    """Return a plan with its price, as a person approves it; the searches may be cut short."""
    rows: list[RenderableType] = ["", Text("The plan: " + shown.title, style="bold")]
    if before is not None:
        rows.append(Text(f"changed: {changes(before, shown)}", style="yellow"))
    if shown.goal:
        rows.append(show.block(Text(shown.goal)))
    price_line = price(shown.estimated_cost, state)
    details = show.facts(
        [
            ("scope", shown.geographical_scope),
            ("searches", _shortened(searches(shown), searches_shown)),
            ("focus", " · ".join(shown.focus_areas)),
            ("outline", "\n".join(shown.outline)),
            ("requires", "\n".join(shown.requirements)),
            ("assumes", "\n".join(shown.assumptions)),
            ("time", shown.estimated_duration),
            ("price", Text(price_line, style="bold green")),
            ("plan", Text(shown.hash[:12], style="dim")),
        ]
    )
    return Group(*rows, show.block(_steps(shown), 1, 1), details)


def searches(shown: Plan) -> list[str]:
    """Return all that a plan would search for."""
    return [*shown.search_terms, *shown.expanded_queries]


def _shortened(items: list[str], count: int | None) -> str:
    kept = items[:count]
    if len(kept) < len(items):
        kept.append(f"… and {len(items) - len(kept)} more")
    return "\n".join(kept)


def _steps(shown: Plan) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("#", style="dim", justify="right")
    table.add_column("Step", overflow="fold")
    table.add_column("By", style="cyan")
    table.add_column("Time", justify="right", no_wrap=True)
    for number, step in enumerate(shown.steps, 1):
        what = Text.assemble(
            step.name, ("\n" + step.description if step.description else "", "dim")
        )
        who = Text(step.agent_role.replace("_", " "))
        table.add_row(str(number), what, who, Text(step.estimated_duration))
    return table


def changes(before: Plan, after: Plan) -> str:
    """Name the fields in which two plans differ."""
    differ = [n for n in Plan.model_fields if getattr(before, n) != getattr(after, n)]
    return ", ".join(label(name).lower() for name in differ) or "nothing"


def price(cost: CostEstimate, state: StateView) -> str:
    """Return what a plan costs: expected, and at the very most."""
    amounts = f"about {show.usd(cost.expected_usd)}, at most {show.usd(cost.top_usd)}"
    return f"$0.00  ({amounts} on {state.model})" if state.offline else amounts


def label(field: str) -> str:
    """Return a plan field's name for people."""
    return LABELS.get(field, field.replace("_", " ").capitalize())


def brief(value: Any) -> str:
    """Return a plan field's value in a line."""
    if isinstance(value, list):
        return "; ".join(brief(item) for item in value)
    return str(value["name"] if isinstance(value, dict) else value or "")
