"""Many runs at once: how many a second, and what each costs in processor time."""

import asyncio
import time
from statistics import median

from rich.table import Table

from bench.harness import SMALL, Bench
from bench.processes import PARTS, cpu_seconds

AT_ONCE = (1, 50)


async def measure(bench: Bench) -> Table:
    """Start runs at once and see the last one end; nothing answers late."""
    await bench.late(0)
    table = Table(title="Small runs at once, and the processor time of each in ms")
    for column in ("at once", "runs a second", "median s", *PARTS):
        table.add_column(column, justify="right")
    for count in AT_ONCE:
        before, started = cpu_seconds(bench), time.perf_counter()
        runs = await asyncio.gather(*(bench.run(SMALL) for _ in range(count)))
        seconds, after = time.perf_counter() - started, cpu_seconds(bench)
        used = [f"{(after[part] - before[part]) * 1000 / count:.0f}" for part in PARTS]
        middle = median(run.seconds for run in runs)
        table.add_row(f"{count}", f"{count / seconds:.2f}", f"{middle:.2f}", *used)
    return table
