"""Indexing of the documents that wait in a tenant's collections, a turn at a time."""

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from temporalio import activity

from activities.collections.rows import build_rows
from activities.confined.call_pool import CallFailed, Runner
from activities.parsing.document import Unreadable
from activities.web.web_activities import build_source
from contracts.collections import IndexRequest, IndexResult
from contracts.documents import PAGE_BREAK
from contracts.errors import NotFound, TooCostly
from contracts.evidence.read_failures import describe_failure
from contracts.evidence.sources import OWN_FILE, Source
from contracts.notices import Notice

if TYPE_CHECKING:
    from activities.parsing.page_parser import PageParser
    from store.blobs import BlobStore
    from store.collections.queue import IndexQueue, QueuedDocument

TURN_SECONDS = 5
"""How long one tenant's documents are indexed before the next tenant's turn."""
AT_ONCE = 2
"""Documents of a tenant that are read at the same time."""


@dataclass
class IndexActivities:
    """Indexes waiting documents; interrupted ones start over."""

    _queue: "IndexQueue"
    _blobs: "BlobStore"
    _parser: "PageParser"
    _run: Runner
    turn_seconds: float = TURN_SECONDS

    @activity.defn(name="collections.index")
    async def index(self, request: IndexRequest) -> IndexResult:
        """Index a tenant's documents until none waits or its turn is over; idempotent."""
        tenant = request.tenant_id
        await self._queue.resume(tenant)
        end = monotonic() + self.turn_seconds

        async def work() -> int:
            read = 0
            while monotonic() < end and (document := await self._begin(tenant)):
                await self._index_safely(document)
                read += 1
            return read

        try:
            async with asyncio.TaskGroup() as group:
                readers = [group.create_task(work()) for _ in range(AT_ONCE)]
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from failed
        read = sum(reader.result() for reader in readers)
        return IndexResult(read=read, left=await self._queue.has_waiting(tenant))

    async def _begin(self, tenant: str) -> "QueuedDocument | None":
        """Take the next document; one that is taken while the turn is cancelled waits again."""
        taking = asyncio.ensure_future(self._queue.begin(tenant))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            if document := await taking:
                await self._queue.put_back(document.tenant_id, document.id)
            raise

    async def _index_safely(self, document: "QueuedDocument") -> None:
        """Index a document, or note why it cannot be read; one that is interrupted waits again."""
        try:
            await self._index(document)
        except (Unreadable, TooCostly, NotFound, CallFailed) as error:
            await self._queue.fail(document.tenant_id, document.id, explain_failure(error))
        except BaseException:
            await asyncio.shield(self._queue.put_back(document.tenant_id, document.id))
            raise

    async def _index(self, document: "QueuedDocument") -> None:
        tenant = document.tenant_id
        source, text = await self._read(document)
        rows = await self._run(
            build_rows,
            *(text, source.sections, document.name, source.title),
            task="indexing a document",
            tenant=tenant,
        )
        pages = text.count(PAGE_BREAK) + 1 if PAGE_BREAK in text else 0
        if not await self._queue.finish(tenant, document.id, source, pages, rows):
            await self._blobs.delete(tenant, [source.text_key])
            await self._queue.forget(tenant, [source.text_key])

    async def _read(self, document: "QueuedDocument") -> tuple[Source, str]:
        """Return a document as its source with its text; the same bytes are parsed once."""
        tenant, holder = document.tenant_id, document.id
        known: dict[str, Any] = {
            "url": OWN_FILE + quote(f"{document.collection}/{document.name}"),
            "collection": document.collection,
            "raw_key": document.raw_key,
        }
        file_name = PurePosixPath(document.name).name
        if twin := await self._queue.find_twin(document):
            text = (await self._blobs.get(tenant, twin.text_key)).decode()
            is_named = twin.title == PurePosixPath(twin.own_path).name
            known["title"] = file_name if is_named else twin.title
            known["text_key"] = await self._store_text(tenant, holder, text)
            return twin.model_copy(update=known), text
        body = await self._blobs.get(tenant, document.raw_key)
        parsed = await self._parser.read(body, document.content_type, tenant=tenant)
        known["title"] = parsed.title or file_name
        known["text_key"] = await self._store_text(tenant, holder, parsed.text)
        return build_source(body, parsed, **known), parsed.text

    async def _store_text(self, tenant: str, holder: str, text: str) -> str:
        data = text.encode()
        await self._queue.hold(tenant, f"{holder}/{hashlib.sha256(data).hexdigest()}")
        return await self._blobs.put(tenant, holder, data)


def explain_failure(error: Unreadable | TooCostly | NotFound | CallFailed) -> Notice:
    """Return why a document is not indexed."""
    if isinstance(error, Unreadable):
        return error.failure
    if isinstance(error, TooCostly):
        return describe_failure(error.limit, **error.params)
    return describe_failure("not_stored" if isinstance(error, NotFound) else "crashed")
