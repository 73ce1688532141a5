"""The documents that wait to be read, and the blobs that no row refers to."""

from typing import LiteralString

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.blobs import BlobKey
from contracts.collections import IndexRow
from contracts.documents import READER_VERSION
from contracts.evidence.read_failures import describe_failure
from contracts.evidence.sources import Source
from contracts.notices import Notice
from store.collections.documents import MAX_ATTEMPTS
from store.postgres.encoding import encode
from store.postgres.pool import Repository

LOOSE_MINUTES = 10
"""A blob is written, and a row refers to it, long before."""
BROKEN = describe_failure("worker_died")


class QueuedDocument(Contract):
    """A document that a worker has claimed for reading."""

    tenant_id: str
    user_id: str
    id: str
    collection: str
    name: str
    content_type: str
    content_hash: str
    bytes: int
    raw_key: BlobKey


class IndexQueue(Repository):
    """Queue of documents to index, alternating between a tenant's collections; also stores the index rows."""

    async def begin(self, tenant_id: str) -> QueuedDocument | None:
        """Claim the tenant's next document and return it: new documents first, then those parsed by an older `READER_VERSION`."""
        query = "SELECT begin_document(%(tenant)s, %(version)s)"
        found = await self._fetch(query, {"tenant": tenant_id, "version": READER_VERSION})
        known = QueuedDocument.model_fields
        return (
            QueuedDocument(**{name: value for name, value in found[0].items() if name in known})
            if found
            else None
        )

    async def resume(self, tenant_id: str) -> None:
        """Requeue the documents that a dead worker had claimed; after `MAX_ATTEMPTS` a document fails instead."""
        await self._fetch(
            """
            UPDATE collection_documents
            SET is_claimed = false,
                status = CASE WHEN status <> 'reading' THEN status
                    WHEN attempts < %(most)s THEN 'waiting' ELSE 'failed' END,
                failure = CASE WHEN status <> 'reading' THEN failure
                    WHEN attempts < %(most)s THEN NULL ELSE %(broken)s::jsonb END
            WHERE tenant_id = %(tenant)s AND is_claimed
            """,
            {"tenant": tenant_id, "most": MAX_ATTEMPTS, "broken": encode(BROKEN)},
        )

    async def put_back(self, tenant_id: str, document_id: str) -> None:
        """Requeue a document whose indexing was interrupted, without counting the attempt."""
        await self._fetch(
            "UPDATE collection_documents SET is_claimed = false, attempts = attempts - 1,"
            " status = CASE status WHEN 'reading' THEN 'waiting' ELSE status END"
            " WHERE (tenant_id, id) = (%(tenant)s, %(id)s) AND is_claimed",
            {"tenant": tenant_id, "id": document_id},
        )

    async def finish(
        self, tenant_id: str, document_id: str, source: Source, pages: int, rows: list[IndexRow]
    ) -> bool:
        """Store the rows of an indexed document; return False if it was deleted or replaced meanwhile."""
        query = "SELECT finish_document(%(tenant)s, %(id)s, %(source)s, %(pages)s, %(rows)s, %(version)s)"
        given: dict[str, object] = {"pages": pages, "version": READER_VERSION}
        given |= {"source": encode(source), "rows": encode(rows)}
        [kept] = await self._fetch(query, {"tenant": tenant_id, "id": document_id} | given)
        return bool(kept)

    async def fail(self, tenant_id: str, document_id: str, failure: Notice) -> None:
        """Keep why a document cannot be read; one that an older reader could read stays as it read it."""
        given = {"tenant": tenant_id, "id": document_id, "failure": encode(failure)}
        await self._fetch(
            """
            UPDATE collection_documents
            SET status = CASE status WHEN 'indexed' THEN status ELSE 'failed' END,
                failure = CASE status WHEN 'indexed' THEN NULL ELSE %(failure)s::jsonb END,
                reader = %(version)s, attempts = 0, is_claimed = false
            WHERE (tenant_id, id) = (%(tenant)s, %(id)s)
            """,
            given | {"version": READER_VERSION},
        )

    async def find_twin(self, document: QueuedDocument) -> Source | None:
        """Return what was read before of the same bytes, of the same user's."""
        query: LiteralString = """
            SELECT d.body FROM collection_documents d JOIN collections c
                ON (c.tenant_id, c.id) = (d.tenant_id, d.collection_id)
            WHERE (d.tenant_id, c.user_id, d.content_hash, d.content_type)
                = (%(tenant)s, %(user_id)s, %(content_hash)s, %(content_type)s)
                AND d.status = 'indexed' AND d.reader = %(version)s LIMIT 1"""
        given = document.model_dump() | {"tenant": document.tenant_id, "version": READER_VERSION}
        found = await self._fetch(query, given)
        return Source.model_validate(found[0]) if found else None

    async def has_waiting(self, tenant_id: str) -> bool:
        """Return whether a document of a tenant waits to be read, for the first time or again."""
        query: LiteralString = """
            SELECT EXISTS (SELECT FROM collection_documents WHERE tenant_id = %(tenant)s AND status = 'waiting')
                OR EXISTS (SELECT FROM collection_documents d
                    WHERE tenant_id = %(tenant)s AND reader < %(version)s AND is_outdated(d, %(version)s))"""
        [found] = await self._fetch(query, {"tenant": tenant_id, "version": READER_VERSION})
        return bool(found)

    async def list_tenants(self) -> list[str]:
        """Return the tenants that have documents to index, including documents that a worker may have abandoned."""
        query = "SELECT sweep_unread_documents(%(version)s)"
        return await self._fetch(query, {"version": READER_VERSION})

    async def hold(self, tenant_id: str, key: str) -> None:
        """Note a blob that is about to be written, so that it is deleted if no row comes to refer to it."""
        query: LiteralString = (
            "INSERT INTO loose_blobs (tenant_id, key) VALUES (%(tenant)s, %(key)s)"
            " ON CONFLICT (tenant_id, key) DO UPDATE SET since = now()"
        )
        await self._fetch(query, {"tenant": tenant_id, "key": key})

    async def release(self, tenant_id: str, key: str) -> None:
        """Make a blob that no row will refer to due for removal immediately."""
        query: LiteralString = (
            "UPDATE loose_blobs SET since = '-infinity'"
            " WHERE (tenant_id, key) = (%(tenant)s, %(key)s)"
        )
        await self._fetch(query, {"tenant": tenant_id, "key": key})

    async def list_loose(self, principal: Principal | None = None) -> list[tuple[str, str]]:
        """Return tenant and key of blobs to delete, of one tenant or of all."""
        query = "SELECT sweep_loose_blobs(%(minutes)s, %(only)s)"
        given = {"minutes": LOOSE_MINUTES, "only": principal and principal.tenant_id}
        return [(tenant, key) for tenant, key in await self._fetch(query, given)]

    async def forget(self, tenant_id: str, keys: list[str]) -> None:
        """Forget loose blobs that are deleted."""
        await self._fetch(
            "DELETE FROM loose_blobs WHERE tenant_id = %(tenant)s AND key = ANY(%(keys)s)",
            {"tenant": tenant_id, "keys": keys},
        )
