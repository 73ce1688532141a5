"""The documents of a run: its files and its collections, as its agents search and read them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from temporalio import activity

from contracts.collections import (
    CollectionsFound,
    CollectionUse,
    InspectRequest,
    RankedDocument,
)
from contracts.errors import FetchRefused
from contracts.evidence.sources import OWN_FILE, SearchHit, Source
from contracts.models.call import Scope
from contracts.problems import Problem
from domain.retrieval.document_names import name_documents

if TYPE_CHECKING:
    from activities.collections.search import OwnDocumentSearch
    from activities.collections.storage import DocumentStorage
    from store.collections.documents import CollectionRepository
    from store.files import FileRepository

MAX_WAIT_SECONDS, MOVED_SECONDS, POLL_SECONDS = 20.0, 5.0, 0.5
"""How long to wait for more indexed documents: without progress, and with progress; and the poll interval."""


@dataclass(frozen=True)
class CollectionActivities:
    """Looks how far a run's collections are read."""

    _documents: "DocumentStorage"

    @activity.defn(name="collections.inspect")
    async def inspect(self, request: InspectRequest) -> CollectionsFound:
        """Return how far collections are read, and have the rest of them read."""
        tenant, used = request.tenant_id, request.collections
        waited = 0.0
        while True:
            states = await self._documents.collections.inspect(tenant, used)
            unread = any(state.unread for state in states)
            if unread and not waited:
                await self._documents.index(tenant)
            limit = MOVED_SECONDS if states != request.known else MAX_WAIT_SECONDS
            if not (request.wait and unread) or waited >= limit:
                return CollectionsFound(states=states)
            await asyncio.sleep(POLL_SECONDS)
            waited += POLL_SECONDS


@dataclass(frozen=True)
class RunDocuments:
    """Searches and reads the documents that a run was given."""

    _files: "FileRepository"
    _collections: "CollectionRepository"
    _search: "OwnDocumentSearch"

    async def list_files(self, scope: Scope) -> list[Source]:
        """Return the files that the run was given."""
        return await self._files.list_of_run(scope)

    async def list_collections(self, scope: Scope) -> list[CollectionUse]:
        """Return the collections that the run searches."""
        return await self._collections.list_of_run(scope)

    async def search(
        self,
        scope: Scope,
        query: str,
        documents: int,
        files: Sequence[Source],
        used: Sequence[CollectionUse],
    ) -> list[SearchHit]:
        """Return documents that answer a query, best first; files that do not come last."""
        given = {file.text_key.partition("/")[0]: file for file in files}
        scopes = [*given, *(use.id for use in used)]
        ranked = await self._search.search(scope.tenant_id, scopes, query, documents)
        others = [one.document_id for one in ranked if one.document_id not in given]
        sources = given | await self._collections.get_sources(scope.tenant_id, others)
        hits = [_to_hit(sources[d.document_id], d) for d in ranked if d.document_id in sources]
        found = {document.document_id for document in ranked}
        hits += [_to_hit(file) for key, file in given.items() if key not in found]
        names = name_documents([(hit.file_name, hit.title) for hit in hits])
        return [h.model_copy(update={"title": n}) for h, n in zip(hits, names, strict=True)]

    async def list_shown(
        self, scope: Scope, files: Sequence[Source], used: Sequence[CollectionUse]
    ) -> tuple[list[str], list[str]]:
        """Return the user's texts that an agent may know: passages, and the keys of whole texts.

        These are all files of the run, and what was found or read in its collections.
        """
        passages, read = await self._collections.list_shown(scope) if used else ([], [])
        return passages, [*(file.text_key for file in files), *read]

    async def get(self, scope: Scope, url: str) -> Source:
        """Return the document with this URL; the run keeps it even if it is deleted later.

        Raises:
            FetchRefused: The run has no such document, or it was deleted since.
        """
        used = await self._collections.list_of_run(scope)
        source = await self._collections.take(scope, used, url) if used else None
        place = unquote(url.removeprefix(OWN_FILE))
        if source is None and any(place.startswith(f"{use.name}/") for use in used):
            raise FetchRefused(Problem.at("url", "file-gone", name=place))
        return source or await self._files.get_of_run(scope, url)


def _to_hit(source: Source, ranked: RankedDocument | None = None) -> SearchHit:
    passages = ranked.passages if ranked else []
    return SearchHit(
        url=source.url,
        title=source.title,
        file_name=source.file_name,
        snippet="" if passages else source.snippet,
        published=source.published,
        collection=source.collection,
        passages=passages,
    )
