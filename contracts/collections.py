"""Collections of users' documents, kept until they are deleted, and searched by runs."""

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from contracts.base import Contract, Wrong
from contracts.documents import UnreadParts
from contracts.evidence.sources import FoundPassage
from contracts.notices import Notice

MAX_COLLECTIONS = 20
"""Collections that a start may name."""
MAX_NAME_CHARS, MAX_PATH_CHARS = 80, 200
_NAME = r"^[^\W_]([\w .-]{0,78}[\w])?$"


def _compose(name: str) -> str:
    return unicodedata.normalize("NFC", name)


CollectionName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=MAX_NAME_CHARS, pattern=_NAME),
    AfterValidator(_compose),
]
"""The name of a new collection: letters and digits of any script, spaces, dots, hyphens and underscores."""


def normalize_path(name: str) -> str:
    """Return a document's name as a relative path with `/` between its parts.

    Raises:
        ValueError: The name is empty, leads out of its folder, or holds what no file name does.
    """
    parts = unicodedata.normalize("NFC", name).replace("\\", "/").split("/")
    kept = [part.strip() for part in parts if part.strip() not in {"", "."}]
    path = "/".join(kept)
    if not path or ".." in kept:
        raise Wrong("document-name-missing")
    if len(path) > MAX_PATH_CHARS:
        raise Wrong("value-long", n=MAX_PATH_CHARS)
    if not path.isprintable():
        raise Wrong("document-name-unprintable")
    return path


DocumentPath = Annotated[
    str, Field(min_length=1, max_length=MAX_PATH_CHARS), AfterValidator(normalize_path)
]
"""The name of a document in its collection: a relative path."""

DocumentStatus = Literal["waiting", "reading", "indexed", "failed"]


class CollectionRequest(Contract):
    """A collection to be made."""

    name: CollectionName = Field(description="e.g. `Annual reports`")


class CollectionCounts(Contract):
    """The number of a collection's documents by indexing status."""

    documents: int = 0
    waiting: int = 0
    reading: int = 0
    indexed: int = 0
    failed: int = 0
    outdated: int = Field(
        default=0,
        description="of the indexed and failed ones, those that an older reader read: they are read again",
    )
    bytes: int = 0
    pages: int = Field(default=0, description="of the indexed documents that have pages")
    chars: int = Field(default=0, description="of the text of the indexed documents")

    @property
    def unread(self) -> int:
        """The number of documents that wait or are being indexed."""
        return self.waiting + self.reading


class Collection(CollectionCounts):
    """Documents of a user, searched by the runs that name the collection."""

    name: str
    is_folder: bool = Field(
        default=False, description="it mirrors a folder of this machine, which `--library` names"
    )
    unlisted: list[Notice] = Field(
        default=[],
        description="what of its folder could not be compared at the last start; what was read of it before is kept",
    )
    created_at: str


class CollectionDocument(Contract):
    """One document of a collection, and whether it is searched already."""

    name: str = Field(description="its path in the collection")
    status: DocumentStatus
    failure: Notice | None = Field(default=None, description="why it cannot be read")
    error: str = Field(default="", description="`failure` in English, as it goes on from the name")
    title: str = ""
    published: str | None = None
    content_type: str
    content_hash: str = Field(description="sha256 of its bytes")
    bytes: int
    chars: int = Field(default=0, description="of its text")
    pages: int = Field(default=0, description="0: a document without pages, or not read yet")
    unread: UnreadParts = []
    added_at: str


class CollectionUse(Contract):
    """A collection that a run searches: its id stays the same if it is renamed."""

    id: str
    name: str
    replaces_web: bool = Field(default=False, description="searched in place of the web")
    version: str = Field(default="", description="digest of its documents when the run started")
    titles: list[str] = Field(default=[], description="of its documents, if they are few")


class CollectionState(Contract):
    """A collection as a run finds it before it searches."""

    name: str
    replaces_web: bool = Field(default=False, description="searched in place of the web")
    is_gone: bool = Field(default=False, description="it was deleted since the run started")
    documents: int = 0
    indexed: int = 0
    failed: list[str] = Field(default=[], description="names of the first that cannot be read")
    failed_count: int = 0
    unlisted: list[Notice] = Field(
        default=[], description="what of its folder could not be compared with what was read before"
    )

    @property
    def unread(self) -> int:
        """The number of documents that are not searchable yet but will be."""
        return self.documents - self.indexed - self.failed_count

    @property
    def is_whole(self) -> bool:
        """Return whether a search finds all of it that can be read."""
        return not (self.is_gone or self.unread or self.unlisted)


class InspectRequest(Contract):
    """Asks how far the collections of a run are read."""

    tenant_id: str
    collections: list[CollectionUse]
    known: list[CollectionState] = Field(description="what was found last")
    wait: bool = Field(default=False, description="answer once more is read, or after a while")


class CollectionsFound(Contract):
    """The indexing status of a run's collections, in its order."""

    states: list[CollectionState]


class RowFields(Contract):
    """A unit of ranking: a page of a document, or a section of one without pages."""

    page: int | None = None
    start: int
    stop: int
    name: str = Field(description="words of the document's file name and title")
    head: str
    text: str


class IndexRow(RowFields):
    """A row of the search index, with its terms counted once for every search."""

    name_terms: list[str]
    head_terms: dict[str, int] = Field(description="how often each term stands in its head")
    text_terms: dict[str, int] = Field(description="how often each term stands in its text")
    length: int = Field(description="terms of its text, repetitions included")


class FoundRow(RowFields):
    """A row that answers a query."""

    document_id: str
    position: int


class Candidate(Contract):
    """A row that may answer a query, with how often it has the query's terms."""

    document_id: str
    position: int
    name: str
    head_terms: dict[str, int]
    text_terms: dict[str, int]
    length: int


class Candidates(Contract):
    """The rows that a query is answered from, and figures of all rows that were searched."""

    rows: int
    average_length: float
    frequencies: dict[str, int] = Field(description="the number of rows that have each term")
    candidates: list[Candidate]


class RankedRows(Contract):
    """The best rows of a document, by their positions, best first."""

    document_id: str
    positions: list[int]


class RankedDocument(Contract):
    """A document that answers a query, with its best passages."""

    document_id: str
    passages: list[FoundPassage]


class IndexRequest(Contract):
    """Asks that waiting documents of a tenant be read."""

    tenant_id: str


class IndexResult(Contract):
    """Outcome of one turn of indexing."""

    read: int = Field(description="documents that were indexed or failed in this turn")
    left: bool = Field(description="documents still wait: another turn is due")
