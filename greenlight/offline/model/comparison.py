"""Figures side by side: which things are compared, by which measures, from which lines."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from greenlight.offline.model.source import Source
from greenlight.offline.model.task import Task
from greenlight.offline.text.kin import kin
from greenlight.offline.text.measures import Measure, measures
from greenlight.offline.text.passages import Passage, figures
from greenlight.offline.text.tables import cells
from greenlight.offline.text.words import clip, stems, telling_stems

MOST_ROWS, FEWEST_ROWS = 10, 6
MOST_COLUMNS = 8
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
TOPIC_ROWS = 3
LOOSE, CLOSE = 0.25, 0.5
"""How alike a phrase and a label must be, of one that is the topic and of any other."""


@dataclass
class Row:
    """One measure of every thing that has it."""

    label: str
    cells: dict[str, Measure] = field(default_factory=dict)

    @cached_property
    def stems(self) -> set[str]:
        """The stems of its label."""
        return stems(self.label)

    @property
    def sizes(self) -> dict[str, float]:
        """How much each thing has of it, where all figures count the same; else nothing."""
        numbers = {n: m.number for n, m in self.cells.items() if m.number is not None}
        units = {measure.unit for measure in self.cells.values()}
        return numbers if len(units) == 1 and len(numbers) == len(self.cells) else {}

    @property
    def ordered(self) -> list[str]:
        """What is compared, the largest first where that can be told."""
        sizes = self.sizes
        return sorted(sizes, key=lambda name: -sizes[name]) or list(self.cells)

    @property
    def is_of_different_years(self) -> bool:
        """Tell whether its figures are of different years, or one says none."""
        years = {tuple(YEAR.findall(measure.value)) for measure in self.cells.values()}
        return len(years) > 1


class Figures:
    """Every figure of the sources, by what it measures and what it is about."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.columns, self._about = columns_of(task)
        self.rows = self._collected()
        if not task.subjects:
            self.rows = [row for row in self.rows if len(row.cells) > 1]
            self.columns, self._about = (self.columns, self._about) if self.rows else ([], {})

    def _collected(self) -> list[Row]:
        rows: dict[tuple[frozenset[str], str], Row] = {}
        for source in self._task.sources:
            for passage in source.passages:
                column = self.about(passage)
                for measure in measures(passage, self.columns) if column else []:
                    row = rows.setdefault((measure.key, measure.kind), Row(measure.label))
                    row.cells.setdefault(str(column), measure)
        return list(rows.values())

    def about(self, passage: Passage) -> str | None:
        """Return what a passage is about: the first cell of a table's row, else the source's."""
        about = self._about.get(passage.source)
        if not passage.header:
            return about
        first = cells(passage.text)[0]
        if first in self.columns:
            return first
        return next((name for name in self.columns if stems(name) <= stems(first)), None)

    @cached_property
    def _spread(self) -> Counter[str]:
        return Counter(stem for row in self.rows for stem in row.stems)

    def _weight(self, found: set[str]) -> float:
        return sum(math.log(1 + len(self.rows) / self._spread[stem]) for stem in sorted(found))

    def likeness(self, phrase: str, row: Row) -> float:
        """Return how alike a phrase and a row's label are, fuller rows more so: 0 to 1."""
        wanted = self._known(stems(phrase))
        if not self._known(self._telling(phrase)) & row.stems:
            return 0.0
        shared = self._weight(wanted & row.stems)
        full = len(row.cells) / len(self.columns)
        return full * 2 * shared / (self._weight(wanted) + self._weight(row.stems))

    def _known(self, wanted: set[str]) -> set[str]:
        """Return the stems that labels have, each that none has replaced by its kin."""
        near = {other for root in wanted if root not in self._spread for other in kin(root)}
        return (wanted | near) & self._spread.keys()

    def _telling(self, phrase: str) -> set[str]:
        """Return the stems of which a label must have one: of the topic, those that tell it apart."""
        return (
            telling_stems(phrase) if phrase.lower() == self._task.topic.lower() else stems(phrase)
        )

    def rows_for(self, phrase: str, least: float, most: int) -> list[Row]:
        """Return the rows that a phrase asks for, the most alike first."""
        likeness = {id(row): self.likeness(phrase, row) for row in self.rows}
        fitting = [row for row in self.rows if likeness[id(row)] >= least]
        return sorted(fitting, key=lambda row: -likeness[id(row)])[:most]

    def best(self) -> list[Row]:
        """Return the rows for a table: what the topic asks for, then every wanted phrase's one."""
        topic, *others = self._task.phrases
        found = self.rows_for(topic, LOOSE, TOPIC_ROWS)
        for phrase in others:
            found += [row for row in self.rows_for(phrase, CLOSE, 1) if row not in found]
        shared = [row for row in self.rows if len(row.cells) > 1 and row not in found]
        shared.sort(key=lambda row: -len(row.cells))
        found += shared[: max(0, FEWEST_ROWS - len(found))]
        return found[:MOST_ROWS]


@lru_cache(maxsize=16)
def figures_of(task: Task) -> Figures:
    """Return the figures of a task's sources, collected once."""
    return Figures(task)


def columns_of(task: Task) -> tuple[list[str], dict[int, str]]:
    """Return what is compared, and which source is about which of it."""
    if tabled := table_columns(task):
        return tabled, {}
    about = {source.number: subject_of(source, task.subjects) for source in task.sources}
    if not task.subjects:
        named = [source for source in task.sources if not figures(source.title)]  # no headlines
        about = {source.number: clip(source.title, 40) for source in named}
    found = {number: subject for number, subject in about.items() if subject}
    order = task.subjects or list(dict.fromkeys(found.values()))
    columns = [subject for subject in order if subject in found.values()][:MOST_COLUMNS]
    return columns, {number: subject for number, subject in found.items() if subject in columns}


def table_columns(task: Task) -> list[str]:
    """Return what the first table on the topic compares, where the question compares nothing."""
    if task.subjects:
        return []
    wanted = stems(task.topic)
    tables: dict[tuple[int, str], list[str]] = {}
    for passage in (p for source in task.sources for p in source.passages if p.header):
        if wanted & stems(passage.header):
            names = tables.setdefault((passage.source, passage.header), [])
            names.append(cells(passage.text)[0])
    fitting = (names for names in tables.values() if 1 < len(set(names)) <= MOST_COLUMNS)
    return list(dict.fromkeys(next(fitting, [])))


def subject_of(source: Source, subjects: list[str]) -> str | None:
    """Return the subject that a source is about: by its title, else the one it names most."""
    titled = next((subject for subject in subjects if source.is_about(subject)), None)
    counts = {subject: source.mentions(subject) for subject in subjects}
    most = max(counts, key=lambda subject: counts[subject], default="")
    return titled or (most if counts.get(most) else None)


def comparison(task: Task) -> dict[str, Any] | None:
    """Return a table of the figures that the sources give for each thing, or None."""
    figures = figures_of(task)
    rows = figures.best()
    if not rows:
        return None
    columns = [name for name in figures.columns if any(name in row.cells for row in rows)]
    return {
        "columns": columns,
        "rows": [
            {"label": row.label, "cells": [cell(row.cells.get(name)) for name in columns]}
            for row in rows
        ],
    }


def cell(measure: Measure | None) -> dict[str, Any] | None:
    """Return a figure as a cell, or None where nothing was found."""
    if measure is None:
        return None
    passage = measure.passage
    return {"text": measure.value, "source": passage.source, "quote": passage.text}
