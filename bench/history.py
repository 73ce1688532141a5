"""Size of a run in Temporal's history, and that it grows linearly with the sources."""

import json
from collections import Counter
from pathlib import Path

import pygal
from rich.table import Table
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from bench.harness import SMALL_QUESTION, BenchClient, BenchRun, make_table

WIDE_QUESTION = (
    "Which of Kenya, Ethiopia, Tanzania, Uganda, Rwanda, Zambia, Malawi, Mozambique and Ghana has the "
    "most irrigated land?"
)
SOURCES = (5, 10, 20, 40)
FIGURES = (
    *("sources", "activities", "events", "KB", "of records", "KB in blobs"),
    *("KB of log", "kilotokens read"),
)
CHARTED = ("events", "KB", "KB of log", "kilotokens read")
CHART = Path(__file__).parent.parent / "docs" / "growth.svg"


async def measure(bench: BenchClient) -> Table:
    """Run once with one subject, then one question with ever more sources; redraw the chart."""
    await bench.set_latency(0)
    title = "Temporal history of a run; larger payloads lie in blobs and count apart"
    table = make_table(title, "run", *FIGURES)
    rows = [await _measure_run(bench, await bench.run(SMALL_QUESTION))]
    for most in SOURCES:
        overrides = {"research": {"config": {"max_sources": most}}}
        run = await bench.run(WIDE_QUESTION, config_overrides=overrides)
        rows.append(await _measure_run(bench, run))
    for name, row in zip(("small", *(f"at most {most}" for most in SOURCES)), rows, strict=True):
        table.add_row(name, *(f"{figure:,}" for figure in row))
    _draw_chart(rows[1:])
    return table


def _draw_chart(rows: list[list[int]]) -> None:
    """Draw how a run grows with its sources, each figure as a share of its largest."""
    chart = pygal.XY(
        title="What a run takes, by its sources (largest = 1)",
        x_title="sources read",
        range=(0, 1),
        js=[],
        disable_xml_declaration=True,
    )
    for name in CHARTED:
        column = FIGURES.index(name)
        most = max(row[column] for row in rows)
        chart.add(name, [(row[0], row[column] / most) for row in rows])
    CHART.write_text(chart.render(is_unicode=True) + "\n", encoding="utf-8")


async def _measure_run(bench: BenchClient, run: BenchRun) -> list[int]:
    """Return a run's `FIGURES`."""
    state = (await bench.gateway.get(f"/v1/runs/{run.id}/state")).json()
    logged = await _list_events(bench, run)
    handle = bench.temporal.get_workflow_handle(run.id)
    execution = (await handle.describe()).raw_description.workflow_execution_info
    history = await handle.fetch_history()
    sizes: Counter[str] = Counter()
    for event in history.events:
        sizes[_activity_name(event)] += event.ByteSize()
    scheduled = sum(bool(_activity_name(event)) for event in history.events)
    return [
        len((await bench.gateway.get(f"/v1/runs/{run.id}/sources")).json()["items"]),
        scheduled,
        execution.history_length,
        execution.history_size_bytes // 1000,
        sizes["runs.record"] // 1000,
        execution.external_payload_size_bytes // 1000,
        sum(len(event) for event in logged) // 1000,
        state["usage"]["input_tokens"] // 1000,
    ]


async def _list_events(bench: BenchClient, run: BenchRun) -> list[str]:
    """Return a run's events as JSON as stored: a patch without the report that it produces."""
    events: list[str] = []
    path, after = f"/v1/runs/{run.id}/events", 0
    while page := (await bench.gateway.get(path, params={"after": after})).json()["items"]:
        for event in page:
            output = event["payload"].get("tool_output", {}).get("raw_output")
            if isinstance(output, dict):
                output.pop("new_report_markdown", None)
            events.append(json.dumps(event))
        after = page[-1]["seq"]
    return events


def _activity_name(event: HistoryEvent) -> str:
    """Return the name of the activity that an event schedules, or an empty string."""
    if event.event_type != EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        return ""
    return event.activity_task_scheduled_event_attributes.activity_type.name
