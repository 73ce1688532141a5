"""A dedicated connection that reconnects by itself, such as a listener's."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from typing import Self

import psycopg

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
