"""Streams of a run's event log: for SSE, and for commands that wait for the next checkpoint."""

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

PAGE_SIZE = 200
POLL_SECONDS = 1.0
MAX_DOUBLINGS = 4
"""A viewer whose run is quiet polls less and less often: the listener announces new events."""
MAX_EMPTY_READS = 4
"""Consecutive empty reads after which the stream checks that the run still exists."""
PING_SECONDS = 15.0
STREAM_SECONDS = 15 * 60
LAST_EVENT_TYPE = "workflow_complete"


@dataclass(frozen=True)
class EventLog:
    """The event log and the listener that announces new events."""

    events: EventRepository
    listener: Listener

    async def follow(
        self, principal: Principal, run_id: str, after: int, seconds: float
    ) -> AsyncGenerator[LoggedEvent]:
        """Yield the events after a `seq`, until the run's end, its removal, or the time limit."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        newest = await self._read_page(principal, run_id, after - 1, 1) if after else []
        ended = bool(newest) and newest[0].type == LAST_EVENT_TYPE
        empty = 0
        with self.listener.subscribe(run_id) as new_events:
            while not ended and (remaining := end - clock()) > 0:
                new_events.clear()
                page = await self._read_page(principal, run_id, after, PAGE_SIZE)
                for event in page:
                    yield event
                    after, ended = event.seq, event.type == LAST_EVENT_TYPE
                empty = 0 if page else empty + 1
                if empty and empty % MAX_EMPTY_READS == 0:
                    with suppress(StoreUnavailable):
                        ended = not await self.events.has_run(principal, run_id)
                if len(page) < PAGE_SIZE and not ended:
                    pause = POLL_SECONDS * 2 ** min(empty, MAX_DOUBLINGS)
                    with suppress(TimeoutError):
                        await asyncio.wait_for(new_events.wait(), min(remaining, pause))

    async def _read_page(
        self, principal: Principal, run_id: str, after: int, limit: int
    ) -> list[LoggedEvent]:
        """Read the next events; none while PostgreSQL is unreachable, so that viewers wait."""
        try:
            return await self.events.read(principal, run_id, after=after, limit=limit)
        except StoreUnavailable:
            return []


class Ping(ServerSentEvent):
    """An SSE comment without a blank line, which some clients take for an empty event."""

    def encode(self) -> bytes:
        """Return the comment as bytes."""
        return b": ping\r\n"


def event_stream(events: AsyncIterator[LoggedEvent]) -> EventSourceResponse:
    """Return events as SSE; a viewer that does not read is dropped after 30 s."""
    encoded = (
        ServerSentEvent(event.model_dump_json(), event=event.type, id=str(event.seq))
        async for event in events
    )
    return EventSourceResponse(
        encoded, ping=PING_SECONDS, ping_message_factory=Ping, send_timeout=30
    )


def describe_events(schemas: dict[str, Any]) -> None:
    """Make `LoggedEvent` of the OpenAPI schemas a union by `type`, each with its own payload."""
    inputs = [(name, "validation", adapter) for name, adapter in PAYLOADS.items()]
    payloads, definitions = TypeAdapter.json_schemas(inputs, ref_template=f"{SCHEMAS}/{{model}}")  # type: ignore[arg-type]
    schemas |= {
        name: schema for name, schema in definitions["$defs"].items() if name not in schemas
    }
    base = schemas["LoggedEvent"]
    refs: dict[str, str] = {}
    for name in PAYLOADS:
        title = "Logged" + "".join(part[0].upper() + part[1:] for part in name.split("_"))
        own = {"type": {"type": "string", "const": name}, "payload": payloads[name, "validation"]}
        refs[name] = f"{SCHEMAS}/{title}"
        schemas[title] = {
            **base,
            "title": title,
            "description": f"An event `{name}` in the log.",
            "properties": base["properties"] | own,
            "required": [*base["required"], "payload"],
        }
    schemas["LoggedEvent"] = {
        "title": "LoggedEvent",
        "description": base["description"],
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": refs},
    }
