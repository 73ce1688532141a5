"""Limits on what one caller does at once."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from weakref import WeakValueDictionary

from api.errors import TooManyRequests
from contracts.notices import Notice

UPLOADS, ALL_UPLOADS = {"at_once": 2, "waiting": 8}, {"at_once": 6, "waiting": 60}
"""Of one user, and of all."""
DOWNLOADS, ALL_DOWNLOADS = {"at_once": 2, "waiting": 8}, {"at_once": 3, "waiting": 60}
"""Archives and folders of one tenant, and of all: their pages are in memory while they are made."""
TURNS_AT_ONCE, TURN_SECONDS = 16, 0.25
"""Requests that have their turn at once, and how long one keeps it."""
TESTS_A_MINUTE = 10
"""Of a provider, and of a channel for alerts, by one user; how many requests, streams and runs there may be is a setting."""


class Ceiling:
    """Counts what each caller has open and refuses what exceeds the limit."""

    def __init__(self, most: int, code: str, **told: int) -> None:
        self.most = most
        self._refusal = Notice.of(code, most=most, **told)
        self._open: Counter[Hashable] = Counter()

    @contextmanager
    def hold(self, caller: Hashable) -> Iterator[None]:
        """Count one more of the caller's for as long as the block lasts.

        Raises:
            TooManyRequests: The caller has as many open as are allowed.
        """
        if self._open[caller] >= self.most:
            raise TooManyRequests(self._refusal)
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]


class RateLimit:
    """Rate limit: refuses a caller's requests beyond `most` within `seconds`."""

    def __init__(self, most: int, seconds: float, code: str) -> None:
        self._most = most
        self._seconds = seconds
        self._refusal = Notice.of(code, most=most, seconds=seconds)
        self._done: dict[Hashable, deque[float]] = {}

    def count(self, caller: Hashable) -> None:
        """Count one more of the caller's.

        Raises:
            TooManyRequests: The caller did it as often as is allowed within the last seconds.
        """
        now = time.monotonic()
        done = self._done.setdefault(caller, deque(maxlen=self._most))
        if len(done) == self._most and now - done[0] < self._seconds:
            raise TooManyRequests(self._refusal)
        done.append(now)


class Slots:
    """Concurrency limit per caller; some more requests wait for their turn, the rest is refused."""

    def __init__(self, at_once: int, waiting: int, code: str) -> None:
        self._at_once = at_once
        self._ceiling = Ceiling(at_once + waiting, code, at_once=at_once)
        self._turns = WeakValueDictionary[Hashable, asyncio.Semaphore]()

    @asynccontextmanager
    async def take(self, caller: Hashable) -> AsyncIterator[None]:
        """Hold one of the caller's slots for as long as the block lasts.

        Raises:
            TooManyRequests: All are taken, and enough others wait.
        """
        with self._ceiling.hold(caller):
            async with self._turns.setdefault(caller, asyncio.Semaphore(self._at_once)):
                yield


class Turns:
    """Lets callers begin requests in turn, so that a flood of one delays no other.

    A request has its turn until it is answered or some time has passed: a request that waits long, or
    streams, costs no more turns. Few have their turn at once, and of one caller half as many, who alone
    stand in line with others.
    """

    def __init__(self, at_once: int, seconds: float) -> None:
        self.most = max(1, at_once // 2)
        """Of one caller at once."""
        self._seconds = seconds
        self._free = asyncio.Semaphore(at_once)
        self._owners = WeakValueDictionary[Hashable, asyncio.Semaphore]()

    @asynccontextmanager
    async def take(self, caller: Hashable) -> AsyncIterator[Callable[[], None]]:
        """Wait for the caller's turn, and yield what ends it early."""
        own = self._owners.setdefault(caller, asyncio.Semaphore(self.most))
        with ExitStack() as turn:
            for semaphore in (own, self._free):
                await semaphore.acquire()
                turn.callback(semaphore.release)
            timer = asyncio.get_running_loop().call_later(self._seconds, turn.close)
            turn.callback(timer.cancel)
            yield turn.close
