"""Processor time and memory of the largest file of facts that EDGAR may serve."""

import gc
import json
import multiprocessing
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.table import Table

from bench.companies.measurement import list_files, name_filer, read_facts
from bench.harness import make_table
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.filed.company_facts_json import parse_company_facts

SIZE = 68_000_000
"""Bytes of the file that is made: the largest of the first measurement."""


class Largest(NamedTuple):
    """The cost of one file: its size in MB, processor seconds, and the process's peak memory in MB."""

    size: float
    parse_seconds: float
    compute_seconds: float
    peak: float


def measure(folder: Path) -> Largest:
    """Multiply the rows of a folder's largest file, then parse and compute it in a separate process."""
    document = read_facts(max(list_files(folder), key=lambda path: path.stat().st_size))
    repeats = round(SIZE / len(json.dumps(document, separators=(",", ":"))))
    for tags in document["facts"].values():
        for tag in tags.values():
            tag["units"] = {unit: rows * repeats for unit, rows in tag["units"].items()}
    with TemporaryDirectory() as scratch:
        path = Path(scratch, "facts.json")
        path.write_text(json.dumps(document, separators=(",", ":")), "utf-8")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(_compute, (path,))


def make_tables(found: Largest) -> list[Table]:
    """Return the figures of the one file."""
    table = make_table("Largest file of facts", "MB", "parse, CPU s", "compute, CPU s", "peak MB")
    table.add_row(*(f"{value:.2f}" if value < 10 else f"{value:.0f}" for value in found))
    return [table]


def _compute(path: Path) -> Largest:
    """Parse and compute a file as the activity does."""
    body = path.read_bytes()
    gc.freeze()  # like the worker
    gc.set_threshold(50_000)
    started = time.process_time()
    document = parse_company_facts(body)
    parsed = time.process_time()
    compute_fundamentals(document, name_filer(document))
    done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Largest(len(body) / 1e6, parsed - started, done - parsed, peak)
