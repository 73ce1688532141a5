"""Tells listeners which runs' logs grew."""

import asyncio
import contextlib

from contracts.errors import StoreUnavailable
from store.pool import Pool, fetch

PAUSE_SECONDS = 0.02


class Announcer:
    """One NOTIFY for all that grew within 20 ms: what made it grow goes on first.

    Apart from the transactions that write, since whoever notifies holds back everybody else who
    does until the disk has taken the commit. One that is lost costs a reader its next poll.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._grown: set[str] = set()
        self._telling: asyncio.Task[None] | None = None

    def grew(self, run_id: str) -> None:
        """Have everybody woken who waits for a run's events."""
        self._grown.add(run_id)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._grown:
            await asyncio.sleep(PAUSE_SECONDS)
            runs, self._grown = self._grown, set()
            with contextlib.suppress(StoreUnavailable):
                await fetch(self._pool, "SELECT announce(%(runs)s)", {"runs": list(runs)})
