"""Processor time and memory of a stack's processes, each with its children."""

import psutil
from rich.table import Table

from bench.harness import BenchClient

PARTS = ("worker", "crew-worker", "gateway", "temporal", "postgres", "offline")


async def measure_memory(bench: BenchClient) -> Table:
    """Measure the memory in use after the measurements before this one."""
    sizes = {
        name: sum(p.memory_full_info().pss for p in _process_tree(bench, name)) / 1e6
        for name in PARTS
    }
    table = Table(title="Memory in MB (proportional set size)")
    for name in (*sizes, "together"):
        table.add_column(name, justify="right")
    table.add_row(*(f"{mb:.0f}" for mb in (*sizes.values(), sum(sizes.values()))))
    return table


def read_cpu_seconds(bench: BenchClient) -> dict[str, float]:
    """Return the processor time that each part has used so far."""
    return {
        name: sum(p.cpu_times().user + p.cpu_times().system for p in _process_tree(bench, name))
        for name in PARTS
    }


def _process_tree(bench: BenchClient, name: str) -> list[psutil.Process]:
    root = psutil.Process(bench.stack.addresses.pids[name])
    return [root, *root.children(recursive=True)]
