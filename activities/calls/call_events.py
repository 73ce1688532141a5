"""The events of one call, written by its activity straight to the run's log."""

import asyncio
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.base import Json
from contracts.errors import StoreUnavailable
from contracts.models.call import Scope
from contracts.runs.records import Event, EventType

if TYPE_CHECKING:
    from store.events import EventRepository

BATCH_SECONDS = 0.1


class AnswerEvents:
    """Tells an answer as it streams in: in order, in batches of at least 100 ms.

    The stream never waits for PostgreSQL. While that is unreachable, events are kept until it is back.
    """

    def __init__(self, events: "EventRepository", scope: Scope, agent: str) -> None:
        self._events = events
        self._scope = scope
        self._agent = agent
        self._attempt = attempt_id()
        self._count = 0
        self._text = ""
        self._pending: list[Event] = []
        self._writing: asyncio.Task[None] | None = None
        self._written = time.monotonic()

    def text(self, delta: str) -> None:
        """Take a piece of the answer."""
        self._text += delta
        late = time.monotonic() - self._written >= BATCH_SECONDS
        if late and (self._writing is None or self._writing.done()):
            self._written = time.monotonic()
            self._writing = asyncio.create_task(self._write())

    async def rest(self) -> list[Event]:
        """Return what is not written yet, once nothing is being written any more."""
        if self._writing is not None:
            await self._writing
        self._take_text()
        return self._pending

    async def _write(self) -> None:
        self._take_text()
        sent = list(self._pending)
        try:
            await self._events.append(self._scope.tenant_id, self._scope.run_id, sent)
        except StoreUnavailable:
            return
        del self._pending[: len(sent)]

    def _take_text(self) -> None:
        if text := self._text:
            self._text = ""
            self._count += 1
            who: Json = {"current_agent_name": self._agent, "call": self._scope.name}
            payload: Json = {**who, "delta": text}
            place = f"{self._attempt}/{self._count}"
            self._pending.append(call_event(self._scope, "AgentStream", payload, place))


def attempt_id() -> str:
    """Return what tells this attempt of this activity from every other."""
    info = activity.info()
    return f"{info.activity_id}.{info.attempt}"


def call_event(scope: Scope, type: EventType, payload: Json, place: str) -> Event:
    """Return an event of a call; its place there makes it idempotent."""
    return Event(
        key=f"{scope.phase_id}/{scope.attempt}/{scope.name}/{place}",
        type=type,
        phase_id=scope.phase_id,
        plan_step=scope.plan_step or None,
        attempt=scope.attempt,
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        payload=payload,
    )
