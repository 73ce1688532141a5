"""Tables of runs, sources, definitions, phases and startups."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Column
from rich.text import Text

from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.schedules import WEEKDAYS
from contracts.words.dollars import format_usd
from greenlight.terminal.display.widgets import STATUS_STYLE, ShortText, indent, make_table

Row = dict[str, Any]
MIN_TABLE_WIDTH = 100
"""Columns below which a table of runs would break their ids."""
QUERY_LINES = 2
MAX_VALUE = 60
"""Longer field values, such as instructions, are abbreviated."""


@dataclass(frozen=True)
class RunList:
    """Runs, in order: a table where ids have room in it, else each below the other, to be copied whole."""

    rows: Sequence[Row]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < MIN_TABLE_WIDTH:
            yield Group(*map(_draw_run, self.rows))
            return
        short = (Column(name, no_wrap=True) for name in ("Status", "Started", "Cost"))
        table = make_table(*short, Column("Run", overflow="fold"))
        for row in self.rows:
            cost = _format_cost(row).replace(" (", "\n(")
            table.add_row(_draw_status(row), _format_time(row["started_at"]), cost, _name_run(row))
        yield table


def _draw_run(row: Row) -> RenderableType:
    """Draw a run over several lines."""
    about = f"  {_format_time(row['started_at'])}  {_format_cost(row)}"
    return Group(_draw_status(row).append(about), indent(_name_run(row)))


def _draw_status(row: Row) -> Text:
    status = str(row["status"])
    return Text.assemble((status, STATUS_STYLE.get(status, "")))


def _name_run(row: Row) -> RenderableType:
    """Return a run's question above its id."""
    temporary = ", temporary" if row.get("temp_workflow") else ""
    id = Text(f"{row['run_id']}{temporary}", style="dim")
    return Group(ShortText(row["query"], QUERY_LINES), id)


def _format_cost(row: Row) -> str:
    usd = format_usd(Usage.model_validate(row["usage"]).usd)
    return f"$0.00 (about {usd})" if row["offline"] else usd


def draw_sources(rows: Sequence[Row]) -> RenderableType:
    """Draw a table of sources, by number."""
    table = make_table(
        Column("#", justify="right"), Column("Source", overflow="fold"), Column("Date")
    )
    for number, row in enumerate(rows, 1):
        about = [
            row["publisher"],
            row["url"],
            *(Notice.model_validate(each).text for each in row["notes"] or []),
        ]
        table.add_row(
            str(number), _title(row["title"] or row["url"], *about), row["published"] or ""
        )
    return table


def draw_definitions(rows: Sequence[Row]) -> RenderableType:
    """Draw a table of definitions with their phases."""
    table = make_table(Column("Way to research", no_wrap=True), Column("Does", overflow="fold"))
    for row in rows:
        phases = ", ".join(phase["id"] for phase in row["phases"])
        table.add_row(str(row["id"]), _title(row["title"], row["description"], phases))
    return table


def draw_phases(rows: Sequence[Row]) -> RenderableType:
    """Draw a table of a definition's phases and the fields of their configs."""
    table = make_table(
        Column("Phase", no_wrap=True), Column("Kind"), Column("--set", overflow="fold")
    )
    for row in rows:
        config = {"enabled": row["enabled"], "timeout_seconds": row["timeout_seconds"]}
        fields = [
            f"{name}={_format_value(value)}" for name, value in (config | row["config"]).items()
        ]
        table.add_row(str(row["id"]), str(row["kind"]), Text("  ".join(fields), style="dim"))
    return table


def draw_spend(rows: Sequence[Row]) -> RenderableType:
    """Render a table of spend with its sum, in which offline calls are not billed."""
    words = [Column(name, overflow="fold") for name in ("Day", "Way to research", "Model")]
    numbers = [Column(name, justify="right") for name in ("Runs", "Calls", "Tokens", "USD")]
    table = make_table(*words, *numbers)
    for row in rows:
        tokens = f"{row['input_tokens'] + row['output_tokens']:,}"
        model = row["model"]
        if row["offline"]:
            model += f" (offline: not billed ${row['usd']:.4f})"
        table.add_row(
            row["day"],
            row["definition_id"] or "(tests of a provider)",
            model,
            str(row["runs"]),
            str(row["calls"]),
            tokens,
            f"{_billed(row):.4f}",
        )
    table.add_row("all", "", "", "", "", "", f"{sum(map(_billed, rows)):.4f}")
    return table


def _billed(row: Row) -> float:
    """Return a row's billed dollars."""
    return 0.0 if row["offline"] else float(row["usd"])


def draw_budgets(rows: Sequence[Row]) -> RenderableType:
    """Render budgets with the spend against each limit, what is left, and when a used-up budget opens."""
    words = [Column(name, overflow="fold") for name in ("Budget of", "Today (UTC)", "This month")]
    table = make_table(*words, Column("Left", justify="right"), Column("Opens"))
    for row in rows:
        whose = "all users" if row["kind"] == "tenant" else f"{row['kind']} {row['holder']}"
        parts = [(row[f"{period}_spent_usd"], row[f"{period}_usd"]) for period in ("day", "month")]
        spent = (
            f"{format_usd(of)} of {format_usd(most)}" if most is not None else "no limit"
            for of, most in parts
        )
        table.add_row(whose, *spent, format_usd(row["left_usd"]), row["opens_on"] or "")
    return table


def draw_startups(rows: Sequence[Row]) -> RenderableType:
    """Draw a table of startups."""
    table = make_table(Column("Startup", overflow="fold"), Column("Used", no_wrap=True))
    for row in rows:
        about = [row["description"], row["geographical_scope"], row["id"]]
        table.add_row(_title(row["name"], *about), _format_time(row["last_accessed"]))
    return table


def _title(title: str, *about: str) -> Text:
    """Return a title above what else there is to say."""
    return Text.assemble(title, ("".join(f"\n{line}" for line in about if line), "dim"))


def _format_time(at: str | None) -> str:
    return (at or "")[:16].replace("T", " ")


def _format_value(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else "…"


def draw_collections(rows: Sequence[Row]) -> RenderableType:
    """Draw collections with how far each is read."""
    table = make_table(
        Column("Collection", overflow="fold"),
        *(Column(name, justify="right", no_wrap=True) for name in ("Documents", "Read", "Size")),
    )
    for row in rows:
        failed = f", {row['failed']} failed" if row["failed"] else ""
        again = f", {row['outdated']} read again" if row["outdated"] else ""
        lost = ", not all compared" if row["unlisted"] else ""
        read = f"{row['indexed']} of {row['documents']}{failed}{again}{lost}"
        size = f"{row['bytes'] / 1e6:.1f} MB"
        table.add_row(row["name"], str(row["documents"]), read, size)
    return table


def draw_channels(rows: Sequence[Row]) -> RenderableType:
    """Draw channels with where they lead to, and whether they are used."""
    heads = ("Channel", "Kind", "Leads to", "Name", "State", "Waiting")
    table = make_table(*(Column(name, overflow="fold") for name in heads))
    for row in rows:
        state = "on" if row["enabled"] else "off"
        state = "disabled by its receiver" if row["disabled"] else state
        target = Text(row["shown_target"])
        table.add_row(row["id"], row["kind"], target, Text(row["name"]), state, str(row["queued"]))
    return table


def draw_deliveries(rows: Sequence[Row]) -> RenderableType:
    """Draw a channel's log, with why an alert was not taken."""
    heads = ("At", "Alert", "About", "Run", "Status", "Attempts")
    table = make_table(*(Column(name, overflow="fold") for name in heads))
    for row in rows:
        failure = row["failure"] and Notice.model_validate(row["failure"]).text
        is_open = row["status"] in {"queued", "failed"} and failure
        status = Text(f"{row['status']}: {failure}" if is_open else row["status"])
        about = (row["at"][:16].replace("T", " "), row["id"], row["type"], row["run_id"] or "")
        table.add_row(*about, status, str(row["attempts"]))
    return table


def draw_schedules(rows: Sequence[Row]) -> RenderableType:
    """Render schedules with their times and what they repeat."""
    heads = ("Schedule", "At", "Days", "Repeats", "Question")
    table = make_table(*(Column(name, overflow="fold") for name in heads))
    for row in rows:
        at = f"{row['time']} {row['time_zone']}"
        days = "every day" if len(row["weekdays"]) == len(WEEKDAYS) else ", ".join(row["weekdays"])
        table.add_row(row["id"], at, days, row["from_run"], Text(row["name"] or row["query"]))
    return table


def draw_documents(rows: Sequence[Row]) -> RenderableType:
    """Draw the documents of a collection, with why one cannot be read."""
    table = make_table(
        Column("Document", overflow="fold"),
        Column("Status", overflow="fold"),
        *(Column(name, justify="right", no_wrap=True) for name in ("Pages", "Size")),
    )
    for row in rows:
        about = Text(f"{row['status']}: {row['error']}" if row["error"] else row["status"])
        size = f"{row['bytes'] / 1e6:.1f} MB"
        table.add_row(_title(row["name"], row["title"]), about, str(row["pages"] or ""), size)
    return table
