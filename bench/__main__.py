"""`python -m bench [NAME] [--pages DIR ...]`: what Greenlight costs beside the calls it makes."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from rich.console import Console

from bench import crews, history, latency, memory, parsing, recovery, semantic, throughput
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


async def main(names: list[str], pages: list[Path]) -> int:
    """Print a table for each measurement, all on one stack; `parsing` needs pages and no stack."""
    if unknown := set(names) - {*MEASUREMENTS, "parsing"}:
        print(f"no measurement {unknown.pop()!r}; there are {', '.join(MEASUREMENTS)}, parsing")
        return 2
    if "parsing" in names and not pages:
        print("parsing needs pages: --pages DIR, with .html, .pdf and .docx files in it")
        return 2
    console = Console()
    if pages:
        console.print(await parsing.measure(pages))
    if left := [name for name in names or MEASUREMENTS if name != "parsing"]:
        async with bench() as stack:
            for name in left:
                console.print(await MEASUREMENTS[name](stack))
    return 0


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pages", nargs="+", type=Path, default=[], metavar="DIR")
    return parser.parse_args()


if __name__ == "__main__":
    given = arguments()
    code = asyncio.run(main(given.names, given.pages))
    sys.stdout.flush()
    os._exit(code)  # a process with a Temporal client may abort in interpreter shutdown
