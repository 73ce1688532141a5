"""Plans: their steps, price, and changes between versions."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from contracts.planning.depth import DepthPrice
from contracts.planning.plan import Plan
from contracts.planning.plan_changes import PlanChange
from contracts.runs.state_view import StateView
from contracts.words import say_name
from domain.agents.search_scope import describe_scope
from domain.planning.depth import describe_depths
from domain.planning.plan_changes import describe_change, label_path
from domain.report.subject_text import describe_tool, name_server
from greenlight.terminal.display import prices, widgets

SHORT_CHARS = 80
"""Shorter changes are shown with their values."""


def draw_plan(
    shown: Plan,
    state: StateView,
    *,
    changes: list[PlanChange] | None,
    max_searches: int,
    depths: Sequence[DepthPrice] = (),
) -> RenderableType:
    """Draw a plan with its price, at most `max_searches` searches, and what changed since the one before."""
    rows: list[RenderableType] = ["", Text("The plan: " + shown.title, style="bold")]
    rows += draw_differences(changes)
    if shown.goal:
        rows.append(widgets.indent(Text(shown.goal)))
    scope = describe_scope(len(state.files), state.collections, state.place).text
    details = widgets.draw_facts(
        [
            ("startup", state.startup.name if state.startup else ""),
            ("likely not found", "\n".join(shown.not_held)),
            ("scope", shown.geographical_scope),
            ("searches", "\n".join(widgets.shorten(shown.searches, max_searches))),
            ("in", scope if shown.searches else ""),
            ("focus", " · ".join(shown.focus_areas)),
            ("for each", " · ".join(shown.measures)),
            ("as of", shown.as_of or ""),
            ("sources", f"at most {shown.max_age_days} days old" if shown.max_age_days else ""),
            ("outline", "\n".join(shown.outline)),
            ("requires", "\n".join(shown.requirements)),
            ("assumes", "\n".join(assumed.say("en") for assumed in shown.assumptions)),
            ("tools", "\n".join(_list_tools(shown))),
            ("time", shown.estimated_duration),
            ("price", Text(prices.format_price(shown.estimated_cost, state), style="bold green")),
            ("depth", "\n".join(describe_depths(depths, shown.depth))),
            ("plan", Text(shown.hash[:12], style="dim")),
        ]
    )
    return Group(*rows, widgets.indent(_draw_steps(shown), 1, 1), details)


def _list_tools(shown: Plan) -> Iterator[str]:
    """Yield the servers of a plan with their tools, and what of them is left out."""
    for server in shown.servers:
        yield name_server(server).text
        yield from (f"· {tool.name} {describe_tool(tool, 'en')}" for tool in server.tools)
        yield from (f"· {note.text}" for note in server.notes)


def draw_differences(changes: list[PlanChange] | None) -> list[RenderableType]:
    """Render the changes since the previous plan; empty for None."""
    if changes is None:
        return []
    if not changes:
        return [Text("changed since the plan before: nothing", style="yellow")]
    return [Text("changed since the plan before:", style="yellow"), draw_changes(changes)]


def draw_changes(changes: Iterable[PlanChange]) -> RenderableType:
    """Render each changed field of a plan with its old and new value."""
    rows = [(label_path(c.path), Text("\n".join(describe_change(c)))) for c in changes]
    return widgets.draw_facts(rows)


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
        who = Text(say_name("en", step.agent_role) + "\nindependent" * step.independent)
        times = [Text(step.estimated_duration)] if is_timed else []
        table.add_row(str(number), what, who, *times)
    return table


def format_changes(changes: Iterable[PlanChange]) -> str:
    """Format changes of a plan as one line; long values are left out."""
    told = [(label_path(c.path).lower(), ", ".join(describe_change(c))) for c in changes]
    return "; ".join(f"{name} ({how})" if len(how) <= SHORT_CHARS else name for name, how in told)
