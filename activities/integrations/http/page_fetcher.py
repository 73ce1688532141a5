"""Fetcher of single pages of the sites that an operator allows: guarded, and bounded in time, size and type."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType

import httpcore
import httpx

from activities.integrations.http.http_statuses import may_pass, parse_retry_after
from activities.integrations.http.response_bodies import ResponseTooLarge, read_body
from activities.integrations.http.robots_txt_and_crawl_delay import Politeness, Read
from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.http.ssrf_guard import GuardedNetwork
from activities.integrations.http.traced_http import note_response, open_request_span
from contracts.errors import FetchFailed, FetchRefused
from contracts.media_types import FILES, NEVER_READ, PAGES
from contracts.notices import Notice

MAX_REDIRECTS = 5
MAX_BYTES = 5_000_000
FILE_FACTOR = 4
"""Size factor for PDF and Office documents, which embed their pictures."""
MAX_URL_CHARS = 2_000
LAST_PORT = 65_535
_REDIRECTS = {301, 302, 303, 307, 308}
_AGENT = "Greenlight/0.1 (research assistant; reads single pages on a person's request)"
_PACKINGS = {"gzip", "x-gzip", "deflate"}
_GZIP = b"\x1f\x8b"
"""Start of a gzip member; a file may contain several."""
_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,"
    f"{''.join(f'{kind};q=0.8,' for kind in sorted(FILES))}*/*;q=0.1",
    "Accept-Encoding": "gzip",
}

Answer = tuple[httpx.URL, httpx.Response]
"""The URL after redirects, and the response."""


@dataclass(frozen=True)
class FetchedPage:
    """A page as it was served."""

    url: str
    media_type: str
    charset: str
    body: bytes


MAX_IDLE_CONNECTIONS = 20
IDLE_SECONDS = 2.0
HEAD_SECONDS = 5.0
"""Timeout of HEAD requests, after which GET is used."""


class GuardedTransport(httpx.AsyncHTTPTransport):
    """Speaks HTTP over a network that checks each address as it connects; heeds no proxy.

    A connection is kept for the next page of its host for a moment: its address was checked.
    """

    def __init__(self, network: GuardedNetwork) -> None:
        tls = httpx.create_ssl_context()
        super().__init__(verify=tls)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=None,  # `Politeness` bounds those of each host
            max_keepalive_connections=MAX_IDLE_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=network,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request within a span."""
        with open_request_span(request) as span:
            response = await super().handle_async_request(request)
            note_response(span, response)
            return response


class PageFetcher:
    """Fetches public pages as their sites ask, and pages of the `host:port` pairs in `allow`.

    Those pairs belong to the operator, so they need neither robots.txt nor rate limits. `contacts` maps each
    `host[:port]` that asks for it to the contact to send.
    """

    def __init__(  # noqa: PLR0913 - each narrows what may be reached, or how
        self,
        allow: Sequence[str] = (),
        timeout_seconds: float = 30,
        max_bytes: int = MAX_BYTES,
        sites: SitePolicy | None = None,
        network: GuardedNetwork | None = None,
        contacts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        own = frozenset(pair.lower() for pair in allow)
        self._transport = GuardedTransport(network or GuardedNetwork(own))
        self._politeness = Politeness(own)
        self._sites = sites or SitePolicy()
        self._contacts = contacts
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def fetch(self, url: str) -> FetchedPage:
        """Return the page at a URL, following at most five redirects."""
        async with self._ask("GET", url) as (found, response):
            _check_status(found.host, response)
            media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            charset = response.charset_encoding or ""
            if "/" not in media_type:
                media_type = charset = ""
            elif media_type.startswith(NEVER_READ):
                told = Notice.of("fetch-media", host=found.host, media=media_type)
                raise FetchRefused(told)
            limit_bytes = self._max_bytes * (1 if media_type in PAGES else FILE_FACTOR)
            body = await _read_body(found.host, response, limit_bytes)
            return FetchedPage(str(found), media_type, charset, body)

    async def probe(self, url: str) -> int:
        """Return the status a page's server answers with; GET where HEAD is refused, breaks off or is late."""
        with suppress(FetchFailed, FetchRefused, TimeoutError):
            async with asyncio.timeout(HEAD_SECONDS), self._ask("HEAD", url) as (_, response):
                if response.status_code < 400:
                    return response.status_code
        async with self._ask("GET", url) as (_, response):
            return response.status_code

    @asynccontextmanager
    async def _ask(self, method: str, url: str) -> AsyncIterator[Answer]:
        target = parse_url(url)

        async def read_robots(url: httpx.URL) -> bytes:
            async with self._follow("GET", url, None) as (found, response):
                _check_status(f"{found.host}/robots.txt", response)
                return await _read_body(found.host, response, self._max_bytes)

        try:
            async with (
                asyncio.timeout(self._timeout_seconds),
                self._follow(method, target, read_robots) as answer,
            ):
                yield answer
        except TimeoutError as error:
            late = Notice.of("fetch-late", host=target.host, seconds=self._timeout_seconds)
            raise FetchFailed(late) from error
        except (httpx.NetworkError, httpx.TimeoutException) as error:
            raise FetchFailed(Notice.of("fetch-broken", host=target.host)) from error
        except httpx.TransportError as error:
            raise FetchFailed(Notice.of("fetch-no-http", host=target.host)) from error

    @asynccontextmanager
    async def _follow(
        self, method: str, url: httpx.URL, read_robots: Read | None
    ) -> AsyncIterator[Answer]:
        for _ in range(MAX_REDIRECTS + 1):
            if refusal := self._sites.refusal(str(url)):
                raise FetchRefused(refusal)
            turn = await self._politeness.turn(url, read_robots)
            agent = f"{_AGENT} {self._contacts.get(url.netloc.decode('ascii'), '')}".rstrip()
            request = httpx.Request(method, url, headers={"User-Agent": agent, **_HEADERS})
            async with (
                turn,
                aclosing(await self._transport.handle_async_request(request)) as response,
            ):
                location = response.headers.get("location")
                if response.status_code not in _REDIRECTS or not location:
                    yield url, response
                    return
            url = parse_url(location, base=url)
        raise FetchRefused(Notice.of("fetch-redirects", host=url.host, n=MAX_REDIRECTS))


async def _read_body(host: str, response: httpx.Response, limit_bytes: int) -> bytes:
    """Return a body; httpx would decompress a piece of it without a bound."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _PACKINGS | {"", "identity"}:
        raise FetchRefused(Notice.of("fetch-packed", host=host, encoding=encoding))
    too_large = FetchRefused(Notice.of("fetch-large", host=host, mb=limit_bytes / 1e6))
    try:
        sent = await read_body(response, limit_bytes, raw=True)
        if encoding not in _PACKINGS:
            return sent
        body = await asyncio.to_thread(_unpack, sent, limit_bytes + 1)
    except ResponseTooLarge:
        raise too_large from None
    except zlib.error as error:
        raise FetchFailed(Notice.of("fetch-damaged", host=host)) from error
    if len(body) > limit_bytes:
        raise too_large
    return body


def _unpack(packed: bytes, limit_bytes: int) -> bytes:
    """Return the first bytes that gzip or deflate has packed."""
    found = b""
    while packed and len(found) < limit_bytes:
        unpacking = zlib.decompressobj(wbits=47)
        found += unpacking.decompress(packed, limit_bytes - len(found))
        if not unpacking.eof and len(found) < limit_bytes:
            raise zlib.error("it breaks off")
        packed = unpacking.unused_data if unpacking.unused_data.startswith(_GZIP) else b""
    return found


def parse_url(url: str, base: httpx.URL | None = None) -> httpx.URL:
    """Parse a URL and check that it may be requested.

    Raises:
        FetchRefused: It may not.
    """
    try:
        parsed = base.join(url) if base else httpx.URL(url)
        text, host, port = str(parsed), parsed.host, parsed.port
    except (httpx.InvalidURL, ValueError) as error:  # also a name that IDNA cannot decode
        raise FetchRefused(Notice.of("url-not-one", url=url[:200])) from error
    if (port or 0) > LAST_PORT:
        raise FetchRefused(Notice.of("url-port", host=host, n=str(LAST_PORT)))
    if parsed.scheme not in {"http", "https"} or not host:
        raise FetchRefused(Notice.of("url-scheme", url=text[:200]))
    if parsed.userinfo:
        raise FetchRefused(Notice.of("url-user", host=host))
    if len(text) > MAX_URL_CHARS:
        raise FetchRefused(Notice.of("url-long", host=host, n=MAX_URL_CHARS))
    return parsed.copy_with(fragment=None)


def is_fetchable(url: object) -> bool:
    """Return whether a search result's value is a URL that may be requested."""
    try:
        parse_url(str(url or ""))
    except FetchRefused:
        return False
    return True


def _check_status(host: str, response: httpx.Response) -> None:
    status = response.status_code
    if status < 300:
        return
    told = Notice.of("fetch-status", host=host, status=status)
    if may_pass(status):
        wait = parse_retry_after(response.headers.get("retry-after", ""))
        raise FetchFailed(told, wait, status)
    raise FetchRefused(told, status)
