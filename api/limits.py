"""Limits on what one caller does at once."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager

from api.errors import TooManyRequests


class Slots:
    """Lets each caller do so many things at once; some more wait their turn, the rest is refused."""

    def __init__(self, at_once: int, waiting: int, what: str) -> None:
        self._at_once = at_once
        self._most = at_once + waiting
        self._what = what
        self._taken: Counter[Hashable] = Counter()
        self._turns: defaultdict[Hashable, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(at_once)
        )

    @asynccontextmanager
    async def take(self, caller: Hashable) -> AsyncIterator[None]:
        """Hold one of the caller's slots for as long as the block lasts.

        Raises:
            TooManyRequests: All are taken, and enough others wait.
        """
        if self._taken[caller] >= self._most:
            raise TooManyRequests(
                f"{self._what}: {self._at_once} at once, and you have {self._most} open; "
                "try again shortly"
            )
        self._taken[caller] += 1
        try:
            async with self._turns[caller]:
                yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller], self._turns[caller]


class Ceiling:
    """Counts what each caller has open and refuses what exceeds the limit."""

    def __init__(self, most: int, what: str) -> None:
        self.most = most
        self._what = what
        self._open: Counter[Hashable] = Counter()

    @contextmanager
    def hold(self, caller: Hashable) -> Iterator[None]:
        """Count one more of the caller's for as long as the block lasts.

        Raises:
            TooManyRequests: The caller has as many open as are allowed.
        """
        if self._open[caller] >= self.most:
            raise TooManyRequests(
                f"{self._what}: up to {self.most} at once for a key, or for an address without one"
            )
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]
