"""Speed: a run's wall time over its critical path, and what many runs at once cost the stack's processes."""

import asyncio
import time
from statistics import median
from typing import Any

import psutil
from rich.table import Table

from bench.harness import SMALL_QUESTION, BenchClient, make_table, union_seconds
from greenlight.stack.supervisor import Stack

PARTS = ("worker", "crew-worker", "gateway", "temporal", "postgres", "offline")
PHASES = 8
CPU_RUNS = 9
TRIALS = {0.0: 5, 0.1: 3, 1.0: 3}
"""Number of runs by the latency of each model, search and page response, in seconds."""


async def measure_latency(bench: BenchClient) -> Table:
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


async def measure_throughput(bench: BenchClient) -> Table:
    """Measure small runs; services answer at once."""
    await bench.set_latency(0)
    return await _measure_at_once(bench, "Small runs", (1, 50))


async def measure_crews(bench: BenchClient) -> Table:
    """Measure market analyses, each by a crew of four agents; every call takes a second."""
    await bench.run(SMALL_QUESTION, definition="market_analysis")  # once CrewAI has loaded
    await bench.set_latency(1)
    return await _measure_at_once(bench, "Crews", (1, 8, 20), definition="market_analysis")


async def _measure_at_once(
    bench: BenchClient, what: str, counts: tuple[int, ...], **options: Any
) -> Table:
    """Start runs at the same time and wait for the last one to end."""
    title = f"{what} at once, and the processor time of each in ms"
    table = make_table(title, "at once", "runs a second", "median s", *PARTS)
    for count in counts:
        before, started = read_cpu_seconds(bench.stack), time.perf_counter()
        begun = (bench.run(SMALL_QUESTION, **options) for _ in range(count))
        runs = await asyncio.gather(*begun)
        seconds, after = time.perf_counter() - started, read_cpu_seconds(bench.stack)
        used = [f"{(after[part] - before[part]) * 1000 / count:.0f}" for part in PARTS]
        middle = median(run.seconds for run in runs)
        table.add_row(f"{count}", f"{count / seconds:.2f}", f"{middle:.2f}", *used)
    return table


async def measure_cpu(bench: BenchClient) -> Table:
    """Measure the processor time of small runs, one after another; services answer at once."""
    await bench.set_latency(0)
    columns = ("definition", "wall s", "worker + gateway", *PARTS)
    table = make_table(f"Processor time of a run in ms, median of {CPU_RUNS}", *columns)
    for definition in ("web_answer", "deep_research"):
        await bench.run(SMALL_QUESTION, definition=definition)
        used, runs = [], []
        for _ in range(CPU_RUNS):
            before = read_cpu_seconds(bench.stack)
            runs.append(await bench.run(SMALL_QUESTION, definition=definition))
            after = read_cpu_seconds(bench.stack)
            used.append({part: (after[part] - before[part]) * 1000 for part in PARTS})
        product = median(each["worker"] + each["gateway"] for each in used)
        figures = (product, *(median(each[part] for each in used) for part in PARTS))
        seconds = f"{median(run.seconds for run in runs):.2f}"
        table.add_row(definition, seconds, *(f"{ms:.0f}" for ms in figures))
    return table


async def measure_memory(bench: BenchClient) -> Table:
    """Measure the memory in use after the measurements before this one."""
    trees = _process_trees(bench.stack)
    sizes = [sum(p.memory_full_info().pss for p in tree) / 1e6 for tree in trees.values()]
    table = make_table("Memory in MB (proportional set size)", *trees, "together")
    table.add_row(*(f"{mb:.0f}" for mb in (*sizes, sum(sizes))))
    return table


def read_cpu_seconds(stack: Stack) -> dict[str, float]:
    """Return the processor time that each part of a stack has used so far."""
    return {
        name: sum(p.cpu_times().user + p.cpu_times().system for p in tree)
        for name, tree in _process_trees(stack).items()
    }


def _process_trees(stack: Stack) -> dict[str, list[psutil.Process]]:
    pids = stack.addresses.pids
    roots = {name: psutil.Process(pids[name]) for name in PARTS if name in pids}
    return {name: [root, *root.children(recursive=True)] for name, root in roots.items()}
