"""Client of runs: starts, messages, queries and deletes them, through Temporal."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, NamedTuple, cast

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import TaskQueueType, WorkflowExecutionStatus
from temporalio.api.history.v1 import WorkflowExecutionStartedEventAttributes
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import (
    DeleteWorkflowExecutionRequest,
    DescribeTaskQueueRequest,
)
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import (
    QueryRejectCondition,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)
from temporalio.exceptions import ApplicationError, TemporalError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from contracts.base import Contract
from contracts.errors import (
    Conflict,
    EngineUnavailable,
    ErrorInfo,
    GreenlightError,
    InvalidInput,
    NotAllowed,
    StalePlan,
)
from contracts.notices import Notice
from contracts.runs.start import RunInput
from contracts.runs.state_view import StateView
from contracts.runs.statuses import RunStatus
from temporal.executions import describe_execution, find_pause, list_executions
from temporal.task_queues.priorities import build_priority
from temporal.task_queues.worker_versioning import find_worker_lack

COMMAND_SECONDS = 5.0
COMMAND_TIMEOUT = timedelta(seconds=COMMAND_SECONDS)
QUERY_SECONDS = 2.0

CLOSED: dict[WorkflowExecutionStatus.ValueType, RunStatus] = {
    WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED: "failed",
    WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TIMED_OUT: "failed",
    WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED: "cancelled",
    WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED: "cancelled",
}


class OutsideChange(NamedTuple):
    """A change that an operator made to a run in Temporal itself."""

    closed_as: RunStatus | None = None
    """The status of a run that Temporal closed before the run could close itself."""
    pause: Notice | None = None
    """The notice that an operator paused the run, with the reason and how to resume it."""


class StartedRun(NamedTuple):
    """A started run: its input, and its first state if a worker answered in time."""

    input: RunInput
    state: StateView | None = None


class RunClient:
    """Starts and addresses runs; raises EngineUnavailable whenever Temporal cannot be reached."""

    def __init__(self, client: Client, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def start(self, run_id: str, start: RunInput) -> StartedRun:
        """Start a run; idempotent by `run_id`. Return its input and its first state.

        The input is that of the first start under this id. The state is None if the run was started
        before, or if no worker answers within 2 s.
        """
        options: dict[str, Any] = {
            "id": run_id,
            "task_queue": self._task_queue,
            # how soon Temporal retries the task of a worker that died; the default is 10 s
            "task_timeout": timedelta(seconds=5),
            "id_reuse_policy": WorkflowIDReusePolicy.REJECT_DUPLICATE,
            "priority": build_priority(start.tenant_id, start.user_id),
            "static_summary": start.query[:200],
        }
        with _translate_errors():
            try:
                if state := await self._start_and_open(start, options):
                    return StartedRun(start, state)
                async with asyncio.timeout(COMMAND_SECONDS):
                    await self._client.start_workflow(
                        "Research", start, rpc_timeout=COMMAND_TIMEOUT, **options
                    )
            except WorkflowAlreadyStartedError:
                first = await self._read_input(run_id)
                return StartedRun(start if first == start else first)
            return StartedRun(start)

    async def _start_and_open(self, start: RunInput, options: dict[str, Any]) -> StateView | None:
        """Start a run and return its first state, in one request.

        Return None if there was no answer in time: the run may have been started.
        """
        operation: WithStartWorkflowOperation[Any, Any] = WithStartWorkflowOperation(
            "Research", start, id_conflict_policy=WorkflowIDConflictPolicy.FAIL, **options
        )
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                state = await self._client.execute_update_with_start_workflow(
                    "opened",
                    start_workflow_operation=operation,
                    result_type=dict,
                    rpc_timeout=timedelta(seconds=QUERY_SECONDS),
                )
                return StateView.read_record(state)
        except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError, WorkflowUpdateFailedError):
            return None
        except RPCError as error:
            if error.status in _UNDECIDED:
                return None
            raise
        finally:
            _consume(operation)

    async def _read_input(self, run_id: str) -> RunInput:
        """Return the input of a run, from the first event of its history."""
        started = await self._read_start(run_id)
        [start] = await self._client.data_converter.decode(started.input.payloads, [RunInput])
        return cast(RunInput, start)

    async def _read_start(
        self, run_id: str, execution: str | None = None
    ) -> WorkflowExecutionStartedEventAttributes:
        """Return the first event of a history: the newest execution's unless one is named."""
        handle = self._client.get_workflow_handle(run_id, run_id=execution)
        first = await anext(handle.fetch_history_events(page_size=1, rpc_timeout=COMMAND_TIMEOUT))
        return first.workflow_execution_started_event_attributes

    async def send(self, run_id: str, message: str, body: Contract) -> StateView | None:
        """Send a message to a run as an update, and return the run's state after it.

        If no worker answers, or an operator paused the run, send it as the signal of the same name and
        return None.

        Raises:
            Conflict, StalePlan, InvalidInput, NotAllowed: The run refused the message, or has ended.
        """
        handle = self._client.get_workflow_handle(run_id)
        with _translate_errors():
            try:
                async with asyncio.timeout(COMMAND_SECONDS):
                    state = await handle.execute_update(
                        message, body, result_type=dict, rpc_timeout=COMMAND_TIMEOUT
                    )
                    return StateView.read_record(state)
            except WorkflowUpdateFailedError as failed:
                raise _translate_refusal(failed.cause) from failed
            except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
                pass
            except RPCError as error:  # a paused run takes no updates, and keeps signals
                if error.status is not RPCStatusCode.FAILED_PRECONDITION:
                    raise
            await handle.signal(message, body, rpc_timeout=COMMAND_TIMEOUT)
            return None

    async def get_state(self, run_id: str) -> StateView | None:
        """Query a run's state; return None if no worker answers within 2 s, or an operator paused the run."""
        handle = self._client.get_workflow_handle(run_id)
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                found = await handle.query(
                    "state",
                    result_type=dict,
                    reject_condition=QueryRejectCondition.NOT_OPEN,
                    rpc_timeout=timedelta(seconds=QUERY_SECONDS),
                )
                return StateView.read_record(found)
        except (TimeoutError, TemporalError, RuntimeError, GreenlightError, ValueError):
            return None  # ValueError: not of our type, or the SDK's of a run that is paused

    async def find_outside_change(self, run_id: str) -> OutsideChange:
        """Return what an operator did to a run in Temporal; empty if Temporal does not answer within 2 s."""
        within = timedelta(seconds=QUERY_SECONDS)
        try:
            async with asyncio.timeout(QUERY_SECONDS):
                found = await describe_execution(self._client, run_id, within)
        except (TimeoutError, TemporalError, RuntimeError):
            return OutsideChange()
        if pause := find_pause(found):
            reason = pause.reason or None
            return OutsideChange(pause=Notice.of("run-paused-by-operator", reason=reason))
        return OutsideChange(closed_as=CLOSED.get(found.workflow_execution_info.status))

    async def has(self, run_id: str) -> bool:
        """Return whether Temporal has an open or closed execution of a run."""
        return await self._find_newest(run_id) is not None

    async def delete(self, run_id: str) -> bool:
        """Delete all executions of a run, including those it continued from; idempotent.

        Returns False while Temporal is still deleting: up to a minute for one that has just closed.

        Raises:
            EngineUnavailable: Temporal is unreachable; some executions may already be deleted.
        """
        chain: list[str] = []
        execution = await self._find_newest(run_id)
        while execution:
            chain.append(execution)
            before, execution = execution, ""
            with _translate_errors(gone_ok=True):
                execution = (await self._read_start(run_id, before)).continued_execution_run_id
        others: list[str] = []  # outside the chain, e.g. one that was reset
        with _translate_errors(gone_ok=True):
            listed = await list_executions(self._client, run_id, COMMAND_TIMEOUT)
            others = [each for each in listed if each not in chain]
        # Oldest first: after an interruption, only the newest leads to the rest.
        for execution in [*others, *reversed(chain)]:
            request = DeleteWorkflowExecutionRequest(
                namespace=self._client.namespace,
                workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=execution),
            )
            with _translate_errors(gone_ok=True):
                await self._client.workflow_service.delete_workflow_execution(
                    request, timeout=COMMAND_TIMEOUT
                )
        return not await self.has(run_id)

    async def _find_newest(self, run_id: str) -> str | None:
        with _translate_errors(gone_ok=True):
            found = await describe_execution(self._client, run_id, COMMAND_TIMEOUT)
            return found.workflow_execution_info.execution.run_id
        return None

    async def check(self) -> None:
        """Raise EngineUnavailable unless Temporal answers."""
        with _translate_errors():
            await self._client.service_client.check_health(timeout=timedelta(seconds=QUERY_SECONDS))

    async def check_worker(self) -> None:
        """Raise EngineUnavailable unless a worker of the current version waits for work."""
        request = DescribeTaskQueueRequest(
            namespace=self._client.namespace,
            task_queue=TaskQueue(name=self._task_queue),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        )
        with _translate_errors():
            queue = await self._client.workflow_service.describe_task_queue(
                request, timeout=timedelta(seconds=QUERY_SECONDS)
            )
        if lack := find_worker_lack(queue):
            raise EngineUnavailable(lack)


def _translate_refusal(cause: BaseException | None) -> GreenlightError:
    """Return what a run's refusal of a message means to the caller."""
    if not isinstance(cause, ApplicationError):
        return Conflict(Notice.of("engine-said", reason=str(cause)))
    known = {error.type(): error for error in (Conflict, StalePlan, InvalidInput, NotAllowed)}
    refusal = known.get(cause.type or "", Conflict)
    if len(cause.details) < 2:
        return refusal(Notice.of("engine-said", reason=cause.message))
    told = ErrorInfo.model_validate(cause.details[1])
    return refusal(told.problems or told.words)


_UNDECIDED = frozenset(
    {RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.NOT_FOUND, RPCStatusCode.ALREADY_EXISTS}
)
"""Errors of an update-with-start that leave open whether this call started the run; the last one is a race of two starts."""


def _consume(operation: WithStartWorkflowOperation[Any, Any]) -> None:
    """Retrieve the operation's exception in the background; asyncio would log it as never retrieved."""

    async def look() -> None:
        with suppress(Exception):
            async with asyncio.timeout(COMMAND_SECONDS):
                await operation.workflow_handle()

    looking = asyncio.create_task(look())
    _looking.add(looking)
    looking.add_done_callback(_looking.discard)


_looking: set[asyncio.Task[None]] = set()
"""References to running tasks, which could be garbage-collected otherwise."""


@contextmanager
def _translate_errors(*, gone_ok: bool = False) -> Iterator[None]:
    """Translate Temporal's errors into ours; with `gone_ok`, ignore that the run does not exist."""
    try:
        yield
    except TimeoutError:
        raise EngineUnavailable(Notice.of("engine-late")) from None
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise EngineUnavailable(Notice.of("engine-said", reason=error.message)) from error
        if not gone_ok:
            raise Conflict(Notice.of("run-takes-no-messages")) from error
    except RuntimeError as error:  # raised by a lazy client that cannot connect
        raise EngineUnavailable(Notice.of("engine-away")) from error
