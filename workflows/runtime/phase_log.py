"""The log of a phase: its events, its warnings, and the sentences that its report lost."""

from collections.abc import Iterable
from typing import Literal

from contracts.base import Json
from contracts.evidence.claims import RefusedClaim
from contracts.report.checks import ReportChecked
from contracts.runs.events import EventPayload, Status
from contracts.runs.state import PhaseState
from workflows.runtime.recorder import Recorder


class PhaseLog:
    """Shows what one phase does, in the run's log and in the phase's own record."""

    def __init__(self, recorder: Recorder, me: PhaseState) -> None:
        self._recorder = recorder
        self._me = me

    def emit(self, payload: EventPayload) -> None:
        """Put an event of this phase into the outbox."""
        self._recorder.emit(payload, phase=self._me)

    def tell(self, message: str, level: Literal["info", "warning"] = "info") -> None:
        """Show a message in the run's log."""
        self.emit(Status(level=level, message=message))

    def note(self, message: str) -> None:
        """Keep a warning with the phase and show it."""
        if message not in self._me.warnings:
            self._me.warnings.append(message)
            self.tell(message, "warning")

    def degrade(self, message: str) -> None:
        """Note that the phase does less than it was to: it ends `partial`."""
        self._me.degraded = True
        self.note(message)

    def refuse(self, refused: Iterable[RefusedClaim]) -> None:
        """Record sentences that did not hold in the run's log, each once; a report does not list them."""
        if new := self._recorder.state.keep_refused(refused):
            self.emit(ReportChecked(refused=new))

    def replace_output(self, phase_id: str, output: Json) -> None:
        """Put another version in place of what a phase gave, or this one its work so far."""
        self._recorder.state.phase(phase_id).output = output
        self._recorder.mark_changed(phase_id)
