"""Connections to PostgreSQL, and the one way to query it: a statement that returns one column."""

import asyncio
import contextlib
import contextvars
import functools
import logging
import re
import select
from collections.abc import AsyncIterator, Mapping
from typing import Any, LiteralString

import psycopg
from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from psycopg import sql
from psycopg_pool import AsyncConnectionPool

from contracts.errors import StoreUnavailable
from contracts.notices import Notice

logger = logging.getLogger(__name__)
tracer = trace.get_tracer("greenlight.sql")
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # a line a second; ours is one an outage

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
UNBOUND: LiteralString = """
    SELECT rolsuper OR rolbypassrls OR coalesce((SELECT pg_has_role(r.oid, relowner, 'MEMBER') FROM pg_class
        WHERE oid = to_regclass('public.migrations')), false)
    FROM pg_roles r WHERE rolname = coalesce(%(role)s::name, current_user)"""
"""Returns true for a role that row-level security does not bind: a superuser, or one that bypasses it or owns the tables."""
UNREACHABLE = (psycopg.OperationalError, psycopg.InterfaceError)
PAUSE_SECONDS = 0.05
"""Between two announcements of a process."""
SETTLE_SECONDS = 0.02
"""Delay before NOTIFY, so that the statements that follow the event run first."""


_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE)\s+(?!unnest|jsonb_)([a-z_]+)", re.IGNORECASE)
_FUNCTION = re.compile(r"\s*SELECT\s+([a-z_]+)\(", re.IGNORECASE)

ANNOUNCE: LiteralString = """
    SELECT pg_notify('greenlight_events', run)
    FROM unnest(%(runs)s::text[]) AS run, set_config('synchronous_commit', 'off', true)"""
"""Notifies the listeners for events of these runs, without waiting for the disk."""


@functools.lru_cache(maxsize=10_000)
def begin_for(tenant: str, actor: str = "") -> bytes:
    """Return the statements that begin a transaction and set its tenant and, for the audit log, its actor."""
    given = sql.SQL("BEGIN; SET LOCAL app.tenant = {}; SET LOCAL app.actor = {}")
    return given.format(tenant, actor).as_bytes()


class Pool(AsyncConnectionPool[psycopg.AsyncConnection]):
    """A process's connections.

    Entered with `async with`; PostgreSQL may be unreachable, then and later. A role that row-level security
    does not bind gets no connection.
    """

    def __init__(self, dsn: str, max_size: int = 10, **options: Any) -> None:
        super().__init__(
            dsn,
            kwargs=dict(CONNECT),
            min_size=1,
            max_size=max_size,
            open=False,
            timeout=3,
            check=_close_if_dropped,
            configure=_require_bound,
            # Retry every second; the pool's default doubles its delay for up to five minutes.
            reconnect_timeout=1,
            reconnect_failed=AsyncConnectionPool.check,
            **options,
        )
        self._is_away = False
        self._grown: set[str] = set()
        self._announcing: asyncio.Task[None] | None = None
        self._announced_at = 0.0

    def announce(self, run_id: str) -> None:
        """Notify listeners of new events of a run after 20 ms; one NOTIFY at most every 50 ms covers all runs.

        NOTIFY runs outside the transactions that write, because commits with NOTIFY wait for one another
        until the disk has acknowledged each. A lost notification delays a reader until its next poll.
        """
        self._grown.add(run_id)
        if self._announcing is None or self._announcing.done():
            # The task serves many requests and runs: do not inherit the trace context of the first.
            own = contextvars.Context()
            self._announcing = asyncio.create_task(self._announce(), context=own)

    async def _announce(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._grown:
            await asyncio.sleep(max(SETTLE_SECONDS, self._announced_at + PAUSE_SECONDS - clock()))
            runs, self._grown = self._grown, set()
            self._announced_at = clock()
            with contextlib.suppress(StoreUnavailable):
                await self.fetch(ANNOUNCE, {"runs": list(runs)})

    async def fetch(self, query: LiteralString, values: Mapping[str, object] = {}) -> list[Any]:
        """Run one statement, a transaction of its own, and return the first column of its rows.

        The statement sees and writes only rows of the tenant in the parameter `tenant`, and none without it. The
        parameter `actor` says who acts, for the audit log.

        Raises:
            StoreUnavailable: PostgreSQL is unreachable; the statement may or may not have been executed.
            psycopg.Error: PostgreSQL refuses the statement.
        """
        try:
            async with _open_span(query), self.connection() as connection:
                if tenant := values.get("tenant"):
                    # one round trip; the end of the block commits, or rolls back
                    begin = begin_for(str(tenant), str(values.get("actor") or ""))
                    await connection.execute(begin, prepare=False)
                cursor = await connection.execute(query, values)
                rows = [row[0] for row in await cursor.fetchall()] if cursor.description else []
                self._note(is_away=False)
                return rows
        except psycopg.errors.ProgramLimitExceeded:  # too large a value, and no outage
            raise
        except UNREACHABLE as error:
            self._note(is_away=not self.closed, reason=str(error))
            raise StoreUnavailable(Notice.of("store-away", reason=str(error))) from error

    def _note(self, *, is_away: bool, reason: str = "") -> None:
        """Log an outage once, and its end."""
        if is_away != self._is_away:
            self._is_away = is_away
            logger.warning("PostgreSQL is %s", f"unreachable: {reason}" if is_away else "back")


@contextlib.asynccontextmanager
async def _open_span(query: LiteralString) -> AsyncIterator[None]:
    """Open a tracing span for a statement, named by its verb and table or function, if a trace is active."""
    if not trace.get_current_span().get_span_context().is_valid:
        yield
        return
    verb, summary = summarize_statement(query)
    attributes = {
        "db.system.name": "postgresql",
        "db.operation.name": verb,
        "db.query.summary": summary,
    }
    with tracer.start_as_current_span(
        summary,
        kind=SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except psycopg.Error as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(Status(StatusCode.ERROR))
            raise


@functools.cache
def summarize_statement(query: LiteralString) -> tuple[str, str]:
    """Return a statement's verb, and the verb with the first table or else the function that it names."""
    verb = query.split(None, 1)[0].upper()
    named = _TABLE.search(query) or _FUNCTION.match(query)
    return verb, f"{verb} {named[1]}" if named else verb


async def _close_if_dropped(connection: psycopg.AsyncConnection) -> None:
    """Close an idle connection that has something to read: a server that hangs up says so.

    Unlike a query, this costs no round trip for each statement.
    """
    readable = select.poll()
    readable.register(connection.fileno(), select.POLLIN)
    if readable.poll(0):
        await connection.close()
        raise psycopg.OperationalError("the server has closed the connection")


async def _require_bound(connection: psycopg.AsyncConnection) -> None:
    """Refuse a new connection if its role bypasses row-level security."""
    cursor = await connection.execute(UNBOUND, {"role": None})
    if await cursor.fetchone() != (False,):
        role = connection.info.user
        logger.critical("%s", Notice.of("role-unbound", role=role).text)
        raise psycopg.OperationalError(f"row-level security does not bind the role {role}")


class Repository:
    """Base class of the repositories."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._fetch = pool.fetch
