"""The run's outbox: what happened waits in the state until one task has written it down."""

from temporalio import workflow
from temporalio.common import SearchAttributeKey

from activities.runs import RunActivities
from contracts.base import Json
from contracts.runs.records import Event, EventType, rejection
from contracts.runs.state import PhaseState, RunState
from workflows.checkpoints.temporal_ui import render_details
from workflows.interpreter.run_state import batch, live_status
from workflows.runtime.activity_execution import execute_activity

_STATUS = SearchAttributeKey.for_keyword("RunStatus")
_DEFINITION = SearchAttributeKey.for_keyword("RunDefinition")


class Recorder:
    """Phases never wait for it; the run's end does."""

    def __init__(self, state: RunState) -> None:
        self.state = state
        self._changed: set[str] = {phase.id for phase in state.phases}
        self._writing = False
        self._known = {"sources": 0, "artifacts": 0}

    def emit(
        self,
        type: EventType,
        payload: Json,
        *,
        phase: PhaseState | None = None,
        status: str | None = None,
    ) -> None:
        """Put an event into the outbox, and the phase it is about with it."""
        self.state.emitted += 1
        if phase is not None:
            self.touch(phase.id)
        self.state.outbox.append(
            Event(
                key=f"w-{self.state.emitted}",
                type=type,
                phase_id=phase.id if phase else None,
                status=status,
                attempt=phase.attempt if phase else 1,
                at=workflow.now().isoformat(),
                payload=payload,
            )
        )

    def touch(self, phase_id: str) -> None:
        """Have a phase's row written with the next batch."""
        self._changed.add(phase_id)

    def heard(self, by: str, payload: Json, phase_id: str | None = None) -> None:
        """Log what a human said."""
        phase = self.state.phase(phase_id) if phase_id else None
        self.emit("HumanResponseEvent", {**payload, "by": by}, phase=phase)

    def show(self) -> None:
        """Show in the Temporal UI and CLI what is awaited and what to type, and list it so."""
        workflow.set_current_details(render_details(self.state))
        if self.state.index:
            workflow.upsert_search_attributes(
                [
                    _STATUS.value_set(live_status(self.state)),
                    _DEFINITION.value_set(self.state.resolved.definition.id),
                ]
            )

    def is_done(self) -> bool:
        """Whether everything that happened so far is written."""
        return not self.state.outbox and not self._writing

    async def run(self) -> None:
        """Drain the outbox in batches, for ever."""
        while True:
            await workflow.wait_condition(lambda: bool(self.state.outbox))
            await self._settle()
            self._writing = True
            changed, self._changed = self._changed, set()
            sent = batch(self.state, changed, self._grown())
            recorded = await execute_activity(RunActivities.record, sent, summary="record")
            self.state.spent = recorded.usage
            if recorded.rejected:
                self.state.warnings.append(rejection(recorded.rejected))
            self.state.outbox = self.state.outbox[len(sent.events) :]
            self._writing = False

    async def _settle(self) -> None:
        """Wait until this moment brings nothing more: what belongs together is one batch."""
        known = -1
        while known != self.state.emitted:
            known = self.state.emitted
            await workflow.wait_condition(lambda: True)

    def _grown(self) -> set[str]:
        """Return which lists have more than last time; else history would repeat them."""
        now = {name: len(getattr(self.state, name)) for name in self._known}
        grown = {name for name in now if now[name] != self._known[name]}
        self._known = now
        return grown
