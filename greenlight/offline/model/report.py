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
from greenlight.offline.text.kin import mentions
from greenlight.offline.text.measures import Measure
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import listed, stems, words

MOST_PASSAGES = 4
MOST_LABELS = 3


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
        claims = [*map(self._compared, rows), *map(self._stated, passages)]
        missing = self._missing(heading, measures, rows, passages)
        return {"heading": heading, "claims": claims, "missing": missing}

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
        fresh = [p for p in telling(self._task, phrases) if p.text not in self._used]
        self._used |= {passage.text for passage in fresh[:MOST_PASSAGES]}
        return fresh[:MOST_PASSAGES]

    def _stated(self, passage: Passage) -> dict[str, Any]:
        source, subjects = self._by_number[passage.source], self._task.subjects
        cited = citations(passage, source, subjects)
        return {"text": statement(passage, source, subjects), "citations": cited}

    def _missing(
        self, heading: str, measures: list[str], rows: list[Row], passages: list[Passage]
    ) -> str:
        if not rows and not passages and not measures:
            return f"No source that was read says anything on {heading}."
        if measures:
            labels = [row.stems for row in rows] + [set(passage.stems) for passage in passages]
            open_ones = [m for m in measures if not any(stems(m) & label for label in labels)]
            return f"Nothing was found on {listed(open_ones)}." if open_ones else ""
        unsaid = [word for word in words(heading) if self._is_unsaid(word)]
        return f"No source that was read mentions {listed(unsaid)}." if unsaid else ""

    def _is_unsaid(self, word: str) -> bool:
        return not any(mentions(self._said, root) for root in stems(word))

    def _conclusion(self, heading: str) -> dict[str, Any]:
        columns, claims = self._figures.columns, []
        full = [row for row in self._figures.best() if len(row.cells) == len(columns)]
        for name in columns:
            if led := [row for row in full if row.is_led_by(name)][:MOST_LABELS]:
                text = f"{name} stands highest on: {'; '.join(row.label for row in led)}."
                cited = self._cited((name, row.cells[name]) for row in led)
                claims.append({"text": text, "citations": cited})
        missing = (
            "Which of these measures should count most, no source says; that is yours to weigh."
        )
        nothing = "The sources that were read give no figures that can be set side by side."
        return {"heading": heading, "claims": claims, "missing": missing if claims else nothing}


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
