"""The events of one call, written by its activity straight to the run's log."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.base import Json
from contracts.errors import StoreUnavailable
from contracts.models import Scope
from contracts.records import Event, EventType

if TYPE_CHECKING:
    from store.events import EventRepository

BATCH_SECONDS = 0.1


class CallEvents:
    """Writes what happens during a call: in order, its text in batches of at least 100 ms.

    A store that is away stops no call that is being paid for: events are kept until it is back.
    """

    def __init__(self, events: "EventRepository", scope: Scope, agent: str = "") -> None:
        self._events = events
        self._scope = scope
        self._agent = agent
        info = activity.info()
        self._attempt = f"{info.activity_id}.{info.attempt}"
        self._count = 0
        self._text = ""
        self._pending: list[Event] = []
        self._written = time.monotonic()

    def add(self, type: EventType, payload: Json) -> None:
        """Take an event, to be written after all that came before it."""
        self._take_text()
        place = f"{self._attempt}/{self._count}"
        self._pending.append(call_event(self._scope, type, payload, place))
        self._count += 1

    async def text(self, delta: str) -> None:
        """Take a piece of the answer as it streams in."""
        self._text += delta
        if time.monotonic() - self._written >= BATCH_SECONDS:
            await self.write()

    async def write(self) -> None:
        """Write all that was taken."""
        self._take_text()
        self._written = time.monotonic()
        if self._pending and await self._append():
            self._pending.clear()

    def _take_text(self) -> None:
        if text := self._text:
            self._text = ""
            self.add("AgentStream", {"delta": text, "current_agent_name": self._agent})

    async def _append(self) -> bool:
        try:
            await self._events.append(self._scope.tenant_id, self._scope.run_id, self._pending)
        except StoreUnavailable:
            return False
        return True


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
