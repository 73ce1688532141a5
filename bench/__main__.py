"""`python -m bench [NAME ...] [--pages DIR ...]`: Greenlight's overhead on top of the calls it makes."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from rich.console import Console

from bench import crews, history, latency, parsing, recovery, semantic, throughput
from bench.harness import Measurement, start_bench

MEASUREMENTS: dict[str, Measurement] = {
    "latency": latency.measure,
    "history": history.measure,
    "recovery": recovery.measure,
    "throughput": throughput.measure,
    "memory": throughput.measure_memory,
    "crews": crews.measure,
    "semantic": semantic.measure,
}


async def main(args: argparse.Namespace) -> int:
    """Print a table for each measurement; all but `parsing` share one stack."""
    names: list[str] = args.names
    if unknown := set(names) - {*MEASUREMENTS, "parsing"}:
        allowed = ", ".join([*MEASUREMENTS, "parsing"])
        print(f"unknown measurement {unknown.pop()!r}; allowed are {allowed}")
        return 2
    if "parsing" in names and not args.pages:
        print("parsing needs --pages DIR, a folder of .html, .pdf and .docx files")
        return 2
    console = Console()
    if args.pages:
        console.print(await parsing.measure(args.pages))
    if on_stack := [name for name in names or MEASUREMENTS if name != "parsing"]:
        async with start_bench() as bench:
            for name in on_stack:
                console.print(await MEASUREMENTS[name](bench))
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pages", nargs="+", type=Path, default=[], metavar="DIR")
    code = asyncio.run(main(parser.parse_args()))
    sys.stdout.flush()
    os._exit(code)  # a process with a Temporal client may abort in interpreter shutdown
