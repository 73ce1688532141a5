"""Answers of FinanceBench beside the figures that are shown of the same company and period.

`financebench.json` names for each question the figure that answers it; one without a day asks for a metric that is
answered not to apply. The answers are read from FinanceBench's own file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter
from rich.table import Table

from bench.companies.measurement import list_files, name_filer, read_facts
from bench.harness import make_table
from contracts.base import Contract, Json
from contracts.company.figures import Fundamentals
from domain.company.figures.computation import compute_fundamentals

Outcome = Literal["agrees", "differs", "not shown", "no facts"]
FILED_DAYS = 100
"""A yearly report is filed within these days of the year's end; later filings may state the year anew."""
ROUNDING = 0.005
"""Part of an answer, beyond half of its last digit, by which a figure may differ."""
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.(\d+))?")


class FinanceQuestion(Contract):
    """A question of FinanceBench, and the figure that answers it."""

    id: str
    cik: int
    metric: str
    end: str = ""
    scale: float = 1


class FinanceAnswer(NamedTuple):
    """What is shown where FinanceBench has an answer."""

    question: str
    metric: str
    outcome: Outcome
    answer: str
    shown: str


QUESTIONS = TypeAdapter(list[FinanceQuestion]).validate_json(
    Path(__file__).with_suffix(".json").read_bytes()
)


def measure(folder: Path, lines: Sequence[Json]) -> list[FinanceAnswer]:
    """Compare the answers in FinanceBench's lines with the figures of the companies of a folder."""
    answers = {str(line["financebench_id"]): str(line["answer"]) for line in lines}
    known = {int(facts.get("cik") or 0): facts for facts in map(read_facts, list_files(folder))}
    asked = [each for each in QUESTIONS if each.id in answers]
    return [_compare(each, answers[each.id], known.get(each.cik)) for each in asked]


def _compare(asked: FinanceQuestion, answer: str, facts: dict[str, Any] | None) -> FinanceAnswer:
    if facts is None:
        return FinanceAnswer(asked.id, asked.metric, "no facts", answer, "")
    found = compute_fundamentals(facts, name_filer(facts), _find_day(asked.end))
    if not asked.end:
        state = next((gap.state for gap in found.gaps if gap.metric == asked.metric), "")
        is_same = state == "does_not_apply"
        return FinanceAnswer(
            asked.id, asked.metric, "agrees" if is_same else "differs", answer, state
        )
    values = [*_list_values(found, asked)]
    if not values:
        has_year = any(figure.end == asked.end for figure in found.figures)
        return FinanceAnswer(
            asked.id, asked.metric, "not shown" if has_year else "no facts", answer, ""
        )
    shown = values[0] / asked.scale
    outcome: Outcome = "agrees" if _is_same(shown, answer) else "differs"
    return FinanceAnswer(asked.id, asked.metric, outcome, answer, f"{shown:,.4g}")


def _find_day(end: str) -> str | None:
    return (date.fromisoformat(end) + timedelta(FILED_DAYS)).isoformat() if end else None


def _list_values(found: Fundamentals, asked: FinanceQuestion) -> Iterator[float]:
    for figure in found.figures:
        is_wanted = figure.metric == asked.metric and figure.end == asked.end
        if is_wanted and figure.period in ("year", "instant"):
            yield figure.value


def _is_same(shown: float, answer: str) -> bool:
    """Return whether a figure is one of the numbers of an answer, as they are rounded there."""
    for told in _NUMBER.finditer(answer):
        number, digits = float(told[0].replace(",", "")), len(told[1] or "")
        if abs(shown - number) <= 0.5 * 10**-digits + ROUNDING * abs(number):
            return True
    return False


def make_tables(answered: Sequence[FinanceAnswer]) -> list[Table]:
    """Return how many answers agree, and each question."""
    counts = Counter(each.outcome for each in answered)
    outcomes: tuple[Outcome, ...] = ("agrees", "differs", "not shown", "no facts")
    total = make_table("FinanceBench", "questions", *outcomes)
    total.add_row(str(len(answered)), *(str(counts[name]) for name in outcomes))
    every = make_table("Answers", "question", "figure", "outcome", "answer", "shown")
    for each in answered:
        every.add_row(each.question, each.metric, each.outcome, each.answer[:60], each.shown)
    return [total, every]
