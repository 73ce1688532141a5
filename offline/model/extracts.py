"""Extracts: the passages of the sources that share words with the question, best first."""

from collections import Counter
from functools import cached_property

from offline.model.material import NumberedSource
from offline.model.subject import Subject
from offline.text.full_text_index import TextIndex
from offline.text.passages import Passage
from offline.text.words import count_shared, list_terms

MANY_TERMS = 5
"""With at least this many terms, a question must share two with a passage or its page's title."""


class Extracts:
    """The passages of some sources, ranked by the words that they share with a question."""

    def __init__(self, subject: Subject, sources: list[NumberedSource]) -> None:
        self._subject = subject
        self._titles = {source.number: source.title for source in sources}
        self._passages = [passage for source in sources for passage in source.passages]

    @cached_property
    def ranked(self) -> list[Passage]:
        """The passages with enough of the question's terms, best first, then those quoted before.

        Names that the question lists are not enough where another passage has more of its words.
        """
        index = TextIndex()
        for number, passage in enumerate(self._passages):
            index.add(number, self._titles[passage.source], passage.plain)
        terms = self._subject.terms
        shared = index.search(terms)
        on_topic = index.search(self._subject.topic) or shared
        least = max([1 + (len(terms) >= MANY_TERMS), *(n // 2 + 1 for n in shared.values())])
        found = [
            self._passages[n] for n, count in shared.items() if count >= least and n in on_topic
        ]
        kept: dict[str, Passage] = {}
        for passage in [
            *found,
            *(passage for passage in self._passages if passage.cited or passage.name),
        ]:
            kept.setdefault(passage.plain, passage)
        return [*kept.values()]

    def sort_by_heading(self, headings: list[str], most: int) -> dict[str, list[Passage]]:
        """Return the best passages by the heading that fits each best, at most `most` of each source."""
        found: dict[str, list[Passage]] = {heading: [] for heading in headings}
        terms = {heading: list_terms(heading) for heading in headings}
        counts: Counter[int] = Counter()
        for passage in self.ranked if headings else ():
            counts[passage.source] += 1
            if counts[passage.source] <= most:
                said = f"{self._titles[passage.source]} {passage.plain}"
                best = max(headings, key=lambda h: count_shared(terms[h], said))
                found[best].append(passage)
        return found
