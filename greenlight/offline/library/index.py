"""The library: a shelf under a full-text index."""

import sqlite3
from dataclasses import dataclass
from threading import Lock

from greenlight.offline.library.document import Page, Shelf
from greenlight.offline.text.words import content_words

SCHEMA = """
CREATE TABLE document (slug TEXT PRIMARY KEY, publisher TEXT, published TEXT);
CREATE VIRTUAL TABLE passage USING fts5 (slug UNINDEXED, title, text, tokenize='porter unicode61');
"""
SEARCH = """
SELECT slug, title, publisher, published, snippet(passage, 2, '', '', ' … ', 50) AS excerpt
FROM passage JOIN document USING (slug)
WHERE passage MATCH ? ORDER BY bm25(passage, 0, 8, 1), slug LIMIT ? OFFSET ?
"""


@dataclass(frozen=True)
class Hit:
    """One search result."""

    slug: str
    title: str
    publisher: str
    published: str | None
    excerpt: str


class Library:
    """Finds documents by their words; looks at its shelf anew before each search."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.executescript(SCHEMA)

    @property
    def name(self) -> str:
        """What the library is called."""
        return self._shelf.name

    @property
    def warnings(self) -> dict[str, str]:
        """The files that could not be read, each with the reason."""
        return dict(self._shelf.warnings)

    def refresh(self) -> None:
        """Bring the index in line with the shelf."""
        with self._lock, self._database:
            changes = self._shelf.changes()
            for slug in (*changes.removed, *(document.slug for document in changes.added)):
                self._database.execute("DELETE FROM document WHERE slug = ?", (slug,))
                self._database.execute("DELETE FROM passage WHERE slug = ?", (slug,))
            self._database.executemany(
                "INSERT INTO document VALUES (?, ?, ?)",
                [(d.slug, d.publisher, d.published) for d in changes.added],
            )
            self._database.executemany(
                "INSERT INTO passage VALUES (?, ?, ?)",
                [(d.slug, d.title, d.text) for d in changes.added],
            )

    def count(self) -> int:
        """Return how many documents there are."""
        self.refresh()
        with self._lock:
            return int(self._database.execute("SELECT count(*) FROM document").fetchone()[0])

    def search(self, query: str, count: int, offset: int = 0) -> list[Hit]:
        """Return the documents that share most with a query, best first."""
        self.refresh()
        words = content_words(query)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        with self._lock:
            rows = self._database.execute(SEARCH, (match, count, offset)).fetchall()
        return [Hit(*row) for row in rows]

    def page(self, slug: str) -> Page | None:
        """Return a page as it is now, or None."""
        self.refresh()
        return self._shelf.page(slug)
