"""A store of collections, and what reads and searches them, without Temporal."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pytest
from temporalio.testing import ActivityEnvironment

from activities.collections.indexer import IndexActivities
from activities.collections.search import OwnDocumentSearch
from activities.collections.storage import DocumentStorage, NewDocument
from activities.confined.call_pool import INDEXING, READING, CallPool
from activities.parsing.page_parser import PageParser
from contracts.access.principal import Principal
from contracts.collections import CollectionDocument, IndexRequest, RankedDocument
from contracts.media_types import SUFFIXES
from store.blobs import BlobStore
from store.collections.documents import CollectionRepository
from store.collections.index import IndexRepository
from store.collections.queue import IndexQueue
from store.postgres.pool import Pool
from tests.support.databases import fetch_as_owner

ANA = Principal(tenant_id="acme", user_id="ana")


@dataclass
class Shelf:
    """Collections of one store."""

    pool: Pool
    folder: Path
    sandbox: CallPool
    asked: list[str] = field(default_factory=list)
    """Tenants for which indexing was requested."""

    def __post_init__(self) -> None:
        self.collections = CollectionRepository(self.pool)
        self.queue = IndexQueue(self.pool)
        self.blobs = BlobStore(self.folder.as_uri())
        self.documents = DocumentStorage(self.collections, self.queue, self.blobs, self)  # type: ignore[arg-type]
        self.indexing = self.reader()
        self.search = OwnDocumentSearch(IndexRepository(self.pool), self.sandbox.run)

    def reader(self, turn_seconds: float = 60) -> IndexActivities:
        """Return what a worker reads documents with."""
        parser = PageParser(pool=self.sandbox)
        return IndexActivities(self.queue, self.blobs, parser, self.sandbox.run, turn_seconds)

    async def start(self, tenant_id: str) -> bool:
        """Note that documents are to be read, as Temporal would."""
        self.asked.append(tenant_id)
        return True

    async def add(self, collection: str, name: str, body: bytes, owner: Principal = ANA) -> bool:
        kind = SUFFIXES[PurePosixPath(name).suffix]
        document = NewDocument(name, kind, body)
        return await self.documents.add(owner.tenant_id, collection, document)

    async def index(self, tenant_id: str = ANA.tenant_id) -> int:
        """Read all that waits; return how many documents were."""
        request = IndexRequest(tenant_id=tenant_id)
        return (await ActivityEnvironment().run(self.indexing.index, request)).read

    async def list_documents(
        self, name: str, owner: Principal = ANA
    ) -> dict[str, CollectionDocument]:
        found = await self.collections.list_documents(owner, name, limit=1_000)
        return {document.name: document for document in found}

    async def find(self, collection: str, query: str, most: int = 5) -> list[RankedDocument]:
        return await self.search.search(ANA.tenant_id, [collection], query, most)

    async def count(self) -> dict[str, int]:
        """Return how many rows and blobs there are."""
        tables = ("collections", "collection_documents", "index_rows", "blob_references")
        found = {}
        for table in (*tables, "loose_blobs"):
            [count] = await fetch_as_owner(self.pool, f"SELECT count(*) FROM {table}")
            found[table] = count
        files = await asyncio.to_thread(lambda: [p for p in self.folder.rglob("*") if p.is_file()])
        return found | {"files": len(files)}


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[CallPool]:
    made = CallPool(*READING, *INDEXING)
    yield made
    await made.close()


@pytest.fixture
async def shelf(database: str, tmp_path: Path, sandbox: CallPool) -> AsyncIterator[Shelf]:
    async with Pool(database, max_size=20) as pool:
        made = Shelf(pool, tmp_path, sandbox)
        yield made
        await made.documents.delete_loose_blobs()
