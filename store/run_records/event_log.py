"""The log of a run: contiguous, hash-chained, written once; and its listeners.

Events are written by the SQL functions `append_events` and `record_batch` (`postgres/functions/`).
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import LiteralString, TypedDict, Unpack

import psycopg

from contracts.access.principal import Principal
from contracts.runs.records import Event, EventType, LoggedEvent
from store.access.row_visibility import VISIBLE_RUN, bind
from store.postgres.encoding import encode
from store.postgres.pool import Repository
from store.postgres.reconnecting_connection import ReconnectingConnection


class LogPart(TypedDict, total=False):
    """Selects events of a log; omitted keys do not filter."""

    after: int
    until: int
    tail: int | None
    """Only the last `tail` events."""
    types: list[EventType]
    phases: list[str]
    patches: bool
    """Only events that patched the report."""
    limit: int


WHOLE: dict[str, object] = dict.fromkeys(LogPart.__annotations__)

LOG: LiteralString = f"""
    SELECT body || jsonb_build_object('seq', seq, 'run_id', run_id)
    FROM runs r JOIN events e ON (e.tenant_id, e.run_id) = (r.tenant_id, r.id)
    WHERE {VISIBLE_RUN}
        AND seq > greatest(%(after)s, last_seq - %(tail)s::int, 0)
        AND seq <= least(%(until)s, shown_seq(r.tenant_id, r.id, last_seq))
        AND (%(types)s::text[] IS NULL OR body ->> 'type' = ANY(%(types)s))
        AND (%(phases)s::text[] IS NULL OR body ->> 'phase_id' = ANY(%(phases)s))
        AND (%(patches)s::bool IS NULL OR body @? '$.payload.tool_output.raw_output.patch')
    ORDER BY seq LIMIT %(limit)s"""


class EventRepository(Repository):
    """Appends events and reads them."""

    async def append(self, tenant_id: str, run_id: str, events: list[Event]) -> None:
        """Append events in order; idempotent by key. Events after the run's last event are dropped."""
        [grew] = await self._fetch(
            "SELECT append_events(%(tenant)s, %(run)s, %(events)s::jsonb)",
            {"tenant": tenant_id, "run": run_id, "events": encode(events)},
        )
        if grew:
            self._pool.announce(run_id)

    async def read(
        self, principal: Principal, run_id: str, **part: Unpack[LogPart]
    ) -> list[LoggedEvent]:
        """Return events in order."""
        found = await self._fetch(LOG, bind(principal, run_id) | WHOLE | part)
        return [LoggedEvent.read_record(event) for event in found]

    async def has_run(self, principal: Principal, run_id: str) -> bool:
        """Return whether a run exists."""
        found = await self._fetch(
            f"SELECT true FROM runs r WHERE {VISIBLE_RUN}", bind(principal, run_id)
        )
        return bool(found)


class Listener(ReconnectingConnection):
    """One connection that listens for every run and wakes the subscribers of each.

    A wake-up says "read again", never which event came: subscribe, read, wait, read, and many
    events make one wake-up. After a broken connection every subscriber is woken.
    """

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn)
        self.subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        """By run, the events that wake its subscribers."""

    @contextlib.contextmanager
    def subscribe(self, run_id: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever the run's log grows; the subscriber clears it."""
        woken = asyncio.Event()
        self.subscribers[run_id].add(woken)
        try:
            yield woken
        finally:
            self.subscribers[run_id].discard(woken)
            if not self.subscribers[run_id]:
                del self.subscribers[run_id]

    async def _session(self, connection: psycopg.AsyncConnection) -> None:
        await connection.execute("LISTEN greenlight_events")
        for woken in chain.from_iterable(self.subscribers.values()):
            woken.set()
        async for notice in connection.notifies():
            for woken in self.subscribers.get(notice.payload, ()):
                woken.set()
