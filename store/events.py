"""The log of a run: contiguous, hash-chained, written once; and its listeners."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import LiteralString

import psycopg

from contracts.principal import Principal
from contracts.runs.records import Event, EventType, LoggedEvent
from store.postgres.connection import ReconnectingConnection
from store.postgres.encoding import encode
from store.postgres.pool import VISIBLE_RUN, Repository, bind

CONVERSATION: list[EventType] = [
    "RetryEvent",
    "AgentInput",
    "AgentOutput",
    "InputRequiredEvent",
    "HumanResponseEvent",
]
"""Types of the events in which models, agents and humans speak, and of their retries."""

LOG: LiteralString = (
    f"runs r JOIN events e ON (e.tenant_id, e.run_id) = (r.tenant_id, r.id) WHERE {VISIBLE_RUN}"
)


class EventRepository(Repository):
    """Appends events and reads them."""

    async def append(self, tenant_id: str, run_id: str, events: list[Event]) -> None:
        """Append events in order; idempotent by key; those after the run's last event are dropped."""
        [grew] = await self._fetch(
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
        condition: LiteralString = "seq > greatest(%(after)s, last_seq - %(tail)s::int)"
        return await self._select(principal, run_id, condition, limit, after=after, tail=tail)

    async def read_conversation(
        self, principal: Principal, run_id: str, phase_id: str | None, after: int, limit: int
    ) -> list[LoggedEvent]:
        """Return up to `limit` events of a phase's conversation above seq `after`; None: all phases."""
        condition: LiteralString = (
            "seq > %(after)s AND body ->> 'type' = ANY(%(types)s)"
            " AND body ->> 'phase_id' = coalesce(%(phase)s, body ->> 'phase_id')"
        )
        given = {"phase": phase_id, "after": after, "types": CONVERSATION}
        return await self._select(principal, run_id, condition, limit, **given)

    async def read_patches(
        self, principal: Principal, run_id: str, after: int, until: int
    ) -> list[LoggedEvent]:
        """Return the events above seq `after`, up to `until`, that patched the report."""
        condition: LiteralString = (
            "seq > %(after)s AND seq <= %(until)s"
            " AND body @? '$.payload.tool_output.raw_output.patch'"
        )
        return await self._select(principal, run_id, condition, after=after, until=until)

    async def list_completed_phases(
        self, principal: Principal, run_id: str, until: int
    ) -> list[str]:
        """Return the ids of the phases that ended by an event, in the order they ended."""
        found = await self._fetch(
            f"SELECT body ->> 'phase_id' FROM {LOG}"
            " AND body ->> 'type' = 'step_complete' AND seq <= %(until)s ORDER BY seq",
            bind(principal, run_id) | {"until": until},
        )
        return [str(phase) for phase in found]

    async def has_run(self, principal: Principal, run_id: str) -> bool:
        """Tell whether a run exists."""
        found = await self._fetch(
            f"SELECT true FROM runs r WHERE {VISIBLE_RUN}", bind(principal, run_id)
        )
        return bool(found)

    async def _select(
        self,
        principal: Principal,
        run_id: str,
        condition: LiteralString,
        limit: int | None = None,
        **params: object,
    ) -> list[LoggedEvent]:
        found = await self._fetch(
            f"SELECT body || jsonb_build_object('seq', seq, 'run_id', run_id) FROM {LOG}"
            f" AND {condition} ORDER BY seq LIMIT %(limit)s",
            bind(principal, run_id) | {"limit": limit} | params,
        )
        return [LoggedEvent.model_validate(event) for event in found]


class Listener(ReconnectingConnection):
    """One connection that listens for every run and wakes the subscribers of each.

    A wake-up says "read again", never which event came: subscribe, read, wait, read, and many
    events make one wake-up. After a broken connection every subscriber is woken.
    """

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn)
        self._subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @property
    def subscriber_count(self) -> int:
        """Return how many subscriptions there are, over all runs."""
        return sum(map(len, self._subscribers.values()))

    @contextlib.contextmanager
    def subscribe(self, run_id: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever the run's log grows; the subscriber clears it."""
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
        for woken in chain.from_iterable(self._subscribers.values()):
            woken.set()
        async for notice in connection.notifies():
            for woken in self._subscribers.get(notice.payload, ()):
                woken.set()
