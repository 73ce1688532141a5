"""The interpreter as a phase's context sees it, so that no handler depends on the interpreter."""

from typing import Protocol

from contracts.base import Json
from contracts.report.research import PlanRole
from contracts.runs.records import EventType
from contracts.runs.state import Checkpoint, PhaseState, RunState
from workflows.runtime.gate import Gate


class RunLog(Protocol):
    """The recorder's side of a phase."""

    def emit(
        self,
        type: EventType,
        payload: Json,
        *,
        phase: PhaseState | None = None,
        status: str | None = None,
    ) -> None:
        """Put an event into the outbox."""

    def mark_changed(self, phase_id: str) -> None:
        """Have a phase's row written with the next batch."""

    def update_checkpoint(self, changed: Checkpoint, again: str = "") -> None:
        """Replace a pending checkpoint."""

    def publish_status(self) -> None:
        """Show in the Temporal UI what is awaited."""


class Run(Protocol):
    """The run that a phase is a part of."""

    @property
    def state(self) -> RunState:
        """The run's whole state."""

    @property
    def recorder(self) -> RunLog:
        """The run's log."""

    @property
    def gate(self) -> Gate:
        """The one way to an activity."""

    def find_plan_roles(self, phase_id: str) -> list[PlanRole]:
        """Return the roles that carry out a plan's steps after a phase."""
