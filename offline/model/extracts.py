"""Extracts: the passages of the sources that bear on the question, best first, and side by side."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from offline.model.material import NumberedSource
from offline.model.question import Subject
from offline.text.passages import Passage
from offline.text.words import split_words

TITLE_SHARE, LEAST_SHARE = 0.3, 0.4
FIGURE_BONUS = 1.3
ENDS = (".", "!", "?", "。")
ROWS = 8
"""Measures that are set side by side, related ones included."""
FEWEST_FOR_TWO = 3
"""Stems that a question has at least before a passage must share two of them."""


@dataclass(frozen=True)
class GridCell:
    """A figure of one thing compared, and the passage that gives it."""

    of: str
    value: str
    passage: Passage


Stems = frozenset[str]
Grid = dict[str, dict[str, GridCell]]


class Extracts:
    """The passages of some sources, weighed by the words that they share with a question."""

    def __init__(self, subject: Subject, sources: list[NumberedSource]) -> None:
        self._subject = subject
        self._sources = {source.number: source for source in sources}
        self._stems = subject.language.list_stems

    @cached_property
    def _passages(self) -> list[tuple[Passage, frozenset[str]]]:
        every = (p for source in self._sources.values() for p in source.passages)
        return [(passage, self._stems(passage.words)) for passage in every]

    @cached_property
    def _titles(self) -> dict[int, frozenset[str]]:
        return {number: self._stems(s.title) for number, s in self._sources.items()}

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The weight of each stem of the question: the rarer among the passages, the higher."""
        counts = Counter(stem for _, stems in self._passages for stem in stems)
        every = len(self._passages)
        asked = self._subject.stems | self._subject.names
        return {s: math.log(1 + every / counts[s]) for s in asked if counts[s]}

    @cached_property
    def missing(self) -> list[str]:
        """The words of the topic that no source has."""
        said = {stem for _, stems in self._passages for stem in stems}.union(*self._titles.values())
        words = self._subject.language.list_content_words(self._subject.topic)
        return [word for word in words if self._subject.language.stem(word) not in said]

    @cached_property
    def ranked(self) -> list[Passage]:
        """The passages that bear on the question, best first, no two of the same words.

        Documents that were handed over come first; what bears on it far less than the best, not at all.
        """
        scored = [
            (self._sources[passage.source].is_own, self._score(passage, stems), -n, passage)
            for n, (passage, stems) in enumerate(self._passages)
            if not passage.is_heading and self._bears(passage, stems)
        ]
        least = LEAST_SHARE * max(scored, default=(False, 0.0))[1]
        best = sorted(scored, reverse=True)
        kept = [p for _, score, _, p in best if score >= least or self._sources[p.source].is_quoted]
        return list({passage.plain: passage for passage in kept}.values())

    def _bears(self, passage: Passage, stems: frozenset[str]) -> bool:
        source, title = self._sources[passage.source], self._titles[passage.source]
        is_title = passage.plain == source.title and not passage.plain.endswith(ENDS)
        own = stems | title if self._subject.is_named_in(self._stems(passage.label)) else stems
        is_relevant = self.is_relevant(own, title, self._named[passage.source])
        return source.is_quoted or (is_relevant and not is_title)

    @cached_property
    def _named(self) -> dict[int, bool]:
        """True for each source that names, anywhere, what the question names, written as there."""
        is_small = any(name.islower() for name in self._subject.compared)
        found = dict.fromkeys(self._sources, "")
        for passage, _ in self._passages:
            words = split_words(passage.words)
            found[passage.source] += f" {' '.join(w for w in words if is_small or not w.islower())}"
        return {n: self._subject.is_named_in(self._stems(text)) for n, text in found.items()}

    def is_relevant(self, stems: Stems, title: Stems, is_near: bool = False) -> bool:
        """Tell whether words under a title speak of what is asked, and of a thing that is named.

        Of several words, or one and a name, two must be there; the page may have the name elsewhere.
        """
        asked, every = self._subject.stems, stems | title
        is_named = self._subject.is_named_in(every)
        is_long = len(asked) >= FEWEST_FOR_TWO or bool(self._subject.named)
        shared = len(asked & every) + (is_named or is_near)
        is_own = is_named or not self._is_about_names
        is_wanted = is_own and not self._subject.left_out & every
        return bool(asked & stems) and shared >= 1 + is_long and is_wanted

    @cached_property
    def _is_about_names(self) -> bool:
        """True where some title names what the question names: other pages are of elsewhere."""
        return any(map(self._subject.is_named_in, self._titles.values()))

    def _score(self, passage: Passage, stems: frozenset[str]) -> float:
        weight = self._weights
        own = sum(weight.get(stem, 0.0) for stem in stems)
        title = sum(weight.get(stem, 0.0) for stem in self._titles[passage.source] - stems)
        return (own + TITLE_SHARE * title) * (FIGURE_BONUS if passage.figures else 1)

    def sort_by_heading(self, headings: list[str], most: int) -> dict[str, list[Passage]]:
        """Return so many of the best passages of each source, by the heading they fit best.

        Of two that fit alike it is the one that was wished for.
        """
        found: dict[str, list[Passage]] = {heading: [] for heading in headings}
        wished = self._subject.phrases
        wanted = {heading: self._stems(heading) for heading in headings}
        counts: Counter[int] = Counter()
        for passage in self.ranked:
            counts[passage.source] += 1
            if counts[passage.source] <= most:
                own = self._titles[passage.source] | self._stems(passage.plain)
                shared = {heading: len(own & stems) for heading, stems in wanted.items()}
                best = max(shared, key=lambda h: (shared[h], bool(shared[h]) and h in wished))
                found[best].append(passage)
        return found

    @cached_property
    def told(self) -> list[Passage]:
        """The passages that bear on the question, those first that say the same of several things."""
        cells = [cell.passage for row in self._shared.values() for cell in row.values()]
        return list(dict.fromkeys([*cells, *self.ranked]))

    @cached_property
    def _shared(self) -> Grid:
        """The measures that bear on the question and are known of several things compared."""
        found = self._collect_rows(self.ranked)
        return {label: row for label, row in found.items() if len(row) > 1}

    @cached_property
    def grid(self) -> Grid:
        """The measures that bear on the question, then related ones, of the things compared.

        A related measure shares a word with one that bears on it, and is stated of all of them.
        """
        order, near = self._subject.compared, self._shared
        if len(order) < 2:
            return {}
        words = self._stems(" ".join(near)) - self._subject.names
        others = self._collect_rows(passage for passage, stems in self._passages if words & stems)
        shares: dict[str, float] = {}
        for label, row in others.items():
            stems = self._stems(label)
            if len(row) == len(order) and label not in near and words & stems:
                shares[label] = len(words & stems) / len(stems)
        related = sorted(shares, key=lambda label: (-shares[label], label))
        return near | {label: others[label] for label in related[: max(0, ROWS - len(near))]}

    def _collect_rows(self, passages: Iterable[Passage]) -> Grid:
        found: Grid = {}
        for passage in passages:
            for label, name, value in self._find_figures(passage):
                found.setdefault(label, {}).setdefault(name, GridCell(name, value, passage))
        order = self._subject.compared
        return {label: {n: row[n] for n in order if n in row} for label, row in found.items()}

    def _find_figures(self, passage: Passage) -> Iterable[tuple[str, str, str]]:
        """Yield label, thing compared and value of what a passage states of things compared."""
        names = {name: self._stems(name) for name in self._subject.compared}
        for column, value in passage.cells.items():
            for name, stems in names.items():
                if stems <= self._stems(column) and value:
                    yield passage.label, name, value
                elif stems <= self._stems(passage.label) and value:
                    yield column, name, value
        if passage.fact:
            label, value = passage.fact
            own = [n for n, stems in names.items() if stems <= self._stems(label)]
            told = own or [n for n, s in names.items() if s <= self._titles[passage.source]]
            if len(told) == 1:
                yield remove_name(label, told[0]), told[0], value


def remove_name(label: str, name: str) -> str:
    """Return a label without the name of the thing that it is stated of."""
    parts = [part.strip() for part in label.replace(name, "").split(",")]
    return ", ".join(part for part in parts if part) or label
