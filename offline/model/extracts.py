"""Extracts: the passages of the sources that bear on the question, best first, and side by side."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

from offline.model.material import NumberedSource
from offline.model.question import Subject
from offline.text.passages import Passage, strip_marks
from offline.text.words import split_words

ABOVE_SHARE, LEAST_SHARE = 0.3, 0.4
BELOW_SHARE = 0.8
"""Weight of a word above a passage that has none of the question's itself: the less, the more stands below it."""
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


@dataclass(frozen=True)
class Bearing:
    """A passage that bears on the question, by its own words or by those above it."""

    passage: Passage
    is_own: bool
    is_said: bool
    score: float


Stems = frozenset[str]
Grid = dict[str, dict[str, GridCell]]


class Extracts:
    """The passages of some sources, weighed by the words that they share with a question."""

    def __init__(self, subject: Subject, sources: list[NumberedSource]) -> None:
        self._subject = subject
        self._sources = {source.number: source for source in sources}
        self._stems = subject.language.list_stems
        self._words: dict[Passage, Stems] = {}

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
        """The words of the topic that no source has, within a word either: “hydro” is in hydroelectricity."""
        language = self._subject.language
        words = language.list_content_words(self._subject.topic)
        said = [*(p.words for p, _ in self._passages), *(s.title for s in self._sources.values())]
        texts = "\n".join(said).casefold()
        return [
            word
            for word in words
            if (stem := language.stem(word)) not in self._said and stem not in texts
        ]

    @cached_property
    def untold(self) -> list[str]:
        """The things compared of which no passage that bears on the question is."""
        told = {name for passage in self.ranked for name in self.list_compared(passage)}
        return [name for name in self._subject.compared if name not in told]

    @cached_property
    def _said(self) -> Stems:
        """The stems of all that the sources have."""
        said = (stems for _, stems in self._passages)
        return frozenset().union(*said, *self._titles.values())

    @cached_property
    def ranked(self) -> list[Passage]:
        """The passages that bear on the question, best first, no two of the same words on the same.

        Documents that were handed over come first; what bears on it far less than the best, not at all,
        unless nothing else is of a thing that is compared, or of that alone.
        """
        every = self._bearing
        most = max(((each.is_said, each.is_own, each.score) for each in every), default=(0.0,))[-1]
        kept = [each for each in every if each.score >= LEAST_SHARE * most or self._is_quoted(each)]
        of = {each: self.list_compared(each.passage) for each in every}
        for name in self._subject.compared:
            named = [each for each in every if name in of[each]]
            own = [each for each in named if of[each] == [name]] or named
            if not {*own} & {*kept}:
                most = max((each.score for each in own), default=0.0)
                kept += [each for each in own if each.score >= LEAST_SHARE * most]
        passages = [each.passage for each in kept]
        return list({(p.plain, *self.list_compared(p)): p for p in passages}.values())

    @cached_property
    def _bearing(self) -> list[Bearing]:
        """The passages that bear on the question, best first; without any, those below its very words."""
        for is_last in (False, True):
            weighed = (self._weigh(passage, stems, is_last) for passage, stems in self._passages)
            if found := [each for each in weighed if each]:
                return sorted(found, key=lambda e: (e.is_own, e.score), reverse=True)
        return []

    def _is_quoted(self, bearing: Bearing) -> bool:
        return self._sources[bearing.passage.source].is_quoted

    def _weigh(self, passage: Passage, stems: Stems, is_last: bool) -> Bearing | None:
        """Return a passage with its weight; None where neither it nor what is above it bears on the question."""
        source, above = self._sources[passage.source], self._list_above(passage)
        names, every, near = self._subject.is_named_in, stems | above, self._named[passage.source]
        is_apart = self._parted & {(passage.source, ""), (passage.source, passage.header)}
        is_elsewhere = self._is_label(passage, stems) or (is_apart and not names(every))
        if passage.is_heading or (is_elsewhere and not source.is_quoted):
            return None
        own = every if names(self._stems(passage.label)) else stems
        is_said = source.is_quoted or self.is_relevant(own, above, near)
        is_below = is_last and self._is_headed(passage, stems)
        if not (is_said or is_below or self.is_relevant(every, above, near)):
            return None
        score = self._score(passage, stems, above) if is_said else self._score_below(passage, above)
        return Bearing(self._place(passage, stems), source.is_own, is_said, score)

    def _is_headed(self, passage: Passage, stems: Stems) -> bool:
        """Tell whether a title or heading above a passage says but words of the question."""
        asked, names = self._subject.stems, self._subject.names
        lines = (self._titles[passage.source], *(self._headings[h] for h in passage.headings))
        is_wanted = not self._subject.left_out & stems.union(*lines)
        is_named = not self._subject.named or self._subject.is_named_in(stems.union(*lines))
        return is_wanted and is_named and any(h & asked and h <= asked | names for h in lines)

    def _place(self, passage: Passage, stems: Stems) -> Passage:
        """Return a passage with the nearest headings that say what it does not: of what it is, what is asked."""
        asked, names = self._subject.stems, self._subject.is_named_in
        near = {line: self._headings[line] for line in reversed(passage.headings)}
        of = [line for line, own in near.items() if names(own) and not names(stems)][:1]
        of += [line for line, own in near.items() if asked & own and not asked & stems][:1]
        told = tuple(line for line in passage.headings if line in of)
        return replace(passage, of=told) if told else passage

    def _list_above(self, passage: Passage) -> Stems:
        """Return the stems of its page's title and of the headings that a passage stands below."""
        return self._titles[passage.source].union(*(self._headings[h] for h in passage.headings))

    @cached_property
    def _headings(self) -> dict[str, Stems]:
        told = dict.fromkeys(line for passage, _ in self._passages for line in passage.headings)
        return {line: self._stems(line) for line in told}

    def _find_words(self, passage: Passage) -> Stems:
        """Return the stems of a passage and of what stands above it."""
        if passage not in self._words:
            self._words[passage] = self._stems(passage.plain) | self._list_above(passage)
        return self._words[passage]

    def list_compared(self, passage: Passage) -> list[str]:
        """Return the things compared that a passage, or what stands above it, names."""
        words = self._find_words(passage)
        return [name for name, stems in self._compared.items() if stems <= words]

    @cached_property
    def _compared(self) -> dict[str, Stems]:
        return {name: self._stems(name) for name in self._subject.compared}

    def _is_label(self, passage: Passage, stems: Stems) -> bool:
        """Tell whether a passage is its page's title, or heads others in words of the question alone."""
        if passage.plain.endswith(ENDS):
            return False
        is_title = passage.plain == self._sources[passage.source].title
        is_said = stems <= self._subject.stems | self._subject.names
        return is_title or (is_said and (passage.source, passage.plain) in self._captions)

    @cached_property
    def _captions(self) -> set[tuple[int, str]]:
        told = dict.fromkeys((p.source, h) for p, _ in self._passages for h in p.headings)
        return {(source, strip_marks(line)) for source, line in told}

    @cached_property
    def _parted(self) -> set[tuple[int, str]]:
        """The sources, and tables in them, where a heading or a row's label names what the question names.

        What is not below that heading, or in that row, is of others.
        """
        names = self._subject.is_named_in
        every = [passage for passage, _ in self._passages if passage.is_heading or passage.header]
        words = {p: self._stems(p.label if p.header else p.plain) for p in every}
        return {(p.source, p.header) for p in every if names(words[p])}

    @cached_property
    def _named(self) -> dict[int, bool]:
        """True for each source that names, anywhere, what the question names, written as there."""
        is_small = any(name.islower() for name in self._subject.compared)
        found: dict[int, list[str]] = {number: [] for number in self._sources}
        for passage, _ in self._passages:
            words = split_words(passage.words)
            found[passage.source] += [w for w in words if is_small or not w.islower()]
        return {n: self._subject.is_named_in(self._stems(" ".join(w))) for n, w in found.items()}

    def is_relevant(self, stems: Stems, above: Stems, is_near: bool = False) -> bool:
        """Tell whether words below others speak of what is asked, and of a thing that is named.

        Of several words, or one and a name, two must be there; the page may have the name elsewhere.
        """
        asked, every = self._subject.stems, stems | above
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

    def _score(self, passage: Passage, stems: Stems, above: Stems) -> float:
        weight = self._weights
        own = sum(weight.get(stem, 0.0) for stem in stems)
        more = sum(weight.get(stem, 0.0) for stem in above - stems)
        return (own + ABOVE_SHARE * more) * (FIGURE_BONUS if passage.figures else 1)

    def _score_below(self, passage: Passage, above: Stems) -> float:
        asked, every = self._subject.stems & above, len(self._passages)
        weight = sum(math.log(1 + every / self._reach[stem]) for stem in asked)
        return BELOW_SHARE * weight * (FIGURE_BONUS if passage.figures else 1)

    @cached_property
    def _reach(self) -> Counter[str]:
        """The number of passages that stand below each word of the question."""
        asked = self._subject.stems
        return Counter(
            s for passage, _ in self._passages for s in asked & self._list_above(passage)
        )

    def sort_by_heading(self, headings: list[str], most: int) -> dict[str, list[Passage]]:
        """Return so many of the best passages of each source, by the heading they fit best.

        Of two that fit alike it is the one that was wished for. A passage that names several things
        compared stands under each, and under a heading that had nothing else what names it at all.
        """
        found: dict[str, list[Passage]] = {heading: [] for heading in headings}
        wished = self._subject.phrases
        wanted = {heading: self._stems(heading) for heading in headings}
        counts: Counter[int] = Counter()
        for passage in self.ranked:
            counts[passage.source] += 1
            if counts[passage.source] <= most:
                own = self._find_words(passage)
                shared = {heading: len(own & stems) for heading, stems in wanted.items()}
                best = max(shared, key=lambda h: (shared[h], bool(shared[h]) and h in wished))
                for heading in dict.fromkeys([best, *self._find_others(best, passage)]):
                    if heading in found:
                        found[heading].append(passage)
        for heading in [h for h in headings if wanted[h] and not found[h]]:
            every = (bearing.passage for bearing in self._bearing)
            named = (p for p in every if wanted[heading] <= self._find_words(p))
            found[heading] = list(islice(named, most))
        return found

    def _find_others(self, heading: str, passage: Passage) -> list[str]:
        """Return the things compared that a passage names itself, if its heading is one of them.

        A fact is of what its label names, whatever its value names beside.
        """
        compared = self._compared if heading in self._compared else {}
        label = passage.fact[0] if passage.fact else passage.label
        places = map(self._stems, (label, passage.plain))
        named = ([name for name, own in compared.items() if own <= words] for words in places)
        return next(filter(None, named), [])

    def names(self, text: str) -> bool:
        """Tell whether a passage, or what stands above it, has all words of a text that carry meaning."""
        wanted = self._stems(text)
        every = (stems | self._list_above(p) for p, stems in self._passages)
        return bool(wanted) and any(wanted <= stems for stems in every)

    @cached_property
    def told(self) -> list[Passage]:
        """The passages that bear on the question, those first that say the same of several things."""
        cells = [cell.passage for row in self._shared.values() for cell in row.values()]
        return list(dict.fromkeys([*cells, *self.ranked]))

    @cached_property
    def _shared(self) -> Grid:
        """The measures that bear on the question and are known of several things compared.

        Of those that only stand below words of the question, so many as make a table.
        """
        found = self._collect_rows(self.ranked)
        every = {label: row for label, row in found.items() if len(row) > 1}
        said = {bearing.passage for bearing in self._bearing if bearing.is_said}
        near = {n: row for n, row in every.items() if {c.passage for c in row.values()} & said}
        below = [label for label in every if label not in near][: max(0, ROWS - len(near))]
        return near | {label: every[label] for label in below}

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
        names = self._compared
        for column, value in passage.cells.items():
            for name, stems in names.items():
                if stems <= self._stems(column) and value:
                    yield passage.label, name, value
                elif stems <= self._stems(passage.label) and value:
                    yield column, name, value
        if passage.fact:
            label, value = passage.fact
            title = self._titles[passage.source]
            above = (self._headings[line] for line in reversed(passage.headings))
            places = chain([self._stems(label)], above, [title])
            named = ([n for n, stems in names.items() if stems <= place] for place in places)
            told = next(filter(None, named), [])
            if len(told) == 1:
                yield remove_name(label, told[0]), told[0], value


def remove_name(label: str, name: str) -> str:
    """Return a label without the name of the thing that it is stated of."""
    parts = [part.strip() for part in label.replace(name, "").split(",")]
    return ", ".join(part for part in parts if part) or label
