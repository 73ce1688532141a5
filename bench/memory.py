"""What each process holds, after whatever was measured before."""

from rich.table import Table

from bench.harness import Bench
from bench.processes import memory_mb


async def measure(bench: Bench) -> Table:
    """Look once."""
    found = memory_mb(bench)
    table = Table(title="Memory in MB (proportional set size)")
    for name in (*found, "together"):
        table.add_column(name, justify="right")
    table.add_row(*(f"{mb:.0f}" for mb in (*found.values(), sum(found.values()))))
    return table
