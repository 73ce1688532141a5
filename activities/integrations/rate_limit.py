"""Rate limit by host: at most so many requests at once, and a pause between two starts."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from contracts.errors import FetchFailed

AT_ONCE = 2
PAUSE_SECONDS = 0.5
"""Between the starts of two requests to a host, unless its robots.txt asks for more."""
LONGEST_WAIT_SECONDS = 15.0
KNOWN_HOSTS = 1_000


@dataclass
class _Host:
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    next_start: float = 0
    guests: int = 0

    def wait(self, pause_seconds: float) -> float:
        """Return how long to wait now, and have the next one wait as much longer as the pause."""
        now = asyncio.get_running_loop().time()
        start = max(now, self.next_start)
        self.next_start = start + pause_seconds
        return start - now


class RateLimiter:
    """Limits concurrency and rate for each host; hosts do not hold each other up."""

    def __init__(self, longest_wait_seconds: float = LONGEST_WAIT_SECONDS) -> None:
        self._hosts: dict[str, _Host] = defaultdict(_Host)
        self._longest_wait_seconds = longest_wait_seconds

    @contextlib.asynccontextmanager
    async def turn(self, name: str, pause_seconds: float = 0) -> AsyncIterator[None]:
        """Hold one of the host's places, once its pause is over.

        Raises:
            FetchFailed: The wait would be too long; Temporal comes back later.
        """
        self._forget()
        host = self._hosts[name]
        host.guests += 1
        try:
            async with asyncio.timeout(self._longest_wait_seconds) as patience, host.slots:
                await asyncio.sleep(host.wait(max(pause_seconds, PAUSE_SECONDS)))
                patience.reschedule(None)
                yield
        except TimeoutError:
            raise FetchFailed(f"{name!r} is asked as often as is polite; try later.") from None
        finally:
            host.guests -= 1

    def _forget(self) -> None:
        """Drop the hosts that nobody asks now, when there are many."""
        if len(self._hosts) > KNOWN_HOSTS:
            now = asyncio.get_running_loop().time()
            for name, host in [*self._hosts.items()]:
                if not host.guests and host.next_start <= now:
                    del self._hosts[name]
