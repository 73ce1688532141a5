"""The `Research` workflow: one run, from its question to its report, as Temporal sees it."""

import asyncio

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ActivityError, ApplicationError

from activities.runs import RunActivities
from contracts.base import Json
from contracts.errors import GreenlightError, InvalidInput, NotAllowed
from contracts.human.approvers import SealedDecide
from contracts.human.messages import Action
from contracts.runs.start import OpenRequest, RunInput, RunResult
from contracts.runs.state import RunState, StateView
from workflows.checkpoints.approval import output_of
from workflows.checkpoints.rules import find
from workflows.interpreter.interpreter import Engine
from workflows.interpreter.message_handlers import BODIES, accept, check
from workflows.interpreter.run_state import opened_state, view
from workflows.message_parsing import read
from workflows.report.patch_log import markdown
from workflows.runtime.activity_execution import execute_activity


def _refusal(error: GreenlightError) -> ApplicationError:
    return ApplicationError(str(error), type=error.type(), non_retryable=True)


def _is_continued(info: workflow.Info) -> bool:
    """Whether the workflow itself continued as new.

    Temporal says the same of each run of a cron schedule or retry policy, whose input is a caller's.
    """
    return bool(info.continued_run_id) and not info.cron_schedule and info.retry_policy is None


@workflow.defn(name="Research", failure_exception_types=[ValidationError])
class Research:
    """A run is data, interpreted here; it can start from any state."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._early: list[tuple[str, str]] = []

    @workflow.run
    async def run(self, given: RunInput = None) -> RunResult:  # type: ignore[assignment]
        """Walk the run to its end; the one argument is a RunInput, `{"query": "…"}` is enough."""
        # Not annotated `| None`: the schema of a union is built anew for each run, in 10 ms.
        if given is None:
            raise _refusal(InvalidInput('input: required, e.g. {"query": "…"}'))
        if given.state is not None and not _is_continued(workflow.info()):
            raise _refusal(InvalidInput("state: only a run that continues as new may carry it"))
        state = given.state or await self._open(given)
        self._engine = Engine(state)
        if given.state is None:
            self._engine.recorder.emit("Status", {"level": "info", "message": "run opened"})
            self._engine.recorder.show()
        for name, reason in self._early:
            self.signal_ignored(name, reason)
        if not await self._engine.run():
            workflow.continue_as_new(given.model_copy(update={"state": state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        if self._engine.cancelled:
            raise asyncio.CancelledError  # Temporal asked for it and shows it so
        return self._result(state)

    async def _open(self, given: RunInput) -> RunState:
        now, run_id = workflow.now().isoformat(), workflow.info().workflow_id
        request = OpenRequest(run_id=run_id, input=given, started_at=now)
        try:
            opened = await execute_activity(RunActivities.open, request, summary="open")
        except ActivityError as error:
            raise error.cause or error from None  # the reason itself, for who looks at the run
        return opened_state(request, opened)

    @staticmethod
    def _result(state: RunState) -> RunResult:
        report = output_of(state, "report")
        return RunResult(
            run_id=state.run_id,
            status=state.status,
            usage_usd=state.spent.usd,
            report_title=str(report["title"]) if report else None,
        )

    # --- queries

    @workflow.query
    def state(self) -> StateView:
        """The run as it stands now."""
        return view(self._live().state)

    @workflow.query
    def pending(self) -> list[Json]:
        """What a human is asked now; empty when nothing."""
        return [c.model_dump(mode="json") for c in self._live().state.pending]

    @workflow.query
    def report(self) -> str:
        """The report as Markdown, a draft while it grows; empty while there is none."""
        return markdown(self._live().state)

    def _live(self) -> Engine:
        if self._engine is None:
            raise ApplicationError("the run is just being opened", type="conflict")
        return self._engine

    # --- messages: each as update, which answers, and as signal, which always gets through

    @workflow.update(name="answer_questions", description='{"answers": {"q1": "text or null"}}')
    async def answer(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Answer the open questions."""
        await self._update("answer_questions", body)

    @workflow.update(name="decide", description='{"action": "approve", "plan_hash": "…"}')
    async def decide(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Approve, reject, modify or revise what is shown."""
        await self._update("decide", body)

    @workflow.update(name="delegate", description="the gateway's alone: it signs what it passes on")
    async def delegate(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Give one's say at a checkpoint to somebody else."""
        await self._update("delegate", body)

    @workflow.update(name="steer", description='{"text": "…"}')
    async def steer(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Guide the agents from their next call on."""
        await self._update("steer", body)

    @workflow.update(name="undo", description='{"patch": 3}')
    async def undo(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Take a patch of the living report back."""
        await self._update("undo", body)

    @workflow.update(name="set_paused", description='{"paused": true}')
    async def set_paused(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Hold before the next call, or go on."""
        await self._update("set_paused", body)

    @workflow.update(name="cancel", description='{"mode": "now"} or {"mode": "after_phase"}')
    async def cancel(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """End the run now, or once what runs has ended."""
        await self._update("cancel", body)

    @answer.validator
    def _may_answer(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("answer_questions", body)

    @decide.validator
    def _may_decide(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("decide", body)

    @delegate.validator
    def _may_delegate(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("delegate", body)

    @steer.validator
    def _may_steer(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("steer", body)

    @undo.validator
    def _may_undo(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("undo", body)

    @set_paused.validator
    def _may_set_paused(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("set_paused", body)

    @cancel.validator
    def _may_cancel(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        self._validate("cancel", body)

    @workflow.signal(
        name="answer_questions", description="as the update, also while no worker is up"
    )
    async def on_answer(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Answer the open questions."""
        await self._signal("answer_questions", body)

    @workflow.signal(name="decide", description="as the update, also while no worker is up")
    async def on_decide(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Approve, reject, modify or revise what is shown."""
        await self._signal("decide", body)

    @workflow.signal(name="delegate", description="as the update, also while no worker is up")
    async def on_delegate(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Give one's say at a checkpoint to somebody else."""
        await self._signal("delegate", body)

    @workflow.signal(name="steer", description="as the update, also while no worker is up")
    async def on_steer(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Guide the agents from their next call on."""
        await self._signal("steer", body)

    @workflow.signal(name="undo", description="as the update, also while no worker is up")
    async def on_undo(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Take a patch of the living report back."""
        await self._signal("undo", body)

    @workflow.signal(name="set_paused", description="as the update, also while no worker is up")
    async def on_set_paused(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """Hold before the next call, or go on."""
        await self._signal("set_paused", body)

    @workflow.signal(name="cancel", description="as the update, also while no worker is up")
    async def on_cancel(self, body: RawValue = None) -> None:  # type: ignore[assignment]
        """End the run now, or once what runs has ended."""
        await self._signal("cancel", body)

    @workflow.signal(description="approve the plan shown now; no argument")
    async def approve_plan(self, _: RawValue = None) -> None:  # type: ignore[assignment]
        """Approve the plan shown now."""
        await self._decide_shown("approve")

    @workflow.signal(description="reject the plan shown now; no argument")
    async def reject_plan(self, _: RawValue = None) -> None:  # type: ignore[assignment]
        """Reject the plan shown now."""
        await self._decide_shown("reject")

    async def _decide_shown(self, action: Action) -> None:
        engine = await self._opened()
        shown = find(engine.state, "decision", None)
        await accept(engine, SealedDecide(action=action, plan_hash=shown.plan_hash, by="cli"))

    def _validate(self, name: str, value: RawValue | None) -> None:
        try:
            body = read(value, BODIES[name])
            if self._engine is not None:
                check(self._engine.state, body)
        except GreenlightError as error:
            raise _refusal(error) from None

    async def _update(self, name: str, value: RawValue | None) -> None:
        try:
            await accept(await self._opened(), read(value, BODIES[name]))
        except GreenlightError as error:
            if isinstance(error, NotAllowed):  # whoever watches the run learns of it too
                self._warn(f"{name!r} was refused: {error}")
            raise _refusal(error) from None

    async def _signal(self, name: str, value: RawValue | None) -> None:
        await accept(await self._opened(), read(value, BODIES[name]))

    async def _opened(self) -> Engine:
        await workflow.wait_condition(lambda: self._engine is not None)
        return self._live()

    def signal_ignored(self, name: str, reason: str) -> None:
        """Say in the run's log that a signal was dropped, and why."""
        if self._engine is None:
            self._early.append((name, reason))
            return
        self._warn(f"signal {name!r} was ignored: {reason}")

    def _warn(self, message: str) -> None:
        status: Json = {"level": "warning", "message": message[:1_000]}
        self._live().recorder.emit("Status", status)
