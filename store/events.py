"""A run's log: contiguous, hash-chained, written once; and who waits for it to grow."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import LiteralString

import psycopg

from contracts.principal import Principal
from contracts.runs.records import Event, EventType, LoggedEvent
from store.postgres.encoding import encode
from store.postgres.pool import OWN_RUN, Pool, fetch, own
from store.postgres.reconnecting import Link

CONVERSATION: list[EventType] = [
    "RetryEvent",
    "AgentInput",
    "AgentOutput",
    "InputRequiredEvent",
    "HumanResponseEvent",
]
"""What models, agents and humans say to each other, and what tells that it is said again."""

LOGGED: LiteralString = (
    "SELECT body || jsonb_build_object('seq', seq, 'run_id', run_id)"
    f" FROM runs r JOIN events e ON (e.tenant_id, e.run_id) = (r.tenant_id, r.id) WHERE {OWN_RUN}"
)


class EventRepository:
    """Appends events and reads them."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def append(self, tenant_id: str, run_id: str, events: list[Event]) -> None:
        """Add events in order; leave out those whose key is there or that come after the end."""
        [grew] = await fetch(
            self._pool,
            "SELECT append_events(%(tenant)s, %(run)s, %(events)s::jsonb)",
            {"tenant": tenant_id, "run": run_id, "events": encode(events)},
        )
        if grew:
            self._pool.announcer.announce(run_id)

    async def read(
        self,
        principal: Principal,
        run_id: str,
        after: int = 0,
        limit: int = 500,
        tail: int | None = None,
    ) -> list[LoggedEvent]:
        """Return up to `limit` events above seq `after`, of the last `tail` ones if given."""
        found = await fetch(
            self._pool,
            f"{LOGGED} AND seq > greatest(%(after)s, last_seq - %(tail)s::int)"
            " ORDER BY seq LIMIT %(limit)s",
            own(principal, run_id) | {"after": after, "limit": limit, "tail": tail},
        )
        return [LoggedEvent.model_validate(event) for event in found]

    async def said(
        self, principal: Principal, run_id: str, phase_id: str | None, after: int, limit: int
    ) -> list[LoggedEvent]:
        """Return up to `limit` events of a phase's conversation above seq `after`; None: of all."""
        found = await fetch(
            self._pool,
            f"{LOGGED} AND seq > %(after)s AND body ->> 'type' = ANY(%(types)s)"
            " AND body ->> 'phase_id' = coalesce(%(phase)s, body ->> 'phase_id')"
            " ORDER BY seq LIMIT %(limit)s",
            own(principal, run_id)
            | {"phase": phase_id, "after": after, "limit": limit, "types": CONVERSATION},
        )
        return [LoggedEvent.model_validate(event) for event in found]

    async def patches(
        self, principal: Principal, run_id: str, after: int, until: int
    ) -> list[LoggedEvent]:
        """Return the events above seq `after`, up to `until`, that changed the living report."""
        found = await fetch(
            self._pool,
            f"{LOGGED} AND seq > %(after)s AND seq <= %(until)s"
            " AND body @? '$.payload.tool_output.raw_output.patch' ORDER BY seq",
            own(principal, run_id) | {"after": after, "until": until},
        )
        return [LoggedEvent.model_validate(event) for event in found]

    async def completed(self, principal: Principal, run_id: str, until: int) -> list[str]:
        """Return the ids of the phases that ended by an event, in the order they ended."""
        found = await fetch(
            self._pool,
            "SELECT body ->> 'phase_id'"
            " FROM runs r JOIN events e ON (e.tenant_id, e.run_id) = (r.tenant_id, r.id)"
            f" WHERE {OWN_RUN} AND body ->> 'type' = 'step_complete' AND seq <= %(until)s"
            " ORDER BY seq",
            own(principal, run_id) | {"until": until},
        )
        return [str(phase) for phase in found]

    async def has(self, principal: Principal, run_id: str) -> bool:
        """Tell whether there is such a run, whatever has happened in it."""
        found = await fetch(
            self._pool, f"SELECT true FROM runs r WHERE {OWN_RUN}", own(principal, run_id)
        )
        return bool(found)

    async def last_seq(self, principal: Principal, run_id: str) -> int:
        """Return the seq of a run's newest event, 0 if there is none."""
        found = await fetch(
            self._pool, f"SELECT last_seq FROM runs r WHERE {OWN_RUN}", own(principal, run_id)
        )
        return int(found[0]) if found else 0


class Listener(Link):
    """One connection that listens for every run, and wakes those who subscribed to it.

    A wake-up says "read again", never what came: subscribe, read, wait, read, and many events
    make one wake-up. After a broken connection everybody is woken.
    """

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn)
        self._subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @property
    def waiting(self) -> int:
        """Return how many wait for a run's events."""
        return sum(map(len, self._subscribers.values()))

    @contextlib.contextmanager
    def subscribe(self, run_id: str) -> Iterator[asyncio.Event]:
        """Give an event that is set whenever the run's log grows; the subscriber clears it."""
        woken = asyncio.Event()
        self._subscribers[run_id].add(woken)
        try:
            yield woken
        finally:
            self._subscribers[run_id].discard(woken)
            if not self._subscribers[run_id]:
                del self._subscribers[run_id]

    async def _session(self, connection: psycopg.AsyncConnection) -> None:
        await connection.execute("LISTEN greenlight_events")
        for subscribers in self._subscribers.values():
            _wake(subscribers)
        async for notice in connection.notifies():
            _wake(self._subscribers.get(notice.payload, ()))


def _wake(subscribers: Iterable[asyncio.Event]) -> None:
    for woken in subscribers:
        woken.set()
