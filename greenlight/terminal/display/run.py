"""What a run looks like: header, questions, plan, report."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import JsonValue
from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from contracts.base import Json
from contracts.human.approvers import Poll
from contracts.runs.state import Checkpoint, OpenQuestion, StateView
from contracts.terms import Usage

OFFLINE = "offline stand-in, nothing is billed (a real model: set ANTHROPIC_API_KEY)"

STATUS_STYLE = {
    "completed": "green",
    "partial": "yellow",
    "failed": "red",
    "rejected": "red",
    "cancelled": "red",
    "waiting": "magenta",
    "paused": "yellow",
}


def facts(rows: Iterable[tuple[str, RenderableType]]) -> RenderableType:
    """Return labelled rows, aligned; rows without a value are left out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        if value:
            grid.add_row(name, Text(value) if isinstance(value, str) else value)
    return block(grid)


def block(content: RenderableType, above: int = 0, below: int = 0) -> RenderableType:
    """Return something indented, with empty lines around it."""
    return Padding(content, (above, 0, below, 2), expand=False)


def header(state: StateView, search: str, filings: str = "") -> RenderableType:
    """Return who works on what, and where; `filings` only where they are read."""
    title = Text.assemble(("Greenlight", "bold green"), ("  " + state.definition_id, "dim"))
    model = OFFLINE if state.offline else state.model
    read = [("filings", filings)] if filings else []
    rows = [("model", model), ("search", search), *read, ("run", state.run_id)]
    return Group("", title, block(Text(state.query, style="bold"), 1, 1), facts(rows))


def questions_title(checkpoint: Checkpoint) -> RenderableType:
    """Return the line above the questions."""
    count = len(checkpoint.questions)
    plural = "s" if count > 1 else ""
    return Text.assemble(
        "\n",
        (f"{count} question{plural} before the plan", "bold"),
        ("   a number, your own words, or an empty line: you decide", "dim"),
    )


def question(asked: OpenQuestion, place: str) -> RenderableType:
    """Return one question with its reason and numbered choices."""
    rows: list[RenderableType] = [Text(asked.question, style="bold")]
    if asked.context:
        rows.append(Text(asked.context, style="dim italic"))
    rows += [
        Text.assemble((f"{n}  ", "green"), choice) for n, choice in enumerate(asked.choices, 1)
    ]
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text(place, style="dim"), Group(*rows))
    return block(grid, 1)


def questions(checkpoint: Checkpoint) -> RenderableType:
    """Return all questions at once, each under the id it is answered by."""
    return Group(*(question(asked, asked.id) for asked in checkpoint.questions))


def menu(entries: Sequence[tuple[str, str, str]]) -> RenderableType:
    """Return keys with what they do, a line each."""
    keys, names = (max(len(entry[n]) for entry in entries) + 2 for n in (0, 1))
    rows = [
        Text.assemble((f"{key:<{keys}}", "bold green"), f"{name:<{names}}", (hint, "dim"))
        for key, name, hint in entries
    ]
    for row in rows:
        row.no_wrap, row.overflow = True, "ellipsis"
    return block(Group(*rows), 1)


def lines(items: Iterable[Any]) -> RenderableType:
    """Return numbered lines."""
    return block(Group(*(f"[dim]{n}[/]  {escape(str(i))}" for n, i in enumerate(items, 1))))


def subject(checkpoint: Checkpoint) -> RenderableType:
    """Return what is decided on where it is no plan."""
    shown = block(outline(checkpoint.subject))
    return Group("", Text(checkpoint.message, style="bold"), shown, context(checkpoint))


def context(checkpoint: Checkpoint) -> RenderableType:
    """Return the outputs so far, where a checkpoint shows them."""
    if not checkpoint.context:
        return Group()
    return Group("", Text("So far", style="bold"), block(outline(checkpoint.context)))


def outline(value: JsonValue) -> RenderableType:
    """Return JSON as people read it: names beside their values, what is listed as numbered parts."""
    if isinstance(value, dict):
        return facts([(_words(name), outline(part)) for name, part in value.items() if part])
    if not isinstance(value, list):
        return Text("" if value is None else str(value))
    if all(isinstance(part, str | int | float) for part in value):
        return Text(" · ".join(map(str, value)))
    return facts([(str(number), outline(part)) for number, part in enumerate(value, start=1)])


def _words(name: str) -> str:
    return name.replace("_", " ")


def standing(poll: Poll) -> str:
    """Return how a vote stands, in words."""
    said = [
        f"{vote.by} {'approves' if vote.action == 'approve' else 'rejects'}" for vote in poll.votes
    ]
    still = f"{poll.missing} of {poll.needed} approvals missing, asked: {', '.join(_asked(poll))}"
    return "; ".join([*said, still])


def _asked(poll: Poll) -> list[str]:
    return [*poll.asked, *(f"whoever has the role {role}" for role in poll.roles)]


def spent(amount: float, state: StateView) -> str:
    """Return what a run has cost so far, of what it may cost."""
    if state.offline:
        return f"$0.00 (about {usd(amount)} on {state.model})"
    return f"{usd(amount)} of at most {usd(state.cap_usd)}"


def usd(amount: float) -> str:
    """Return dollars with as many digits as say something."""
    return f"${amount:.2f}" if amount == 0 or amount >= 0.01 else f"${amount:.4f}"


def duration(seconds: float) -> str:
    """Return a time span for people."""
    if seconds < 0.05:
        return ""
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"


def runs(rows: Sequence[Json]) -> RenderableType:
    """Return runs as a table, in the order given."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("Status", "Started", "Cost"):
        table.add_column(name, no_wrap=True)
    table.add_column("Run", overflow="fold")
    for row in rows:
        status = str(row["status"])
        table.add_row(
            Text(status, style=STATUS_STYLE.get(status, "")),
            str(row["started_at"] or "")[:16].replace("T", " "),
            _billed(Usage.model_validate(row["usage"]).usd, offline=bool(row["offline"])),
            Text.assemble(str(row["query"]), "\n", (f"{row['run_id']}{_temporary(row)}", "dim")),
        )
    return table


def _temporary(row: Json) -> str:
    return ", temporary" if row.get("temp_workflow") else ""


def _billed(amount: float, *, offline: bool) -> str:
    return f"$0.00\n(about {usd(amount)})" if offline else usd(amount)
