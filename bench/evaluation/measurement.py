"""`bench evaluate`: our own questions with answer keys, DeepResearch Bench, or FinanceBench over its filings.

Each question is a run on a stack, answered by the model that is configured, by a recording, or by the stand-in.
Without a judge, a citation counts as supported where the run itself found it so.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from rich.table import Table

from bench.evaluation import report_judge
from bench.evaluation.scores import (
    Pair,
    Scores,
    list_pairs,
    make_figure_key,
    score_keys,
    score_pages,
)
from bench.harness import make_table, open_model
from bench.quality import Figures, Finished, measure
from contracts.report.report import Report
from greenlight.errors import UsageError
from greenlight.stack.layout import load_settings

KEYED = Path(__file__).parents[1] / "questions" / "keyed.jsonl"
"""Our questions over the sample library and its filings."""
PERCENT = ("answered", "sourced", "said_missing", "document", "page", "citation_accuracy")
"""Scores from 0 to 1; all others are unscaled means."""


def _score_nothing(_: Report | None, __: dict[int, str]) -> Scores:
    return {}


@dataclass(frozen=True)
class Task:
    """A question: the body of its start, and what its report is held against."""

    id: str
    body: dict[str, Any]
    score: Callable[[Report | None, dict[int, str]], Scores] = _score_nothing
    expected: str = ""
    """An answer in prose, which only a judge can compare."""
    criteria: Any = None
    """The criteria of a task of DeepResearch Bench, and its `reference` report."""


def list_keyed(path: Path = KEYED) -> Iterator[Task]:
    """Yield our questions."""
    for line in path.read_text("utf-8").splitlines():
        asked = json.loads(line)
        score = partial(score_keys, keys=asked["keys"], sources=asked["sources"])
        yield Task(asked["id"], {"definition": "web_answer", "query": asked["query"]}, score)


def list_deep_research(folder: Path) -> Iterator[Task]:
    """Yield the tasks of a checkout of DeepResearch Bench; RACE needs its criteria and reference reports."""
    data = folder / "data"
    asked = _read_lines(data / "prompt_data" / "query.jsonl")
    if not asked:
        raise UsageError(f"evaluate: {data / 'prompt_data' / 'query.jsonl'} has no tasks")
    criteria = {each["id"]: each for each in _read_lines(data / "criteria_data" / "criteria.jsonl")}
    references = _read_lines(data / "test_data" / "cleaned_data" / "reference.jsonl")
    articles = {each["id"]: {"reference": each["article"]} for each in references}
    for each in asked:
        judged = criteria.keys() & articles.keys() & {each["id"]}
        yield Task(
            str(each["id"]),
            {"definition": "deep_research", "query": each["prompt"]},
            criteria=criteria[each["id"]] | articles[each["id"]] if judged else None,
        )


def list_finance(questions: Sequence[Any]) -> Iterator[Task]:
    """Yield the questions of FinanceBench; an answer that is one figure needs no judge."""
    for each in questions:
        document, key = each["doc_name"], make_figure_key(each["answer"])
        pages = {
            found["evidence_page_num"] + 1
            for found in each["evidence"]
            if found.get("doc_name", document) == document
        }
        yield Task(
            each["financebench_id"],
            {
                "definition": "web_answer",
                "query": f"{each['question']} ({each['company']}, {document})",
            },
            partial(score_pages, document=document, pages=pages, key=key),
            expected="" if key else each["answer"],
        )


def _read_lines(path: Path) -> list[Any]:
    """Parse a JSON Lines file; return an empty list if it does not exist."""
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines if line]


@dataclass
class Evaluator:
    """Scores finished runs, one for each task in turn."""

    tasks: Sequence[Task]
    judge: report_judge.Judge | None = None
    done: int = field(default=0, init=False)

    async def score(self, run: Finished) -> Scores:
        """Return the scores of the next task's run."""
        task = self.tasks[self.done]
        self.done += 1
        urls = await run.list_sources()
        pairs = list_pairs(run.report, urls)
        scores = task.score(run.report, urls)
        if self.judge:
            pairs = await self._judge_pairs(pairs, run, urls)
            scores |= await self._judge_text(task, run.report)
        supported = sum(pair.is_supported for pair in pairs)
        accuracy = {"citation_accuracy": supported / len(pairs)} if pairs else {}
        return scores | accuracy | {"effective_citations": float(supported)}

    async def _judge_pairs(
        self, pairs: Sequence[Pair], run: Finished, urls: dict[int, str]
    ) -> list[Pair]:
        """Return the pairs that a page can settle, as the judge settles them."""
        assert self.judge
        by_page: dict[str, list[Pair]] = defaultdict(list)
        for pair in pairs:
            by_page[pair.url].append(pair)
        numbers = {url: n for n, url in urls.items()}
        judged = []
        for url, stated in by_page.items():
            page = await run.load_page(numbers[url])
            judged += await self.judge.check_support(stated, page)
        return judged

    async def _judge_text(self, task: Task, report: Report | None) -> Scores:
        """Return what a judge alone can score of a report."""
        assert self.judge
        if report and task.expected:
            expected = [Pair(task.expected, "", is_supported=False)]
            [*found] = await self.judge.check_support(expected, report.markdown)
            return {"answered": float(any(pair.is_supported for pair in found))}
        if report and task.criteria:
            return {"race": await self.judge.race(task.criteria, report.markdown)}
        return {}


async def evaluate(
    tasks: Sequence[Task],
    replay: Path | None,
    record: Path | None,
    library: Path | None,
    *,
    with_judge: bool,
) -> list[Figures]:
    """Return the figures and the scores of a run for each task."""
    if with_judge and not load_settings().anthropic_api_key.get_secret_value():
        raise UsageError("evaluate --judge needs ANTHROPIC_API_KEY")
    bodies = [task.body for task in tasks]
    async with AsyncExitStack() as opened:
        judge = (
            report_judge.Judge(await opened.enter_async_context(open_model()))
            if with_judge
            else None
        )
        evaluator = Evaluator(tasks, judge)
        figures = await measure(bodies, replay, record, library, evaluator.score)
    return [{"id": task.id} | run for task, run in zip(tasks, figures, strict=True)]


def summarize(figures: Sequence[Figures]) -> Figures:
    """Return the means over the runs that have each score, and what they took."""
    names = dict.fromkeys(name for run in figures for name in run["scores"])
    scores = {n: mean(r["scores"][n] for r in figures if n in r["scores"]) for n in names}
    taken = {name: mean(run[name] for run in figures) for name in ("words", "calls", "usd")}
    finished = sum(run["status"] == "completed" for run in figures)
    return {"questions": len(figures), "completed": finished, **scores, **taken}


def make_tables(figures: Sequence[Figures]) -> Iterator[Table]:
    """Yield a table of the means."""
    table = make_table("Evaluation", "", "of all")
    for name, value in summarize(figures).items() if figures else ():
        shown = f"{100 * value:.1f} %" if name in PERCENT else f"{round(value, 3):g}"
        table.add_row(name.replace("_", " "), shown)
    yield table
