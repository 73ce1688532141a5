"""Many runs at once: runs a second, and the processor time of each."""

import asyncio
import time
from statistics import median

from rich.table import Table

from bench.harness import SMALL_QUESTION, BenchClient
from bench.processes import PARTS, read_cpu_seconds

CONCURRENCY = (1, 50)


async def measure(bench: BenchClient) -> Table:
    """Start runs at the same time and wait for the last one to end; services answer at once."""
    await bench.set_latency(0)
    table = Table(title="Small runs at once, and the processor time of each in ms")
    for column in ("at once", "runs a second", "median s", *PARTS):
        table.add_column(column, justify="right")
    for count in CONCURRENCY:
        before, started = read_cpu_seconds(bench), time.perf_counter()
        runs = await asyncio.gather(*(bench.run(SMALL_QUESTION) for _ in range(count)))
        seconds, after = time.perf_counter() - started, read_cpu_seconds(bench)
        used = [f"{(after[part] - before[part]) * 1000 / count:.0f}" for part in PARTS]
        middle = median(run.seconds for run in runs)
        table.add_row(f"{count}", f"{count / seconds:.2f}", f"{middle:.2f}", *used)
    return table
