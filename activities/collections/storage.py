"""Storage of documents in collections: bytes first, then the row that refers to them."""

import hashlib
import logging
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contracts.access.principal import Principal
from contracts.errors import StoreUnavailable
from contracts.notices import Notice

if TYPE_CHECKING:
    from store.blobs import BlobStore
    from store.collections.documents import CollectionRepository
    from store.collections.queue import IndexQueue
    from temporal.side_workflows.indexing import Indexer

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewDocument:
    """A document that is given for a collection."""

    name: str
    content_type: str
    body: bytes
    stamp: str = ""
    """When a folder's file was written, and how long it is; empty for an upload."""


@dataclass(frozen=True)
class DocumentStorage:
    """Adds documents, and deletes the blobs that no row refers to any more."""

    collections: "CollectionRepository"
    _queue: "IndexQueue"
    _blobs: "BlobStore"
    _indexer: "Indexer"

    async def add(self, tenant_id: str, collection_id: str, given: NewDocument) -> bool:
        """Add a document that is to be read, in place of another version; False of the same content.

        Raises:
            NotFound: The collection was deleted.
            Conflict: A quota of its owner would be exceeded.
        """
        digest, holder = hashlib.sha256(given.body).hexdigest(), f"doc-{uuid.uuid4().hex}"
        document = {
            "id": holder,
            "name": given.name,
            "content_hash": digest,
            "content_type": given.content_type,
            "bytes": len(given.body),
            "raw_key": f"{holder}/{digest}",
            "stamp": given.stamp,
        }
        if await self.collections.touch(tenant_id, collection_id, document):
            return False
        await self._queue.hold(tenant_id, f"{holder}/{digest}")
        await self._blobs.put(tenant_id, holder, given.body)
        try:
            is_new = await self.collections.save_document(tenant_id, collection_id, document)
        except BaseException:
            await self._queue.release(tenant_id, f"{holder}/{digest}")
            raise
        if not is_new:  # another upload of the same was faster
            await self._queue.release(tenant_id, f"{holder}/{digest}")
        return is_new

    async def refuse(
        self, tenant_id: str, collection_id: str, given: NewDocument, failure: Notice
    ) -> None:
        """Keep that a document cannot be read, without its bytes, which are not looked at."""
        document = {
            "id": f"doc-{uuid.uuid4().hex}",
            "name": given.name,
            "content_hash": "",
            "content_type": given.content_type,
            "bytes": 0,
            "raw_key": "",
            "stamp": given.stamp,
            "status": "failed",
            "failure": failure.model_dump(),
        }
        await self.collections.save_document(tenant_id, collection_id, document)

    async def index(self, tenant_id: str) -> None:
        """Start indexing a tenant's waiting documents, and delete the blobs of replaced ones."""
        if await self._queue.has_waiting(tenant_id):
            await self._indexer.start(tenant_id)
        await self.delete_loose_blobs(tenant_id)

    async def sweep(self) -> None:
        """Delete what interrupted deletions left, and have documents read that still wait."""
        await self.delete_loose_blobs()
        for tenant in await self._queue.list_tenants():
            await self._indexer.start(tenant)

    async def delete_loose_blobs(self, tenant_id: str | None = None) -> None:
        """Delete blobs that no row refers to; a sweep repeats what fails now."""
        try:
            owner = Principal(tenant_id=tenant_id) if tenant_id else None
            loose: dict[str, list[str]] = {}
            for tenant, key in await self._queue.list_loose(owner):
                loose.setdefault(tenant, []).append(key)
            for tenant, keys in loose.items():
                await self._blobs.delete(tenant, keys)
                await self._queue.forget(tenant, keys)
        except StoreUnavailable as error:
            logger.warning("blobs of deleted documents stay until the next sweep: %s", error)
