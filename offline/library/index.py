"""The library: a shelf under a full-text index."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterator
from threading import Lock
from typing import Protocol

from offline.library.document import LibraryDocument, LibraryPage
from offline.text.passages import split_passages
from offline.text.words import clip, detect_language, detect_languages, space_out

SCHEMA = """
CREATE TABLE document (id INTEGER PRIMARY KEY, slug UNIQUE, title, publisher, published);
CREATE VIRTUAL TABLE passage
USING fts5 (title, text, tokenize = 'porter unicode61 remove_diacritics 2');
"""
MATCHING = "SELECT rowid, bm25(passage, 8, 1) FROM passage WHERE passage MATCH ?"
"""BM25 is the lower, the better."""
FOUND = """
SELECT slug, document.title, text, publisher, published
FROM passage JOIN document ON document.id = passage.rowid WHERE id = ?
"""
EXCERPT_CHARS, LONGEST_READ = 400, 200_000
PATIENCE_SECONDS = 8.0
"""Time that a search waits for files that are being read; then it goes by the index as it is."""


class Shelf(Protocol):
    """Where the documents of a library are."""

    name: str

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield the documents that are new or changed, and the slugs of those that are gone."""

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return the current version of a document, or None if the library does not have it."""


class Library:
    """Finds documents by their words; looks at its shelf anew before each search.

    Files are read outside the index's lock, so that a slow one holds up no search for long.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._reading, self._lock = Lock(), Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.executescript(SCHEMA)

    def refresh(self) -> None:
        """Bring the index in line with the shelf, or wait a while for another thread to do so."""
        if not self._reading.acquire(timeout=PATIENCE_SECONDS):
            return
        try:
            for slug, document in self.shelf.scan():
                with self._lock, self._database:
                    self._replace(slug, document)
        finally:
            self._reading.release()

    def _replace(self, slug: str, document: LibraryDocument | None) -> None:
        run = self._database.execute
        for (known,) in run("SELECT id FROM document WHERE slug = ?", (slug,)).fetchall():
            run("DELETE FROM passage WHERE rowid = ?", (known,))
            run("DELETE FROM document WHERE id = ?", (known,))
        if document:
            row = (slug, document.title, document.publisher, document.published)
            new = run("INSERT INTO document VALUES (NULL, ?, ?, ?, ?)", row).lastrowid
            text = (new, space_out(document.title), space_out(document.text))
            run("INSERT INTO passage (rowid, title, text) VALUES (?, ?, ?)", text)

    def count_documents(self) -> int:
        """Return how many documents there are."""
        self.refresh()
        with self._lock:
            [count] = self._database.execute("SELECT count(*) FROM document").fetchone()
        return int(count)

    def search(self, query: str, count: int, offset: int = 0) -> list[tuple[LibraryDocument, str]]:
        """Return the best documents with excerpts, by BM25 and by how many of the words they have."""
        self.refresh()
        terms = make_terms(query)
        if not terms:
            return []
        every = " OR ".join(terms)
        with self._lock:
            run = self._database.execute
            shared = Counter(id for term in terms for id, _ in run(MATCHING, (term,)))
            scores = {id: score * math.sqrt(shared[id]) for id, score in run(MATCHING, (every,))}
            chosen = sorted(scores, key=lambda id: scores[id])[offset : offset + count]
            rows = [run(FOUND, (id,)).fetchone() for id in chosen]
        found = [LibraryDocument(*row) for row in rows]
        return [(document, make_excerpt(document.text, query)) for document in found]

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return a page as it is now, or None."""
        self.refresh()
        return self.shelf.get_page(slug)


def make_terms(query: str) -> list[str]:
    """Return a term for each word of a query that carries meaning: as it is, or by its stems."""
    languages = detect_languages(query)
    terms = []
    for word in languages[0].list_content_words(query):
        stems = sorted({language.stem(word) for language in languages})
        prefixes = [f'"{stem}"*' for stem in stems if len(stem) > 3 and stem.isalpha()]
        exact = f'"{space_out(word)}"'
        terms.append(f"({' OR '.join([exact, *prefixes])})")
    return terms


def make_excerpt(text: str, query: str) -> str:
    """Return the lines of a text that have most of a query's words, each line some new ones."""
    language = detect_language(query)
    wanted = language.list_stems(query)
    lines = [p.plain for p in split_passages(0, text[:LONGEST_READ])]
    shared = {line: wanted & language.list_stems(line) for line in lines}
    chosen: list[str] = []
    told: frozenset[str] = frozenset()
    while lines and len(" … ".join(chosen)) < EXCERPT_CHARS:
        best = max(lines, key=lambda line: len(shared[line] - told))
        if not shared[best] - told:
            break
        chosen.append(best)
        told |= shared[best]
    return clip(" … ".join(chosen or lines[:1]), EXCERPT_CHARS)
