"""`python -m bench [NAME]`: what Greenlight costs beside the calls it makes."""

import asyncio
import os
import sys

from rich.console import Console

from bench import crews, history, latency, memory, recovery, semantic, throughput
from bench.harness import Measurement, bench

MEASUREMENTS: dict[str, Measurement] = {
    "latency": latency.measure,
    "history": history.measure,
    "recovery": recovery.measure,
    "throughput": throughput.measure,
    "memory": memory.measure,
    "crews": crews.measure,
    "semantic": semantic.measure,
}


async def main(names: list[str]) -> int:
    """Print a table for each measurement, all on one stack."""
    if unknown := [name for name in names if name not in MEASUREMENTS]:
        print(f"no measurement {unknown[0]!r}; there are {', '.join(MEASUREMENTS)}")
        return 2
    console = Console()
    async with bench() as stack:
        for name in names or MEASUREMENTS:
            console.print(await MEASUREMENTS[name](stack))
    return 0


if __name__ == "__main__":
    code = asyncio.run(main(sys.argv[1:]))
    sys.stdout.flush()
    os._exit(code)  # a process with a Temporal client may abort in interpreter shutdown
