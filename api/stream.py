"""A run's event log as it grows, read once for all who watch: for SSE, and for commands that wait."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse, ServerSentEvent

from api.errors import SCHEMAS
from api.reports.report_history import ReportHistory
from api.responses import dump_public_json
from contracts.errors import NotFound, StoreUnavailable
from contracts.principal import Principal
from contracts.runs.events import PAYLOADS
from contracts.runs.records import EventType
from store.events import EventRepository, Listener
from store.runs import RunRepository, RunRow

PAGE_SIZE = 200
RECENT = 500
"""How many of a run's last events are kept for its viewers; who is further behind reads alone."""
POLL_SECONDS = 1.0
MAX_DOUBLINGS = 4
"""A quiet run is polled less and less often: the listener announces new events."""
MAX_EMPTY_READS = 4
"""Consecutive empty reads after which it is checked that the run still exists."""
PING_SECONDS = 15.0
STREAM_SECONDS = 15 * 60
LAST_EVENT_TYPE = "workflow_complete"


@dataclass(frozen=True)
class SentEvent:
    """An event as viewers get it."""

    seq: int
    type: EventType
    sse: bytes


class LogReader:
    """Reads a run's log forwards; an event that changed the report carries the whole of it."""

    def __init__(
        self, events: EventRepository, runs: RunRepository, reader: Principal, run_id: str
    ) -> None:
        self._events = events
        self._run = reader, run_id
        self._history = ReportHistory(events, runs, reader, run_id)

    async def read(self, after: int) -> list[SentEvent]:
        """Return the next events; fewer, or none, while PostgreSQL is unreachable."""
        sent: list[SentEvent] = []
        with suppress(StoreUnavailable, NotFound):
            page = await self._events.read(*self._run, after=after, limit=PAGE_SIZE)
            async for event in self._history.expand(page):
                sse = ServerSentEvent(dump_public_json(event), event=event.type, id=str(event.seq))
                sent.append(SentEvent(event.seq, event.type, sse.encode()))
        return sent

    async def is_removed(self) -> bool:
        """Tell whether the run is known to exist no more."""
        with suppress(StoreUnavailable):
            return not await self._events.has_run(*self._run)
        return False


@dataclass
class LogTail:
    """The end of a run's log, which one of its viewers reads and all see."""

    reader: LogReader
    last: int
    """The last event that was read."""
    grown: asyncio.Event
    """Set while there may be more to read."""
    subscription: ExitStack
    """What sets it; closed when the last viewer leaves."""
    recent: list[SentEvent] = field(default_factory=list)
    is_over: bool = False
    """Nothing comes after `last`."""
    viewers: int = 0
    _empty_reads: int = 0
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    def reaches(self, after: int) -> bool:
        """Tell whether the events after a `seq` are kept, or still to come."""
        return after >= self.last - len(self.recent)

    async def read(self, after: int) -> list[SentEvent]:
        """Return the events after a `seq`; where none are kept, one viewer looks for more."""
        if not (found := self._find(after)):
            async with self._reading:
                if not (found := self._find(after)) and self.grown.is_set():
                    await self._advance()
                    found = self._find(after)
        return found

    def _find(self, after: int) -> list[SentEvent]:
        new = self.last - after
        return self.recent[-new:][:PAGE_SIZE] if 0 < new <= len(self.recent) else []

    async def _advance(self) -> None:
        self.grown.clear()
        try:
            page = await self.reader.read(self.last)
            self._empty_reads = 0 if page else self._empty_reads + 1
            looks_empty = self._empty_reads % MAX_EMPTY_READS == 0 and not page
            is_removed = looks_empty and await self.reader.is_removed()
        except BaseException:
            self.grown.set()  # who leaves in the middle leaves the reading to another
            raise
        if page:
            self.recent = [*self.recent, *page][-RECENT:]
            self.last, self.is_over = page[-1].seq, page[-1].type == LAST_EVENT_TYPE
        elif is_removed:
            self.last, self.recent, self.is_over = 0, [], True
        if len(page) == PAGE_SIZE:
            self.grown.set()

    async def wait(self, seconds: float) -> None:
        """Wait until there may be more: until it is announced, or time to look again."""
        empty_reads = self._empty_reads
        pause = POLL_SECONDS * 2 ** min(empty_reads, MAX_DOUBLINGS)
        try:
            await asyncio.wait_for(self.grown.wait(), min(seconds, pause))
        except TimeoutError:
            if self._empty_reads == empty_reads:  # else another viewer has just looked
                self.grown.set()


class EventLog:
    """The event logs of all runs, and the listener that announces new events."""

    def __init__(self, events: EventRepository, runs: RunRepository, listener: Listener) -> None:
        self.events = events
        self._runs = runs
        self._listener = listener
        self.tails: dict[tuple[Principal, str], LogTail] = {}
        """Of the runs that are watched."""

    async def follow(
        self, reader: Principal, row: RunRow, after: int, seconds: float
    ) -> AsyncGenerator[list[SentEvent]]:
        """Yield the events after a `seq`, until the run's end, its removal, or the time limit."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        own = LogReader(self.events, self._runs, reader, row.run_id)
        with self._watch(reader, row, after) as tail:
            while (remaining := end - clock()) > 0:
                page = [] if tail.reaches(after) else await own.read(after)
                if page := page or await tail.read(after):
                    yield page
                    after = page[-1].seq
                elif tail.is_over and after >= tail.last:
                    return
                else:
                    await tail.wait(remaining)

    @contextmanager
    def _watch(self, reader: Principal, row: RunRow, after: int) -> Iterator[LogTail]:
        """Yield the run's tail, for as long as anybody watches."""
        key = reader, row.run_id
        if key not in self.tails:
            subscription = ExitStack()
            grown = subscription.enter_context(self._listener.subscribe(row.run_id))
            grown.set()
            shared = LogReader(self.events, self._runs, reader, row.run_id)
            first = min(max(after, row.last_seq - RECENT), row.last_seq - 1)
            self.tails[key] = LogTail(shared, max(first, 0), grown, subscription)
        tail = self.tails[key]
        tail.viewers += 1
        try:
            yield tail
        finally:
            tail.viewers -= 1
            if not tail.viewers:
                self.tails.pop(key).subscription.close()


class Ping(ServerSentEvent):
    """An SSE comment without a blank line, which some clients take for an empty event."""

    def encode(self) -> bytes:
        """Return the comment as bytes."""
        return b": ping\r\n"


def event_stream(pages: AsyncGenerator[list[SentEvent]]) -> EventSourceResponse:
    """Return events as SSE; a viewer that does not read is dropped after 30 s."""

    async def join_pages() -> AsyncGenerator[bytes]:
        async with aclosing(pages):
            async for page in pages:
                yield b"".join(event.sse for event in page)

    return EventSourceResponse(
        join_pages(), ping=PING_SECONDS, ping_message_factory=Ping, send_timeout=30
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
