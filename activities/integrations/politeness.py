"""Politeness: a site's robots.txt (RFC 9309) is obeyed, and its host is not asked too often."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

import httpx
from protego import Protego

from activities.integrations.rate_limit import RateLimiter
from contracts.errors import FetchRefused

AGENT = "greenlight"
"""Our name in a robots.txt; there as in the User-Agent, case is nothing."""
MAX_CRAWL_DELAY_SECONDS = 5.0
"""A Crawl-delay is honoured up to here: single pages are read, not whole sites."""
ROBOTS_TTL_SECONDS = 3_600.0
MAX_ROBOTS_CHARS = 500_000
MAX_SITES = 1_000

Read = Callable[[httpx.URL], Awaitable[bytes]]
_PORTS = {"http": 80, "https": 443}
_USER_AGENT = re.compile(r"\s*user[\s-]?agent\b\s*:?([^#]*)", re.IGNORECASE)


@dataclass
class _Site:
    robots: Protego = field(default_factory=Protego)
    until: float = float("-inf")
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


class Politeness:
    """Obeys what sites ask of their readers; the `host:port` pairs in `own` ask nothing."""

    def __init__(self, own: frozenset[str], ttl_seconds: float = ROBOTS_TTL_SECONDS) -> None:
        self._own = own
        self._ttl_seconds = ttl_seconds
        self._limiter = RateLimiter()
        self._sites: dict[str, _Site] = {}

    async def turn(self, url: httpx.URL, read: Read | None) -> AbstractAsyncContextManager[None]:
        """Return the turn to take before a URL is asked for; its robots.txt is got by `read`.

        Raises:
            FetchRefused: The site does not want this page to be read.
        """
        if f"{url.host}:{url.port or _PORTS[url.scheme]}" in self._own:
            return nullcontext()
        if read is None:
            return self._limiter.turn(url.host)
        robots = await self._robots(url.copy_with(raw_path=b"/robots.txt"), read)
        if not robots.can_fetch(str(url), AGENT):
            raise FetchRefused(f"{url.host!r} asks in its robots.txt that this page is not read.")
        return self._limiter.turn(url.host, crawl_delay(robots))

    async def _robots(self, url: httpx.URL, read: Read) -> Protego:
        """Return a site's rules, read by one of those who ask; a failure to read is the asker's."""
        site = self._sites.setdefault(str(url), _Site())
        now = asyncio.get_running_loop().time
        async with site.reading:
            if site.until < now():
                site.robots = await _read_robots(url, read)
                site.until = now() + self._ttl_seconds
        while len(self._sites) > MAX_SITES:
            del self._sites[next(iter(self._sites))]
        return site.robots


async def _read_robots(url: httpx.URL, read: Read) -> Protego:
    """Return what a robots.txt says; one that is refused to us is none."""
    try:
        body = await read(url)
    except FetchRefused:
        return Protego()
    return parse_robots(body.decode("utf-8-sig", errors="replace"))


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
