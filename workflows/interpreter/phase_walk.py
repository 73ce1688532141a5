"""The interpreter: walks the phases of a run's definition and ends the run."""

import asyncio
from collections.abc import Collection
from functools import partial
from typing import Literal

from pydantic import BaseModel, ValidationError
from temporalio import workflow
from temporalio.exceptions import ActivityError, FailureError

from contracts.errors import BudgetExceeded, ErrorInfo, GreenlightError
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.planning.plan import PlanRole
from contracts.runs.agent_progress import PhaseProgress
from contracts.runs.events import (
    DecidedEvent,
    StepComplete,
    StepStart,
    WorkflowCancelledEvent,
    WorkflowComplete,
)
from contracts.runs.state import PhaseState, RunState
from contracts.runs.statuses import SETTLED, PhaseStatus
from domain.graph import PhaseGraph
from workflows.checkpoints.budget_checkpoint import is_finishing
from workflows.checkpoints.revision import start_revision
from workflows.interpreter.readiness import PhaseReadiness, takes_part
from workflows.interpreter.step_cache import execute_phase
from workflows.phase_context.attempt import Attempt
from workflows.phase_context.context import PhaseContext, open_context
from workflows.phase_context.indexing import wait_until_indexed
from workflows.phases import PHASES
from workflows.runtime.event_outbox import Recorder
from workflows.runtime.failures import describe_failure
from workflows.runtime.pause_gate import Gate, raise_if_cancelled
from workflows.runtime.phase_span import open_phase_span
from workflows.runtime.phase_timeout_and_pauses import PhaseTimeout, PhaseTimer
from workflows.runtime.run_status import derive_final_status
from workflows.runtime.state_view import build_snippet
from workflows.runtime.stops_and_revisions import (
    Rejected,
    RevisionRequested,
    RunShortCircuited,
    RunStopped,
)
from workflows.runtime.workflow_clock import Clock

_ENDED = {
    "": "run-over",
    "failed": "run-over-failed",
    "settled": "run-answered",
    "rejected": "run-over-rejected",
    "cancelled": "run-over-cancelled",
}
"""Code of the notice of a phase that did not run, by how the run ended."""


class Interpreter:
    """Walks one run from any given state."""

    def __init__(self, state: RunState) -> None:
        self.state = state
        self.cancelled = False
        self._graph = PhaseGraph(state.resolved.definition.phases)
        self.readiness = PhaseReadiness(state, self._graph)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._reopening: set[str] = set()
        self.gate = Gate(state)
        self.recorder = Recorder(state)
        self._ending: Literal["", "rejected", "settled", "failed"] = ""

    async def run(self) -> bool:
        """Return True when the run has ended and is recorded, False to continue as new."""
        recorder = asyncio.create_task(self.recorder.run())
        walk = asyncio.create_task(self._walk())
        try:
            raise_if_cancelled()  # one that came while the run was being opened
            await workflow.wait_condition(
                lambda: (
                    recorder.done()
                    or (self.recorder.is_done() and (walk.done() or self._is_quiet()))
                )
            )
        except asyncio.CancelledError:
            self.cancelled = not walk.done()
            self.state.cancelling = "now"
            await workflow.wait_condition(
                lambda: walk.done() and (self.recorder.is_done() or recorder.done())
            )
        if recorder.done():
            recorder.result()  # raises, because the recorder only ends with an error
        if ended := walk.done():
            await walk
        await _stop(recorder, walk, *self._tasks.values())
        return ended

    def send_back(self, phase_ids: Collection[str]) -> None:
        """Restart phases that have begun, and close their open checkpoints immediately."""
        self._reopening |= set(phase_ids)
        self.state.pending[:] = [c for c in self.state.pending if c.phase_id not in phase_ids]
        for name, task in self._tasks.items():
            if name in phase_ids and task is not asyncio.current_task():
                task.cancel()

    def log_seeds(self) -> None:
        """Log phases that another run or the start gave as if they had run, and what was decided there."""
        for me in self.state.phases:
            if me.origin:
                self._emit_start(me)
            for decision in [d for d in self.state.decisions if d.reused_from]:
                if decision.phase_id == me.id:
                    self.recorder.emit(DecidedEvent(**dict(decision)), phase=me)
            if me.origin:
                self._emit_complete(me)
            elif done := me.progress.steps.done:
                self.recorder.tell(
                    Notice.of("steps-kept", "info", phase=me.called, n=len(done)), me
                )

    def _is_quiet(self) -> bool:
        return self.gate.is_empty() and workflow.all_handlers_finished()

    def _refuse(self, error: ErrorInfo) -> None:
        """Fail the run at its first phase, before anything is asked or paid."""
        waiting = [me for me in self.state.phases if me.status not in SETTLED]
        for me in waiting[:1]:
            self._emit_start(me)
            self._fail(me, error)
        for me in waiting[1:]:
            self._settle(me, "skipped", Notice.of("provider-refuses"))

    async def _walk(self) -> None:
        if self.state.blocked:
            self._refuse(self.state.blocked)
        while not self._find_end_reason():
            await self._reopen()
            self._start_ready()
            if not self._tasks:
                break
            await workflow.wait_condition(
                lambda: (
                    bool(self._find_end_reason() or self._reopening)
                    or any(task.done() for task in self._tasks.values())
                )
            )
            for name, task in list(self._tasks.items()):
                if task.done() and name not in self._reopening:
                    del self._tasks[name]
                    task.result()
        await _stop(*self._tasks.values())
        self._finish()

    def _find_end_reason(self) -> Literal["", "rejected", "settled", "failed", "cancelled"]:
        return self._ending or ("cancelled" if self.state.cancelling == "now" else "")

    def _start_ready(self) -> None:
        """Start all ready phases; skipping one may make others ready, anywhere in the list."""
        skipped = True
        while skipped:
            skipped = False
            for phase in self.state.resolved.definition.phases:
                me = self.state.phase(phase.id)
                is_begun = phase.id in self._tasks or me.status in SETTLED
                if is_begun or not self.readiness.is_ready(phase):
                    continue
                if me.status == "pending" and self.state.cancelling:
                    continue
                if me.status == "pending" and (missing := self.readiness.find_missing_need(phase)):
                    me.lost_inputs = self.readiness.list_missing_inputs(phase)
                    self._settle(me, "skipped", missing)
                    skipped = True
                    continue
                self._tasks[phase.id] = asyncio.create_task(self._execute(phase, me))

    async def _execute(self, phase: Phase, me: PhaseState) -> None:
        if me.status == "pending":
            me.status, me.started_at = "running", workflow.now().isoformat()
            self._emit_start(me)
        while True:
            roles = partial(find_plan_roles, self.state, me.id)
            timer = PhaseTimer(me, phase.timeout_seconds)
            attempt = Attempt(self.state, phase, me, timer, Clock(), roles)
            context = open_context(attempt, self.recorder, self.gate)
            for lost in self.readiness.list_inherited_losses(phase):
                context.losses.record(lost)
            try:
                output = await context.timer.run(self._work(phase, context))
            except RevisionRequested as revision:
                again = start_revision(self.state, revision.phase_ids, revision.feedback)
                return self.send_back(again)
            except (Rejected, RunShortCircuited, RunStopped) as end:
                return self._end_run(me, end)
            except PhaseTimeout:
                used_up = Notice.of("phase-timeout", seconds=phase.timeout_seconds)
                return self._fail(
                    me, ErrorInfo(type="phase-timeout", message=used_up.text, notice=used_up)
                )
            except (FailureError, GreenlightError, ValidationError) as error:
                if context.losses.may_try_again(error):
                    failure = describe_failure(error).words
                    context.log.note(Notice.of("attempt-failed", n=me.attempt, reason=failure))
                    self._try_again(me, error)
                    continue
                info = describe_failure(error)
                if info.type == BudgetExceeded.type() and is_finishing(self.state):
                    context.losses.end_early("budget")
                    return self._settle(me, "skipped", info.words)
                return self._fail(me, info)
            me.output = output.model_dump(mode="json")
            return self._settle_output(me)

    async def _work(self, phase: Phase, context: PhaseContext) -> BaseModel:
        """Execute a phase; one that searches does so once the run's collections are read."""
        with open_phase_span(phase):
            if self.state.collections and PHASES[phase.kind].web(phase):
                await wait_until_indexed(context)
            return await execute_phase(phase, context)

    def _end_run(self, me: PhaseState, end: Rejected | RunShortCircuited | RunStopped) -> None:
        """Settle a phase that ends its run."""
        if isinstance(end, RunStopped):
            self._ending, me.output = "failed", end.output
            return self._fail(me, end.error)
        if isinstance(end, RunShortCircuited):
            me.output = end.output
        self._ending = "settled" if isinstance(end, RunShortCircuited) else "rejected"
        return self._settle(me, "completed")

    def _settle_output(self, me: PhaseState) -> None:
        """Settle a phase; its losses determine the status and whether its output may be cached."""
        if any(lost.may_pass for lost in me.lost_inputs):
            me.cache_key = ""  # a later run may read what this one could not
        lacks = me.degraded or any(lost.degrades for lost in me.lost_inputs)
        self._settle(me, "partial" if lacks else "completed")

    def _try_again(self, me: PhaseState, error: Exception) -> None:
        """Begin the next attempt: where a call failed, after those that have finished, so that none is paid again."""
        if isinstance(error, ActivityError):
            me.attempt += 1
            me.active_seconds, me.early_end, me.undone = 0.0, None, []
            me.progress.revive_agents()
        else:
            self._reset(me)
        me.retries, me.degraded = me.retries + 1, False
        self._emit_start(me)

    @staticmethod
    def _reset(me: PhaseState) -> None:
        """Clear the leftovers of an attempt; the next attempt has other journal keys."""
        me.attempt += 1
        me.memo, me.progress, me.active_seconds, me.output = {}, PhaseProgress(), 0.0, None
        me.early_end, me.undone = None, []
        me.lost_inputs = []
        me.origin, me.reused_from, me.cache_key = None, None, ""

    async def _reopen(self) -> None:
        """Restart what was sent back, once all of it has stopped."""
        again, self._reopening = self._reopening, set()
        if not again:
            return
        stopping = [self._tasks.pop(name) for name in list(self._tasks) if name in again]
        await asyncio.gather(*stopping, return_exceptions=True)
        for me in self.state.phases:
            phase = self._graph.phases[me.id]
            if me.id in again and me.status == "pending":
                me.progress, me.output = PhaseProgress(), None  # the steps of a run before
            elif me.id in again and takes_part(self.state, phase):
                self._reset(me)
                me.status, me.output, me.error, me.ended_at = "pending", None, None, None
                me.notices, me.degraded, me.retries, me.started_at = [], False, 0, None
                self.recorder.mark_changed(me.id)
        self.recorder.publish_status()

    def _fail(self, me: PhaseState, error: ErrorInfo) -> None:
        me.error = error
        failed = Notice.of("phase-failed", "error", n=1, phase=me.called, reason=error.words)
        self.recorder.tell(failed, me)
        self.recorder.emit(error, phase=me, status="failed")
        self._settle(me, "failed")

    def _settle(self, me: PhaseState, status: PhaseStatus, notice: Notice | None = None) -> None:
        me.status = status
        me.ended_at = workflow.now().isoformat()
        me.memo, me.progress = {}, PhaseProgress()
        if notice:
            me.notices.append(notice)
        self._emit_complete(me)

    def _emit_start(self, me: PhaseState) -> None:
        self.recorder.emit(StepStart(title=me.title, kind=me.kind), phase=me)

    def _emit_complete(self, me: PhaseState) -> None:
        end = StepComplete(
            title=me.title,
            notices=list(me.notices),
            warnings=me.warnings,
            lost_inputs=list(me.lost_inputs),
            usage=me.usage,
            error=me.error,
            reused_from=me.reused_from,
            snippet=build_snippet(me.output),
        )
        self.recorder.emit(end, phase=me, status=me.status)

    def _finish(self) -> None:
        """Settle the remaining phases and log how the run ended."""
        left = any(me.status not in SETTLED for me in self.state.phases)
        over = self._find_end_reason() or ("cancelled" if self.state.cancelling and left else "")
        for me in self.state.phases:
            if me.status not in SETTLED:
                self._settle(me, "skipped", Notice.of(_ENDED[over]))
        self.state.pending.clear()
        status = "completed" if over == "settled" else over or derive_final_status(self.state)
        self.state.status = status
        self.state.ended_at = workflow.now().isoformat()
        if status == "cancelled":
            self.recorder.emit(WorkflowCancelledEvent())
        self.recorder.emit(WorkflowComplete(status=status), status=status)
        self.recorder.publish_status()


async def _stop(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def find_plan_roles(state: RunState, phase_id: str) -> list[PlanRole]:
    """Return those who work on a plan's steps in the phases after one, each once."""
    graph = PhaseGraph(state.resolved.definition.phases)
    later = graph.find_descendants(phase_id)
    roles = [
        role
        for phase in graph.phases.values()
        if phase.id in later and takes_part(state, phase)
        for role in PHASES[phase.kind].plans_for(phase)
    ]
    return list({role.id: role for role in roles}.values())
