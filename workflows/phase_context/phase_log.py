"""The log of a phase: its events, its warnings, and the sentences that its report lost."""

from collections.abc import Callable, Iterable
from functools import partial

from contracts.base import Json
from contracts.evidence.claims import RefusedClaim
from contracts.notices import Notice
from contracts.report.checks import ReportChecked
from contracts.runs.events import Status
from contracts.runs.state import PhaseState
from workflows.runtime.event_outbox import Recorder


class PhaseLog:
    """Records a phase's activity in the run's log and in the phase's state."""

    def __init__(self, recorder: Recorder, me: PhaseState) -> None:
        self._recorder = recorder
        self._me = me
        self.emit: Callable[..., None] = partial(recorder.emit, phase=me)
        """Puts an event of this phase into the outbox."""

    def tell(self, notice: Notice) -> None:
        """Show a notice in the run's log."""
        self.emit(Status.of(notice))

    def note(self, notice: Notice) -> None:
        """Keep a notice with the phase and show it."""
        if notice not in self._me.notices:
            self._me.notices.append(notice)
            self.tell(notice)

    def degrade(self, notice: Notice) -> None:
        """Note that the phase does less than it should; it will end `partial`."""
        self._me.degraded = True
        self.note(notice)

    def refuse(self, refused: Iterable[RefusedClaim]) -> None:
        """Record sentences that did not hold in the run's log, each once; a report does not list them."""
        if new := self._recorder.state.keep_refused(refused):
            self.emit(ReportChecked(refused=new))

    def replace_output(self, phase_id: str, output: Json) -> None:
        """Replace a phase's output, or store this phase's unfinished work."""
        self._recorder.state.phase(phase_id).output = output
        self._recorder.mark_changed(phase_id)
