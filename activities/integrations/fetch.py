"""Fetching one page, guarded: what may be reached, how long, how much, of which type."""

import asyncio
import email.message
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeVar

import httpcore
import httpx

from activities.integrations.decompression import Decompressor
from activities.integrations.politeness import Politeness, Read
from activities.integrations.site_policy import SitePolicy
from activities.integrations.ssrf_guard import GuardedNetwork
from contracts.errors import FetchFailed, FetchRefused
from contracts.media_types import DOCX, FILES, PAGES, PDF

MAX_REDIRECTS = 5
MAX_BYTES = 5_000_000
FILE_FACTOR = 4
"""A PDF or a Word document carries its pictures with it, and may be so many times as large."""
MAX_URL_CHARS = 2_000
LAST_PORT = 65_535
READABLE = PAGES | FILES
_REDIRECTS = {301, 302, 303, 307, 308}
_TRY_LATER = {408, 425, 429}
_AGENT = "Greenlight/0.1 (research assistant; reads single pages on a person's request)"
_HEADERS = [
    (
        "Accept",
        "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,"
        f"{PDF};q=0.8,{DOCX};q=0.8,*/*;q=0.1",
    ),
    ("Accept-Encoding", "gzip"),
]


T = TypeVar("T")
Pool = httpcore.AsyncConnectionPool
Take = Callable[[httpx.URL, httpcore.Response], Awaitable[T]]
"""What is taken of the answer at the end of the redirects."""


@dataclass(frozen=True)
class Page:
    """A page as it was served."""

    url: str
    media_type: str
    charset: str
    body: bytes


class PageFetcher:
    """Reads pages of public sites as these ask for it, and of the `host:port` pairs in `allow`.

    Those pairs are the operator's own: there is no robots.txt to ask for, and no turn to wait for.
    `contacts` says, for each `host[:port]` that wants to know, who it is that reads there.
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
        self._network = network or GuardedNetwork(own)
        self._politeness = Politeness(own)
        self._sites = sites or SitePolicy()
        self._contacts = contacts
        self._tls = httpcore.default_ssl_context()
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes
        self._max_file_bytes = FILE_FACTOR * max_bytes

    async def fetch(self, url: str) -> Page:
        """Return the page at a URL, following at most five redirects."""
        return await self._ask("GET", url, self._page)

    async def probe(self, url: str) -> int:
        """Return the status a page's server answers with; GET where HEAD is not understood."""
        status = await self._ask("HEAD", url, _status)
        return status if status < 400 else await self._ask("GET", url, _status)

    async def _ask(self, method: str, url: str, take: Take[T]) -> T:
        target = checked(url)
        pool = Pool(self._tls, network_backend=self._network)
        try:
            async with asyncio.timeout(self._timeout_seconds), pool:
                return await self._follow(pool, method, target, take, partial(self._robots, pool))
        except TimeoutError as error:
            raise FetchFailed(
                f"{target.host!r} took longer than {self._timeout_seconds:g} s."
            ) from error
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            raise FetchFailed(f"The connection to {target.host!r} broke.") from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            raise FetchFailed(f"{target.host!r} does not speak HTTP as it should.") from error

    async def _follow(
        self, pool: Pool, method: str, url: httpx.URL, take: Take[T], read_robots: Read | None
    ) -> T:
        for _ in range(MAX_REDIRECTS + 1):
            if refusal := self._sites.refusal(str(url)):
                raise FetchRefused(refusal)
            turn = await self._politeness.turn(url, read_robots)
            host = url.netloc.decode("ascii")
            agent = f"{_AGENT} {self._contacts.get(host, '')}".rstrip()
            headers = [("Host", host), ("User-Agent", agent), *_HEADERS]
            async with turn, pool.stream(method, str(url), headers=headers) as response:
                location = _header(response, b"location")
                if response.status not in _REDIRECTS or not location:
                    return await take(url, response)
            url = checked(location, base=url)
        raise FetchRefused(f"{url.host!r} redirects more than {MAX_REDIRECTS} times.")

    async def _robots(self, pool: Pool, url: httpx.URL) -> bytes:
        async def take(url: httpx.URL, response: httpcore.Response) -> bytes:
            _check_status(f"{url.host}/robots.txt", response)
            return await _body(url.host, response, self._max_bytes)

        return await self._follow(pool, "GET", url, take, None)

    async def _page(self, url: httpx.URL, response: httpcore.Response) -> Page:
        _check_status(url.host, response)
        media_type, charset = _content_type(response)
        if media_type and media_type not in READABLE:
            raise FetchRefused(
                f"{url.host!r} sent {media_type!r}; only HTML, text, PDF and Word can be read."
            )
        most = self._max_file_bytes if media_type in FILES else self._max_bytes
        body = await _body(url.host, response, most)
        return Page(str(url), media_type, charset, body)


async def _body(host: str, response: httpcore.Response, most: int) -> bytes:
    unpacker = Decompressor(host, _header(response, b"content-encoding"), most + 1)
    chunks, sent, size = [], 0, 0
    async for packed in response.aiter_stream():
        chunks.append(unpacker.feed(packed))
        sent, size = sent + len(packed), size + len(chunks[-1])
        if max(sent, size) > most:  # what is packed into nothing, or follows its end, is sent too
            raise FetchRefused(f"The page at {host!r} is larger than {most / 1e6:g} MB.")
    unpacker.finish()
    return b"".join(chunks)


def checked(url: str, base: httpx.URL | None = None) -> httpx.URL:
    """Return the parsed URL if it is one that may be asked for at all.

    Raises:
        FetchRefused: It is not.
    """
    try:
        parsed = base.join(url) if base else httpx.URL(url)
        text = str(parsed)
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchRefused(f"{url[:200]!r} is not a URL.") from error
    if (parsed.port or 0) > LAST_PORT:
        raise FetchRefused(f"The URL for {parsed.host!r} names a port over {LAST_PORT}.")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise FetchRefused(f"{text[:200]!r}: only http and https pages can be read.")
    if parsed.userinfo:
        raise FetchRefused(f"The URL for {parsed.host!r} carries a user name; leave it out.")
    if len(text) > MAX_URL_CHARS:
        raise FetchRefused(f"The URL at {parsed.host!r} is over {MAX_URL_CHARS} characters long.")
    return parsed.copy_with(fragment=None)


async def _status(_: httpx.URL, response: httpcore.Response) -> int:
    return response.status


def _header(response: httpcore.Response, name: bytes) -> str:
    return next((v.decode("latin-1") for k, v in response.headers if k.lower() == name), "")


def _check_status(host: str, response: httpcore.Response) -> None:
    if response.status < 300:
        return
    message = f"{host!r} answered {response.status}."
    if response.status >= 500 or response.status in _TRY_LATER:
        wait = _header(response, b"retry-after").strip()
        short = wait.isdecimal() and len(wait) < 6
        raise FetchFailed(message, retry_after=float(wait) if short else None)
    raise FetchRefused(message)


def _content_type(response: httpcore.Response) -> tuple[str, str]:
    header = email.message.Message()
    header["Content-Type"] = _header(response, b"content-type")
    if "/" not in header["Content-Type"]:
        return "", ""
    return header.get_content_type(), header.get_content_charset("")
