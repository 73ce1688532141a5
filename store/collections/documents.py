"""Collections, their documents, and each document's owner and indexing status."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

from contracts.access.principal import Principal
from contracts.collections import (
    Collection,
    CollectionDocument,
    CollectionState,
    CollectionUse,
    DocumentStatus,
)
from contracts.documents import READER_VERSION
from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.evidence.sources import Source
from contracts.models.call import Scope
from contracts.notices import Notice
from contracts.problems import Problem
from store.postgres.encoding import encode
from store.postgres.pool import Repository

MAX_KEPT, MAX_DOCUMENTS, MAX_BYTES = 100, 10_000, 5_000_000_000
"""Collections of one user, the documents in all of them, and the bytes of these."""
MAX_LENGTHS = 50
"""How many documents to sample when estimating a price."""
MAX_ATTEMPTS = 3
"""A document is not read again after this many workers died while reading it."""
MAX_NAMED = 20
"""Maximum number of failed documents that a run names."""

OWN: LiteralString = "tenant_id = %(tenant)s AND user_id IN (%(user)s, '')"
"""Matches the collections that a user may use: their own, and those made without a key."""
FIND: LiteralString = f"""
    SELECT jsonb_build_array(id, name) FROM collections WHERE {OWN} AND name = ANY(%(names)s)
    ORDER BY user_id"""
COUNTED: LiteralString = """
    SELECT jsonb_build_object('name', c.name, 'is_folder', c.folder <> '',
        'unlisted', c.unlisted, 'created_at', c.created_at,
        'documents', count(d.id), 'bytes', coalesce(sum(d.bytes), 0), 'pages', coalesce(sum(d.pages), 0),
        'chars', coalesce(sum((d.body ->> 'chars')::bigint), 0),
        'waiting', count(*) FILTER (WHERE d.status = 'waiting'),
        'reading', count(*) FILTER (WHERE d.status = 'reading'),
        'indexed', count(*) FILTER (WHERE d.status = 'indexed'),
        'failed', count(*) FILTER (WHERE d.status = 'failed'),
        'outdated', count(*) FILTER (WHERE is_outdated(d, %(version)s)))
    FROM collections c LEFT JOIN collection_documents d
        ON (d.tenant_id, d.collection_id) = (c.tenant_id, c.id)
    WHERE c.tenant_id = %(tenant)s AND """
DOCUMENT: LiteralString = """
    jsonb_build_object('name', name, 'status', status, 'failure', failure, 'content_type', content_type,
        'content_hash', content_hash, 'bytes', bytes, 'pages', pages, 'added_at', added_at,
        'title', coalesce(body ->> 'title', ''), 'published', body ->> 'published',
        'chars', coalesce((body ->> 'chars')::int, 0), 'unread', coalesce(body -> 'unread', '[]'))"""


class CollectionRepository(Repository):
    """Keeps collections and what was read of their documents."""

    async def make(self, owner: Principal, name: str) -> str:
        """Return the id of the collection with this name, creating it if it does not exist.

        Raises:
            Conflict: The user already has the maximum number of collections.
        """
        return (await self._make(owner, name, "")).id

    async def mirror(self, tenant_id: str, name: str, folder: str) -> CollectionUse:
        """Return the collection that mirrors a folder, creating it if needed; a taken name is replaced by another."""
        return await self._make(Principal(tenant_id=tenant_id), name, folder)

    async def _make(self, owner: Principal, name: str, folder: str) -> CollectionUse:
        given = {"id": f"col-{uuid.uuid4().hex}", "name": name, "folder": folder}
        query: LiteralString = (
            "SELECT make_collection(%(tenant)s, %(user)s, %(id)s, %(name)s, %(folder)s, %(most)s)"
        )
        [made] = await self._fetch(query, _bind(owner) | given | {"most": MAX_KEPT})
        if made is None:
            raise Conflict(Notice.of("collections-many", n=MAX_KEPT))
        return CollectionUse.model_validate(made)

    async def find(self, owner: Principal, name: str) -> str:
        """Return the id of a collection by name, preferring the user's own to one made without a key.

        Raises:
            NotFound: The user has no collection with this name.
        """
        found = await self._fetch(FIND, _bind(owner) | {"names": [name]})
        if not found:
            raise NotFound(Notice.of("collection-unknown", name=name))
        return str(found[-1][0])

    async def choose(self, owner: Principal, names: list[str]) -> list[CollectionUse]:
        """Resolve the collection names in a start request.

        Raises:
            InvalidInput: The user has no collection with one of the names.
        """
        if not names:
            return []
        rows = await self._fetch(FIND, _bind(owner) | {"names": names})
        found = {name: key for key, name in rows}
        if not all(name in found for name in names):
            known = [collection.name for collection in await self.list_all(owner)]
            told: dict[str, list[str]] = {"known": known} if known else {}
            raise InvalidInput(
                [
                    Problem.at(f"collections[{n}]", "collection-not-yours", name=name, **told)
                    for n, name in enumerate(names)
                    if name not in found
                ]
            )
        return [CollectionUse(id=found[name], name=name) for name in dict.fromkeys(names)]

    async def list_all(self, owner: Principal, folder: str | None = None) -> list[Collection]:
        """Return a user's collections by name, with how far they are read; or those that mirror a folder."""
        query: LiteralString = (
            COUNTED + "c.user_id IN (%(user)s, '') AND c.folder = coalesce(%(folder)s, c.folder)"
            " GROUP BY c.tenant_id, c.id ORDER BY c.name, c.id"
        )
        found = await self._fetch(query, _bind(owner) | {"folder": folder})
        return [Collection.model_validate(row) for row in found]

    async def get(self, owner: Principal, name: str) -> Collection:
        """Return one of the user's collections.

        Raises:
            NotFound: The user has no collection with this name.
        """
        key = await self.find(owner, name)
        query: LiteralString = COUNTED + "c.id = %(id)s GROUP BY c.tenant_id, c.id"
        found = await self._fetch(query, _bind(owner) | {"id": key})
        if not found:
            raise NotFound(Notice.of("collection-unknown", name=name))
        return Collection.model_validate(found[0])

    async def delete(self, owner: Principal, name: str) -> None:
        """Delete a collection and its documents; their blobs are removed later, unless something else refers to them.

        Raises:
            NotFound: The user has no collection with this name.
        """
        key = await self.find(owner, name)
        query: LiteralString = "SELECT drop_collection(%(tenant)s, %(id)s)"
        await self._fetch(query, _bind(owner) | {"id": key})

    async def list_documents(
        self,
        owner: Principal,
        name: str,
        status: DocumentStatus | None = None,
        after: str = "",
        limit: int = 100,
    ) -> list[CollectionDocument]:
        """Return a collection's documents ordered by name, starting after `after`.

        Raises:
            NotFound: The user has no such collection.
        """
        key = await self.find(owner, name)
        query: LiteralString = f"""
            SELECT {DOCUMENT} FROM collection_documents
            WHERE (tenant_id, collection_id) = (%(tenant)s, %(id)s) AND name > %(after)s
                AND (%(status)s::text IS NULL OR status = %(status)s)
            ORDER BY name LIMIT %(limit)s"""
        given = {"id": key, "status": status, "after": after, "limit": limit}
        found = await self._fetch(query, _bind(owner) | given)
        return [_read_document(row) for row in found]

    async def get_document(self, owner: Principal, name: str, document: str) -> CollectionDocument:
        """Return one document of a collection.

        Raises:
            NotFound: The user has no such collection, or the collection has no such document.
        """
        key = await self.find(owner, name)
        query: LiteralString = f"""
            SELECT {DOCUMENT} FROM collection_documents
            WHERE (tenant_id, collection_id, name) = (%(tenant)s, %(id)s, %(document)s)"""
        found = await self._fetch(query, _bind(owner) | {"id": key, "document": document})
        if not found:
            told = Notice.of("document-unknown", collection=name, document=document)
            raise NotFound(told)
        return _read_document(found[0])

    async def touch(
        self, tenant_id: str, collection_id: str, document: Mapping[str, object]
    ) -> bool:
        """Keep a document's new stamp if its content and type are unchanged and it did not fail; return whether so."""
        query: LiteralString = """
            UPDATE collection_documents SET stamp = %(stamp)s
            WHERE (tenant_id, collection_id, name, content_hash, content_type)
                = (%(tenant)s, %(collection)s, %(name)s, %(content_hash)s, %(content_type)s)
                AND status <> 'failed' RETURNING true"""
        given = {"tenant": tenant_id, "collection": collection_id}
        return bool(await self._fetch(query, {**document, **given}))

    async def save_document(
        self, tenant_id: str, collection_id: str, document: Mapping[str, object]
    ) -> bool:
        """Save a document that is to be read, in place of another version; False of the same content.

        Raises:
            NotFound: The collection was deleted.
            Conflict: A quota of its owner would be exceeded.
        """
        query: LiteralString = "SELECT save_document(%(tenant)s, %(id)s, %(document)s, %(max_documents)s, %(max_bytes)s)"
        given: dict[str, object] = {"tenant": tenant_id, "id": collection_id}
        given |= {"max_documents": MAX_DOCUMENTS, "max_bytes": MAX_BYTES}
        [came] = await self._fetch(query, given | {"document": encode(dict(document))})
        if came == "gone":
            raise NotFound(Notice.of("collection-deleted"))
        if came == "count":
            raise Conflict(Notice.of("documents-many", n=MAX_DOCUMENTS))
        if came == "bytes":
            raise Conflict(Notice.of("documents-large", gb=MAX_BYTES // 10**9))
        return bool(came == "saved")

    async def delete_documents(self, tenant_id: str, collection_id: str, names: list[str]) -> int:
        """Delete documents of a collection by name; return how many there were."""
        query: LiteralString = """
            WITH gone AS (SELECT array_agg(id) AS ids, count(*) AS n FROM collection_documents
                WHERE (tenant_id, collection_id) = (%(tenant)s, %(id)s) AND name = ANY(%(names)s))
            SELECT n FROM gone, drop_documents(%(tenant)s, ids)"""
        [count] = await self._fetch(
            query, {"tenant": tenant_id, "id": collection_id, "names": names}
        )
        return int(count)

    async def list_stamps(self, tenant_id: str, collection_id: str) -> dict[str, str]:
        """Return the stamp of each document of a folder's collection, by name."""
        query: LiteralString = (
            "SELECT jsonb_build_array(name, stamp) FROM collection_documents"
            " WHERE (tenant_id, collection_id) = (%(tenant)s, %(id)s)"
        )
        return dict(await self._fetch(query, {"tenant": tenant_id, "id": collection_id}))

    async def get_folder_identity(self, tenant_id: str, collection_id: str) -> str:
        """Return the identity of the folder that a collection last had the files of; empty before the first."""
        query: LiteralString = (
            "SELECT folder_identity FROM collections WHERE (tenant_id, id) = (%(tenant)s, %(id)s)"
        )
        found = await self._fetch(query, {"tenant": tenant_id, "id": collection_id})
        return str(found[0]) if found else ""

    async def note_listing(
        self, tenant_id: str, collection_id: str, identity: str, unlisted: Sequence[Notice]
    ) -> None:
        """Keep which folder a collection has the files of, if it could be listed, and what of it could not."""
        query: LiteralString = """
            UPDATE collections SET unlisted = %(unlisted)s,
                folder_identity = coalesce(nullif(%(identity)s, ''), folder_identity)
            WHERE (tenant_id, id) = (%(tenant)s, %(id)s)"""
        given = {"tenant": tenant_id, "id": collection_id, "identity": identity}
        await self._fetch(query, given | {"unlisted": encode(list(unlisted))})

    async def inspect(self, tenant_id: str, used: list[CollectionUse]) -> list[CollectionState]:
        """Return how far the collections of a run are read, in the order given."""
        query: LiteralString = """
            SELECT jsonb_build_object('id', c.id, 'unlisted', c.unlisted, 'documents', count(d.id),
                'indexed', count(*) FILTER (WHERE d.status = 'indexed'),
                'failed_count', count(*) FILTER (WHERE d.status = 'failed'),
                'failed', coalesce(jsonb_agg(d.name ORDER BY d.name) FILTER (WHERE d.status = 'failed'), '[]'))
            FROM collections c LEFT JOIN collection_documents d
                ON (d.tenant_id, d.collection_id) = (c.tenant_id, c.id)
            WHERE c.tenant_id = %(tenant)s AND c.id = ANY(%(ids)s) GROUP BY c.tenant_id, c.id"""
        rows: list[dict[str, Any]] = await self._fetch(
            query, {"tenant": tenant_id, "ids": [use.id for use in used]}
        )
        found = {row.pop("id"): row for row in rows}
        states = []
        for use in used:
            about = found.get(use.id, {"is_gone": True})
            about["failed"] = about.get("failed", [])[:MAX_NAMED]
            states.append(CollectionState(name=use.name, replaces_web=use.replaces_web, **about))
        return states

    async def describe(
        self, tenant_id: str, used: list[CollectionUse], most: int
    ) -> list[CollectionUse]:
        """Return collections with the digest of their current content, and at most `most` titles of each.

        One with more documents has no titles.
        """
        query: LiteralString = """
            SELECT jsonb_build_object('id', collection_id,
                'version', md5(string_agg(name || ' ' || content_hash, chr(10) ORDER BY name)),
                'titles', CASE WHEN count(*) FILTER (WHERE status <> 'failed') <= %(most)s THEN jsonb_agg(
                    CASE WHEN coalesce(body ->> 'title', '') IN ('', regexp_replace(name, '.*/', ''))
                        THEN name ELSE (body ->> 'title') || ' (' || name || ')' END ORDER BY name)
                    FILTER (WHERE status <> 'failed') END)
            FROM collection_documents WHERE tenant_id = %(tenant)s AND collection_id = ANY(%(ids)s)
            GROUP BY collection_id"""
        given = {"tenant": tenant_id, "ids": [use.id for use in used], "most": most}
        rows = await self._fetch(query, given) if used else []
        found = {
            row["id"]: {"version": row["version"], "titles": row["titles"] or []} for row in rows
        }
        return [use.model_copy(update=found.get(use.id, {})) for use in used]

    async def list_lengths(self, tenant_id: str, used: Sequence[CollectionUse]) -> list[int]:
        """Return the characters of the longest documents of collections; of an unread one a guess by its bytes."""
        query: LiteralString = """
            SELECT coalesce((body ->> 'chars')::bigint, bytes / 4) AS chars FROM collection_documents
            WHERE tenant_id = %(tenant)s AND collection_id = ANY(%(ids)s) AND status <> 'failed'
            ORDER BY chars DESC LIMIT %(most)s"""
        given = {"tenant": tenant_id, "ids": [use.id for use in used], "most": MAX_LENGTHS}
        return await self._fetch(query, given) if used else []

    async def list_of_run(self, scope: Scope) -> list[CollectionUse]:
        """Return the collections that a run was started with."""
        query: LiteralString = (
            "SELECT jsonb_array_elements(opened -> 'collections') FROM runs"
            " WHERE (tenant_id, id) = (%(tenant)s, %(run)s)"
        )
        found = await self._fetch(query, {"tenant": scope.tenant_id, "run": scope.run_id})
        return [CollectionUse.model_validate(use) for use in found]

    async def list_shown(self, scope: Scope) -> tuple[list[str], list[str]]:
        """Return what a run's agents saw of collections: passages of hits, and keys of texts they read."""
        whose = {"tenant": scope.tenant_id, "run": scope.run_id}
        passages: LiteralString = """
            SELECT DISTINCT passage ->> 'text' FROM calls, jsonb_path_query(
                result, '$.hits[*] ? (@.collection != "").passages[*]') AS passage
            WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s) AND kind = 'tool'"""
        read: LiteralString = """
            SELECT result ->> 'text_key' FROM calls WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s)
                AND kind = 'tool' AND coalesce(result ->> 'collection', '') <> ''
            UNION SELECT body ->> 'text_key' FROM sources
            WHERE (tenant_id, run_id) = (%(tenant)s, %(run)s) AND coalesce(body ->> 'collection', '') <> ''"""
        return await self._fetch(passages, whose), await self._fetch(read, whose)

    async def get_sources(self, tenant_id: str, ids: list[str]) -> dict[str, Source]:
        """Return the sources of indexed documents by their ids."""
        query: LiteralString = """
            SELECT jsonb_build_array(id, body) FROM collection_documents
            WHERE tenant_id = %(tenant)s AND id = ANY(%(ids)s) AND status = 'indexed'"""
        found = await self._fetch(query, {"tenant": tenant_id, "ids": ids}) if ids else []
        return {key: Source.model_validate(body) for key, body in found}

    async def take(self, scope: Scope, used: list[CollectionUse], url: str) -> Source | None:
        """Return an indexed document from the run's collections, and record that the run refers to its blobs.

        Return None if these collections do not contain the document now.
        """
        query: LiteralString = """
            SELECT body FROM collection_documents WHERE tenant_id = %(tenant)s
                AND collection_id = ANY(%(ids)s) AND status = 'indexed' AND body ->> 'url' = %(url)s
                AND refer_to_blobs(%(tenant)s, %(run)s, ARRAY[body ->> 'text_key', raw_key]) LIMIT 1"""
        given = {"tenant": scope.tenant_id, "run": scope.run_id, "url": url}
        found = await self._fetch(query, given | {"ids": [use.id for use in used]})
        return Source.model_validate(found[0]) if found else None


def _read_document(row: dict[str, Any]) -> CollectionDocument:
    document = CollectionDocument.model_validate(row)
    failure = document.failure
    return document.model_copy(update={"error": failure.text}) if failure else document


def _bind(owner: Principal) -> dict[str, object]:
    return {"tenant": owner.tenant_id, "user": owner.user_id or "", "version": READER_VERSION}
