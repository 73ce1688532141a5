"""Activities on the web: search, read a page, check a link."""

import asyncio
import hashlib
import itertools
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from cachetools import TTLCache
from temporalio import activity

from activities.confined.call_pool import Runner, run_in_thread
from activities.parsing.document import MAX_LINKS
from contracts.errors import (
    BudgetExceeded,
    FetchRefused,
    GreenlightError,
    NoPageLeft,
    RequestRefused,
    SearchFailed,
    SearchRefused,
    Transient,
)
from contracts.evidence.sources import (
    OWN_FILE,
    TOOL_RESULT,
    FetchRequest,
    ListedPage,
    OpenedParts,
    PartsRequest,
    ProbeRequest,
    ProbeResult,
    SearchHit,
    SearchRequest,
    SearchResult,
    Source,
)
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.search import name_service
from domain.agents.private_words_in_queries import find_disclosed_words
from domain.evidence.quotes import find_missing_quotes
from domain.retrieval.shown_parts import open_parts
from domain.sources.credibility import note_credibility
from domain.sources.urls import canonicalize_url, compute_url_key, find_urls, leads_home, name_page

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from activities.collections.run_documents import RunDocuments
    from activities.integrations.http.page_fetcher import FetchedPage, PageFetcher
    from activities.parsing.document import Parsed
    from activities.parsing.page_parser import PageParser
    from activities.web.search_calls import PageReads, SearchCalls
    from contracts.models.call import Scope
    from store.blobs import BlobStore
    from store.run_records.listed_urls import ListedUrlRepository

Reader = Callable[["Scope", str], Awaitable[Source]]
"""Reads a page for a run, by its address."""
SNIPPET_CHARS = 400
_COMPARE_SECONDS = 15
REFUSES_US = {403, 406}
"""Statuses of servers that only serve browsers; refusals by robots.txt or an operator have none."""
MAX_PAGES_KEPT = 2_000
PAGE_TTL_SECONDS = 600.0
"""How long a page is shared with other agents of the run that ask for it."""


@dataclass
class _Page:
    """A page of a run that is being read, or was."""

    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    source: Source | None = None
    reader: str = ""
    """The plan step of the agent that read it first."""


def _keep_pages() -> TTLCache[tuple[str, str, str], _Page]:
    return TTLCache(MAX_PAGES_KEPT, PAGE_TTL_SECONDS)


@dataclass(frozen=True)
class WebActivities:
    """Searches and reads; journaled, so that a retry returns what the first call returned."""

    _search: "SearchCalls"
    _fetcher: "PageFetcher"
    _parser: "PageParser"
    _blobs: "BlobStore"
    _tool_calls: "ToolCalls"
    _listed: "ListedUrlRepository"
    _own: "RunDocuments"
    _run: Runner = run_in_thread
    _reads: "PageReads | None" = None
    """Reads pages through the model provider if their servers refuse us; None if no provider can."""
    _pages: TTLCache[tuple[str, str, str], _Page] = field(default_factory=_keep_pages)
    """By tenant, run and URL, so that concurrent agents read a page only once."""

    @activity.defn(name="web.search")
    async def search(self, request: SearchRequest) -> SearchResult:
        """Return a query's hits, best first; the user's own files come first.

        A web page that another agent's earlier search listed is only named, unless both agents work
        concurrently and cannot know the other's hits.
        """

        async def find() -> SearchResult:
            scope, query = request.scope, request.query
            files = await self._own.list_files(scope)
            used = await self._own.list_collections(scope)
            own: list[SearchHit] = []
            if request.kind == "web" or any(use.replaces_web for use in used):
                own = await self._own.search(scope, query, request.max_results, files, used)
            if any(use.replaces_web for use in used):
                return SearchResult(query=query, hits=own)
            passages, keys = await self._own.list_shown(scope, files, used)
            texts = await asyncio.gather(*(self._blobs.get(scope.tenant_id, k) for k in keys))
            await self._refuse_disclosure(request, [*passages, *(text.decode() for text in texts)])
            answer = await self._search.search(request)
            unique: dict[str, SearchHit] = {}
            for hit in answer.hits:
                url = canonicalize_url(hit.url)
                unique.setdefault(compute_url_key(url), hit.model_copy(update={"url": url}))
            urls = {key: hit.url for key, hit in unique.items()}
            known = await self._listed.add(scope, urls, _name_search(request))
            others = {key for key, is_own in known.items() if not is_own}
            others = set() if request.beside_others else others
            return SearchResult(
                query=query,
                hits=[*own, *(hit for key, hit in unique.items() if key not in others)],
                repeated=[
                    ListedPage(url=hit.url, title=hit.title)
                    for key, hit in unique.items()
                    if key in others
                ],
                again=[unique[key].url for key in unique if known.get(key)],
                failures=answer.failures,
                usage=answer.usage,
            )

        return await self._tool_calls.run(
            request.scope, "web_search", request, find, SearchResult, SearchResult.name_repeats
        )

    @activity.defn(name="web.fetch")
    async def fetch(self, request: FetchRequest) -> Source:
        """Read one page and store it, as served and as text."""

        async def read() -> Source:
            if request.url.startswith(OWN_FILE):
                return await self._read_once(request, request.url, self._own.get)
            # A URL invented by a model could disclose what the run knows, as could the choice of
            # its spelling: use the spelling that was listed or named.
            key = compute_url_key(request.url)
            named = {compute_url_key(url): url for url in request.named}
            url = named.get(key) or await self._listed.find(request.scope, key)
            if not url:
                raise FetchRefused(
                    Problem.at("url", "fetch-unlisted", search=name_page(request.url))
                )
            return await self._read_once(
                request, canonicalize_url(url), partial(self._read, request)
            )

        return await self._tool_calls.run(request.scope, "fetch_url", request, read, Source)

    @activity.defn(name="web.parts")
    async def open_parts(self, request: PartsRequest) -> OpenedParts:
        """Return which parts of a text that was read are to be shown."""

        async def choose() -> OpenedParts:
            tenant = request.scope.tenant_id
            text = (await self._blobs.get(tenant, request.text_key)).decode()
            task = "looking for a part of a document"
            return await self._run(open_parts, text, request, task=task, tenant=tenant)

        return await self._tool_calls.run(
            request.scope, "parse_content", request, choose, OpenedParts
        )

    @activity.defn(name="web.probe")
    async def probe(self, request: ProbeRequest) -> ProbeResult:
        """Return a page's current HTTP status, and what became of its text and its cited passages."""

        async def probe() -> ProbeResult:
            if request.url.startswith((OWN_FILE, TOOL_RESULT)):
                return ProbeResult(url=request.url, status=200, changed=False)
            status = await self._fetcher.probe(request.url)
            found = ProbeResult(url=request.url, status=status)
            can_compare = status < 400 and request.content_hash
            return await self._compare(request, found) if can_compare else found

        return await self._tool_calls.run(request.scope, "check_link", request, probe, ProbeResult)

    async def _refuse_disclosure(self, request: SearchRequest, texts: list[str]) -> None:
        """Raise SearchRefused if an agent's query would carry the user's documents to the search service."""
        if request.conversation is None or not texts:
            return
        told = await self._run(
            find_disclosed_words,
            *(request.query, request.approved, texts),
            task="comparing a query with the user's files",
            tenant=request.scope.tenant_id,
        )
        if told:
            raise SearchRefused(Problem.at("query", "search-discloses", words=told[0]))

    async def _compare(self, request: ProbeRequest, found: ProbeResult) -> ProbeResult:
        """Compare a page's text with the stored one, if it can be read now.

        Its bytes are not compared, because many servers vary them with each response.
        """
        try:
            async with asyncio.timeout(_COMPARE_SECONDS):
                page = await self._fetcher.fetch(request.url)
                if hashlib.sha256(page.body).hexdigest() == request.content_hash:
                    return found.model_copy(update={"changed": False})
                about = (page.media_type, page.charset, page.url)
                tenant = request.scope.tenant_id
                parsed = await self._parser.parse(page.body, *about, tenant)
                gone = await self._run(
                    find_missing_quotes,
                    *(parsed.text, request.quotes),
                    task="looking for what is cited",
                    tenant=tenant,
                )
        except RequestRefused as error:  # HEAD succeeded, but GET is refused
            if error.status:
                return found.model_copy(update={"status": error.status})
            return found.model_copy(update={"quotes_gone": len(request.quotes)})
        except Transient as error:
            is_down = error.status is not None and error.status >= 500
            return found.model_copy(update={"status": error.status} if is_down else {})
        except (GreenlightError, TimeoutError):
            return found
        digest = hashlib.sha256(parsed.text.encode()).hexdigest()
        return found.model_copy(
            update={
                "changed": digest != request.text_key.split("/")[-1],
                "quotes_gone": len(gone),
                "leads_home": leads_home(request.url, page.url),
            }
        )

    async def _read_once(self, request: FetchRequest, url: str, read: Reader) -> Source:
        """Read a page, or return what another agent of the run read just before; one waits while the other reads.

        Raises:
            NoPageLeft: The agent may read no page, and no other has read this one.
        """
        scope, left = request.scope, request.pages_left
        page = self._pages.setdefault((scope.tenant_id, scope.run_id, url), _Page())
        async with page.reading:
            is_shared = bool(page.source) and left is not None and page.reader != scope.plan_step
            if left == 0 and not is_shared:
                raise NoPageLeft(Notice.of("fetch-no-page-left"))
            if page.source is None:
                read_now, page.reader = await read(scope, url), scope.plan_step
                page.source = read_now.model_copy(update={"usage": Usage()})  # it is paid once
                return read_now
            return page.source.model_copy(update={"is_shared": is_shared})

    async def _read(self, request: FetchRequest, scope: "Scope", url: str) -> Source:
        """Read a page; where its server refuses us, and a provider may read it in our place, that does."""
        try:
            page = await self._fetcher.fetch(url)
        except FetchRefused as refusal:
            if self._reads is None or refusal.status not in REFUSES_US:
                raise
            return await self._read_by_provider(self._reads, request, url, refusal)
        return await self._keep(scope, page)

    async def _read_by_provider(
        self, reads: "PageReads", request: FetchRequest, url: str, refusal: FetchRefused
    ) -> Source:
        """Return the page as a provider read it, which its notes say; raise the refusal if it cannot either."""
        try:
            page = await reads.read(request, url)
        except (SearchRefused, SearchFailed, BudgetExceeded):
            raise refusal from None
        scope = request.scope
        about = (page.media_type, page.charset, url)
        parsed = await self._parser.parse(page.body, *about, scope.tenant_id)
        source = await store_page(self._blobs, scope, page.body, parsed, url=url)
        told = Notice.of("source-by-provider", service=name_service("anthropic"))
        notes = [told, *note_credibility(source)]
        return source.model_copy(update={"notes": notes, "usage": page.usage})

    async def _keep(self, scope: "Scope", page: "FetchedPage") -> Source:
        """Store a page that was read, and list where its first links lead to."""
        about = (page.media_type, page.charset, page.url)
        parsed = await self._parser.parse(page.body, *about, scope.tenant_id)
        links = itertools.chain(parsed.links, find_urls(parsed.text))
        few = map(canonicalize_url, itertools.islice(links, MAX_LINKS))
        await self._listed.add(scope, {compute_url_key(link): link for link in few})
        url = canonicalize_url(page.url)
        source = await store_page(self._blobs, scope, page.body, parsed, url=url)
        return source.model_copy(update={"notes": note_credibility(source)})


def _name_search(request: SearchRequest) -> tuple[str, str] | None:
    """Return the names of an agent's conversation and search; None for code's searches, which are not listed."""
    if request.conversation is None:
        return None
    scope = request.scope
    place = (scope.phase_id, scope.attempt, scope.plan_step, request.conversation)
    return json.dumps(place), json.dumps([request.query, request.kind])


async def store_page(
    blobs: "BlobStore", scope: "Scope", body: bytes, parsed: "Parsed", **known: Any
) -> Source:
    """Store a page as served and as text, and return its source; `known` fields override the parsed ones."""
    raw_key = await blobs.put(scope.tenant_id, scope.run_id, body)
    text_key = await blobs.put(scope.tenant_id, scope.run_id, parsed.text.encode())
    return build_source(body, parsed, raw_key=raw_key, text_key=text_key, **known)


def build_source(body: bytes, parsed: "Parsed", **known: Any) -> Source:
    """Return the source of a stored page; `known` are its keys and fields that override the parsed ones."""
    text = parsed.text
    told = {name: getattr(parsed, name) for name in ("title", "author", "publisher", "published")}
    snippet = " ".join((parsed.description or text[:SNIPPET_CHARS]).split())
    fields = {
        **told,
        "content_type": parsed.media_type,
        "snippet": snippet[:SNIPPET_CHARS],
        "sections": list(parsed.sections),
        "unread": list(parsed.unread),
        "retrieved_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "content_hash": hashlib.sha256(body).hexdigest(),
        "bytes": len(body),
        "chars": len(text),
    }
    return Source(**fields | known)
