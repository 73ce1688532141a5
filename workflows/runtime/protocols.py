"""The interpreter's side of a phase's context, so that no handler imports the interpreter."""

from typing import Protocol

from contracts.base import Json
from contracts.report.research import PlanRole
from contracts.runs.records import EventType
from contracts.runs.state import PhaseState, RunState
from workflows.runtime.gate import Gate


class Log(Protocol):
    """The run's event log, as a phase writes to it."""

    def emit(
        self,
        type: EventType,
        payload: Json,
        *,
        phase: PhaseState | None = None,
        status: str | None = None,
    ) -> None:
        """Put an event into the run's log."""

    def mark_changed(self, phase_id: str) -> None:
        """Have a phase's row written with the next batch."""

    def publish_status(self) -> None:
        """Show in the Temporal UI what is awaited."""


class Runtime(Protocol):
    """The interpreter, as a phase sees it."""

    @property
    def state(self) -> RunState:
        """The run's whole state."""

    @property
    def recorder(self) -> Log:
        """The run's log."""

    @property
    def gate(self) -> Gate:
        """The one way to an activity."""

    def find_plan_roles(self, phase_id: str) -> list[PlanRole]:
        """Return those who work on a plan's steps in the phases after one."""
