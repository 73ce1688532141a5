"""The `Research` workflow: one run, from its question to its report, as Temporal sees it."""

import asyncio

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ActivityError

from activities.runs.run_activities import RunActivities
from contracts.base import Json
from contracts.errors import InvalidInput, StalePlan
from contracts.human.approvers import SealedDecide
from contracts.human.messages import Action, DecidePlan
from contracts.notices import Notice
from contracts.problems import Problem
from contracts.runs.start import OpenRequest, RunInput, RunResult
from contracts.runs.state import RunState
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from workflows.checkpoints.decision_checks import find_plan_checkpoint, require_first_approval
from workflows.checkpoints.temporal_ui import render_details
from workflows.interpreter.initial_state import build_initial_state
from workflows.interpreter.message_handlers import Inbox, decide
from workflows.interpreter.phase_walk import Interpreter
from workflows.message_parser import NO_BODY, parse_body, refusal
from workflows.patch_log import render_report
from workflows.runtime.activity_timeouts_and_retries import execute_activity
from workflows.runtime.run_status import derive_live_status
from workflows.runtime.state_view import build_view, find_run_report

MEMO_CHARS = 200
"""Limit of the question in Temporal's list of workflows."""
PLAN_BODY = '{"plan_hash": "…", "feedback": "…", "by": "…"}'
"""An example of the argument of `approve_plan` and `reject_plan`."""
_ARGUMENT = f"allowed are no argument and {PLAN_BODY}, each optional"


def _is_continued(info: workflow.Info) -> bool:
    """Return whether the workflow itself continued as new.

    Temporal reports the same for runs of a cron schedule or retry policy, whose input is a caller's.
    """
    return bool(info.continued_run_id) and not info.cron_schedule and info.retry_policy is None


@workflow.defn(name="Research", failure_exception_types=[ValidationError])
class Research(Inbox):
    """Interprets a run, which is data; it can start from any state."""

    @workflow.run
    async def run(self, given: RunInput = None) -> RunResult:  # type: ignore[assignment]
        """Walk the run to its end; the one argument is a RunInput, `{"query": "…"}` is enough."""
        # Not annotated `| None`: building a union's schema takes 10 ms for each run.
        if given is None:
            told = Problem.at("input", "input-missing", example='{"query": "…"}')
            raise refusal(InvalidInput(told))
        if given.state is not None and not _is_continued(workflow.info()):
            raise refusal(InvalidInput(Problem.at("state", "state-not-yours")))
        state = given.state or await self._open(given)
        self._interpreter = Interpreter(state)
        if given.state is None:
            self._interpreter.recorder.tell(Notice.of("run-opened", "info"))
            self._interpreter.log_seeds()
            self._interpreter.recorder.publish_status()
        if not await self._interpreter.run():
            workflow.continue_as_new(given.model_copy(update={"state": state}))
        await workflow.wait_condition(workflow.all_handlers_finished)
        if self._interpreter.cancelled:
            raise asyncio.CancelledError  # Temporal asked for it and shows it so
        report = find_run_report(state)
        return RunResult(
            run_id=state.run_id,
            status=state.status,
            usage_usd=state.spent.usd,
            report_title=str(report["title"]) if report else None,
        )

    async def _open(self, given: RunInput) -> RunState:
        now, run_id = workflow.now().isoformat(), workflow.info().workflow_id
        workflow.upsert_memo(
            {"question": given.query[:MEMO_CHARS], "definition": given.definition_id}
        )
        request = OpenRequest(run_id=run_id, input=given, started_at=now)
        try:
            opened = await execute_activity(RunActivities.open, request, summary="open")
        except ActivityError as error:
            raise error.cause or error from None  # the reason itself, for who looks at the run
        return build_initial_state(request, opened)

    # --- queries

    @workflow.query
    def state(self) -> StateView:
        """The current state of the run."""
        return build_view(self._require_opened().state)

    @workflow.query
    def pending(self) -> list[Json]:
        """The checkpoints that wait for a human."""
        return [c.model_dump(mode="json") for c in self._require_opened().state.pending]

    @workflow.query
    def report(self) -> str:
        """The report as Markdown: a draft while it grows, empty before it begins."""
        return render_report(self._require_opened().state)

    # --- messages: `wait` changes nothing; MESSAGES defines the other updates and signals, and the
    # plan's two signals

    @workflow.update(description="wait until a human is asked or the run has ended; no argument")
    async def wait(self, _: RawValue = NO_BODY) -> str:
        """Return what a human is asked, and a line to paste, once there is something or never will be."""
        interpreter = await self._wait_until_opened()
        state, gate = interpreter.state, interpreter.gate
        await workflow.wait_condition(
            lambda: bool(state.pending) or state.status in ENDED or gate.is_closing
        )
        return render_details(state, derive_live_status(state))

    @workflow.update(description="return the run's state once it is opened; no argument")
    async def opened(self, _: RawValue = NO_BODY) -> StateView:
        """Return the first state; sent with the start, it saves the caller a second request."""
        return build_view((await self._wait_until_opened()).state)

    @workflow.signal(description=f"approve the plan shown now; {_ARGUMENT}")
    async def approve_plan(self, body: RawValue = NO_BODY) -> None:
        """Approve the plan shown now."""
        await self._decide_plan("approve", body)

    @workflow.signal(description=f"reject the plan shown now; {_ARGUMENT}")
    async def reject_plan(self, body: RawValue = NO_BODY) -> None:
        """Reject the plan shown now."""
        await self._decide_plan("reject", body)

    async def _decide_plan(self, action: Action, value: RawValue) -> None:
        interpreter = await self._wait_until_opened()
        try:
            said = parse_body(value, DecidePlan)
            shown = find_plan_checkpoint(interpreter.state, said.plan_hash)
        except (InvalidInput, StalePlan) as error:
            told = Notice.of("plan-body", reason=error.words, example=PLAN_BODY)
            raise InvalidInput(told) from None
        if action == "approve":
            require_first_approval(interpreter.state, None, said.plan_hash, of_plan=True)
        body = SealedDecide(
            action=action,
            plan_hash=shown.plan_hash,
            checkpoint_id=shown.checkpoint_id,
            feedback=said.feedback,
            by=said.by or "cli",
        )
        await decide(interpreter, body)
