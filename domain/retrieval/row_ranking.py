"""The ranking of rows by BM25 over three fields, fused with other rankings and grouped by document."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from domain.retrieval.search_words import Query, list_terms

SATURATION = 6.0
"""BM25's k1: a row gains from repeated terms more slowly than a whole document."""
LENGTH_SHARE = 0.75
"""BM25's b."""
HEAD_WEIGHT = 6
"""Occurrences in a row's text that one in its head is worth."""
NAME_SCORE = 1.5
"""Score of a term in the document's name, the same for all its rows; in a row it scores less than 1."""
NEIGHBOUR_SHARE = 0.1
"""A row gains this share of its neighbours' scores, because tables and notes often continue on the next page."""
ROWS_PER_DOCUMENT = 3

K = TypeVar("K", bound=Hashable)
D = TypeVar("D", bound=Hashable)
RowKey = tuple[D, int]
"""A document, and the number of a row in it."""


@dataclass(frozen=True)
class RowTerms:
    """Term frequencies of a row's head and text, and the terms of its document's name."""

    name: frozenset[str]
    head: Mapping[str, int]
    text: Mapping[str, int]
    length: int
    """Terms of the text, repetitions included."""

    def __contains__(self, term: str) -> bool:
        """Return True if the row's text, its head or its document's name contains the term."""
        return term in self.text or term in self.head or term in self.name


@dataclass(frozen=True)
class CorpusStatistics:
    """Statistics of all candidate rows, which determine a term's weight."""

    rows: int
    average_length: float
    frequencies: Mapping[str, int]
    """Number of rows with each term in name, head or text, for the query's terms."""

    def weigh(self, term: str) -> float:
        """Return a term's inverse document frequency; 0 for one that no row has."""
        count = self.frequencies.get(term, 0)
        return math.log(1 + (self.rows - count + 0.5) / (count + 0.5)) if count else 0.0


def count_row(name: str, head: str, text: str) -> RowTerms:
    """Return the terms of a row; `name` is the document's file name as words, with its title."""
    words = list_terms(text)
    return RowTerms(
        frozenset(list_terms(name)), Counter(list_terms(head)), Counter(words), len(words)
    )


def count_statistics(rows: Iterable[RowTerms], terms: Iterable[str]) -> CorpusStatistics:
    """Return the statistics of rows that are all in memory, for the terms of a query."""
    wanted = list(terms)
    frequencies: Counter[str] = Counter()
    count = length = 0
    for row in rows:
        count += 1
        length += row.length
        frequencies.update(term for term in wanted if term in row)
    return CorpusStatistics(count, length / count if count else 1.0, frequencies)


def score_rows(
    query: Query, rows: Mapping[RowKey[D], RowTerms], statistics: CorpusStatistics
) -> dict[RowKey[D], float]:
    """Return the scores of the rows that share a term with a query, each with a share of its neighbours'.

    `rows` may be candidates alone; `statistics` are of all rows of the search.
    """
    weights = {term: weight * statistics.weigh(term) for term, weight in query.terms.items()}
    average = statistics.average_length or 1.0
    scores = {key: _score(weights, row, row.length / average) for key, row in rows.items()}
    return {
        (document, number): score
        + NEIGHBOUR_SHARE
        * (scores.get((document, number - 1), 0.0) + scores.get((document, number + 1), 0.0))
        for (document, number), score in scores.items()
        if score
    }


def _score(weights: Mapping[str, float], row: RowTerms, length: float) -> float:
    offset = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
    score = 0.0
    for term, weight in weights.items():
        if term in row.name:
            score += weight * NAME_SCORE
        elif count := HEAD_WEIGHT * row.head.get(term, 0) + row.text.get(term, 0):
            score += weight * count / (count + offset)
    return score


def rank(scores: Mapping[K, float]) -> list[K]:
    """Return keys by their scores, best first; equal ones keep their order."""
    return sorted(scores, key=lambda key: -scores[key])


def group_rows(
    ranking: Iterable[RowKey[D]], documents: int, rows: int = ROWS_PER_DOCUMENT
) -> dict[D, list[int]]:
    """Return the first documents of a ranking, each with the numbers of its best rows, best first."""
    found: dict[D, list[int]] = {}
    for document, number in ranking:
        if document not in found and len(found) == documents:
            continue
        best = found.setdefault(document, [])
        if len(best) < rows:
            best.append(number)
    return found
