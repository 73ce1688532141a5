"""Politeness: a site's robots.txt (RFC 9309) is obeyed, and its host is not asked too often."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

import httpx
from cachetools import TTLCache
from protego import Protego

from contracts.errors import FetchFailed, FetchRefused
from contracts.notices import Notice

AGENT = "greenlight"
"""Our product token in robots.txt and User-Agent; case does not matter."""
MAX_CRAWL_DELAY_SECONDS = 5.0
"""A Crawl-delay is honoured up to here: single pages are read, not whole sites."""
ROBOTS_TTL_SECONDS = 3_600.0
MAX_ROBOTS_CHARS = 500_000
MAX_SITES = 1_000

AT_ONCE = 2
PAUSE_SECONDS = 0.5
"""Between the starts of two requests to a host, unless its robots.txt asks for more."""
LONGEST_WAIT_SECONDS = 15.0

Read = Callable[[httpx.URL], Awaitable[bytes]]
_PORTS = {"http": 80, "https": 443}
_USER_AGENT = re.compile(r"\s*user[\s-]?agent\b\s*:?([^#]*)", re.IGNORECASE)


@dataclass
class _Site:
    robots: Protego | None = None
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    next_start: float = 0


class Politeness:
    """Obeys sites' robots.txt, and limits concurrency and rate per site.

    The `host:port` pairs in `own` are not limited.
    """

    def __init__(
        self, own: frozenset[str], longest_wait_seconds: float = LONGEST_WAIT_SECONDS
    ) -> None:
        self._own = own
        self._longest_wait_seconds = longest_wait_seconds
        self._sites: TTLCache[str, _Site] = TTLCache(MAX_SITES, ROBOTS_TTL_SECONDS)

    async def turn(self, url: httpx.URL, read: Read | None) -> AbstractAsyncContextManager[None]:
        """Return the turn to take before a URL is asked for; its robots.txt is got by `read`.

        Raises:
            FetchRefused: The site does not want this page to be read.
        """
        if f"{url.host}:{url.port or _PORTS[url.scheme]}" in self._own:
            return nullcontext()
        rules = url.copy_with(raw_path=b"/robots.txt")
        site = self._sites.setdefault(str(rules), _Site())
        if read is None:
            return self._wait(url.host, site, PAUSE_SECONDS)
        robots = await _read_robots(site, rules, read)
        if not robots.can_fetch(str(url), AGENT):
            raise FetchRefused(Notice.of("fetch-robots", host=url.host))
        return self._wait(url.host, site, max(crawl_delay(robots), PAUSE_SECONDS))

    @asynccontextmanager
    async def _wait(self, host: str, site: _Site, pause_seconds: float) -> AsyncIterator[None]:
        """Hold one of the site's places, once its pause is over.

        Raises:
            FetchFailed: The wait would be too long; Temporal comes back later.
        """
        try:
            async with asyncio.timeout(self._longest_wait_seconds) as patience, site.slots:
                now = asyncio.get_running_loop().time()
                start = max(now, site.next_start)
                site.next_start = start + pause_seconds
                await asyncio.sleep(start - now)
                patience.reschedule(None)
                yield
        except TimeoutError:
            raise FetchFailed(Notice.of("fetch-busy", host=host)) from None


async def _read_robots(site: _Site, url: httpx.URL, read: Read) -> Protego:
    """Return a site's rules, read by one of those who ask; a failure to read is the asker's."""
    async with site.reading:
        if site.robots is None:
            try:
                body = await read(url)
            except FetchRefused:  # a refused robots.txt counts as empty
                body = b""
            site.robots = parse_robots(body.decode("utf-8-sig", errors="replace"))
        return site.robots


def parse_robots(text: str) -> Protego:
    """Return the rules of a robots.txt, in time linear in its length."""
    lines = text[:MAX_ROBOTS_CHARS].splitlines()
    return Protego.parse("\n".join(map(_fold_agent, lines)))


def _fold_agent(line: str) -> str:
    """Give all other agents one name: Protego's time grows with the agents times their rules."""
    found = _USER_AGENT.match(line)
    if not found:
        return line
    name = found[1].partition("/")[0].strip().lower()
    return f"User-agent: {name if name in {AGENT, '*'} else 'other'}"


def crawl_delay(robots: Protego) -> float:
    """Return the seconds that a site wants between two requests, within reason."""
    return min(max(robots.crawl_delay(AGENT) or 0.0, 0.0), MAX_CRAWL_DELAY_SECONDS)
