"""The recorder: one task that drains the run's outbox into PostgreSQL."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey

from activities.runs.run_activities import RunActivities
from contracts.base import Contract, Json
from contracts.human.checkpoints import Checkpoint
from contracts.models.call import Block
from contracts.notices import Notice
from contracts.runs.events import (
    EventPayload,
    InputRequiredEvent,
    Status,
    ToolCall,
    build_event,
)
from contracts.runs.records import Batch, PhaseRecord, set_aside
from contracts.runs.state import PhaseState, RunState
from workflows.checkpoints.temporal_ui import render_details
from workflows.runtime.activity_timeouts_and_retries import execute_activity
from workflows.runtime.run_status import derive_live_status
from workflows.runtime.state_view import dump_view

Emit = Callable[[EventPayload], None]
_STATUS = SearchAttributeKey.for_keyword("RunStatus")
_DEFINITION = SearchAttributeKey.for_keyword("RunDefinition")


class Recorder:
    """Writes what happened; phases never wait for it, the run's end does."""

    def __init__(self, state: RunState) -> None:
        self.state = state
        self._changed: set[str] = {phase.id for phase in state.phases}
        self._writing = False
        self._sent = {"sources": (0, ""), "artifacts": (0, "")}
        """Length and last item of each list as last sent; unchanged lists are not sent again."""

    def emit(
        self,
        payload: EventPayload,
        *,
        phase: PhaseState | None = None,
        status: str | None = None,
        plan_step: str = "",
    ) -> None:
        """Put an event into the outbox, and the phase it is about with it."""
        self.state.emitted += 1
        if phase is not None:
            self.mark_changed(phase.id)
        self.state.outbox.append(
            build_event(
                payload,
                key=f"w-{self.state.emitted}",
                at=workflow.now().isoformat(),
                phase_id=phase.id if phase else None,
                status=status,
                plan_step=plan_step or None,
                attempt=phase.attempt if phase else 1,
            )
        )

    def tell(self, notice: Notice, phase: PhaseState | None = None) -> None:
        """Show a notice in the run's log."""
        self.emit(Status.of(notice), phase=phase)

    def mark_changed(self, phase_id: str) -> None:
        """Include a phase's row in the next batch."""
        self._changed.add(phase_id)

    def update_checkpoint(self, changed: Checkpoint, again: str = "") -> None:
        """Replace a pending checkpoint by `changed`; `again` is the reason to notify all who were asked."""
        pending = self.state.pending
        self.state.shown_plan = changed.plan or self.state.shown_plan
        pending[:] = [changed if c.checkpoint_id == changed.checkpoint_id else c for c in pending]
        if again:
            asked = InputRequiredEvent(**dict(changed), again=again)
            self.emit(asked, phase=self.state.phase(changed.phase_id))
        self.publish_status()

    def publish_status(self) -> None:
        """Show in Temporal's UI and CLI what the run waits for, and update its search attributes."""
        status = derive_live_status(self.state)
        workflow.set_current_details(render_details(self.state, status))
        if self.state.index:
            workflow.upsert_search_attributes(
                [
                    _STATUS.value_set(status),
                    _DEFINITION.value_set(self.state.resolved.definition.id),
                ]
            )

    def is_done(self) -> bool:
        """Return whether everything that happened so far is written."""
        return not self.state.outbox and not self._writing

    async def run(self) -> None:
        """Drain the outbox in batches, for ever: the run's row, the phases that changed, the lists that grew, the new events."""
        while True:
            await workflow.wait_condition(lambda: bool(self.state.outbox))
            await wait_until_settled(self.state)  # collect everything of one moment into one batch
            self._writing = True
            changed, self._changed = self._changed, set()
            now = {name: _describe_list(getattr(self.state, name)) for name in self._sent}
            grown = {name for name, found in now.items() if found != self._sent[name]}
            self._sent = now
            state = self.state
            sent = Batch(
                tenant_id=state.tenant_id,
                run_id=state.run_id,
                status=derive_live_status(state),
                version=state.emitted,
                snapshot=dump_view(state),
                ended_at=state.ended_at,
                usage=state.spent,
                phases=[build_phase_record(state, p) for p in state.phases if p.id in changed],
                sources=list(state.sources) if "sources" in grown else [],
                artifacts=list(state.artifacts) if "artifacts" in grown else [],
                events=list(state.outbox),
            )
            recorded = await execute_activity(RunActivities.record, sent, summary="record")
            state.spent = recorded.usage
            if recorded.rejected:
                state.notices.append(set_aside(recorded.rejected))
            state.outbox = state.outbox[len(sent.events) :]
            self._writing = False


async def wait_until_settled(state: RunState) -> None:
    """Wait until the phases have done everything possible at this moment."""
    known = -1
    while known != state.emitted:
        known = state.emitted
        await workflow.wait_condition(lambda: True)


def log_tool_call(
    emit: Emit, call: Block, output: Json | str, content: str, *, is_error: bool = False
) -> None:
    """Log a call together with its result, so that a handler entered again repeats neither."""
    said = ToolCall(tool_id=call.id, tool_name=call.name, tool_kwargs=call.input)
    emit(said)
    emit(said.finish(output, content, is_error=is_error))


def _describe_list(kept: Sequence[Contract]) -> tuple[int, str]:
    """Return a list's length and last item: one of them changes whenever something was added."""
    return len(kept), kept[-1].model_dump_json() if kept else ""


def build_phase_record(state: RunState, phase: PhaseState) -> PhaseRecord:
    """Build the database row of a phase from its current state."""
    config = next(p.config for p in state.resolved.definition.phases if p.id == phase.id)
    shared = set(PhaseRecord.model_fields) & set(PhaseState.model_fields) - {"cache_key"}
    fields: dict[str, Any] = {name: getattr(phase, name) for name in shared}
    done = phase.status == "completed" and phase.output is not None
    if done and phase.ended_at and phase.cache_key and not state.request.temp_workflow:
        lasts = timedelta(hours=state.terms.step_cache_hours)
        expires_at = (datetime.fromisoformat(phase.ended_at) + lasts).isoformat()
        fields |= {"cache_key": phase.cache_key, "expires_at": expires_at}
    return PhaseRecord(
        config=config.model_dump(mode="json"),
        input={n: list(ids) for n, ids in state.resolved.bindings[phase.id].items()},
        warnings=phase.warnings,
        **fields,
    )
