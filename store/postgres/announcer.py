"""Notifications of runs whose logs grew."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from contracts.errors import StoreUnavailable

PAUSE_SECONDS = 0.05


class Announcer:
    """One NOTIFY of a process for all that grew within 50 ms, after what made it grow has gone on.

    It is apart from the transactions that write, since whoever notifies holds back everybody else
    who does until the disk has taken the commit. A lost one costs a reader its next poll.
    """

    def __init__(self, notify: Callable[[list[str]], Awaitable[object]]) -> None:
        self._notify = notify
        self._grown: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def announce(self, run_id: str, *, at_once: bool = False) -> None:
        """Wake whoever waits for a run's events; `at_once` where nothing else goes on."""
        self._grown.add(run_id)
        if at_once or all(task.done() for task in self._tasks):
            task = asyncio.create_task(self._drain(0 if at_once else PAUSE_SECONDS))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _drain(self, pause: float) -> None:
        await asyncio.sleep(pause)
        while self._grown:
            runs, self._grown = self._grown, set()
            with contextlib.suppress(StoreUnavailable):
                await self._notify(list(runs))
            await asyncio.sleep(PAUSE_SECONDS)
