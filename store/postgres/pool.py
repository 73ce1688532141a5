"""Connections to PostgreSQL, and the one way to ask it: a statement that answers with one column."""

import select
from collections.abc import Mapping
from typing import Any, LiteralString

import psycopg
from psycopg_pool import AsyncConnectionPool

from contracts.errors import StoreUnavailable
from contracts.principal import Principal

Pool = AsyncConnectionPool[psycopg.AsyncConnection]

# A peer that vanished is noticed, on both ends, within about ten seconds.
CONNECT: Mapping[str, Any] = {
    "autocommit": True,
    "application_name": "greenlight",
    "connect_timeout": 5,
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "options": "-c timezone=UTC -c tcp_keepalives_idle=4"
    " -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3",
}
UNREACHABLE = (psycopg.OperationalError, psycopg.InterfaceError)


def open_pool(dsn: str, max_size: int = 10) -> Pool:
    """Return a pool to enter with `async with`; PostgreSQL may be away, then and later."""
    return AsyncConnectionPool(
        dsn,
        kwargs=dict(CONNECT),
        min_size=1,
        max_size=max_size,
        open=False,
        timeout=3,
        check=_drop_if_gone,
        # Keeps trying once a second; the pool's own way doubles the pause for five minutes.
        reconnect_timeout=1,
        reconnect_failed=AsyncConnectionPool.check,
    )


async def _drop_if_gone(connection: psycopg.AsyncConnection) -> None:
    """Close an idle connection that has something to say: a server that hangs up says so.

    Unlike a question to the server, this costs no round trip for each statement.
    """
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN)
    if heard.poll(0):
        await connection.close()
        raise psycopg.OperationalError("the server has closed the connection")


async def fetch(pool: Pool, query: LiteralString, params: Mapping[str, object] = {}) -> list[Any]:
    """Run one statement, a transaction of its own, and return the first column of its rows.

    Raises:
        StoreUnavailable: PostgreSQL is away; the statement may or may not have been done.
        psycopg.Error: PostgreSQL refuses the statement.
    """
    try:
        async with pool.connection() as connection:
            cursor = await connection.execute(query, params)
            return [row[0] for row in await cursor.fetchall()] if cursor.description else []
    except psycopg.errors.ProgramLimitExceeded:  # too large a value, and no outage
        raise
    except UNREACHABLE as error:
        raise StoreUnavailable(f"PostgreSQL is away: {error}") from error


OWN: LiteralString = "r.tenant_id = %(tenant)s AND (%(user)s::text IS NULL OR r.user_id = %(user)s)"
"""Which rows of a table `r` a principal may see."""

OWN_RUN: LiteralString = f"{OWN} AND r.id = %(run)s"
"""One run, if the principal may see it."""


def own(principal: Principal, run_id: str | None = None) -> dict[str, object]:
    """Return the parameters of `OWN` and `OWN_RUN`."""
    return {"tenant": principal.tenant_id, "user": principal.user_id, "run": run_id}
