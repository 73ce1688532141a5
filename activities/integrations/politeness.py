"""How we behave at a site: as its robots.txt asks, and in our turn."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial

import httpx

from activities.integrations.rate_limit import RateLimiter
from activities.integrations.robots import Robots
from contracts.errors import FetchRefused

Read = Callable[[httpx.URL], Awaitable[bytes]]
_PORTS = {"http": 80, "https": 443}


class Politeness:
    """Keeps what sites ask of us; the `host:port` pairs in `own` ask nothing."""

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self._robots = Robots()
        self._turns = RateLimiter()

    async def turn(self, url: httpx.URL, read: Read | None) -> AbstractAsyncContextManager[None]:
        """Return the turn to take before a URL is asked for; its robots.txt is got by `read`.

        Raises:
            FetchRefused: The site does not want this page to be read.
        """
        if f"{url.host}:{url.port or _PORTS[url.scheme]}" in self._own:
            return nullcontext()
        if read is None:
            return self._turns.turn(url.host)
        origin = url.copy_with(raw_path=b"/robots.txt")
        rules = await self._robots.rules(str(origin), partial(read, origin))
        if not rules.allow(url.raw_path.decode("ascii")):
            raise FetchRefused(f"{url.host!r} asks in its robots.txt that this page is not read.")
        return self._turns.turn(url.host, rules.pause_seconds)
