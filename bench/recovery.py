"""kill -9 of the worker: how long after a new one is up a run is done, beyond its own calls."""

import asyncio
import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from bench.harness import SMALL, Bench, critical

LATE = 1.0
INTO_THE_CALL = 0.4
MOMENTS = {"a model's turn": "AgentInput", "its tool calls": "ToolCall"}
TRIALS = 2


@dataclass
class Kill:
    """Kills the worker once, within the first research call of a kind."""

    bench: Bench
    event: str
    up: float = 0.0
    new_worker: asyncio.Task[None] | None = None

    async def told(self, event: dict[str, Any]) -> None:
        """Strike when the call has begun."""
        if self.new_worker is None and (event["phase_id"], event["type"]) == (
            "research",
            self.event,
        ):
            self.new_worker = asyncio.create_task(self._strike())

    async def _strike(self) -> None:
        await asyncio.sleep(INTO_THE_CALL)
        known = self.bench.workers_up()
        os.kill(self.bench.stack.addresses.pids["worker"], signal.SIGKILL)
        while self.bench.workers_up() == known:
            await asyncio.sleep(0.01)
        self.up = time.time()


async def measure(bench: Bench) -> Table:
    """Kill within a model's turn and within tool calls, every call a second late."""
    table = Table(title=f"After kill -9 of the worker, {LATE * 1000:.0f} ms a call")
    for column in ("killed in", "up to done s", "of it calls s", "beyond s", "calls made again"):
        table.add_column(column, justify="right")
    for name, event in MOMENTS.items():
        for _ in range(TRIALS):
            table.add_row(name, *await trial(bench, event))
    return table


async def trial(bench: Bench, event: str) -> list[str]:
    """Return what one kill cost."""
    await bench.late(LATE)
    kill = Kill(bench, event)
    run = await bench.run(SMALL, kill.told)
    after, calls = run.ended - kill.up, critical(await bench.calls(), kill.up)
    requests = (await bench.offline.get("/requests")).raise_for_status().json()
    made = Counter((r["path"], r["query"], r["body_sha256"]) for r in requests)
    again = sum(made.values()) - len(made)
    return [f"{after:.2f}", f"{calls:.2f}", f"{after - calls:.2f}", f"{again}"]
