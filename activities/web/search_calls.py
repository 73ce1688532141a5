"""A run's searches: each service gets its own journaled call, and the hits are merged into one list."""

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from activities.calls.call_metrics import note_search, watch_provider
from activities.spans import open_span
from contracts.base import Json
from contracts.errors import GreenlightError, SearchFailed, SearchRefused, Transient
from contracts.evidence.searches import Found, ServiceFailure
from contracts.evidence.sources import FetchRequest, SearchHit, SearchKind, SearchRequest
from contracts.models.batch import OpenBatch
from contracts.models.call import Scope
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.runs.records import CallResult, CallSpec
from contracts.search import KEYS, Chosen, ServiceName, name_service, name_services
from domain.sources.rank_fusion import fuse_hits

if TYPE_CHECKING:
    from collections.abc import Callable

    from activities.calls.journaled_call import JournaledCalls
    from store.blobs import BlobStore

MAX_REST_SECONDS = 300.0
"""Longest time for which a service that asked for it is left alone."""


class SearchService(Protocol):
    """The interface of a search service."""

    @property
    def name(self) -> ServiceName:
        """Its name in settings, definitions and starts."""
        ...

    @property
    def url(self) -> str:
        """Its address."""
        ...

    @property
    def most_usd(self) -> float:
        """The most that one search costs."""
        ...

    async def search(
        self, query: str, count: int, kind: SearchKind, on_paid: "Callable[[float], None]"
    ) -> Found:
        """Return at most `count` hits, best first; SearchFailed and SearchRefused are its only errors."""
        ...

    async def aclose(self) -> None:
        """Close its connections."""
        ...


class FetchedText(Protocol):
    """A page as a provider read it."""

    @property
    def media_type(self) -> str:
        """Its type, `text/plain` or `application/pdf`."""
        ...

    @property
    def charset(self) -> str:
        """Its encoding; empty if it is not text."""
        ...

    @property
    def body(self) -> bytes:
        """Its bytes."""
        ...


class PageReader(Protocol):
    """A provider that reads a page in our place."""

    @property
    def most_usd(self) -> float:
        """The most that one page costs."""
        ...

    async def read(self, url: str, on_paid: "Callable[[float], None]") -> tuple[FetchedText, Usage]:
        """Return a page and what it cost; SearchFailed and SearchRefused are its only errors."""
        ...


@dataclass(frozen=True)
class FusedSearch:
    """The hits of all services that were asked, and what some of them did not give."""

    hits: list[SearchHit]
    failures: list[ServiceFailure]
    usage: Usage


@dataclass(frozen=True)
class SearchServices:
    """The configured search services."""

    services: Mapping[ServiceName, SearchService]
    usual: Chosen
    """Used if no services are named."""

    def choose(self, names: Sequence[ServiceName] = ()) -> list[SearchService]:
        """Return the named services, or the default ones.

        Raises:
            SearchRefused: This worker lacks one of the services, or has none at all.
        """
        chosen = list(names or self.usual)
        if missing := [name for name in chosen if name not in self.services]:
            setting, service = KEYS[missing[0]], name_service(missing[0])
            known = name_services(list(self.services)) or None
            code = "search-unconfigured"
            raise SearchRefused(Notice.of(code, service=service, setting=setting, known=known))
        if not chosen:
            raise SearchRefused(Notice.of("search-none"))
        return [self.services[name] for name in chosen]

    @property
    def url(self) -> str:
        """The address of the service that is usually asked first; empty without any."""
        return next((self.services[name].url for name in self.usual if name in self.services), "")

    async def aclose(self) -> None:
        """Close the connections of all services."""
        for service in self.services.values():
            await service.aclose()


@dataclass
class SearchCalls:
    """Asks the services that a request names, at the same time; one that fails leaves the others unharmed."""

    _calls: "JournaledCalls"
    _services: SearchServices
    _rests: dict[ServiceName, float] = field(default_factory=dict)
    """When a service that limits the rate may be asked again, on the monotonic clock."""

    async def search(self, request: SearchRequest) -> FusedSearch:
        """Search with all services and merge their hits.

        Raises:
            SearchFailed: No service returned hits, but a retry may help.
            SearchRefused, BudgetExceeded: No service returned hits, and a retry cannot help.
        """
        services = self._services.choose(request.services)
        answers = await asyncio.gather(*(self._ask(service, request) for service in services))
        found = [answer for answer in answers if isinstance(answer, Found)]
        errors = [answer for answer in answers if isinstance(answer, GreenlightError)]
        if not found:
            raise _choose_error(errors)
        failures = [each.lacks for each in found if each.lacks]
        for service, answer in zip(services, answers, strict=True):
            if isinstance(answer, GreenlightError):
                told = {"service": service.name, "words": answer.words, "cause": answer.loss_cause}
                failures.append(ServiceFailure.model_validate(told))
        hits = fuse_hits([each.hits for each in found], request.max_results)
        if len(services) == 1:
            hits = [hit.model_copy(update={"services": []}) for hit in hits]
        usage = sum((each.usage for each in found), Usage())
        return FusedSearch(hits, failures, usage)

    async def _ask(self, service: SearchService, request: SearchRequest) -> Found | GreenlightError:
        """Return a service's answer, from the journal where this search was made before, or its failure."""
        if wait := self._count_rest(service.name):
            resting = Notice.of("search-rests", service=name_service(service.name), seconds=wait)
            return SearchFailed(resting, wait)
        spent_usd = 0.0

        def count(usd: float) -> None:
            nonlocal spent_usd
            spent_usd = usd

        async def make(_: OpenBatch | None) -> CallResult:
            named = {"greenlight.search_service": service.name}
            with (
                watch_provider(service.name),
                open_span(f"search {service.name}", attributes=named),
            ):
                found = await service.search(
                    request.query, request.max_results, request.kind, count
                )
            note_search(service.name, found.usage.usd)
            return CallResult(result=found.model_dump(mode="json"), usage=found.usage)

        try:
            settled = await self._calls.run(_specify(service, request), make, lambda: spent_usd)
        except GreenlightError as error:
            if isinstance(error, SearchFailed) and error.retry_after:
                rest = min(error.retry_after, MAX_REST_SECONDS)
                self._rests[service.name] = time.monotonic() + rest
            if isinstance(error, Transient) and not isinstance(error, SearchFailed):
                raise  # an outage of the store is not the service's failure
            return error
        return Found.model_validate(settled.result)

    def _count_rest(self, name: ServiceName) -> float:
        return max(self._rests.get(name, 0.0) - time.monotonic(), 0.0)


def _specify(service: SearchService, request: SearchRequest) -> CallSpec:
    asked = [service.name, request.query, request.kind, request.max_results]
    scope: Scope = request.scope.model_copy(update={"name": f"{request.scope.name}/{service.name}"})
    return CallSpec(
        scope=scope,
        kind="search",
        request_hash=hashlib.sha256(json.dumps(asked).encode()).hexdigest(),
        model=service.name,
        reserved_usd=0.0 if request.cap_usd is None else service.most_usd,
        cap_usd=request.cap_usd or 0.0,
    )


def _choose_error(errors: Sequence[GreenlightError]) -> GreenlightError:
    """Return the failure of a search that no service answered: one that may pass, the soonest, before any other."""
    passing = [error for error in errors if isinstance(error, Transient)]
    return min(passing, key=lambda error: error.retry_after or 0.0) if passing else errors[0]


@dataclass(frozen=True)
class ReadPage:
    """A page that a provider read: its bytes in the blob store, and what it cost."""

    body: bytes
    media_type: str
    charset: str
    usage: Usage


@dataclass(frozen=True)
class PageReads:
    """Lets a provider read pages whose servers refuse us, with journaled calls."""

    _calls: "JournaledCalls"
    _blobs: "BlobStore"
    _reader: PageReader

    async def read(self, request: FetchRequest, url: str) -> ReadPage:
        """Return a page, from the journal if it was read before.

        Raises:
            SearchFailed, SearchRefused, BudgetExceeded: The provider returns no page, or the cap does not
                suffice.
        """
        scope = request.scope.model_copy(update={"name": f"{request.scope.name}/anthropic"})
        spent_usd = 0.0

        def count(usd: float) -> None:
            nonlocal spent_usd
            spent_usd = usd

        async def make(_: OpenBatch | None) -> CallResult:
            page, usage = await self._reader.read(url, count)
            key = await self._blobs.put(scope.tenant_id, scope.run_id, page.body)
            kept = {"body": key, "media_type": page.media_type, "charset": page.charset}
            return CallResult(result={**kept, "usage": usage.model_dump(mode="json")}, usage=usage)

        spec = CallSpec(
            scope=scope,
            kind="search",
            request_hash=hashlib.sha256(json.dumps(["web_fetch", url]).encode()).hexdigest(),
            model="anthropic",
            reserved_usd=0.0 if request.cap_usd is None else self._reader.most_usd,
            cap_usd=request.cap_usd or 0.0,
        )
        kept: Json = (await self._calls.run(spec, make, lambda: spent_usd)).result
        return ReadPage(
            body=await self._blobs.get(scope.tenant_id, str(kept["body"])),
            media_type=str(kept["media_type"]),
            charset=str(kept["charset"]),
            usage=Usage.model_validate(kept["usage"]),
        )
