"""The report: figures side by side, then what the sources support, section by section."""

import math
import re
from collections import Counter
from typing import Any

from greenlight.offline.model.evidence import citations, ranked, statement
from greenlight.offline.model.task import Source, Task
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import stems

MOST_ROWS = 10
PER_SUBJECT = 2
LABEL_YEAR = re.compile(r"\s*\b(?:19|20)\d\d\b")

Table = dict[str, dict[str, Passage]]


def about(source: Source, subjects: list[str]) -> str | None:
    """Return the subject that a source is about: by its first lines, else by what it names most."""
    naming = stems(source.naming.plain) if source.naming else set()
    first = next((subject for subject in subjects if stems(subject) <= naming), None)
    counts = {subject: source.text.count(subject) for subject in subjects}
    most = max(counts, key=lambda subject: counts[subject], default=None)
    return first or (most if most and counts[most] else None)


def comparison(task: Task) -> dict[str, Any] | None:
    """Return a table of the figures that the sources give for each subject, or None."""
    table, columns = figures_by_label(task)
    labels = best_labels(task, table, len(columns))
    if not labels:
        return None
    rows = [
        {"label": label, "cells": [cell(table[label].get(column)) for column in columns]}
        for label in labels
    ]
    return {"columns": columns, "rows": rows}


def figures_by_label(task: Task) -> tuple[Table, list[str]]:
    """Return the first figure of each label for each subject, and the subjects that have any."""
    table: Table = {}
    for source in task.sources:
        subject = about(source, task.subjects)
        for passage in source.passages if subject else []:
            if passage.fact and passage.figures and len(passage.fact[1]) <= 80:
                label = LABEL_YEAR.sub("", passage.fact[0])
                table.setdefault(label, {}).setdefault(str(subject), passage)
    present = {subject for cells in table.values() for subject in cells}
    return table, [subject for subject in task.subjects if subject in present]


def best_labels(task: Task, table: Table, columns: int) -> list[str]:
    """Return the labels that bear most on the task; those that all subjects share come first."""
    spread = Counter(stem for label in table for stem in stems(label))
    weight = {
        label: coverage(table[label], columns)
        * sum(task.wanted.get(s, 0) * math.log(1 + len(table) / spread[s]) for s in stems(label))
        / math.sqrt(1 + len(stems(label)))
        for label in table
    }
    good = [label for label in table if weight[label] > 0]
    return sorted(good, key=lambda label: -weight[label])[:MOST_ROWS]


def coverage(cells: dict[str, Passage], columns: int) -> float:
    """Return how much of a row is filled; a row for one of many subjects compares nothing."""
    return 1.0 if len(cells) == columns else 0.5 * len(cells) / columns


def cell(passage: Passage | None) -> dict[str, Any] | None:
    """Return a passage as a cell, or None where nothing was found."""
    if passage is None or passage.fact is None:
        return None
    return {"text": passage.fact[1], "source": passage.source, "quote": passage.text}


def sections(task: Task) -> list[dict[str, Any]]:
    """Return the sections that the plan outlines, each with the claims its sources support."""
    headings = [str(h) for h in task.plan.get("outline", [])] or [task.topic]
    used: set[str] = set()
    return [section(task, heading, used) for heading in headings]


def section(task: Task, heading: str, used: set[str]) -> dict[str, Any]:
    """Return one section; without evidence it says so."""
    wanted = dict.fromkeys(stems(heading), 1.0)
    by_number = {source.number: source for source in task.sources}
    found = [s.passage for s in ranked(task.sources, wanted) if s.passage.text not in used]
    chosen = spread_out(task, found, by_number)
    used |= {passage.text for passage in chosen}
    claims = [
        {
            "text": statement(passage, by_number[passage.source]),
            "citations": citations(passage, by_number[passage.source]),
        }
        for passage in chosen
    ]
    missing = (
        ""
        if claims
        else f"None of the {len(task.sources)} sources read says anything about {heading}."
    )
    return {"heading": heading, "claims": claims, "missing": missing}


def spread_out(task: Task, found: list[Passage], by_number: dict[int, Source]) -> list[Passage]:
    """Return the best passages, no more than a few for each subject."""
    taken: Counter[str | None] = Counter()
    chosen = []
    for passage in found:
        subject = about(by_number[passage.source], task.subjects)
        if taken[subject] < PER_SUBJECT:
            taken[subject] += 1
            chosen.append(passage)
    return chosen[: PER_SUBJECT * max(2, len(task.subjects))]
