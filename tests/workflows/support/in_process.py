"""Runs of `Research` without a server: the SDK's own workflow instance, its commands executed in this process.

A server, a worker's core and the traffic between them take two thirds of what a short run costs. With `--all` these tests run on
Temporal's dev server. By default those do that are about it: workers that come and go, histories, continuing as new.
"""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio import activity, client, workflow
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.api.enums.v1 import RetryState, TimeoutType
from temporalio.api.failure.v1 import (
    ActivityFailureInfo,
    CanceledFailureInfo,
    Failure,
    TimeoutFailureInfo,
)
from temporalio.api.history.v1 import (
    ActivityTaskCancelRequestedEventAttributes,
    ActivityTaskScheduledEventAttributes,
    HistoryEvent,
    WorkflowExecutionCanceledEventAttributes,
    WorkflowExecutionCompletedEventAttributes,
    WorkflowExecutionFailedEventAttributes,
    WorkflowExecutionTerminatedEventAttributes,
    WorkflowTaskFailedEventAttributes,
)
from temporalio.api.update.v1 import Outcome
from temporalio.bridge.proto.activity_result import ActivityResolution
from temporalio.bridge.proto.activity_result import Cancellation as ActivityCancellation
from temporalio.bridge.proto.activity_result import Failure as ActivityFailure
from temporalio.bridge.proto.activity_result import Success as ActivitySuccess
from temporalio.bridge.proto.workflow_activation import (
    CancelWorkflow,
    DoUpdate,
    FireTimer,
    InitializeWorkflow,
    QueryWorkflow,
    RemoveFromCache,
    ResolveActivity,
    SignalWorkflow,
    WorkflowActivation,
    WorkflowActivationJob,
)
from temporalio.bridge.proto.workflow_commands import (
    ScheduleActivity,
    StartTimer,
    UpdateResponse,
    WorkflowCommand,
)
from temporalio.common import Priority, TypedSearchAttributes
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    UnsandboxedWorkflowRunner,
    WorkflowInterceptorClassInput,
)
from temporalio.worker._workflow_instance import WorkflowInstanceDetails

from activities.heartbeat_interceptor import ActivityInterceptor
from workflows.message_parser import SafeMessages
from workflows.research import Research

CONVERTER = pydantic_data_converter
PAYLOADS, FAILURES = CONVERTER.payload_converter, CONVERTER.failure_converter
DEFINITION = workflow._Definition.must_from_class(Research)
INBOUND = SafeMessages().workflow_interceptor_class(WorkflowInterceptorClassInput({}))
NAMESPACE = "default"
WITHOUT_SERVER = "127.0.0.1:9"


async def make_client() -> client.Client:
    """Return a client that never connects: `InProcess` answers what it is asked."""
    return await client.Client.connect(WITHOUT_SERVER, lazy=True)


def is_in_process(of: client.Client) -> bool:
    return of.service_client.config.target_host == WITHOUT_SERVER


class _Activity(ActivityInboundInterceptor):
    """What executes an activity behind all interceptors."""

    def __init__(self) -> None:
        pass

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        return await input.fn(*input.args)


class Run:
    """One run at work: jobs are given to its instance, and the commands that it answers with are executed."""

    def __init__(
        self, run_id: str, queue: str, activities: dict[str, activity._Definition]
    ) -> None:
        self.id, self._queue, self._activities = run_id, queue, activities
        self._number = str(uuid.uuid4())
        self._jobs: list[WorkflowActivationJob] = []
        self.work: dict[int, asyncio.Task[None]] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._updates: dict[str, asyncio.Future[Outcome]] = {}
        self._queries: dict[str, asyncio.Future[Payload]] = {}
        self._inbound = ActivityInterceptor().intercept_activity(_Activity())
        self.history: list[HistoryEvent] = []
        self.ended: asyncio.Future[HistoryEvent] = asyncio.get_running_loop().create_future()
        now = datetime.now(UTC)
        info = workflow.Info(
            attempt=1,
            continued_run_id=None,
            cron_schedule=None,
            execution_timeout=None,
            first_execution_run_id=self._number,
            headers={},
            namespace=NAMESPACE,
            original_execution_run_id=self._number,
            parent=None,
            root=None,
            priority=Priority.default,
            raw_memo={},
            retry_policy=None,
            run_id=self._number,
            run_timeout=None,
            search_attributes={},
            start_time=now,
            workflow_start_time=now,
            task_queue=queue,
            task_timeout=timedelta(seconds=10),
            typed_search_attributes=TypedSearchAttributes.empty,
            workflow_id=run_id,
            workflow_type="Research",
        )
        details = WorkflowInstanceDetails(
            payload_converter_factory=CONVERTER._new_payload_converter,
            failure_converter_class=CONVERTER.failure_converter_class,
            interceptor_classes=[INBOUND],
            defn=DEFINITION,
            info=info,
            randomness_seed=uuid.uuid4().int & (2**63 - 1),
            extern_functions={},
            disable_eager_activity_execution=True,
            worker_level_failure_exception_types=[],
            patch_activation_callback=None,
            last_completion_result=Payloads(),
            last_failure=None,
        )
        runner = UnsandboxedWorkflowRunner()
        runner.prepare_workflow(DEFINITION)
        self._instance = runner.create_instance(details)

    def start(self, arguments: Sequence[Payload]) -> None:
        begun = InitializeWorkflow(
            workflow_type="Research", workflow_id=self.id, arguments=arguments, attempt=1
        )
        self._give(WorkflowActivationJob(initialize_workflow=begun))

    def signal(self, name: str, arguments: Sequence[Payload]) -> None:
        told = SignalWorkflow(signal_name=name, input=arguments)
        self._give(WorkflowActivationJob(signal_workflow=told))

    def cancel(self) -> None:
        self._give(WorkflowActivationJob(cancel_workflow=CancelWorkflow()))

    async def update(self, name: str, arguments: Sequence[Payload]) -> Outcome:
        number = str(uuid.uuid4())
        told = DoUpdate(
            id=number, protocol_instance_id=number, name=name, input=arguments, run_validator=True
        )
        told.meta.update_id = number
        self._updates[number] = asyncio.get_running_loop().create_future()
        self._give(WorkflowActivationJob(do_update=told))
        return await self._updates[number]

    async def query(self, name: str, arguments: Sequence[Payload]) -> Payload:
        number = str(uuid.uuid4())
        asked = QueryWorkflow(query_id=number, query_type=name, arguments=arguments)
        answer: asyncio.Future[Payload] = asyncio.get_running_loop().create_future()
        self._queries[number] = answer
        self._take_jobs()
        self._activate([WorkflowActivationJob(query_workflow=asked)])
        return await answer

    def end(self, event: HistoryEvent) -> None:
        """End the run; whatever goes on of it is stopped."""
        if not self.ended.done():
            self.history.append(event)
            self.ended.set_result(event)
        for timer in self._timers.values():
            timer.cancel()
        for task in self.work.values():
            task.cancel()
        for update in self._updates.values():
            if not update.done():
                update.set_exception(_not_found("workflow execution already completed"))

    def evict(self) -> None:
        """Have the instance end its tasks."""
        self._activate([WorkflowActivationJob(remove_from_cache=RemoveFromCache())])

    def _give(self, job: WorkflowActivationJob) -> None:
        """Have a job done with those that are given at the same time."""
        if self.ended.done():
            raise _not_found("workflow execution already completed")
        if not self._jobs:
            asyncio.get_running_loop().call_soon(self._take_jobs)
        self._jobs.append(job)

    def _take_jobs(self) -> None:
        jobs, self._jobs = self._jobs, []
        if jobs and not self.ended.done():
            self._activate(jobs)

    def _activate(self, jobs: list[WorkflowActivationJob]) -> None:
        given = WorkflowActivation(run_id=self._number, jobs=jobs, history_length=len(self.history))
        given.timestamp.FromDatetime(datetime.now(UTC))
        loop = asyncio.get_running_loop()
        try:
            completion = self._instance.activate(given)
        finally:
            asyncio._set_running_loop(loop)
        if completion.HasField("failed"):
            failure = completion.failed.failure
            failed = WorkflowTaskFailedEventAttributes(failure=failure)
            self.history.append(HistoryEvent(workflow_task_failed_event_attributes=failed))
            self.end(_failed(failure))  # a server would have the task done again for ever
        for command in completion.successful.commands:
            self._execute(command)

    def _execute(self, command: WorkflowCommand) -> None:
        kind = command.WhichOneof("variant")
        handler: Callable[[Any], None] | None = getattr(self, f"_{kind}", None)
        assert handler, f"{kind} needs a server"
        handler(getattr(command, str(kind)))

    def _set_patch_marker(self, _: Any) -> None:
        """Take the newer path, as code that no history of an older release is replayed by does."""

    def _schedule_activity(self, asked: ScheduleActivity) -> None:
        scheduled = ActivityTaskScheduledEventAttributes(activity_id=asked.activity_id)
        scheduled.activity_type.name = asked.activity_type
        self.history.append(HistoryEvent(activity_task_scheduled_event_attributes=scheduled))
        self.work[asked.seq] = asyncio.create_task(self._resolve(asked))

    def _request_cancel_activity(self, asked: Any) -> None:
        asked_for = ActivityTaskCancelRequestedEventAttributes()
        self.history.append(HistoryEvent(activity_task_cancel_requested_event_attributes=asked_for))
        if task := self.work.get(asked.seq):
            task.cancel()

    def _start_timer(self, asked: StartTimer) -> None:
        seconds = asked.start_to_fire_timeout.ToTimedelta().total_seconds()
        fired = WorkflowActivationJob(fire_timer=FireTimer(seq=asked.seq))
        loop = asyncio.get_running_loop()
        self._timers[asked.seq] = loop.call_later(seconds, self._fire, asked.seq, fired)

    def _fire(self, seq: int, fired: WorkflowActivationJob) -> None:
        if self._timers.pop(seq, None) and not self.ended.done():
            self._give(fired)

    def _cancel_timer(self, asked: Any) -> None:
        if timer := self._timers.pop(asked.seq, None):
            timer.cancel()

    def _update_response(self, told: UpdateResponse) -> None:
        answer, kind = self._updates[told.protocol_instance_id], told.WhichOneof("response")
        if kind == "completed":
            some = [told.completed] if told.completed.metadata else []
            answer.set_result(Outcome(success=Payloads(payloads=some)))
        elif kind == "rejected":
            answer.set_result(Outcome(failure=told.rejected))

    def _respond_to_query(self, told: Any) -> None:
        answer = self._queries.pop(told.query_id)
        if told.HasField("succeeded"):
            answer.set_result(told.succeeded.response)
        else:
            answer.set_exception(client.WorkflowQueryFailedError(told.failed.message))

    def _complete_workflow_execution(self, told: Any) -> None:
        result = Payloads(payloads=[told.result])
        attributes = WorkflowExecutionCompletedEventAttributes(result=result)
        self.end(HistoryEvent(workflow_execution_completed_event_attributes=attributes))

    def _fail_workflow_execution(self, told: Any) -> None:
        self.end(_failed(told.failure))

    def _cancel_workflow_execution(self, _: Any) -> None:
        attributes = WorkflowExecutionCanceledEventAttributes()
        self.end(HistoryEvent(workflow_execution_canceled_event_attributes=attributes))

    def _modify_workflow_properties(self, _: Any) -> None:
        """Leave the memo to the server."""

    def _upsert_workflow_search_attributes(self, _: Any) -> None:
        """Leave search attributes to the server."""

    async def _resolve(self, asked: ScheduleActivity) -> None:
        """Execute an activity, and tell the run what became of it."""
        try:
            done = await self._execute_activity(asked)
        except asyncio.CancelledError:
            failure = Failure(message="cancelled", canceled_failure_info=CanceledFailureInfo())
            wrapped = _wrap(asked, failure, RetryState.RETRY_STATE_CANCEL_REQUESTED)
            done = ActivityResolution(cancelled=ActivityCancellation(failure=wrapped))
        self.work.pop(asked.seq, None)
        if not self.ended.done():
            resolved = ResolveActivity(seq=asked.seq, result=done)
            self._give(WorkflowActivationJob(resolve_activity=resolved))

    async def _execute_activity(self, asked: ScheduleActivity) -> ActivityResolution:
        """Attempt an activity as often as its policy says."""
        policy, attempt = asked.retry_policy, 1
        first = policy.initial_interval.ToTimedelta().total_seconds()
        longest = policy.maximum_interval.ToTimedelta().total_seconds() or 100 * first
        while True:
            result, failure, error = await self._attempt(asked, attempt)
            if error is None:
                return ActivityResolution(completed=ActivitySuccess(result=result))
            own = error if isinstance(error, ApplicationError) else None
            refused = policy.non_retryable_error_types
            state = None
            if own and (own.non_retryable or own.type in refused):
                state = RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE
            elif attempt == policy.maximum_attempts:
                state = RetryState.RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED
            if state is not None:
                failed = ActivityFailure(failure=_wrap(asked, failure, state))
                return ActivityResolution(failed=failed)
            pause = min(first * (policy.backoff_coefficient or 2) ** (attempt - 1), longest)
            if own and own.next_retry_delay is not None:
                pause = own.next_retry_delay.total_seconds()
            await asyncio.sleep(pause)
            attempt += 1

    async def _attempt(
        self, asked: ScheduleActivity, attempt: int
    ) -> tuple[Payload | None, Failure, Exception | None]:
        """Return an attempt's result, or its failure and the error."""
        known = self._activities[asked.activity_type]
        environment = ActivityEnvironment()
        now = datetime.now(UTC)
        limit = asked.start_to_close_timeout.ToTimedelta()
        environment.info = replace(
            environment.info,
            activity_id=asked.activity_id,
            activity_type=asked.activity_type,
            attempt=attempt,
            current_attempt_scheduled_time=now,
            started_time=now,
            heartbeat_timeout=asked.heartbeat_timeout.ToTimedelta() or None,
            start_to_close_timeout=limit,
            task_queue=asked.task_queue,
            workflow_id=self.id,
            workflow_run_id=self._number,
        )
        failure = Failure()
        try:
            args = PAYLOADS.from_payloads(asked.arguments, known.arg_types)
            given = ExecuteActivityInput(fn=known.fn, args=args, executor=None, headers={})
            doing = environment.run(self._inbound.execute_activity, given)
            result = await asyncio.wait_for(doing, limit.total_seconds() or None)
            return PAYLOADS.to_payloads([result])[0], failure, None
        except TimeoutError as error:
            failure.message = "activity timed out"
            late = TimeoutFailureInfo(timeout_type=TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE)
            failure.timeout_failure_info.CopyFrom(late)
            return None, failure, error
        except Exception as error:  # noqa: BLE001 - whatever an activity raises is its failure
            FAILURES.to_failure(error, PAYLOADS, failure)
            return None, failure, error


def _wrap(asked: ScheduleActivity, cause: Failure, state: RetryState.ValueType) -> Failure:
    info = ActivityFailureInfo(activity_id=asked.activity_id, retry_state=state)
    info.activity_type.name = asked.activity_type
    return Failure(message="Activity task failed", activity_failure_info=info, cause=cause)


def _failed(failure: Failure) -> HistoryEvent:
    attributes = WorkflowExecutionFailedEventAttributes(failure=failure)
    return HistoryEvent(workflow_execution_failed_event_attributes=attributes)


def _not_found(told: str) -> RPCError:
    return RPCError(told, RPCStatusCode.NOT_FOUND, b"")


class InProcess(client.Interceptor):
    """Interceptor of a client that runs workflows here; `activities` are those of all task queues."""

    def __init__(self, queue: str, activities: Sequence[Callable[..., Any]]) -> None:
        known = [activity._Definition.must_from_callable(each) for each in activities]
        self._activities = {str(each.name): each for each in known}
        self._queue = queue
        self.runs: dict[str, Run] = {}

    def intercept_client(self, next: client.OutboundInterceptor) -> client.OutboundInterceptor:
        return _Outbound(next, self)

    def open(self, run_id: str) -> Run:
        run = self.runs[run_id] = Run(run_id, self._queue, self._activities)
        return run

    async def close(self) -> None:
        """End what still runs, and evict all runs as a worker does when it stops."""
        left = [task for run in self.runs.values() for task in run.work.values()]
        for run in self.runs.values():
            run.end(HistoryEvent())
            run.evict()
        await asyncio.gather(*left, return_exceptions=True)


class _Outbound(client.OutboundInterceptor):
    def __init__(self, following: client.OutboundInterceptor, here: InProcess) -> None:
        super().__init__(following)
        self._here, self._client = here, following._client  # type: ignore[attr-defined]

    def _find(self, run_id: str) -> Run:
        if run_id not in self._here.runs:
            raise _not_found("workflow not found")
        return self._here.runs[run_id]

    async def start_workflow(
        self, input: client.StartWorkflowInput
    ) -> client.WorkflowHandle[Any, Any]:
        self._here.open(input.id).start(PAYLOADS.to_payloads(input.args))
        return client.WorkflowHandle(self._client, input.id, result_type=input.ret_type)

    async def signal_workflow(self, input: client.SignalWorkflowInput) -> None:
        self._find(input.id).signal(input.signal, PAYLOADS.to_payloads(input.args))

    async def cancel_workflow(self, input: client.CancelWorkflowInput) -> None:
        self._find(input.id).cancel()

    async def terminate_workflow(self, input: client.TerminateWorkflowInput) -> None:
        attributes = WorkflowExecutionTerminatedEventAttributes(reason=input.reason or "")
        run = self._find(input.id)
        run.end(HistoryEvent(workflow_execution_terminated_event_attributes=attributes))

    async def query_workflow(self, input: client.QueryWorkflowInput) -> Any:
        run = self._find(input.id)
        answer = await run.query(input.query, PAYLOADS.to_payloads(input.args))
        hints = [input.ret_type] if input.ret_type else None
        return PAYLOADS.from_payloads([answer], hints)[0]

    async def start_workflow_update(
        self, input: client.StartWorkflowUpdateInput
    ) -> client.WorkflowUpdateHandle[Any]:
        run = self._find(input.id)
        outcome = await run.update(input.update, PAYLOADS.to_payloads(input.args))
        return client.WorkflowUpdateHandle(
            self._client, "", input.id, result_type=input.ret_type, known_outcome=outcome
        )

    def fetch_workflow_history_events(
        self, input: client.FetchWorkflowHistoryEventsInput
    ) -> client.WorkflowHistoryEventAsyncIterator:
        return _Last(self._client, input, self._find(input.id))


class _Last(client.WorkflowHistoryEventAsyncIterator):
    """Yields the last event of a run once it has ended, or those so far that tests look for."""

    def __init__(self, of: client.Client, input: Any, run: Run) -> None:
        super().__init__(of, input)
        self._run = run

    async def fetch_next_page(self, *, page_size: int | None = None) -> None:
        last = await asyncio.shield(self._run.ended) if self._input.wait_new_event else None
        self._current_page = [last] if last else [*self._run.history]
        self._current_page_index, self._next_page_token = 0, None
