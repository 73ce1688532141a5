"""A connection of one's own that is made again whenever it breaks."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

import psycopg

from store.postgres.pool import CONNECT, UNREACHABLE

RECONNECT_SECONDS = 0.2


class Link(ABC):
    """Entered with `async with`; PostgreSQL may be away, then and later."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._keeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._keeper is not None
        self._keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeper

    @abstractmethod
    async def _session(self, connection: psycopg.AsyncConnection) -> None:
        """Use the connection until it breaks, which raises."""

    async def _keep(self) -> None:
        while True:
            with contextlib.suppress(*UNREACHABLE):
                async with await psycopg.AsyncConnection.connect(self._dsn, **CONNECT) as mine:
                    await self._session(mine)
            await asyncio.sleep(RECONNECT_SECONDS)
