"""Compares the bill of replayed runs with the price estimated before they began."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.harness import make_table, start_stack
from bench.quality import Figures, Score, measure_run
from bench.replay import Replay
from offline.recordings.answers import SAMPLES
from offline.recordings.recording import Recording

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures" / "quality"
START = "start.json"
"""File in a recording's folder with the body of the start request and its `definition`."""


@dataclass(frozen=True)
class RecordedRun:
    """A recorded run: the folder of its answers, and its start request."""

    answers: Path
    definition: str
    query: str
    library: Path | None = None
    more: dict[str, Any] = field(default_factory=dict)

    async def replay(self, score: Score | None = None) -> Figures:
        """Replay the run on its own stack and return its figures."""
        model = Replay(Recording.load(self.answers))
        async with start_stack(model, "recorded", self.library) as client:
            start = {"definition": self.definition, "query": self.query, **self.more}
            found = await measure_run(client, model, start, score)
        return found | {"missing": model.missing}


MARGINS = RecordedRun(
    FIXTURES / "deep_research.json",
    "deep_research",
    "How do the operating margins of Ulta Beauty, Buckle and McDonald's compare in the newest results that "
    "are on file, and which of the three turns sales into profit best?",
    FIXTURES / "filings",
)
PUMPS = RecordedRun(
    FIXTURES / "market_analysis.json",
    "market_analysis",
    "I want to sell solar irrigation pumps to farms in East Africa: which market first, and is it big enough?",
    more={"config_overrides": {"crew": {"config": {"max_sources": 60}}}},
)
BAKERIES = RecordedRun(
    SAMPLES / "bakeries-idea-en.json.gz",
    "idea_to_execution",
    "A service that helps small bakeries sell what is left over at the end of the day",
)
IRRIGATION = RecordedRun(
    SAMPLES / "irrigated-land-en.json.gz",
    "web_answer",
    "How much irrigated land do Kenya and Ethiopia have, and how does it compare with their population?",
)
APPLE = RecordedRun(
    FIXTURES / "investment_analysis.json",
    "investment_analysis",
    "Is Apple worth buying?",
    more={"inputs": {"ticker": "AAPL"}},
)
RUNS = (MARGINS, PUMPS, IRRIGATION, APPLE, BAKERIES)


def list_runs(folder: Path) -> Iterator[RecordedRun]:
    """Yield the recordings of a folder that say what they were started with."""
    for path in sorted(folder.glob(f"*/{START}")):
        body = json.loads(path.read_text("utf-8"))
        library = path.parent / body.pop("library") if "library" in body else None
        yield RecordedRun(path.parent, body.pop("definition"), body.pop("query"), library, body)


async def measure(folder: Path | None) -> list[Figures]:
    """Return the figures of our recorded runs and those of a folder, one after the other."""
    return [await run.replay() for run in (*RUNS, *(list_runs(folder) if folder else ()))]


def make_tables(figures: Sequence[Figures]) -> Iterator[Table]:
    """Yield a row for each run; one that lacked answers is marked."""
    table = make_table("price", *("", "calls", "kilotokens", "bill", "price", "ratio", "at most"))
    for run in figures:
        mark = " (answers missing)" if run["missing"] else ""
        tokens = (run["input_tokens"] + run["output_tokens"]) / 1_000
        ratio = run["usd"] / run["expected_usd"]
        usd = [f"${run[name]:.3f}" for name in ("usd", "expected_usd")]
        counted = [str(run["calls"]), f"{tokens:.0f}", *usd, f"{ratio:.2f}"]
        table.add_row(
            f"{run['definition']}: {run['query'][:60]}{mark}", *counted, f"${run['top_usd']:.2f}"
        )
    yield table
