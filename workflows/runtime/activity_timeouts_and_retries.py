"""Execution of activities: the one table of every timeout and retry, and the wait for a store that is down."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from datetime import timedelta
from typing import Any, TypeVar, Unpack

from pydantic import BaseModel
from temporalio import workflow
from temporalio.common import Priority, RetryPolicy
from temporalio.exceptions import ActivityError, RetryState, TimeoutError
from temporalio.workflow import ActivityCancellationType, ActivityConfig

from activities.alerts.delivery import AlertActivities
from activities.calculations_and_charts import WorkbenchActivities
from activities.calls.model_gateway import ModelGateway
from activities.claims.claim_activities import ClaimActivities
from activities.collections.indexer import IndexActivities
from activities.collections.run_documents import CollectionActivities
from activities.company.company_figures import CompanyActivities
from activities.crew.crew_task import CrewActivities
from activities.providers.provider_test import ProviderTestActivities
from activities.reuse.recall import RecallActivities
from activities.reuse.schedule_probe import ScheduleProbe
from activities.reuse.step_cache import StepCacheActivities
from activities.runs.run_activities import RunActivities
from activities.runs.run_removal import RemovalActivities
from activities.runs.seal_verification import ApprovalActivities
from activities.startup_companies import StartupActivities
from activities.tool_servers import ToolServerActivities
from activities.web.gap_passages import GapActivities
from activities.web.web_activities import WebActivities
from contracts.errors import BatchPending, StoreUnavailable, WorkerStopping
from workflows.runtime.pause_gate import raise_if_cancelled

CREW_QUEUE = "crew"
"""Task queue of the crew worker, a separate process because CrewAI is large and blocks."""

WORK = Priority(priority_key=3)
"""Priority of a phase's calls once its plan is approved; before, humans wait for them at the run's priority."""

FIRST_PAUSE, LONGEST_PAUSE = 1, 300
"""Seconds: a history is bounded, an outage is not."""

MOST_WAITS = 5
"""Waits that a provider may ask for before one call."""

_WAITS_FOR = ("the provider asks to wait", "a batch is waited for")

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result")


def _options(
    seconds: float, attempts: int, *, slowest: float = 30, heartbeat: float = 5
) -> ActivityConfig:
    """Return options: `attempts` 0 means without limit, `slowest` is the longest pause between two."""
    return ActivityConfig(
        start_to_close_timeout=timedelta(seconds=seconds),
        heartbeat_timeout=timedelta(seconds=heartbeat),
        retry_policy=RetryPolicy(
            initial_interval=timedelta(seconds=1),
            maximum_interval=timedelta(seconds=slowest),
            maximum_attempts=attempts,
        ),
        # A run ends only once its calls are really aborted: a cancel must stop the spending.
        cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    )


OPTIONS: dict[Callable[..., Any], ActivityConfig] = {
    RunActivities.open: _options(600, 0, slowest=5),
    RunActivities.record: _options(600, 0, slowest=2),
    RunActivities.edit: _options(60, 5),
    AlertActivities.deliver: _options(600, 0, heartbeat=10),
    ApprovalActivities.verify: _options(600, 5),
    StartupActivities.recall: _options(60, 3),
    StartupActivities.save: _options(60, 3),
    RecallActivities.similar: _options(60, 2),
    RecallActivities.load_report: _options(60, 3),
    StepCacheActivities.find: _options(60, 2),
    ScheduleProbe.find_previous: _options(60, 3),
    ScheduleProbe.compare_searches: _options(60, 3),
    ScheduleProbe.find_output: _options(60, 3),
    ModelGateway.call: _options(1_800, 6, heartbeat=3),
    ModelGateway.withdraw: _options(600, 5),
    ClaimActivities.verify: _options(300, 5, heartbeat=3),
    ClaimActivities.read_draft: _options(60, 3, heartbeat=3),
    ClaimActivities.judge: _options(1_800, 6, heartbeat=3),
    ClaimActivities.mend: _options(1_800, 6, heartbeat=3),
    GapActivities.find_passages: _options(60, 3, heartbeat=3),
    WebActivities.search: _options(60, 4, heartbeat=3),
    WebActivities.fetch: _options(120, 3, heartbeat=3),
    WebActivities.open_parts: _options(30, 3, heartbeat=3),
    ToolServerActivities.list_tools: _options(300, 3, heartbeat=3),
    ToolServerActivities.call: _options(120, 3, heartbeat=3),
    CompanyActivities.facts: _options(300, 3, heartbeat=3),  # of up to six companies
    CompanyActivities.past_prices: _options(60, 3, heartbeat=3),
    CompanyActivities.repeats: _options(60, 3, heartbeat=3),
    WorkbenchActivities.calculate: _options(20, 4, heartbeat=3),
    WorkbenchActivities.table: _options(20, 4, heartbeat=3),
    WorkbenchActivities.chart: _options(60, 3, heartbeat=3),
    WorkbenchActivities.chart_table: _options(60, 3, heartbeat=3),
    WebActivities.probe: _options(40, 2, heartbeat=3),
    ProviderTestActivities.test: _options(20, 1),
    RemovalActivities.sweep: _options(600, 5),
    IndexActivities.index: _options(600, 0),
    CollectionActivities.inspect: _options(60, 5, heartbeat=3),
    CrewActivities.work: {
        **_options(900, 3, heartbeat=10),
        "task_queue": CREW_QUEUE,
        "priority": Priority(priority_key=4),
    },
}
"""Timeouts and retries. Recovery from a dead worker takes one heartbeat timeout: 3 s for paid calls.

An attempt waits half of the first number for an unreachable store; mere writes may wait long, so that days
without PostgreSQL do not fill the history.
"""


async def execute_activity(
    method: Callable[[Any, Request], Awaitable[Result]],
    request: Request,
    *,
    during_outage: Callable[[], AbstractContextManager[None]] = nullcontext,
    **own: Unpack[ActivityConfig],
) -> Result:
    """Execute an activity; failures that are not its own start it again.

    Its options are `own` and those in `OPTIONS`. Outages of the store are waited out inside `during_outage`,
    and long waits requested by a provider a few times. A call of a stopped worker moves to another one;
    workers that died use up attempts only if none of them made progress. Raises the activity's failure.
    """
    options: ActivityConfig = {**own, **OPTIONS[method]}
    # Omit defaults, which the activity knows, because histories keep every input.
    sent: Any = request.model_dump(mode="json", exclude_defaults=True)
    pause, waits, starts, finished = FIRST_PAUSE, 0, 0, 0
    with ExitStack() as outage:
        while True:
            starts += 1
            if starts > 1:
                options["activity_id"] = (name := own.get("activity_id")) and f"{name}~{starts}"
                sent.get("scope", {})["starts"] = starts
            try:
                return await workflow.execute_activity_method(method, sent, **options)
            except ActivityError as error:
                raise_if_cancelled()  # it may have failed before it heard of the cancel
                reason = getattr(error.cause, "type", "")
                before, finished = finished, max(finished, _count_finished_calls(error))
                if reason == WorkerStopping.type() or finished > before:
                    continue
                if asked := _find_asked_wait(error):
                    is_batch = reason == BatchPending.type()
                    with during_outage():
                        await workflow.sleep(asked, summary=_WAITS_FOR[is_batch])
                    if (
                        waits := waits + (not is_batch)
                    ) == MOST_WAITS:  # the next attempt is the last
                        options["retry_policy"] = RetryPolicy(maximum_attempts=1)
                    continue
                if reason != StoreUnavailable.type():
                    raise
            if pause == FIRST_PAUSE:
                outage.enter_context(during_outage())
            await workflow.sleep(pause, summary="the store is unreachable")
            pause = min(2 * pause, LONGEST_PAUSE)


def _find_asked_wait(error: ActivityError) -> timedelta | None:
    """Return how long a provider asks to wait, where that is for the workflow to do."""
    is_over = error.retry_state == RetryState.NON_RETRYABLE_FAILURE
    return getattr(error.cause, "next_retry_delay", None) if is_over else None


def _count_finished_calls(error: ActivityError) -> int:
    """Return how many calls were finished when a worker died, as its last heartbeat says."""
    lost = error.cause
    return next(iter(lost.last_heartbeat_details), 0) if isinstance(lost, TimeoutError) else 0
