"""Following a run's event log: for SSE, and for commands that wait for the next checkpoint."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from sse_starlette import EventSourceResponse, ServerSentEvent

from contracts.errors import StoreUnavailable
from contracts.principal import Principal
from contracts.records import LoggedEvent
from store.events import EventRepository, Listener

PAGE = 200
POLL_SECONDS = 1.0
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
        """Yield what comes after a place in the log, up to the run's end or for so long."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        with self.listener.subscribe(run_id) as grown:
            while (left := end - clock()) > 0:
                grown.clear()
                page = await self._page(principal, run_id, after)
                for event in page:
                    yield event
                    after = event.seq
                    if event.type == LAST:
                        return
                if len(page) < PAGE:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(grown.wait(), min(left, POLL_SECONDS))

    async def _page(self, principal: Principal, run_id: str, after: int) -> list[LoggedEvent]:
        """Return the next events; none while PostgreSQL is away, so that viewers wait it out."""
        try:
            return await self.events.read(principal, run_id, after=after, limit=PAGE)
        except StoreUnavailable:
            return []

    async def is_over(self, principal: Principal, run_id: str, after: int) -> bool:
        """Whether nothing can come after that place in the log."""
        last = await self.events.read(principal, run_id, after=after - 1, limit=1) if after else []
        return bool(last) and last[0].type == LAST


def event_stream(events: AsyncIterator[LoggedEvent]) -> EventSourceResponse:
    """Return events as SSE; one viewer that does not read is dropped after 30 s."""
    return EventSourceResponse(_sse(events), ping=15, send_timeout=30, sep="\n")


async def _sse(events: AsyncIterator[LoggedEvent]) -> AsyncIterator[ServerSentEvent]:
    async for event in events:
        yield ServerSentEvent(event.model_dump_json(), event=event.type, id=str(event.seq))
