"""The web as an agent may use it: one search, one page."""

import asyncio
import dataclasses
import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.errors import GreenlightError
from contracts.evidence.sources import (
    FetchRequest,
    ProbeRequest,
    Reached,
    SearchHit,
    SearchRequest,
    SearchResult,
    Section,
    Source,
)
from domain.source_credibility import notes_on
from domain.urls import canonical

if TYPE_CHECKING:
    from activities.calls.tool_calls import Settles, ToolCalls
    from activities.integrations.fetch import PageFetcher
    from activities.integrations.search import BraveSearch
    from activities.parsing.document import Parsed
    from activities.parsing.page_parser import PageParser
    from contracts.models.call import Scope
    from store.blobs import BlobStore

_SNIPPET_CHARS = 400
_COMPARE_SECONDS = 15


def never(_: GreenlightError) -> bool:
    """Settle no failure: Temporal tries again."""
    return False


class WebActivities:
    """Searches and reads; both are journaled, so that a retry sees what the first call saw."""

    def __init__(
        self,
        search: "BraveSearch",
        fetcher: "PageFetcher",
        parser: "PageParser",
        blobs: "BlobStore",
        tool_calls: "ToolCalls",
    ) -> None:
        self._search = search
        self._fetcher = fetcher
        self._parser = parser
        self._blobs = blobs
        self._tool_calls = tool_calls

    @activity.defn(name="web.search")
    async def search(self, request: SearchRequest) -> SearchResult:
        """Return the hits of one query, best first, each page once."""
        return await self.find(request)

    async def find(self, request: SearchRequest, settles: "Settles" = never) -> SearchResult:
        """Return the hits of one query; a failure that `settles` is raised as ToolFailed."""

        async def find() -> SearchResult:
            hits = await self._search.search(request.query, request.max_results, request.kind)
            return SearchResult(query=request.query, hits=_each_once(hits))

        arguments = request.model_dump(mode="json", exclude={"scope"})
        return await self._tool_calls.run(
            request.scope, "web_search", arguments, find, SearchResult, settles
        )

    @activity.defn(name="web.fetch")
    async def fetch(self, request: FetchRequest) -> Source:
        """Read one page and keep it, as served and as text."""
        return await self.read(request)

    async def read(self, request: FetchRequest, settles: "Settles" = never) -> Source:
        """Read and keep one page; a failure that `settles` is raised as ToolFailed."""

        async def read() -> Source:
            return await self._read(request.scope, canonical(request.url))

        arguments = request.model_dump(mode="json", exclude={"scope"})
        return await self._tool_calls.run(
            request.scope, "fetch_url", arguments, read, Source, settles
        )

    @activity.defn(name="web.probe")
    async def probe(self, request: ProbeRequest) -> Reached:
        """Return what a page's server answers now, and whether it is still what was read."""

        async def probe() -> Reached:
            status = await self._fetcher.probe(request.url)
            compared = status < 400 and request.content_hash
            changed = await self._changed(request) if compared else None
            return Reached(url=request.url, status=status, changed=changed)

        arguments = request.model_dump(mode="json", exclude={"scope"})
        return await self._tool_calls.run(
            request.scope, "check_link", arguments, probe, Reached, never
        )

    async def _changed(self, request: ProbeRequest) -> bool | None:
        """Tell whether a page reads otherwise than it did; None where it cannot be read now.

        Its text decides: many servers send other bytes with each answer.
        """
        try:
            async with asyncio.timeout(_COMPARE_SECONDS):
                page = await self._fetcher.fetch(request.url)
                if hashlib.sha256(page.body).hexdigest() == request.content_hash:
                    return False
                parsed = await self._parser.parse(
                    page.body, page.media_type, page.charset, page.url
                )
        except (GreenlightError, TimeoutError):
            return None
        return hashlib.sha256(parsed.text.encode()).hexdigest() != request.text_key.split("/")[-1]

    async def _read(self, scope: "Scope", url: str) -> Source:
        page = await self._fetcher.fetch(url)
        parsed = await self._parser.parse(page.body, page.media_type, page.charset, page.url)
        raw_key = await self._blobs.put(scope.tenant_id, scope.run_id, page.body)
        text_key = await self._blobs.put(scope.tenant_id, scope.run_id, parsed.text.encode())
        source = Source(
            url=canonical(page.url),
            title=parsed.title,
            author=parsed.author,
            publisher=parsed.publisher,
            published=parsed.published,
            retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
            content_type=parsed.media_type,
            snippet=_snippet(parsed),
            content_hash=hashlib.sha256(page.body).hexdigest(),
            bytes=len(page.body),
            text_key=text_key,
            raw_key=raw_key,
            chars=len(parsed.text),
            sections=[Section(**dataclasses.asdict(section)) for section in parsed.sections],
        )
        return source.model_copy(update={"notes": notes_on(source)})


def _each_once(hits: list[SearchHit]) -> list[SearchHit]:
    unique: dict[str, SearchHit] = {}
    for hit in hits:
        url = canonical(hit.url)
        unique.setdefault(url, hit.model_copy(update={"url": url}))
    return list(unique.values())


def _snippet(parsed: "Parsed") -> str:
    return " ".join((parsed.description or parsed.text[:_SNIPPET_CHARS]).split())[:_SNIPPET_CHARS]
