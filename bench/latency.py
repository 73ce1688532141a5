"""Wall time over the critical path: what durability, records and events add to the calls alone."""

from statistics import median

from rich.table import Table

from bench.harness import Bench, critical

PHASES = 8
TRIALS = {0.0: 5, 0.1: 3, 1.0: 3}


async def measure(bench: Bench) -> Table:
    """Run one at a time with every model, search and page answer that late."""
    table = Table(title="Wall time over the critical path (calls to the model and tools alone)")
    for column in ("ms a call", "calls", "critical s", "wall s", "ratio", "median", "ms a phase"):
        table.add_column(column, justify="right")
    for late, trials in TRIALS.items():
        found = [await trial(bench, late) for _ in range(trials)]
        # What else the machine does only ever adds: the least disturbed run is shown.
        wall, path, calls = min(found, key=lambda run: run[0] / run[1])
        middle = median(wall / path for wall, path, _ in found)
        own = (wall - path) / PHASES * 1000
        ratios = (f"{wall / path:.3f}", f"{middle:.3f}")
        seconds = (f"{path:.2f}", f"{wall:.2f}")
        table.add_row(f"{late * 1000:.0f}", f"{calls}", *seconds, *ratios, f"{own:.0f}")
    return table


async def trial(bench: Bench, late: float) -> tuple[float, float, int]:
    """Return a run's wall time less its human's, its critical path and how many calls it made."""
    await bench.late(late)
    run = await bench.run()
    calls = [*await bench.calls("model"), *run.tools]
    return run.seconds - run.waited, critical(calls), len(calls)
