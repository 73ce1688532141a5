"""Following a run's event log: for SSE, and for commands that wait for the next checkpoint."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.errors import SCHEMAS
from contracts.errors import StoreUnavailable
from contracts.principal import Principal
from contracts.runs.events import PAYLOADS
from contracts.runs.records import LoggedEvent
from store.events import EventRepository, Listener

PAGE = 200
POLL_SECONDS = 1.0
EMPTY_READS = 10
"""In a row, after which it is looked whether the run is still there."""
PING_SECONDS = 15.0
STREAM_SECONDS = 15 * 60
LAST = "workflow_complete"


@dataclass(frozen=True)
class Log:
    """The event log, and what tells that it grew."""

    events: EventRepository
    listener: Listener

    async def follow(
        self, principal: Principal, run_id: str, after: int, seconds: float
    ) -> AsyncGenerator[LoggedEvent]:
        """Yield what comes after a place in the log, up to the run's end or for so long.

        A run that is removed meanwhile yields no more.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        ended = await self._ended_at(principal, run_id, after)
        empty = 0
        with self.listener.subscribe(run_id) as grown:
            while not ended and (left := end - clock()) > 0:
                grown.clear()
                page = await self._page(principal, run_id, after, PAGE)
                for event in page:
                    yield event
                    after, ended = event.seq, event.type == LAST
                empty = 0 if page else empty + 1
                if empty and empty % EMPTY_READS == 0:
                    ended = not await self._there(principal, run_id)
                if len(page) < PAGE and not ended:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(grown.wait(), min(left, POLL_SECONDS))

    async def _ended_at(self, principal: Principal, run_id: str, seq: int) -> bool:
        """Whether the event of that seq is the run's last."""
        page = await self._page(principal, run_id, seq - 1, 1) if seq else []
        return bool(page) and page[0].type == LAST

    async def _there(self, principal: Principal, run_id: str) -> bool:
        """Whether the run is still in the records; in doubt it is."""
        try:
            return await self.events.has(principal, run_id)
        except StoreUnavailable:
            return True

    async def _page(
        self, principal: Principal, run_id: str, after: int, limit: int
    ) -> list[LoggedEvent]:
        """Return the next events; none while PostgreSQL is away, so that viewers wait it out."""
        try:
            return await self.events.read(principal, run_id, after, limit)
        except StoreUnavailable:
            return []


class Ping(ServerSentEvent):
    """A comment alone: the blank line after it would be an empty event to some clients."""

    def encode(self) -> bytes:
        """Return it as it is sent."""
        return b": ping\r\n"


def event_stream(events: AsyncIterator[LoggedEvent]) -> EventSourceResponse:
    """Return events as SSE; one viewer that does not read is dropped after 30 s."""
    return EventSourceResponse(
        _sse(events), ping=PING_SECONDS, ping_message_factory=Ping, send_timeout=30
    )


async def _sse(events: AsyncIterator[LoggedEvent]) -> AsyncIterator[ServerSentEvent]:
    async for event in events:
        yield ServerSentEvent(event.model_dump_json(), event=event.type, id=str(event.seq))


def describe(schemas: dict[str, Any]) -> None:
    """Say in an OpenAPI's schemas what an event's `payload` holds, type by type."""
    wanted = [(name, "serialization", adapter) for name, adapter in PAYLOADS.items()]
    by_type, found = TypeAdapter.json_schemas(wanted, ref_template=f"{SCHEMAS}/{{model}}")  # type: ignore[arg-type]
    for name, schema in found["$defs"].items():
        schemas.setdefault(name, schema)
    payload = schemas["LoggedEvent"]["properties"]["payload"]
    payload["description"] = "as its `type` has it: " + ", ".join(PAYLOADS)
    payload["anyOf"] = [by_type[name, "serialization"] for name in PAYLOADS]
