"""kill -9 of the worker: time from the new worker's start to the run's end, beyond its own calls."""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.harness import SMALL_QUESTION, BenchClient, make_table, union_seconds

LATENCY_SECONDS = 1.0
DELAY_SECONDS = 0.4
"""Time from the event to the kill: the call is then in flight."""
KILL_POINTS = {
    "a model's turn": ("AgentInput", False),
    "its tool calls": ("ToolCall", False),
    "a workflow task": ("AgentInput", True),
}
"""The event with which the call begins, and whether the worker then also holds a workflow task, as it
does for a few ms at a time."""


async def measure(bench: BenchClient) -> Table:
    """Kill the worker at each point, every call taking a second."""
    title = f"After kill -9 of the worker, {LATENCY_SECONDS * 1000:.0f} ms a call"
    columns = ("killed in", "up to done s", "of it calls s", "beyond s", "calls made again")
    table = make_table(title, *columns)
    for name, (event, in_workflow_task) in KILL_POINTS.items():
        table.add_row(name, *await _measure_kill(bench, event, in_workflow_task))
    return table


async def _measure_kill(bench: BenchClient, begin: str, in_workflow_task: bool) -> list[str]:
    """Run, and kill the worker once, in the first research call that begins with an event."""
    kills: list[asyncio.Task[float]] = []

    async def kill_once(event: dict[str, Any]) -> None:
        if not kills and (event["phase_id"], event["type"]) == ("research", begin):
            kills.append(asyncio.create_task(_kill(bench, event["run_id"], in_workflow_task)))

    await bench.set_latency(LATENCY_SECONDS)
    run = await bench.run(SMALL_QUESTION, kill_once)
    recovered = await kills[0]
    after = run.ended - recovered
    calls = union_seconds(await bench.list_calls(), recovered)
    requests = await bench.list_requests()
    distinct = {(r["path"], r["query"], r["body_sha256"]) for r in requests}
    seconds = (f"{figure:.2f}" for figure in (after, calls, after - calls))
    return [*seconds, f"{len(requests) - len(distinct)}"]


async def _kill(bench: BenchClient, run_id: str, in_workflow_task: bool) -> float:
    """Kill the worker; return the time at which the next one is ready."""
    await asyncio.sleep(DELAY_SECONDS)
    starts, worker = _count_starts(bench), bench.stack.addresses.pids["worker"]
    if in_workflow_task:
        os.kill(worker, signal.SIGSTOP)
        handle = bench.temporal.get_workflow_handle(run_id)
        await handle.signal("steer", {"text": "mind the price"})
        await asyncio.sleep(DELAY_SECONDS)
    os.kill(worker, signal.SIGKILL)
    while True:
        if _count_starts(bench) > starts:
            return time.time()
        await asyncio.sleep(0.01)


def _count_starts(bench: BenchClient) -> int:
    """Count how often a worker of the stack has become ready."""
    log = Path(bench.stack.addresses.home, "logs", "worker.log")
    return log.read_text(encoding="utf-8").count('"message": "ready"')
