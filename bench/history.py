"""What a run leaves in Temporal's history, and that it grows with the sources, not faster."""

import json
from collections import Counter
from pathlib import Path

import pygal
from rich.table import Table
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from bench.harness import SMALL, Bench, Run

WIDE = (
    "Which of Kenya, Ethiopia, Tanzania, Uganda, Rwanda, Zambia, Malawi, Mozambique and Ghana has the "
    "most irrigated land?"
)
SOURCES = (5, 10, 20, 40)
COLUMNS = (
    *("run", "sources", "activities", "events", "KB", "of records", "KB in blobs"),
    *("KB of log", "kilotokens read"),
)
GROWTH = ("events", "KB", "KB of log", "kilotokens read")
CHART = Path(__file__).parent.parent / "docs" / "growth.svg"


async def measure(bench: Bench) -> Table:
    """Run once with one subject, then with ever more sources of one question."""
    await bench.late(0)
    table = Table(title="Temporal history of a run; larger payloads lie in blobs and count apart")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    table.add_row("small", *told(await row(bench, await bench.run(SMALL))))
    rows = []
    for most in SOURCES:
        research = {"config": {"max_sources": most}}
        run = await bench.run(WIDE, config_overrides={"research": research})
        rows.append(await row(bench, run))
        table.add_row(f"at most {most}", *told(rows[-1]))
    chart(rows)
    return table


def told(figures: list[int]) -> list[str]:
    """Return figures as the table shows them."""
    return [f"{figure:,}" for figure in figures]


def chart(rows: list[list[int]]) -> None:
    """Draw how a run grows with its sources, each measure as a share of its largest."""
    drawn = pygal.XY(
        title="What a run takes, by its sources (largest = 1)",
        x_title="sources read",
        range=(0, 1),
        js=[],
        disable_xml_declaration=True,
    )
    for name in GROWTH:
        column = COLUMNS.index(name) - 1
        most = max(row[column] for row in rows)
        drawn.add(name, [(row[0], row[column] / most) for row in rows])
    CHART.write_text(drawn.render(is_unicode=True) + "\n", encoding="utf-8")


async def row(bench: Bench, run: Run) -> list[int]:
    """Return the figures of a run."""
    state = (await bench.gateway.get(f"/v1/runs/{run.id}/state")).json()
    logged = await events(bench, run)
    handle = bench.temporal.get_workflow_handle(run.id)
    about = (await handle.describe()).raw_description.workflow_execution_info
    history = await handle.fetch_history()
    sizes: Counter[str] = Counter()
    for event in history.events:
        sizes[activity(event)] += event.ByteSize()
    scheduled = sum(bool(activity(event)) for event in history.events)
    return [
        len((await bench.gateway.get(f"/v1/runs/{run.id}/sources")).json()["items"]),
        scheduled,
        about.history_length,
        about.history_size_bytes // 1000,
        sizes["runs.record"] // 1000,
        about.external_payload_size_bytes // 1000,
        sum(len(event) for event in logged) // 1000,
        state["usage"]["input_tokens"] // 1000,
    ]


async def events(bench: Bench, run: Run) -> list[str]:
    """Return a run's events as they are kept: a patch without the report that it makes."""
    found: list[str] = []
    after = 0
    while page := (await bench.gateway.get(path(run), params={"after": after})).json()["items"]:
        for event in page:
            output = event["payload"].get("tool_output", {}).get("raw_output")
            if isinstance(output, dict):
                output.pop("new_report_markdown", None)
            found.append(json.dumps(event))
        after = page[-1]["seq"]
    return found


def path(run: Run) -> str:
    """Return where a run's events are."""
    return f"/v1/runs/{run.id}/events"


def activity(event: HistoryEvent) -> str:
    """Return the activity that an event schedules, if it does."""
    if event.event_type != EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        return ""
    return event.activity_task_scheduled_event_attributes.activity_type.name
