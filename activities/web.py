"""Activities on the web: search, read a page, check a link."""

import asyncio
import dataclasses
import hashlib
import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from activities.calls.tool_calls import Settles, never_settle
from activities.parsing.document import MAX_LINKS
from contracts.errors import FetchRefused, GreenlightError
from contracts.evidence.sources import (
    FetchRequest,
    PageSection,
    ProbeRequest,
    ProbeResult,
    SearchHit,
    SearchRequest,
    SearchResult,
    Source,
)
from domain.source_credibility import note_credibility
from domain.urls import canonicalize_url, compute_url_key, find_urls

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from activities.integrations.fetch import PageFetcher
    from activities.integrations.search import BraveSearch
    from activities.parsing.document import Parsed
    from activities.parsing.page_parser import PageParser
    from contracts.models.call import Scope
    from store.blobs import BlobStore
    from store.listed_urls import ListedUrlRepository

_SNIPPET_CHARS = 400
_COMPARE_SECONDS = 15


class WebActivities:
    """Searches and reads; journaled, so that a retry returns what the first call returned."""

    def __init__(  # noqa: PLR0913 - each a client or a store of its own
        self,
        search: "BraveSearch",
        fetcher: "PageFetcher",
        parser: "PageParser",
        blobs: "BlobStore",
        tool_calls: "ToolCalls",
        listed: "ListedUrlRepository",
    ) -> None:
        self._search = search
        self._fetcher = fetcher
        self._parser = parser
        self._blobs = blobs
        self._tool_calls = tool_calls
        self._listed = listed

    @activity.defn(name="web.search")
    async def search(self, request: SearchRequest) -> SearchResult:
        """Return the hits of one query, best first, each page once."""
        return await self.find(request)

    async def find(self, request: SearchRequest, settles: Settles = never_settle) -> SearchResult:
        """Return the hits of one query; a failure that `settles` is raised as ToolFailed."""

        async def find() -> SearchResult:
            results = await self._search.search(request.query, request.max_results, request.kind)
            hits = _deduplicate(results)
            await self._listed.add(request.scope, [compute_url_key(hit.url) for hit in hits])
            return SearchResult(query=request.query, hits=hits)

        return await self._tool_calls.run(
            request.scope, "web_search", request, find, SearchResult, settles
        )

    @activity.defn(name="web.fetch")
    async def fetch(self, request: FetchRequest) -> Source:
        """Read one page and store it, as served and as text."""
        return await self.read(request)

    async def read(self, request: FetchRequest, settles: Settles = never_settle) -> Source:
        """Read and store one page; a failure that `settles` is raised as ToolFailed."""

        async def read() -> Source:
            await self._require_listed(request)
            return await self._read(request.scope, canonicalize_url(request.url))

        return await self._tool_calls.run(
            request.scope, "fetch_url", request, read, Source, settles
        )

    async def _require_listed(self, request: FetchRequest) -> None:
        """Refuse an address that a model made up: it could carry out what the run knows."""
        if compute_url_key(request.url) in map(compute_url_key, request.named):
            return
        if not await self._listed.has(request.scope, compute_url_key(request.url)):
            raise FetchRefused(
                "url: only pages that a search listed, that a page read before links to, or that "
                "the user named can be read; search for it first."
            )

    @activity.defn(name="web.probe")
    async def probe(self, request: ProbeRequest) -> ProbeResult:
        """Return the HTTP status of a page now, and whether its content has changed since it was read."""

        async def probe() -> ProbeResult:
            status = await self._fetcher.probe(request.url)
            can_compare = status < 400 and request.content_hash
            changed = await self._has_changed(request) if can_compare else None
            return ProbeResult(url=request.url, status=status, changed=changed)

        return await self._tool_calls.run(request.scope, "check_link", request, probe, ProbeResult)

    async def _has_changed(self, request: ProbeRequest) -> bool | None:
        """Tell whether a page's text differs from the one stored; None where it cannot be read now.

        The bytes do not decide: many servers send different ones with each answer.
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
        links = itertools.chain(parsed.links, find_urls(parsed.text))
        await self._listed.add(scope, map(compute_url_key, itertools.islice(links, MAX_LINKS)))
        source = Source(
            url=canonicalize_url(page.url),
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
            sections=[PageSection(**dataclasses.asdict(section)) for section in parsed.sections],
        )
        return source.model_copy(update={"notes": note_credibility(source)})


def _deduplicate(hits: list[SearchHit]) -> list[SearchHit]:
    unique: dict[str, SearchHit] = {}
    for hit in hits:
        url = canonicalize_url(hit.url)
        unique.setdefault(url, hit.model_copy(update={"url": url}))
    return list(unique.values())


def _snippet(parsed: "Parsed") -> str:
    return " ".join((parsed.description or parsed.text[:_SNIPPET_CHARS]).split())[:_SNIPPET_CHARS]
