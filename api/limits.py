"""Limits on what one caller does at once."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager

from api.errors import TooManyRequests
from contracts.notices import Notice


class Slots:
    """Lets each caller do so many things at once; some more wait their turn, the rest is refused."""

    def __init__(self, at_once: int, waiting: int, code: str) -> None:
        self._at_once = at_once
        self._most = at_once + waiting
        self._code = code
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
            told = {"at_once": self._at_once, "most": self._most}
            raise TooManyRequests(Notice.of(self._code, **told))
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

    def __init__(self, most: int, code: str) -> None:
        self.most = most
        self._code = code
        self._open: Counter[Hashable] = Counter()

    @contextmanager
    def hold(self, caller: Hashable) -> Iterator[None]:
        """Count one more of the caller's for as long as the block lasts.

        Raises:
            TooManyRequests: The caller has as many open as are allowed.
        """
        if self._open[caller] >= self.most:
            raise TooManyRequests(Notice.of(self._code, most=self.most))
        self._open[caller] += 1
        try:
            yield
        finally:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]


class Turns:
    """Lets callers begin requests in turn, so that a flood of one delays no other.

    A request has its turn until it is answered or some time has passed: a request that waits long, or
    streams, costs no more turns. Few have their turn at once, and of one caller half as many.
    """

    def __init__(self, at_once: int, seconds: float) -> None:
        self._at_once = at_once
        self.most = max(1, at_once // 2)
        """Of one caller at once."""
        self._seconds = seconds
        self._begun: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """In the order in which the callers are served next."""

    @asynccontextmanager
    async def take(self, caller: Hashable) -> AsyncIterator[Callable[[], None]]:
        """Wait for the caller's turn, and yield what ends it early."""
        await self._wait(caller)
        timer: asyncio.TimerHandle | None = None

        def end() -> None:
            nonlocal timer
            if timer is not None:
                timer.cancel()
                timer = None
                self._leave(caller)

        timer = asyncio.get_running_loop().call_later(self._seconds, end)
        try:
            yield end
        finally:
            end()

    async def _wait(self, caller: Hashable) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        self._begin_next()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it came at the same moment
                self._leave(caller)
            raise

    def _leave(self, caller: Hashable) -> None:
        self._begun[caller] -= 1
        if not self._begun[caller]:
            del self._begun[caller]
        self._begin_next()

    def _begin_next(self) -> None:
        while self._begun.total() < self._at_once:
            free = (each for each in self._waiting if self._begun[each] < self.most)
            if (caller := next(free, None)) is None:
                return
            turns = self._waiting.pop(caller)
            turn = turns.popleft()
            if turns:
                self._waiting[caller] = turns
            if not turn.done():  # whoever waited may be gone
                self._begun[caller] += 1
                turn.set_result(None)
