"""The library: a shelf under a full-text index."""

from collections.abc import Iterator
from itertools import count
from threading import Lock
from typing import Protocol

from offline.library.document import LibraryDocument, LibraryPage
from offline.text.full_text_index import TextIndex
from offline.text.passages import split_passages
from offline.text.words import clip, count_shared, list_terms

EXCERPT_CHARS, LONGEST_READ = 400, 200_000
PATIENCE_SECONDS = 8.0
"""A search waits this long for new files to be read, then uses the current index."""


class Shelf(Protocol):
    """Where the documents of a library are."""

    name: str

    def scan(self) -> Iterator[tuple[str, LibraryDocument | None]]:
        """Yield (slug, document) for new and changed documents, and (slug, None) for removed ones."""

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return the current version of a document, or None if it does not exist."""


class Library:
    """Finds documents by their words; scans its shelf before each search.

    Files are read outside the index's lock, so that a slow one holds up no search for long.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._reading, self._lock = Lock(), Lock()
        self._index, self._numbers = TextIndex(), count(1)
        self._documents: dict[int, LibraryDocument] = {}
        self._known: dict[str, int] = {}

    def refresh(self) -> None:
        """Bring the index in line with the shelf, or wait a while for another thread to do so."""
        if not self._reading.acquire(timeout=PATIENCE_SECONDS):
            return
        try:
            for slug, document in self.shelf.scan():
                with self._lock:
                    self._replace(slug, document)
        finally:
            self._reading.release()

    def _replace(self, slug: str, document: LibraryDocument | None) -> None:
        if known := self._known.pop(slug, 0):
            self._index.remove(known)
            del self._documents[known]
        if document:
            number = self._known[slug] = next(self._numbers)
            self._documents[number] = document
            self._index.add(number, document.title, document.text)

    def count_documents(self) -> int:
        """Return how many documents there are."""
        self.refresh()
        return len(self._documents)

    def search(self, query: str, count: int, offset: int = 0) -> list[tuple[LibraryDocument, str]]:
        """Return the best documents with excerpts, by BM25 and by how many of the terms they have."""
        self.refresh()
        terms = list_terms(query)
        found = self.rank(query, terms)[offset : offset + count]
        return [(document, make_excerpt(document.text, terms)) for document in found]

    def rank(self, query: str, terms: list[str]) -> list[LibraryDocument]:
        """Return the documents that match, best first."""
        with self._lock:
            return [self._documents[number] for number in self._index.search(terms)]

    def get_page(self, slug: str) -> LibraryPage | None:
        """Return the current text of a page, or None if it does not exist."""
        self.refresh()
        return self.shelf.get_page(slug)


def make_excerpt(text: str, terms: list[str]) -> str:
    """Return the passages that together contain most of the terms; each passage adds at least one."""
    lines = [passage.plain for passage in split_passages(0, text[:LONGEST_READ])]
    chosen: list[str] = []
    left = terms
    while lines and len(" … ".join(chosen)) < EXCERPT_CHARS:
        best = max(lines, key=lambda line: count_shared(left, line))
        if not count_shared(left, best):
            break
        chosen.append(best)
        left = [term for term in left if not count_shared([term], best)]
    return clip(" … ".join(chosen or lines[:1]), EXCERPT_CHARS)
