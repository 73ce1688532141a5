"""kill -9 of the worker: how long after a new one is up a run is done, beyond its own calls."""

import asyncio
import os
import signal
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from bench.harness import SMALL, Bench, critical

LATE = 1.0
INTO_THE_CALL = 0.4


@dataclass(frozen=True)
class Moment:
    """When to strike: within the first research call that begins with this event."""

    name: str
    event: str
    holding: bool = False
    """Whether the worker then also holds a workflow task, as it does for a few ms at a time."""


MOMENTS = (
    Moment("a model's turn", "AgentInput"),
    Moment("its tool calls", "ToolCall"),
    Moment("a workflow task", "AgentInput", holding=True),
)


@dataclass
class Kill:
    """Kills the worker once."""

    bench: Bench
    moment: Moment
    up: float = 0.0
    new_worker: asyncio.Task[None] | None = None

    async def told(self, event: dict[str, Any]) -> None:
        """Strike when the call has begun."""
        here = (event["phase_id"], event["type"]) == ("research", self.moment.event)
        if here and self.new_worker is None:
            self.new_worker = asyncio.create_task(self._strike(event["run_id"]))

    async def _strike(self, run_id: str) -> None:
        await asyncio.sleep(INTO_THE_CALL)
        known, worker = self.bench.workers_up(), self.bench.stack.addresses.pids["worker"]
        if self.moment.holding:
            os.kill(worker, signal.SIGSTOP)
            handle = self.bench.temporal.get_workflow_handle(run_id)
            await handle.signal("steer", {"text": "mind the price"})
            await asyncio.sleep(INTO_THE_CALL)
        os.kill(worker, signal.SIGKILL)
        self.up = await self.bench.worker_after(known)


async def measure(bench: Bench) -> Table:
    """Kill at each moment, every call a second late."""
    table = Table(title=f"After kill -9 of the worker, {LATE * 1000:.0f} ms a call")
    for column in ("killed in", "up to done s", "of it calls s", "beyond s", "calls made again"):
        table.add_column(column, justify="right")
    for moment in MOMENTS:
        table.add_row(moment.name, *await trial(bench, moment))
    return table


async def trial(bench: Bench, moment: Moment) -> list[str]:
    """Return what one kill cost."""
    await bench.late(LATE)
    kill = Kill(bench, moment)
    run = await bench.run(SMALL, kill.told)
    after, calls = run.ended - kill.up, critical(await bench.calls(), kill.up)
    requests = (await bench.offline.get("/requests")).raise_for_status().json()
    made = Counter((r["path"], r["query"], r["body_sha256"]) for r in requests)
    again = sum(made.values()) - len(made)
    return [f"{after:.2f}", f"{calls:.2f}", f"{after - calls:.2f}", f"{again}"]
