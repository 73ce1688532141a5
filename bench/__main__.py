"""`python -m bench [NAME] [--pages DIR ...] [--facts DIR]`: what Greenlight costs beside the calls it makes."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from rich.console import Console

from bench import (
    crews,
    fundamentals,
    history,
    latency,
    memory,
    parsing,
    recovery,
    semantic,
    throughput,
)
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


WITHOUT_STACK = {
    "parsing": "parsing needs pages: --pages DIR, with .html, .pdf and .docx files in it",
    "fundamentals": "fundamentals needs EDGAR's facts: --facts DIR, with CIK##########.json in it",
}
"""The measurements that need files instead, and what each says without them."""


async def main(given: argparse.Namespace) -> int:
    """Print a table for each measurement, all on one stack but those that need none."""
    names: list[str] = given.names
    if unknown := set(names) - {*MEASUREMENTS, *WITHOUT_STACK}:
        there = ", ".join([*MEASUREMENTS, *WITHOUT_STACK])
        print(f"no measurement {unknown.pop()!r}; there are {there}")
        return 2
    files = {"parsing": given.pages, "fundamentals": given.facts}
    if missing := [name for name in names if name in WITHOUT_STACK and not files[name]]:
        print(WITHOUT_STACK[missing[0]])
        return 2
    console = Console()
    if given.pages:
        console.print(await parsing.measure(given.pages))
    if given.facts:
        console.print(await fundamentals.measure(given.facts, given.oracle))
    if left := [name for name in names or MEASUREMENTS if name not in WITHOUT_STACK]:
        async with bench() as stack:
            for name in left:
                console.print(await MEASUREMENTS[name](stack))
    return 0


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pages", nargs="+", type=Path, default=[], metavar="DIR")
    parser.add_argument("--facts", type=Path, metavar="DIR")
    parser.add_argument("--oracle", default=sys.executable, metavar="PYTHON")
    return parser.parse_args()


if __name__ == "__main__":
    code = asyncio.run(main(arguments()))
    sys.stdout.flush()
    os._exit(code)  # a process with a Temporal client may abort in interpreter shutdown
