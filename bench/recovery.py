"""kill -9 of the worker or of every process: time from the new worker's start to the run's end, beyond its calls."""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from rich.table import Table

from bench.harness import SMALL_QUESTION, BenchClient, make_table, union_seconds

LATENCY_SECONDS = 1.0
DELAY_SECONDS = 0.4
"""Time from the event to the kill: the call is then in flight."""


class KillPoint(NamedTuple):
    """The event that marks the start of the call, and what is killed then."""

    event: str
    in_workflow_task: bool = False
    """Whether the worker must also hold a workflow task, which lasts only a few ms."""
    kills_all: bool = False
    """Whether gateway, Temporal and PostgreSQL are killed as well; the supervisor restarts them."""


KILL_POINTS = {
    "a model's turn": KillPoint("AgentInput"),
    "its tool calls": KillPoint("ToolCall"),
    "a workflow task": KillPoint("AgentInput", in_workflow_task=True),
    "a model's turn, every process": KillPoint("AgentInput", kills_all=True),
}


async def measure(bench: BenchClient) -> Table:
    """Kill the worker at each point, every call taking a second."""
    title = f"After kill -9, {LATENCY_SECONDS * 1000:.0f} ms a call"
    columns = ("killed in", "up to done s", "of it calls s", "beyond s", "calls made again")
    table = make_table(title, *columns)
    for name, point in KILL_POINTS.items():
        table.add_row(name, *await _measure_kill(bench, point))
    return table


async def _measure_kill(bench: BenchClient, point: KillPoint) -> list[str]:
    """Run, and kill once, in the first research call that begins with an event."""
    kills: list[asyncio.Task[float]] = []

    async def kill_once(event: dict[str, Any]) -> None:
        if not kills and (event["phase_id"], event["type"]) == ("research", point.event):
            kills.append(asyncio.create_task(_kill(bench, event["run_id"], point)))

    await bench.set_latency(LATENCY_SECONDS)
    run = await bench.run(SMALL_QUESTION, kill_once)
    recovered = await kills[0]
    after = run.ended - recovered
    calls = union_seconds(await bench.list_calls(), recovered)
    requests = await bench.list_requests()
    distinct = {(r["path"], r["query"], r["body_sha256"]) for r in requests}
    seconds = (f"{figure:.2f}" for figure in (after, calls, after - calls))
    return [*seconds, f"{len(requests) - len(distinct)}"]


async def _kill(bench: BenchClient, run_id: str, point: KillPoint) -> float:
    """Kill the worker, or every process; return the time at which the next worker is ready."""
    await asyncio.sleep(DELAY_SECONDS)
    starts, worker = _count_starts(bench), bench.stack.addresses.pids["worker"]
    if point.in_workflow_task:
        os.kill(worker, signal.SIGSTOP)
        handle = bench.temporal.get_workflow_handle(run_id)
        await handle.signal("steer", {"text": "mind the price"})
        await asyncio.sleep(DELAY_SECONDS)
    for process in _list_processes(bench) if point.kills_all else [psutil.Process(worker)]:
        process.kill()
    while True:
        if _count_starts(bench) > starts:
            return time.time()
        await asyncio.sleep(0.01)


def _list_processes(bench: BenchClient) -> list[psutil.Process]:
    """Return the processes of the stack, without the simulated providers."""
    pids = {name: pid for name, pid in bench.stack.addresses.pids.items() if name != "offline"}
    roots = [psutil.Process(pid) for pid in pids.values()]
    return [process for root in roots for process in (root, *root.children(recursive=True))]


def _count_starts(bench: BenchClient) -> int:
    """Count how often a worker of the stack has become ready."""
    log = Path(bench.stack.addresses.home, "logs", "worker.log")
    return log.read_text(encoding="utf-8").count('"message": "ready"')
