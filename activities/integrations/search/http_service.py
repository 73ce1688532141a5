"""A search service that answers one HTTP request with JSON: bounded, and every failure as one of our errors."""

import html
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, ClassVar

import httpx

from activities.integrations.http.http_statuses import may_pass, parse_retry_after
from activities.integrations.http.page_fetcher import is_fetchable
from activities.integrations.http.response_bodies import ResponseTooLarge, read_body
from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.http.traced_http import TracedClient
from activities.parsing.document import line
from contracts.errors import GreenlightError, SearchFailed, SearchRefused
from contracts.evidence.searches import Found, ServiceHit
from contracts.evidence.sources import SearchKind
from contracts.models.usage import Usage
from contracts.notices import Notice, NoticeParam
from contracts.search import KEYS, ServiceName, name_service

MAX_CHARS = 1_000
"""Limit of a hit's title or snippet; no page's text is as long."""
MAX_BYTES = 4_000_000
"""Limit of an answer; a longer one is refused."""
MAX_READ = 100
"""Results of an answer that are looked at."""
TIMEOUT_SECONDS = 15.0
_KEY_REFUSED = {401, 402, 403, 422, 432, 433}
"""Key, plan or limit. Brave answers 422 to an unknown key, Tavily 432 and 433 where a plan is used up."""
_TAG = re.compile(r"<[^<>]{0,100}>")


class HttpService(ABC):
    """Base of the services that are asked by one request; redirects are not followed."""

    name: ClassVar[ServiceName]
    most_hits: ClassVar[int] = 20
    """The largest number of results that the service takes in a request."""

    def __init__(
        self,
        base_url: str,
        key: str = "",
        timeout_seconds: float = TIMEOUT_SECONDS,
        sites: SitePolicy | None = None,
        usd: float = 0.0,
    ) -> None:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        self._client = TracedClient(
            headers=headers | self.build_headers(key), timeout=timeout_seconds
        )
        self._sites = sites or SitePolicy()
        self.url = base_url.rstrip("/")
        self.usd = usd

    @property
    def most_usd(self) -> float:
        """The most that one search costs."""
        return self.usd

    async def search(
        self,
        query: str,
        count: int,
        kind: SearchKind = "web",
        on_paid: Callable[[float], None] = lambda _: None,
    ) -> Found:
        """Return at most `count` hits on readable sites, best first.

        Raises:
            SearchFailed: The service did not answer, or not with results; a retry may help.
            SearchRefused: It rejects the key or the query.
        """
        wanted = count if self._sites == SitePolicy() else self.most_hits
        body = await self._ask(self.build_request(query, min(wanted, self.most_hits), kind))
        try:
            found = self.read(body, kind)
        except (ValueError, AttributeError, TypeError, KeyError) as error:
            raise self._fail("search-odd") from error
        hits = [hit for hit in found.hits if not self._sites.refusal(hit.url)]
        usage = found.usage if found.usage.usd else Usage(usd=self.usd)
        on_paid(usage.usd)
        return found.model_copy(update={"hits": hits[:count], "usage": usage})

    def build_headers(self, key: str) -> dict[str, str]:
        """Return the headers with a key: a bearer token, unless the service overrides this."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    @abstractmethod
    def build_request(self, query: str, count: int, kind: SearchKind) -> httpx.Request:
        """Return the request of a query for `count` results."""

    @abstractmethod
    def read(self, body: Any, kind: SearchKind) -> Found:
        """Parse a response's hits; raise ValueError, TypeError or KeyError if it has another format."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def post(self, path: str, body: Any) -> httpx.Request:
        """Return a request with a JSON body."""
        return self._client.build_request("POST", self.url + path, json=body)

    def get(self, path: str, params: Mapping[str, str]) -> httpx.Request:
        """Return a request with a query string."""
        return self._client.build_request("GET", self.url + path, params=params)

    def list_hits(
        self, results: Iterable[Any], url: str, title: str, snippet: str, published: str
    ) -> list[ServiceHit]:
        """Return the results that may be read, of the fields that the service calls so."""
        hits: list[ServiceHit] = []
        for rank, result in enumerate(_take(results), start=1):
            if is_fetchable(result.get(url)):
                hit = ServiceHit(
                    service=self.name,
                    rank=rank,
                    url=str(result[url]),
                    title=to_plain(result.get(title)),
                    snippet=to_plain(result.get(snippet)),
                    published=read_day(result.get(published)),
                )
                hits.append(hit)
        return hits

    async def _ask(self, request: httpx.Request) -> Any:
        try:
            response = await self._client.send(request, stream=True)
            try:
                text = await read_body(response, MAX_BYTES)
            finally:
                await response.aclose()
        except ResponseTooLarge as error:
            raise self._fail("search-large", mb=MAX_BYTES / 1e6) from error
        except httpx.HTTPError as error:
            is_late = isinstance(error, httpx.TimeoutException)
            raise (
                self._fail("search-late")
                if is_late
                else self._fail("search-no-answer", error=type(error).__name__)
            ) from error
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = None
        self._check(response, body)
        if body is None:
            raise self._fail("search-odd")
        return body

    def _check(self, response: httpx.Response, body: Any) -> None:
        status = response.status_code
        if status == httpx.codes.OK:
            return
        is_key = status in _KEY_REFUSED
        code = "search-key" if is_key else "search-status"
        told = self.tell(
            code,
            status=status,
            detail=read_detail(body),
            setting=KEYS[self.name] if is_key else None,
        )
        if is_key or not may_pass(status):
            raise SearchRefused(told, status)
        headers = (
            response.headers
        )  # Brave sends no Retry-After; its first reset value is the nearest window's
        wait = headers.get("Retry-After") or headers.get("X-RateLimit-Reset", "").partition(",")[0]
        raise SearchFailed(told, parse_retry_after(wait), status)

    def tell(self, code: str, **params: NoticeParam | None) -> Notice:
        """Return a notice about this service."""
        return Notice.of(code, service=name_service(self.name), **params)

    def _fail(self, code: str, **params: NoticeParam | None) -> GreenlightError:
        return SearchFailed(self.tell(code, **params))


def read_detail(body: Any) -> str | None:
    """Return what an error answer says, in the fields that services have for it."""
    try:
        error = body.get("error") or body.get("detail") or body.get("message")
        if isinstance(error, dict):
            error = (
                error.get("detail")
                or error.get("message")
                or error.get("error")
                or error.get("code")
            )
    except AttributeError:
        return None
    return str(error)[:200].rstrip(".") if error else None


def _take(results: Any) -> Sequence[Any]:
    if not isinstance(results, list):
        raise TypeError("results are a list")
    return results[:MAX_READ]


def read_day(moment: object) -> str | None:
    """Return the day of an ISO date or time; None for other phrases such as "2 hours ago"."""
    try:
        return date.fromisoformat(str(moment)[:10]).isoformat()
    except ValueError:
        return None


def to_plain(text: object) -> str:
    """Return a title or snippet as one line of text without tags."""
    return line(html.unescape(_TAG.sub("", str(text or ""))), MAX_CHARS)
