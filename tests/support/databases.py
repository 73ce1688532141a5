"""Databases in the role that owns their tables: row-level security hides from the application what a test looks for."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit

import psycopg

from greenlight.stack.home import Addresses
from greenlight.stack.postgres import PostgresCluster
from store.postgres.pool import CONNECT, Pool

HOMES: dict[int, Path] = {}
"""Homes of the tests' servers, by port."""


def as_owner(dsn: str) -> str:
    """Return the address of a database for its owner."""
    place = urlsplit(dsn)
    assert place.port
    cluster = PostgresCluster(HOMES[place.port])
    return cluster.owner_dsn(place.port, place.path.removeprefix("/"))


def note_home(addresses: Addresses) -> None:
    """Have `as_owner` know a stack's server."""
    port = urlsplit(addresses.database).port
    assert port
    HOMES[port] = Path(addresses.home)


@asynccontextmanager
async def connect_as_owner(dsn: str) -> AsyncIterator[psycopg.AsyncConnection]:
    """A connection as the owner, which commits each statement."""
    connection = await psycopg.AsyncConnection.connect(as_owner(dsn), autocommit=True)
    async with connection:
        yield connection


async def fetch_as_owner(
    at: Pool | str, query: LiteralString, values: Mapping[str, object] = {}
) -> list[Any]:
    """Run one statement as the owner, and return the first column of its rows."""
    dsn = as_owner(str(at.conninfo) if isinstance(at, Pool) else at)
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        cursor = await connection.execute(query, values)
        return [row[0] for row in await cursor.fetchall()] if cursor.description else []
