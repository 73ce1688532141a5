"""Events of one call, which its activity writes directly to the run's log."""

import asyncio
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.errors import StoreUnavailable
from contracts.models.call import Scope
from contracts.runs.events import AgentEvent, AgentStream, EventPayload, build_event
from contracts.runs.records import Event

if TYPE_CHECKING:
    from store.run_records.event_log import EventRepository

BATCH_SECONDS = 0.1


class StreamEvents:
    """Writes an answer's deltas as they stream in: in order, in batches every 100 ms or more.

    The stream never waits for the store; events are buffered while it is unreachable.
    """

    def __init__(self, events: "EventRepository", scope: Scope, agent: AgentEvent) -> None:
        self._events = events
        self._scope = scope
        self._agent = agent
        self._attempt = get_attempt_id()
        self._count = 0
        self._text = ""
        self._pending: list[Event] = []
        self._writing: asyncio.Task[None] | None = None
        self._written = time.monotonic()

    def add_delta(self, delta: str) -> None:
        """Add a piece of the answer, which may be empty."""
        if not delta:
            return
        self._text += delta
        due = time.monotonic() - self._written >= BATCH_SECONDS
        if due and (self._writing is None or self._writing.done()):
            self._written = time.monotonic()
            self._writing = asyncio.create_task(self._write())

    async def flush(self) -> list[Event]:
        """Return the events not written yet, once the last write has ended."""
        if self._writing is not None:
            await self._writing
        self._buffer_text()
        return self._pending

    async def _write(self) -> None:
        self._buffer_text()
        sent = list(self._pending)
        try:
            await self._events.append(self._scope.tenant_id, self._scope.run_id, sent)
        except StoreUnavailable:
            return
        del self._pending[: len(sent)]

    def _buffer_text(self) -> None:
        if text := self._text:
            self._text = ""
            self._count += 1
            place = f"{self._attempt}/{self._count}"
            piece = AgentStream(**dict(self._agent), delta=text)
            self._pending.append(build_call_event(self._scope, piece, place))


def get_attempt_id() -> str:
    """Return an id of this attempt of this activity."""
    info = activity.info()
    return f"{info.activity_id}.{info.attempt}"


def count_attempts(scope: Scope) -> int:
    """Return the number of this attempt; a lower bound for an activity that was started again."""
    return scope.starts - 1 + activity.info().attempt


def build_call_event(scope: Scope, payload: EventPayload, place: str) -> Event:
    """Return an event of a call; its place within the call makes it idempotent."""
    return build_event(
        payload,
        key=f"{scope.phase_id}/{scope.attempt}/{scope.name}/{place}",
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        phase_id=scope.phase_id,
        plan_step=scope.plan_step or None,
        attempt=scope.attempt,
    )
