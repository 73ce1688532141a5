"""Dedicated connections: one that reconnects, and the lease of a process, which others see while it lives."""

import asyncio
import contextlib
import secrets
from abc import ABC, abstractmethod
from typing import Self

import psycopg

from contracts.errors import StoreUnavailable
from contracts.notices import Notice
from store.postgres.pool import CONNECT, UNREACHABLE

RECONNECT_SECONDS = 0.2


class ReconnectingConnection(ABC):
    """Entered with `async with`; PostgreSQL may be unreachable, then and later."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._reconnect())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    @abstractmethod
    async def _session(self, connection: psycopg.AsyncConnection) -> None:
        """Use the connection until it breaks, which raises."""

    async def _reconnect(self) -> None:
        while True:
            with contextlib.suppress(*UNREACHABLE):
                async with await psycopg.AsyncConnection.connect(
                    self._dsn, **CONNECT
                ) as connection:
                    await self._session(connection)
            await asyncio.sleep(RECONNECT_SECONDS)


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
