"""kill -9 of the worker: time from the new worker's start to the run's end, beyond its own calls."""

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from bench.harness import SMALL_QUESTION, BenchClient, make_table, union_seconds

LATENCY_SECONDS = 1.0
DELAY_SECONDS = 0.4
"""Time from the event to the kill: the call is then in flight."""


@dataclass(frozen=True)
class KillPoint:
    """Moment of a kill: the first research call that begins with `event`."""

    name: str
    event: str
    in_workflow_task: bool = False
    """Whether the worker then also holds a workflow task, as it does for a few ms at a time."""


KILL_POINTS = (
    KillPoint("a model's turn", "AgentInput"),
    KillPoint("its tool calls", "ToolCall"),
    KillPoint("a workflow task", "AgentInput", in_workflow_task=True),
)


@dataclass
class WorkerKill:
    """Kills the worker once."""

    bench: BenchClient
    point: KillPoint
    recovered: float = 0.0
    task: asyncio.Task[None] | None = None

    async def on_event(self, event: dict[str, Any]) -> None:
        """Kill the worker when the call has begun."""
        is_here = (event["phase_id"], event["type"]) == ("research", self.point.event)
        if is_here and self.task is None:
            self.task = asyncio.create_task(self._kill(event["run_id"]))

    async def _kill(self, run_id: str) -> None:
        await asyncio.sleep(DELAY_SECONDS)
        starts, worker = self.bench.count_worker_starts(), self.bench.stack.addresses.pids["worker"]
        if self.point.in_workflow_task:
            os.kill(worker, signal.SIGSTOP)
            handle = self.bench.temporal.get_workflow_handle(run_id)
            await handle.signal("steer", {"text": "mind the price"})
            await asyncio.sleep(DELAY_SECONDS)
        os.kill(worker, signal.SIGKILL)
        self.recovered = await self.bench.wait_for_worker(starts)


async def measure(bench: BenchClient) -> Table:
    """Kill the worker at each point, every call taking a second."""
    title = f"After kill -9 of the worker, {LATENCY_SECONDS * 1000:.0f} ms a call"
    columns = ("killed in", "up to done s", "of it calls s", "beyond s", "calls made again")
    table = make_table(title, *columns)
    for point in KILL_POINTS:
        await bench.set_latency(LATENCY_SECONDS)
        kill = WorkerKill(bench, point)
        run = await bench.run(SMALL_QUESTION, kill.on_event)
        after = run.ended - kill.recovered
        calls = union_seconds(await bench.list_calls(), kill.recovered)
        requests = await bench.list_requests()
        distinct = {(r["path"], r["query"], r["body_sha256"]) for r in requests}
        seconds = (f"{figure:.2f}" for figure in (after, calls, after - calls))
        table.add_row(point.name, *seconds, f"{len(requests) - len(distinct)}")
    return table
