"""`bench`: Greenlight's overhead on top of the calls it makes."""

import asyncio
import json
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import (
    evidence,
    history,
    prices,
    quality,
    recovery,
    semantic_cache,
    speed,
)
from bench.bounds import measurement as bounds
from bench.capacity import measurement as capacity
from bench.capacity.plan import write_page
from bench.companies import financebench, largest, mutation
from bench.companies import measurement as companies
from bench.documents import parsing, parsing_fidelity, retrieval
from bench.evaluation import measurement as evaluation
from bench.harness import BenchClient, start_bench
from bench.observability import measurement as observability
from bench.page import viewers
from bench.peers import measurement as peers
from greenlight.errors import UsageError

MEASUREMENTS: dict[str, Callable[[BenchClient], Awaitable[Table]]] = {
    "latency": speed.measure_latency,
    "history": history.measure,
    "recovery": recovery.measure,
    "throughput": speed.measure_throughput,
    "cpu": speed.measure_cpu,
    "memory": speed.measure_memory,
    "crews": speed.measure_crews,
    "page": viewers.measure,
}


def bench(args: Namespace) -> int:
    """Run the measurements that are named, or all on a stack."""
    if alone := ALONE.get("".join(args.names[:1])):
        return alone(args)
    allowed = [*MEASUREMENTS, *ALONE, "parsing"]
    if unknown := set(args.names).difference(allowed):
        raise UsageError(f"no measurement {unknown.pop()!r}; allowed are {', '.join(allowed)}")
    if "parsing" in args.names and not args.pages:
        raise UsageError("parsing needs --pages DIR, a folder of .html, .pdf and .docx files")
    asyncio.run(_measure(args.names or [*MEASUREMENTS], args.pages))
    return 0


def _measure_reading(args: Namespace) -> int:
    """Read the cases of the tests, and of the folders that are named."""
    return _print(
        args,
        None,
        [asyncio.run(parsing_fidelity.measure([parsing_fidelity.FIXTURES, *args.pages]))],
    )


def _measure_bounds(args: Namespace) -> int:
    """Exercise each bound of a stack."""
    exercised = asyncio.run(bounds.measure())
    return _print(args, bounds.to_json(exercised), bounds.make_tables(exercised))


def _plan_capacity(args: Namespace) -> int:
    """Write the capacity plan from the recorded figures, after measuring the presets that are named, or `all`."""
    if presets := args.names[1:]:
        capacity.measure([] if presets == ["all"] else presets)
    write_page()
    return 0


def _measure_companies(args: Namespace) -> int:
    """Compare headline figures of the companies of a folder with right values, with FinanceBench's answers, put faults into their facts, or time a large file."""
    if args.mutate:
        faults = mutation.measure(args.facts or companies.SAMPLES)
        told = [fault._asdict() for fault in faults]
        return _print(args, told, mutation.make_tables(faults))
    if args.largest:
        took = largest.measure(args.facts or companies.SAMPLES)
        return _print(args, took._asdict(), largest.make_tables(took))
    if args.questions:
        answered = financebench.measure(args.facts or companies.SAMPLES, args.questions)
        told = [each._asdict() for each in answered]
        return _print(args, told, financebench.make_tables(answered))
    verdicts = companies.measure(args.facts or companies.SAMPLES)
    found = [verdict._asdict() for verdict in verdicts]
    return _print(args, found, companies.make_tables(verdicts))


def _measure_peers(args: Namespace) -> int:
    """Run on the simulated provider."""
    runs = asyncio.run(peers.measure(args.only, args.peers))
    return _print(args, runs, peers.make_tables(runs))


def _check_evidence(args: Namespace) -> int:
    """Check the labelled sentences in the files given after `evidence`."""
    files = _list_files(args)
    if not files:
        raise UsageError("evidence needs a FILE of labelled sentences, one JSON object a line")
    folder = args.pages[0] if args.pages else None
    counts = asyncio.run(evidence.measure(files, folder, with_judge=args.judge))
    return _print(args, counts, evidence.make_tables(counts))


def _compare_questions(args: Namespace) -> int:
    """Classify the pairs of questions in the files given after `semantic`, or in our own file."""
    files = _list_files(args) or [semantic_cache.PAIRS]
    outcomes = asyncio.run(semantic_cache.measure(files, with_judge=args.judge))
    return _print(args, outcomes, semantic_cache.make_tables(outcomes))


def _list_files(args: Namespace) -> list[Path]:
    """Return the files given after the measurement's name."""
    files = [Path(name) for name in args.names[1:]]
    if missing := [path for path in files if not path.is_file()]:
        raise UsageError(f"{args.names[0]}: {missing[0]} is no file")
    return files


def _measure_quality(args: Namespace) -> int:
    """Put the questions of a file, or a few of ours, to the model or to a recording."""
    questions = args.questions or json.loads(quality.QUESTIONS.read_text("utf-8"))
    figures = asyncio.run(quality.measure(questions, args.replay, args.record, args.library))
    return _print(args, figures, quality.make_tables(figures))


def _draw_observability(args: Namespace) -> int:
    """Draw the trace and the metrics of some runs into docs/pictures."""
    return _print(args, None, [asyncio.run(observability.measure())])


def _compare_prices(args: Namespace) -> int:
    """Replay the recorded runs, and those of the folder that is named."""
    figures = asyncio.run(prices.measure(args.replay))
    return _print(args, figures, prices.make_tables(figures))


def _evaluate(args: Namespace) -> int:
    """Ask the model our own questions, DeepResearch Bench's tasks, or FinanceBench's questions."""
    tasks = [*evaluation.list_keyed()]
    if args.tasks:
        tasks = [*evaluation.list_deep_research(args.tasks)]
    elif args.questions:
        tasks = [*evaluation.list_finance(args.questions)]
    chosen = [task for task in tasks if task.id in args.only or not args.only]
    library = args.library
    runs = asyncio.run(
        evaluation.evaluate(chosen, args.replay, args.record, library, with_judge=args.judge)
    )
    found = {"runs": runs, "means": evaluation.summarize(runs)}
    return _print(args, found, evaluation.make_tables(runs))


def _measure_retrieval(args: Namespace) -> int:
    """Put the questions of a file to the documents of a folder."""
    folder = Path(args.names[1]) if len(args.names) == 2 else None
    if folder is None or not folder.is_dir() or not args.questions:
        raise UsageError("retrieval needs a folder of documents, and --questions FILE about them")
    files = retrieval.list_documents(folder)
    figures = asyncio.run(retrieval.measure(files, args.questions))
    return _print(args, figures, retrieval.make_tables(figures))


ALONE: dict[str, Callable[[Namespace], int]] = {
    "bounds": _measure_bounds,
    "capacity": _plan_capacity,
    "companies": _measure_companies,
    "evaluate": _evaluate,
    "evidence": _check_evidence,
    "observability": _draw_observability,
    "peers": _measure_peers,
    "prices": _compare_prices,
    "quality": _measure_quality,
    "reading": _measure_reading,
    "retrieval": _measure_retrieval,
    "semantic": _compare_questions,
}
"""Measurements that start their own stack, or need none."""


def _print(args: Namespace, found: object, tables: Iterable[Table]) -> int:
    if args.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        Console().print(*tables, sep="\n")
    return 0


async def _measure(names: list[str], folders: list[Path]) -> None:
    """Print a table for each measurement; all but `parsing` share one stack."""
    console = Console()
    if folders:
        console.print(await parsing.measure(folders))
    if on_stack := [name for name in names if name != "parsing"]:
        async with start_bench() as client:
            for name in on_stack:
                console.print(await MEASUREMENTS[name](client))
