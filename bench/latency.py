"""Wall time over the critical path: the overhead of durability, records and events."""

from statistics import median

from rich.table import Table

from bench.harness import BenchClient, make_table, union_seconds

PHASES = 8
TRIALS = {0.0: 5, 0.1: 3, 1.0: 3}
"""Number of runs by the latency of each model, search and page response, in seconds."""


async def measure(bench: BenchClient) -> Table:
    """Run one run at a time at each latency."""
    title = "Wall time over the critical path (calls to the model and tools alone)"
    columns = ("ms a call", "calls", "critical s", "wall s", "ratio", "median", "ms a phase")
    table = make_table(title, *columns)
    for latency, trials in TRIALS.items():
        measured = []
        for _ in range(trials):
            await bench.set_latency(latency)
            run = await bench.run()
            calls = [*await bench.list_calls("model"), *run.tool_spans]
            wall_seconds = run.seconds - run.human_seconds
            measured.append((wall_seconds, union_seconds(calls), len(calls)))
        # Other work on the machine only ever adds: the least disturbed run is shown.
        wall, path, count = min(measured, key=lambda run: run[0] / run[1])
        middle = median(wall / path for wall, path, _ in measured)
        overhead = (wall - path) / PHASES * 1000
        ratios = (f"{wall / path:.3f}", f"{middle:.3f}")
        seconds = (f"{path:.2f}", f"{wall:.2f}")
        table.add_row(f"{latency * 1000:.0f}", f"{count}", *seconds, *ratios, f"{overhead:.0f}")
    return table
