"""What a phase may ask of the engine that walks it; so no handler knows the engine itself."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from contracts.base import Json
from contracts.records import EventType
from contracts.state import PhaseState, RunState
from workflows.clock import Clock

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)


class Log(Protocol):
    """Where a phase says what happens."""

    def emit(
        self,
        type: EventType,
        payload: Json,
        *,
        phase: PhaseState | None = None,
        status: str | None = None,
    ) -> None:
        """Put an event into the run's log."""

    def touch(self, phase_id: str) -> None:
        """Have a phase's row written with the next batch."""

    def show(self) -> None:
        """Show in the Temporal UI what is awaited."""


class Runtime(Protocol):
    """The engine, as a phase sees it."""

    @property
    def state(self) -> RunState:
        """The run's whole state."""

    @property
    def recorder(self) -> Log:
        """The run's log."""

    async def call(
        self,
        who: tuple[PhaseState, Clock],
        name: str,
        method: Callable[[Any, Request], Awaitable[Result]],
        request: Request,
        summary: str,
    ) -> Result:
        """Run an activity for a phase once nothing holds the run back."""
