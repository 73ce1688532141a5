"""What a run leaves in Temporal's history, and that it grows with the sources, not faster."""

from collections import Counter

from rich.table import Table
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent

from bench.harness import SMALL, Bench, Run

WIDE = "Which of Kenya, Ethiopia, Tanzania, Uganda, Rwanda and Zambia has the most irrigated land?"
SOURCES = (5, 10, 20, 40)


async def measure(bench: Bench) -> Table:
    """Run once with one subject, then with ever more sources of one question."""
    await bench.late(0)
    table = Table(title="Temporal history of a run; larger payloads lie in blobs and count apart")
    for column in ("run", "sources", "activities", "events", "KB", "of records", "KB in blobs"):
        table.add_column(column, justify="right")
    table.add_row("small", *await row(bench, await bench.run(SMALL)))
    for most in SOURCES:
        research = {"config": {"max_sources": most}}
        run = await bench.run(WIDE, config_overrides={"research": research})
        table.add_row(f"at most {most}", *await row(bench, run))
    return table


async def row(bench: Bench, run: Run) -> list[str]:
    """Return the figures of a run."""
    handle = bench.temporal.get_workflow_handle(run.id)
    about = (await handle.describe()).raw_description.workflow_execution_info
    history = await handle.fetch_history()
    sizes: Counter[str] = Counter()
    for event in history.events:
        sizes[activity(event)] += event.ByteSize()
    scheduled = sum(bool(activity(event)) for event in history.events)
    figures = [
        len((await bench.gateway.get(f"/v1/runs/{run.id}/sources")).json()["items"]),
        scheduled,
        about.history_length,
        about.history_size_bytes // 1000,
        sizes["runs.record"] // 1000,
        about.external_payload_size_bytes // 1000,
    ]
    return [f"{figure:,}" for figure in figures]


def activity(event: HistoryEvent) -> str:
    """Return the activity that an event schedules, if it does."""
    if event.event_type != EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        return ""
    return event.activity_task_scheduled_event_attributes.activity_type.name
