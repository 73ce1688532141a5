"""The lease of a process: a lock that other processes see for as long as it lives."""

import asyncio
import secrets

import psycopg

from contracts.errors import StoreUnavailable
from store.postgres.reconnecting import ReconnectingConnection


class Lease(ReconnectingConnection):
    """An advisory lock, held by a connection that PostgreSQL drops when this process dies.

    The lock is that of a random id; after a broken connection it is taken again under the same
    id, so that calls in flight stay this process's. A stopped process keeps its connection.
    """

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn)
        self._id = secrets.randbelow(2**63 - 1) + 1
        self._held = asyncio.Event()

    @property
    def owner(self) -> int:
        """Return the id under which calls are claimed.

        Raises:
            StoreUnavailable: The lock is not held now: nobody could see that this process lives.
        """
        if not self._held.is_set():
            raise StoreUnavailable("the lease on PostgreSQL is lost; it is being taken again")
        return self._id

    async def wait_until_held(self) -> None:
        """Wait until the lock is held."""
        await self._held.wait()

    async def _session(self, connection: psycopg.AsyncConnection) -> None:
        await connection.execute("SELECT pg_advisory_lock(%s)", [self._id])
        self._held.set()
        try:
            async for _ in connection.notifies():  # nobody notifies: this waits for the end
                pass
        finally:
            self._held.clear()
