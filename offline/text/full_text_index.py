"""A full-text index in memory: SQLite's FTS5, ranked by its BM25."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable

from offline.text.words import space_out

SCHEMA = "CREATE VIRTUAL TABLE entry USING fts5 (title, text, tokenize = 'porter unicode61')"
MATCHING = "SELECT rowid, bm25(entry, 8, 1) FROM entry WHERE entry MATCH ?"
"""BM25 is the lower, the better; a word in the title counts eight times."""
LONG_CHARS = 6
"""A longer term also matches words that share all but its last two letters."""


class TextIndex:
    """Finds entries by their words."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(SCHEMA)

    def add(self, number: int, title: str, text: str) -> None:
        """Add an entry under its number."""
        row = (number, space_out(title), space_out(text))
        self._database.execute("INSERT INTO entry (rowid, title, text) VALUES (?, ?, ?)", row)

    def remove(self, number: int) -> None:
        """Remove an entry."""
        self._database.execute("DELETE FROM entry WHERE rowid = ?", (number,))

    def search(self, terms: Iterable[str]) -> dict[int, int]:
        """Return the numbers of the matching entries, best first, each with its count of terms."""
        queries = [make_query(term) for term in terms]
        if not queries:
            return {}
        run = self._database.execute
        shared = Counter(n for query in queries for n, _ in run(MATCHING, (query,)))
        scores = {
            n: score * math.sqrt(shared[n]) for n, score in run(MATCHING, (" OR ".join(queries),))
        }
        return {n: shared[n] for n in sorted(scores, key=lambda n: scores[n])}


def make_query(term: str) -> str:
    """Return a term as an FTS5 query, quoted so that it contains no operators."""
    prefix = f' OR "{term[:-2]}"*' if len(term) > LONG_CHARS and term.isalpha() else ""
    return f'("{space_out(term)}"{prefix})'
