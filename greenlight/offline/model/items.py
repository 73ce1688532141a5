"""Lists of things with their quotes: how many and which, whatever a schema calls them."""

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

from greenlight.offline.model import leaning, sense
from greenlight.offline.model.asking import SOURCES, Asked, asked_of
from greenlight.offline.model.comparison import CLOSE, LOOSE, TOPIC_ROWS, YEAR, Row, figures_of
from greenlight.offline.model.evidence import (
    citation,
    citations,
    is_title,
    prose,
    ranked,
    room,
    statement,
    within,
)
from greenlight.offline.model.notes import LONGEST_QUOTE, telling
from greenlight.offline.model.report import order_of
from greenlight.offline.model.scores import scored, tones
from greenlight.offline.model.source import Source
from greenlight.offline.model.task import Task
from greenlight.offline.text.measures import VALUE, Measure, measures
from greenlight.offline.text.passages import Passage
from greenlight.offline.text.words import listed

MOST, MOST_ROWS, MOST_EITHER, IN_BRIEF = 15, 4, 6, 2


class Lists:
    """Fills the lists of one reply from its sources."""

    def __init__(self, task: Task, beside: Collection[str] = ()) -> None:
        self._task = task
        self._side = leaning.side(task, {*beside})
        self._figures = figures_of(task)
        self._by_number = {source.number: source for source in task.sources}
        self._given = set() if task.quoted else task.quotes

    def fill(self, asked: Asked) -> list[dict[str, Any]]:
        """Return the items that the sources carry: none where they carry none."""
        if asked.quotes and (names := scored(asked.properties)):
            toned = tones(self._task.sources, names)
            made = [{**self.item(asked, passage), **tone} for passage, tone in toned]
        elif asked.cites:
            made = self._weighty(asked) or [*self._compared(asked), *self._alone(asked)][:MOST_ROWS]
        else:
            made = [self.item(asked, p) for p in self._passages(asked)][:MOST]
        return within(made, room(self._task) / 2)

    def _passages(self, asked: Asked) -> list[Passage]:
        tabled = [m.passage for row in self._rows(asked) for m in self._cells(row)]
        told = telling(self._task, self._task.phrases)
        found = dict.fromkeys([*tabled, *told, *self._on_subject()])
        return [p for p in found if self._fits(asked, p)]

    def _fits(self, asked: Asked, passage: Passage) -> bool:
        source = self._by_number[passage.source]
        is_told = passage.fact is not None and passage.text in self._given
        if is_told or len(passage.text) > LONGEST_QUOTE:
            return False
        if asked.wants_figure and not measured_in(passage, self._task.subjects):
            return False
        return sense.fits(asked.name, passage, source, self._task.topic)

    def _on_subject(self) -> Iterator[Passage]:
        """Yield what documents on the subject say, what bears on the task first."""
        about = [s for s in self._task.sources if sense.is_on(s, self._task.topic)]
        every = (p for source in about for p in source.passages)
        plain = (p for p in every if not (p.heading or is_title(p, self._by_number[p.source])))
        return chain(ranked(about, self._task.wanted), plain)

    def _rows(self, asked: Asked) -> list[Row]:
        topic, *others = self._task.phrases or [self._task.topic]
        rows = self._figures.rows_for(topic, LOOSE, TOPIC_ROWS)
        for phrase in others:
            rows += self._figures.rows_for(phrase, CLOSE, 1)
        unique = list({row.label: row for row in rows}.values())
        return [
            row for row in unique if any(self._fits(asked, m.passage) for m in self._cells(row))
        ]

    def _cells(self, row: Row) -> list[Measure]:
        return [row.cells[name] for name in row.ordered]

    def item(self, asked: Asked, passage: Passage) -> dict[str, Any]:
        """Return a passage as an item, none of whose texts says more than it."""
        source = self._by_number[passage.source]
        if asked.cites:
            text = statement(passage, source, self._task.subjects)
            return self._claim(asked, text, citations(passage, source, self._task.subjects))
        found = measured_in(passage, self._task.subjects)
        first = next(iter(found), None)
        told = {
            "text": said(passage, source, self._task.subjects),
            "name": sense.name_of(asked.name, passage, source, self._task.subjects),
            "value": first.value.split(" (")[0] if first else "",
            "year": sense.year_of(passage),
            "title": source.title,
            "quote": passage.text,
        }
        numbered = [n for n in SOURCES if asked.properties.get(n, {}).get("type") == "integer"]
        return {**asked.filled(told), **dict.fromkeys(numbered, source.number)}

    def _compared(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the rows of figures whose tone is the list's, each as one statement."""
        for row in self._figures.rows:
            if len(row.cells) > 1 and sense.has_tone(asked.name, row.label, row.sizes):
                sides = [f"{name} {row.cells[name].value.rstrip('.')}" for name in row.ordered]
                text = order_of(row) if row.sizes else listed(sides)
                cited = [
                    citation(self._by_number[m.passage.source], quote)
                    for m in row.cells.values()
                    for quote in m.passage.quotes
                ]
                yield self._claim(asked, f"{row.label}: {text}.", cited)

    def _weighty(self, asked: Asked) -> list[dict[str, Any]]:
        """Return what accounts say, weightiest first, on the side that the list asks for."""
        if not leaning.is_of_accounts(self._task):
            return []
        sign = leaning.DECIDING.get(asked.name, sense.tone_of(asked.name)) * self._side
        found = leaning.strongest(self._task, sign)[: MOST_ROWS if sign else MOST_EITHER]
        return [{**self.item(asked, p), **asked.restated(leaning.brief(p))} for p in found]

    def _alone(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """Yield the statements whose tone is the list's and that stand in no row."""
        rows = [row for row in self._figures.rows if len(row.cells) > 1]
        tabled = {measure.passage for row in rows for measure in row.cells.values()}
        plain = [passage for source in self._task.sources for passage in source.passages]
        for passage in dict.fromkeys([*ranked(self._task.sources, self._task.wanted), *plain]):
            source = self._by_number[passage.source]
            fits = passage not in tabled and not (passage.heading or is_title(passage, source))
            if fits and sense.has_tone(asked.name, passage.plain, {}):
                yield self.item(asked, passage)

    def _claim(self, asked: Asked, text: str, cited: list[dict[str, Any]]) -> dict[str, Any]:
        told = {"text": text, "name": "", "value": "", "year": "", "title": "", "quote": ""}
        return {**asked.filled(told), asked.cites: cited}


QUOTED = {"properties": {"source": {"type": "integer"}, "quote": {"type": "string"}}}
STATEMENTS = asked_of(
    "statements",
    {"properties": {"text": {"type": "string"}, "citations": {"type": "array", "items": QUOTED}}},
)


def brief(task: Task) -> str:
    """Return an answer in a few sentences: the statements that a list of them would begin with."""
    made = Lists(task).fill(STATEMENTS)[:IN_BRIEF]
    return " ".join(f"{item['text'].rstrip('.')}." for item in made) or prose(task)


def measured_in(passage: Passage, subjects: list[str]) -> list[Measure]:
    """Return the figures of a passage, those with a unit first."""
    found = measures(passage, subjects)
    if not found and passage.figures and not passage.fact:
        bare = VALUE.finditer(passage.plain)
        found = [
            Measure("", m[0].strip(), passage) for m in bare if not YEAR.fullmatch(m[0].strip())
        ]
    return sorted(found, key=lambda m: not (m.unit or m.kind))


def said(passage: Passage, source: Source, subjects: list[str]) -> str:
    """Return what a passage says, in no word that it or its source's title lacks."""
    if passage.header:
        first, *rest = [cell for cell in passage.text.strip("| ").split("|") if cell.strip()]
        return f"{first.strip()}: {', '.join(cell.strip() for cell in rest)}"
    naming = source.naming
    titled = naming is not None and source.is_titled(naming.plain)
    return statement(passage, source, subjects) if titled else passage.plain
