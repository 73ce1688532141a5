"""A run's event log as it grows, read once for all who watch: SSE resumed after `Last-Event-ID`, and waiting commands."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter
from sse_starlette import ServerSentEvent

from api.errors import SCHEMAS
from api.json_bodies import dump_public_json
from api.reports.report_history import ReportHistory
from contracts.access.principal import Principal
from contracts.errors import NotFound, StoreUnavailable
from contracts.runs.events import PAYLOADS
from contracts.runs.records import EventType, LoggedEvent
from store.run_records.event_log import EventRepository, Listener
from store.run_records.runs import RunRepository, RunRow

PAGE_SIZE = 200
RECENT = 500
"""Number of a run's latest events buffered for its viewers; slower viewers read the database themselves."""
RECENT_BYTES = 8_000_000
"""Bytes of them at most, but for one page."""
POLL_SECONDS = 1.0
MAX_DOUBLINGS = 4
"""A quiet run is polled less and less often: the listener announces new events."""
MAX_EMPTY_READS = 4
"""Consecutive empty reads after which it is checked that the run still exists."""
PING_SECONDS = 15.0
SEND_SECONDS = 30
"""A viewer that takes longer to read a page is disconnected."""
STREAM_SECONDS = 15 * 60
LAST_EVENT_TYPE = "workflow_complete"


@dataclass(frozen=True)
class SentEvent:
    """An event as viewers get it."""

    seq: int
    type: EventType
    sse: bytes

    def read(self) -> LoggedEvent:
        """Parse and return the event."""
        return LoggedEvent.model_validate_json(self.sse.partition(b"data: ")[2])


class SentPage(ServerSentEvent):
    """Events that follow each other, sent as one chunk."""

    def __init__(self, events: list[SentEvent]) -> None:
        super().__init__()
        self.events = events
        self._encoded = b""

    def encode(self) -> bytes:
        """Return the events as bytes, joined once for all viewers of the page."""
        self._encoded = self._encoded or b"".join(event.sse for event in self.events)
        return self._encoded


@dataclass
class LogTail:
    """The end of a run's log, which one of its viewers reads forwards and all see."""

    events: EventRepository
    history: ReportHistory
    run: tuple[Principal, str]
    last: int
    """The last event that was read."""
    grown: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while there may be more to read."""
    subscription: ExitStack = field(default_factory=ExitStack)
    """The subscription that sets it; closed when the last viewer leaves."""
    recent: list[SentEvent] = field(default_factory=list)
    is_over: bool = False
    """No events follow `last`."""
    viewers: int = 0
    _empty_reads: int = 0
    _is_led: bool = False
    """One viewer waits for new events and reads them."""
    _was_read: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the leading viewer has read or left; each read has an event of its own."""
    _page: tuple[int, int, SentPage] | None = None
    """The page that was cut last: `after`, `last`, and the page."""

    def start_at(self, seq: int) -> None:
        """Continue reading after `seq`."""
        self.last, self.recent = seq, []
        self.grown.set()

    def reaches(self, after: int) -> bool:
        """Return whether the events after a `seq` are kept, or still to come."""
        return after >= self.last - len(self.recent)

    def cut_page(self, after: int) -> SentPage:
        """Return the buffered events after a `seq`; viewers that are equally far share one page."""
        if self._page is None or self._page[:2] != (after, self.last):
            self._page = after, self.last, SentPage(self.recent[after - self.last :][:PAGE_SIZE])
        return self._page[2]

    async def advance(self, after: int, seconds: float) -> None:
        """Wait until events after `seq` are buffered or `seconds` have passed; may return earlier.

        One viewer waits and reads for all; its read wakes the others together. If it leaves, another one leads.
        """
        if after < self.last:
            return
        if self._is_led:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._was_read.wait()
            return
        self._is_led = True
        try:
            await self._wait(seconds)
            if self.grown.is_set():
                await self._read()
        finally:
            self._is_led = False
            self._was_read.set()
            self._was_read = asyncio.Event()

    async def _wait(self, seconds: float) -> None:
        """Wait until there may be more: until it is announced, or time to look again."""
        pause = POLL_SECONDS * 2 ** min(self._empty_reads, MAX_DOUBLINGS)
        try:
            async with asyncio.timeout(min(seconds, pause)):
                await self.grown.wait()
        except TimeoutError:
            self.grown.set()

    async def _read(self) -> None:
        """Read a page; events that changed the report include all of it. Nothing is read while PostgreSQL is unreachable."""
        self.grown.clear()
        page: list[SentEvent] = []
        is_cut = False
        try:
            with suppress(StoreUnavailable, NotFound):
                logged = await self.events.read(*self.run, after=self.last, limit=PAGE_SIZE)
                async for event in self.history.expand(logged):
                    name, text = event.type, dump_public_json(event)
                    sse = ServerSentEvent(text, event=name, id=str(event.seq)).encode()
                    page.append(SentEvent(event.seq, name, sse))
                is_cut = len(page) == PAGE_SIZE or len(page) < len(logged)
            self._empty_reads = 0 if page else self._empty_reads + 1
            looks_empty = self._empty_reads % MAX_EMPTY_READS == 0 and not page
            is_removed = looks_empty and await self._is_removed()
        except BaseException:
            self.grown.set()  # a viewer that leaves while reading lets another one read
            raise
        if page:
            self.recent = _keep_recent([*self.recent, *page], len(page))
            self.last, self.is_over = page[-1].seq, page[-1].type == LAST_EVENT_TYPE
        elif is_removed:
            self.last, self.recent, self.is_over = 0, [], True
        if is_cut:  # by its own limit; after an error, the next read waits
            self.grown.set()

    async def _is_removed(self) -> bool:
        """Return whether the run was deleted; False while the store is unreachable."""
        with suppress(StoreUnavailable):
            return not await self.events.has_run(*self.run)
        return False


def _keep_recent(events: list[SentEvent], fewest: int) -> list[SentEvent]:
    """Return the last events within the bounds of count and bytes, and at least the `fewest` last."""
    kept = total = 0
    for event in reversed(events[-max(RECENT, fewest) :]):
        total += len(event.sse)
        if total > RECENT_BYTES and kept >= fewest:
            break
        kept += 1
    return events[-kept:]


class EventLog:
    """The event logs of all runs, and the listener that announces new events."""

    def __init__(self, events: EventRepository, runs: RunRepository, listener: Listener) -> None:
        self.events = events
        self._runs = runs
        self._listener = listener
        self.tails: dict[tuple[Principal, str, bool], LogTail] = {}
        """Tails of watched runs, each with and without the whole report in its changes."""

    async def follow(
        self, reader: Principal, row: RunRow, after: int, seconds: float, *, renders: bool = False
    ) -> AsyncGenerator[SentPage]:
        """Yield the events after a `seq`, until the run's end, its removal, or the time limit.

        With `renders`, those that changed the report include all of it.
        """
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        own = self._open_tail(reader, row.run_id, after, renders)
        own.grown.set()
        with self._watch(reader, row, after, renders) as shared:
            while (remaining := end - clock()) > 0:
                if shared.is_over and after >= shared.last:
                    return
                tail = shared if shared.reaches(after) else own
                if tail is own and (
                    own.last != after or own.recent
                ):  # else it was just read, empty
                    own.start_at(after)
                await tail.advance(after, remaining)
                if tail.last > after and tail.reaches(after):  # else others have read beyond it
                    page = tail.cut_page(after)
                    yield page
                    after = page.events[-1].seq

    def _open_tail(self, reader: Principal, run_id: str, last: int, renders: bool) -> LogTail:
        history = ReportHistory(self.events, self._runs, reader, run_id, renders=renders)
        return LogTail(self.events, history, (reader, run_id), last)

    @contextmanager
    def _watch(
        self, reader: Principal, row: RunRow, after: int, renders: bool
    ) -> Iterator[LogTail]:
        """Yield the run's tail, for as long as anybody watches."""
        key = reader, row.run_id, renders
        if key not in self.tails:
            first = min(max(after, row.last_seq - RECENT), row.last_seq - 1)
            tail = self._open_tail(reader, row.run_id, max(first, 0), renders)
            tail.grown = tail.subscription.enter_context(self._listener.subscribe(row.run_id))
            tail.grown.set()
            self.tails[key] = tail
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


def describe_events(schemas: dict[str, Any]) -> None:
    """Turn `LoggedEvent` in the OpenAPI schemas into a union by `type`, each with its own payload."""
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
