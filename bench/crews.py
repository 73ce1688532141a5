"""Crews side by side in one process: memory, calls a second, processor time, lag of the loop."""

import asyncio
import json
import os
import sys
from typing import Any

from rich.table import Table

from bench.harness import Bench

AT_ONCE = (1, 8, 20)
LATE_SECONDS = 1.0


async def measure(bench: Bench) -> Table:
    """Have each number of crews at work at once, every call answered after a second."""
    table = Table(title="Crews at work at once, 1000 ms a call: search, read, answer")
    for column in (
        *("at once", "calls", "calls/s", "CPU ms a call"),
        *("lag p99 ms", "lag max ms", "MB loaded", "MB at work", "load s"),
    ):
        table.add_column(column, justify="right")
    await bench.late(LATE_SECONDS)
    for count in AT_ONCE:
        found = await probe(bench, count)
        table.add_row(
            f"{count}",
            f"{found['calls']}",
            f"{found['calls'] / found['seconds']:.1f}",
            f"{found['cpu_ms']:.0f}",
            f"{found['lag_p99_ms']:.0f}",
            f"{found['lag_max_ms']:.0f}",
            f"{found['idle_mb']:.0f}",
            f"{found['mb']:.0f}",
            f"{found['load_s']:.1f}",
        )
    return table


async def probe(bench: Bench, count: int) -> dict[str, Any]:
    """Return what a process of its own, over this stack's services, found."""
    at = bench.stack.addresses
    assert at.offline
    base = at.offline["model"]
    told = {
        "DATABASE_URL": at.database,
        "BLOB_URL": f"file://{at.home}/blobs",
        "ANTHROPIC_API_KEY": "offline",
        "ANTHROPIC_BASE_URL": base,
        "BRAVE_API_KEY": "offline",
        "BRAVE_BASE_URL": base,
        "GREENLIGHT_FETCH_ALLOW": json.dumps([base.removeprefix("http://")]),
        "GREENLIGHT_CREW_SCRATCH": f"{at.home}/crew",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.crew_probe", str(count)),
        env={**os.environ, **told},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"the probe of {count} crews failed")
    found: dict[str, Any] = json.loads(out.decode().splitlines()[-1])
    return found
