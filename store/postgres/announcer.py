"""Tells listeners which runs' logs grew."""

import asyncio
import contextlib

from contracts.errors import StoreUnavailable
from store.postgres.pool import Pool, fetch

PAUSE_SECONDS = 0.05


class Announcer:
    """One NOTIFY for all that grew within 50 ms: what made it grow goes on first.

    Apart from the transactions that write, since whoever notifies holds back everybody else who
    does until the disk has taken the commit. One that is lost costs a reader its next poll.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._grown: set[str] = set()
        self._telling: set[asyncio.Task[None]] = set()

    def grew(self, run_id: str, *, at_once: bool = False) -> None:
        """Have everybody woken who waits for a run's events; `at_once` where nothing else goes on."""
        self._grown.add(run_id)
        if at_once or all(telling.done() for telling in self._telling):
            telling = asyncio.create_task(self._tell(0 if at_once else PAUSE_SECONDS))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def _tell(self, pause: float) -> None:
        await asyncio.sleep(pause)
        while self._grown:
            runs, self._grown = self._grown, set()
            with contextlib.suppress(StoreUnavailable):
                await fetch(self._pool, "SELECT announce(%(runs)s)", {"runs": list(runs)})
            await asyncio.sleep(PAUSE_SECONDS)
