"""The report's sections: what the sources support under each heading of the plan's outline."""

import json
import re
from collections.abc import Iterable
from typing import Any

from greenlight.offline.model.comparison import (
    CLOSE,
    LOOSE,
    TOPIC_ROWS,
    Row,
    comparison,
    figures_of,
)
from greenlight.offline.model.evidence import (
    citation,
    citations,
    room,
    statement,
    within,
)
from greenlight.offline.model.notes import is_concluding, telling
from greenlight.offline.model.task import Task
from greenlight.offline.text.aspects import measures_in
from greenlight.offline.text.kin import mentions
from greenlight.offline.text.measures import Measure
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import listed, stems, words

MOST_PASSAGES = 4
MOST_LABELS = 4
MOST_IN_ALL = 12
"""How many passages a report of few sections has room for."""
YOURS = "that is yours to weigh."


class Writer:
    """Writes one report."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._figures = figures_of(task)
        self._by_number = {source.number: source for source in task.sources}
        self._used: set[str] = set()
        self._said = {stem for source in task.sources for stem in stems(source.given)}

    def section(self, heading: str) -> dict[str, Any]:
        """Return one section; without evidence it says what is missing."""
        if is_concluding(heading):
            return self._conclusion(heading)
        name, *measures = [part for part in re.split(r"[:,;]\s+", heading) if part.strip()]
        rows = self._rows(measures or [name])
        passages = self._passages(measures if measures and rows else [name, *measures])
        compared, stated = list(map(self._compared, rows)), list(map(self._stated, passages))
        claims = [*compared, *stated] if self._task.subjects else [*stated, *compared]
        missing = self._missing(heading, measures, rows, passages)
        return {"heading": heading, "claims": claims, "missing": missing}

    def noted(self, heading: str) -> dict[str, Any]:
        """Return what the pages say on a heading, each page for itself."""
        name, *measures = [part for part in re.split(r"[:,;]\s+", heading) if part.strip()]
        found = self._passages([name, *measures])
        return {"heading": heading, "claims": list(map(self._stated, found)), "missing": ""}

    def _rows(self, phrases: list[str]) -> list[Row]:
        found: list[Row] = []
        for phrase in phrases:
            is_topic = phrase.lower() == self._task.topic.lower()
            least, most = (LOOSE, TOPIC_ROWS) if is_topic else (CLOSE, 1)
            found += self._figures.rows_for(phrase, least, most)
        fresh = {row.label: row for row in found if row.label not in self._used}
        self._used |= fresh.keys()
        return list(fresh.values())

    def _compared(self, row: Row) -> dict[str, Any]:
        told = [f"{name} {row.cells[name].value.rstrip('.')}" for name in row.ordered]
        return {
            "text": f"{row.label}: {listed(told)}.",
            "citations": self._cited(row.cells.items()),
        }

    def _cited(self, cells: Iterable[tuple[str, Measure]]) -> list[dict[str, Any]]:
        found = []
        for name, measure in cells:
            source = self._by_number[measure.passage.source]
            naming = source.naming_of(name)
            unnamed = not (stems(name) <= measure.passage.stems or source.is_titled(name))
            found += [citation(source, quote) for quote in measure.passage.quotes]
            found += [citation(source, naming.text)] if naming and unnamed else []
        return list({(c["source"], c["quote"]): c for c in found}.values())

    def _passages(self, phrases: list[str]) -> list[Passage]:
        most = max(MOST_PASSAGES, MOST_IN_ALL // (len(self._task.planned("outline")) or 1))
        found = telling(self._task, phrases, most // 2)
        fresh = [passage for passage in found if passage.text not in self._used][:most]
        self._used |= {passage.text for passage in fresh}
        return fresh

    def _stated(self, passage: Passage) -> dict[str, Any]:
        source, subjects = self._by_number[passage.source], self._task.subjects
        cited = citations(passage, source, subjects)
        return {"text": statement(passage, source, subjects), "citations": cited}

    def _missing(
        self, heading: str, measures: list[str], rows: list[Row], passages: list[Passage]
    ) -> str:
        if not rows and not passages and not measures:
            return f"Nothing to quote was found on {heading}."
        if measures:
            labels = [row.stems for row in rows] + [set(passage.stems) for passage in passages]
            open_ones = [m for m in measures if not any(stems(m) & label for label in labels)]
            return f"Nothing was found on {listed(open_ones)}." if open_ones else ""
        unsaid = [word for word in words(heading) if self._is_unsaid(word)]
        return f"No source that was read mentions {listed(unsaid)}." if unsaid else ""

    def _is_unsaid(self, word: str) -> bool:
        return not any(mentions(self._said, root) for root in stems(word))

    def _conclusion(self, heading: str) -> dict[str, Any]:
        criterion, rows = self._task.criterion.rstrip("."), self._deciding()
        told = [row for row in rows if len(row.cells) > 1 and row.sizes]
        claims = [self._ranked(row) for row in told[:MOST_LABELS]]
        if claims and criterion:
            missing = f"No source says how these figures add up to “{criterion}”: {YOURS}"
        elif claims:
            missing = f"Which of these measures should count most, no source says: {YOURS}"
        else:
            on = f" on “{criterion}”" if criterion else ""
            missing = (
                f"The sources that were read give no figures{on} that can be set side by side."
            )
        return {"heading": heading, "claims": claims, "missing": missing}

    def _deciding(self) -> list[Row]:
        """Return the rows that the answer rests on: on what should count most, else the table's."""
        wanted = stems(self._task.criterion)
        if not wanted:
            return self._figures.best()
        headings = [h for h in self._task.planned("outline") if wanted & stems(h.split(":")[0])]
        phrases = [part for heading in headings for part in measures_in(heading)]
        found = [
            row
            for phrase in [*phrases, self._task.criterion]
            for row in self._figures.rows_for(phrase, CLOSE, 1)
        ]
        return list({row.label: row for row in found}.values())

    def _ranked(self, row: Row) -> dict[str, Any]:
        years = " The figures are of different years." if row.is_of_different_years else ""
        text = f"{row.label}: {order_of(row)}.{years}"
        return {"text": text, "citations": self._cited(row.cells.items())}


def order_of(row: Row) -> str:
    """Return in words which thing has most and which least of a measure."""
    first, *middle, last = [f"{n} with {row.cells[n].value.rstrip('.')}" for n in row.ordered]
    if len(set(row.sizes.values())) == 1:
        return f"the same for {listed([first, *middle, last])}"
    if not middle:
        return f"higher for {first} than for {last}"
    return f"highest for {first}, then {listed(middle)}, lowest for {last}"


def sections(task: Task) -> list[dict[str, Any]]:
    """Return the sections that the plan outlines, as long as there is room for them."""
    writer = Writer(task)
    headings = task.planned("outline") or [task.topic]
    left = room(task) - len(json.dumps(comparison(task)))
    written = []
    for done, heading in enumerate(headings):
        section = writer.section(heading)
        section["claims"] = within(section["claims"], left / (len(headings) - done))
        left -= len(json.dumps(section))
        written.append(section)
    return written
