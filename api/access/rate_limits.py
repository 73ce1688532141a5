"""Limits on what one caller does at once, and in a minute."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from weakref import WeakValueDictionary

from cachetools import TTLCache

from api.access.callers import Callers
from api.errors import TooManyRequests
from contracts.notices import Notice
from settings import Settings

UPLOADS, ALL_UPLOADS = {"at_once": 2, "waiting": 8}, {"at_once": 6, "waiting": 60}
"""Per user, and in total."""
DOWNLOADS, ALL_DOWNLOADS = {"at_once": 2, "waiting": 8}, {"at_once": 3, "waiting": 60}
"""Archives and folders of one tenant, and of all: their pages are in memory while they are made."""
TURNS_AT_ONCE, TURN_SECONDS = 16, 0.25
"""Requests that have their turn at once, and how long one keeps it."""
TESTS_A_MINUTE = 10
"""Tests of a provider or an alert channel per user and minute. Limits on requests, streams and runs are settings."""
MAX_CALLERS = 100_000
"""Buckets kept for each limit; beyond it, those that were used least recently are full again."""


class Ceiling:
    """Counts what each caller has open and refuses what exceeds the limit."""

    def __init__(self, most: int, code: str, **told: int) -> None:
        self.most = most
        self._refusal = Notice.of(code, most=most, **told)
        self._open: Counter[Hashable] = Counter()

    @contextmanager
    def hold(self, caller: Hashable) -> Iterator[None]:
        """Count one more open request of the caller's while the block lasts.

        Raises:
            TooManyRequests: The caller has reached the limit.
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


class TokenBucket:
    """Rate limit: each caller has a bucket of `most` tokens, which refills within `seconds`.

    Each process counts separately, so that a caller has one bucket per gateway.
    """

    def __init__(self, most: int, seconds: float, code: str) -> None:
        self._most = most
        self._per_second = most / seconds
        self._refusal = Notice.of(code, most=most, seconds=seconds)
        # Buckets unused for `seconds` are full, and need not be kept.
        self._buckets: TTLCache[Hashable, tuple[float, float]] = TTLCache(MAX_CALLERS, seconds)

    def take(self, caller: Hashable, n: int = 1) -> None:
        """Take `n` of the caller's tokens, or none; more than the bucket holds requires a full bucket.

        Raises:
            TooManyRequests: There are too few; `retry_after` is the time until there are enough.
        """
        left, needed, now = self._check(caller, n)
        self._buckets[caller] = left - needed, now

    def check(self, caller: Hashable, n: int = 1) -> None:
        """Raise what `take` would raise, and take nothing."""
        self._check(caller, n)

    def _check(self, caller: Hashable, n: int) -> tuple[float, int, float]:
        now, needed = time.monotonic(), min(n, self._most)
        left, at = self._buckets.get(caller, (float(self._most), now))
        left = min(left + (now - at) * self._per_second, self._most)
        if left < needed:
            raise TooManyRequests(self._refusal, (needed - left) / self._per_second)
        return left, needed, now


class UserRate:
    """Rate limit per minute: `most` for a user with all keys together, half of that for one key."""

    def __init__(self, most: int, code: str) -> None:
        self._users = TokenBucket(most, 60, code)
        self._keys = TokenBucket(max(most // 2, 1), 60, code)

    def take(self, user: Hashable, key: Hashable, n: int = 1) -> None:
        """Take `n` tokens from the key's and the user's bucket, or none; `key` may be None.

        Raises:
            TooManyRequests: One of them has too few.
        """
        self._users.check(user, n)
        if key is not None:
            self._keys.take(key, n)
        self._users.take(user, n)


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


class Starts:
    """Runs that this process is starting, by tenant; they have no row yet that could be counted."""

    def __init__(self) -> None:
        self._runs = defaultdict[str, set[str]](set)
        self._turns = WeakValueDictionary[str, asyncio.Lock]()

    def list(self, tenant_id: str) -> frozenset[str]:
        """Return the ids of a tenant's runs that are being started."""
        return frozenset(self._runs.get(tenant_id, ()))

    @asynccontextmanager
    async def hold(
        self, tenant_id: str, run_id: str, check: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Run `check`, which may refuse the start, then count the run as being started until the block ends.

        Checks of the same tenant run one at a time, so that each sees the starts before it.
        """
        async with self._turns.setdefault(tenant_id, asyncio.Lock()):
            await check()
            self._runs[tenant_id].add(run_id)
        try:
            yield
        finally:
            self._runs[tenant_id].discard(run_id)
            if not self._runs[tenant_id]:
                del self._runs[tenant_id]


class Turns:
    """Lets callers begin requests in turn, so that one caller's flood delays no others.

    A request holds its turn until it is answered or a time limit passes, so that slow requests and streams do
    not block others. The number of concurrent turns is limited, to half of it per caller, and a caller's
    further requests wait among themselves.
    """

    def __init__(self, at_once: int, seconds: float) -> None:
        self.most = max(1, at_once // 2)
        """Concurrent turns per caller."""
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


class CallerLimits:
    """Limits on the callers of one gateway process; several processes count separately."""

    def __init__(self, settings: Settings) -> None:
        self.callers = Callers()
        self.turns = Turns(at_once=TURNS_AT_ONCE, seconds=TURN_SECONDS)
        self.requests = Ceiling(settings.greenlight_requests_per_key, "limit-requests")
        self.streams = Ceiling(settings.greenlight_streams_per_key, "limit-streams")
        self.request_rate = UserRate(settings.greenlight_requests_per_minute, "limit-request-rate")
        self.start_rate = UserRate(settings.greenlight_starts_per_minute, "limit-start-rate")
        self.starts = Starts()
        self.runs_per_tenant = settings.greenlight_runs_per_tenant
        self.uploads = Slots(**UPLOADS, code="limit-uploads")
        self.all_uploads = Slots(**ALL_UPLOADS, code="limit-all-uploads")
        self.downloads = Slots(**DOWNLOADS, code="limit-downloads")
        self.all_downloads = Slots(**ALL_DOWNLOADS, code="limit-all-downloads")
