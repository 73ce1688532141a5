"""Size of a run in Temporal's history, and that it grows linearly with the sources."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

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
CHARTED = ("events", "KB", "KB of log", "kilotokens read")
CHART = Path(__file__).parent.parent / "docs" / "growth.svg"


async def measure(bench: BenchClient) -> Table:
    """Run once with one subject, then one question with ever more sources; redraw the chart."""
    await bench.set_latency(0)
    rows = {"small": await _measure_run(bench, await bench.run(SMALL_QUESTION))}
    for most in SOURCES:
        overrides = {"research": {"config": {"max_sources": most}}}
        run = await bench.run(WIDE_QUESTION, config_overrides=overrides)
        rows[f"at most {most}"] = await _measure_run(bench, run)
    title = "Temporal history of a run; larger payloads lie in blobs and count apart"
    table = make_table(title, "run", *rows["small"])
    for name, row in rows.items():
        table.add_row(name, *(f"{figure:,}" for figure in row.values()))
    _draw_chart([*rows.values()][1:])
    return table


def _draw_chart(rows: list[dict[str, int]]) -> None:
    """Draw how a run grows with its sources, each figure as a share of its largest."""
    chart = pygal.XY(
        title="What a run takes, by its sources (largest = 1)",
        x_title="sources read",
        range=(0, 1),
        js=[],
        disable_xml_declaration=True,
    )
    for name in CHARTED:
        most = max(row[name] for row in rows)
        chart.add(name, [(row["sources"], row[name] / most) for row in rows])
    CHART.write_text(chart.render(is_unicode=True) + "\n", encoding="utf-8")


async def _measure_run(bench: BenchClient, run: BenchRun) -> dict[str, int]:
    """Return a run's figures by name."""
    state = await bench.gateway.get(f"/v1/runs/{run.id}/state")
    handle = bench.temporal.get_workflow_handle(run.id)
    execution = (await handle.describe()).raw_description.workflow_execution_info
    history = await handle.fetch_history()
    sizes: Counter[str] = Counter()
    for event in history.events:
        sizes[_activity_name(event)] += event.ByteSize()
    scheduled = sum(bool(_activity_name(event)) for event in history.events)
    return {
        "sources": len((await bench.gateway.get(f"/v1/runs/{run.id}/sources"))["items"]),
        "activities": scheduled,
        "events": execution.history_length,
        "KB": execution.history_size_bytes // 1000,
        "of records": sizes["runs.record"] // 1000,
        "KB in blobs": execution.external_payload_size_bytes // 1000,
        "KB of log": sum(map(_count_bytes, run.events)) // 1000,
        "kilotokens read": state["usage"]["input_tokens"] // 1000,
    }


def _count_bytes(event: dict[str, Any]) -> int:
    """Return an event's size as stored: a patch without the report that it produces."""
    output = event["payload"].get("tool_output", {}).get("raw_output")
    if isinstance(output, dict):
        output.pop("new_report_markdown", None)
    return len(json.dumps(event))


def _activity_name(event: HistoryEvent) -> str:
    """Return the name of the activity that an event schedules, or an empty string."""
    if event.event_type != EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        return ""
    return event.activity_task_scheduled_event_attributes.activity_type.name
