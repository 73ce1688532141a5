"""The lease of a process: an advisory lock that others see while it lives."""

import asyncio
import secrets

import psycopg

from contracts.errors import StoreUnavailable
from contracts.notices import Notice
from store.postgres.reconnecting_connection import ReconnectingConnection


class Lease(ReconnectingConnection):
    """An advisory lock, held by a connection that PostgreSQL drops when this process dies.

    The lock is that of a random id; after a broken connection it is taken again under the same
    id, so that calls in flight stay this process's. A stopped process keeps its connection.
    """

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn)
        self._id = secrets.randbelow(2**63 - 1) + 1
        self.held = asyncio.Event()
        """Set while the lock is held."""

    @property
    def owner(self) -> int:
        """The id under which calls are claimed.

        Raises:
            StoreUnavailable: The advisory lock is lost, so other processes would take this one for dead.
        """
        if not self.held.is_set():
            raise StoreUnavailable(Notice.of("lease-lost"))
        return self._id

    async def _session(self, connection: psycopg.AsyncConnection) -> None:
        await connection.execute("SELECT pg_advisory_lock(%s)", [self._id])
        self.held.set()
        try:
            async for _ in (
                connection.notifies()
            ):  # no channel is listened to: this only waits until the connection ends
                pass
        finally:
            self.held.clear()
