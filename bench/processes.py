"""What a stack's processes use, each with its children."""

import psutil

from bench.harness import Bench

PARTS = ("worker", "crew-worker", "gateway", "temporal", "postgres", "offline")


def cpu_seconds(bench: Bench) -> dict[str, float]:
    """Return the processor time each part has used so far."""
    return {
        name: sum(p.cpu_times().user + p.cpu_times().system for p in family(bench, name))
        for name in PARTS
    }


def memory_mb(bench: Bench) -> dict[str, float]:
    """Return the memory each part holds; what processes share counts once."""
    return {
        name: sum(p.memory_full_info().pss for p in family(bench, name)) / 1e6 for name in PARTS
    }


def family(bench: Bench, name: str) -> list[psutil.Process]:
    """Return a part's process and those it started."""
    head = psutil.Process(bench.stack.addresses.pids[name])
    return [head, *head.children(recursive=True)]
