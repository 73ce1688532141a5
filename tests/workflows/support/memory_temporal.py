"""Temporal in the test's own process: the SDK's workflows, and a server of a few dictionaries.

It has what runs need of one: activities with retries, timeouts and cancellation, timers, signals, queries and
updates. Continue-as-new, heartbeat timeouts, replay and histories are the real servers'; a complete run
(`--all`) takes the dev server for all of it.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Self

from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.api.enums.v1 import RetryState, TimeoutType
from temporalio.api.failure.v1 import (
    ActivityFailureInfo,
    CanceledFailureInfo,
    Failure,
    TimeoutFailureInfo,
)
from temporalio.api.history.v1 import (
    HistoryEvent,
    WorkflowExecutionCanceledEventAttributes,
    WorkflowExecutionCompletedEventAttributes,
    WorkflowExecutionFailedEventAttributes,
    WorkflowExecutionStartedEventAttributes,
    WorkflowExecutionTerminatedEventAttributes,
)
from temporalio.api.update.v1 import Outcome
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse
from temporalio.bridge.proto import activity_result
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
    ActivityCancellationType,
    ScheduleActivity,
    WorkflowCommand,
)
from temporalio.client import (
    Client,
    Interceptor,
    OutboundInterceptor,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowHandle,
    WorkflowHistoryEventFilterType,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
    WorkflowUpdateHandle,
)
from temporalio.common import (
    Priority,
    QueryRejectCondition,
    RetryPolicy,
    TypedSearchAttributes,
    WorkflowIDReusePolicy,
)
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    UnsandboxedWorkflowRunner,
    Worker,
    WorkflowInstanceDetails,
    WorkflowInterceptorClassInput,
)
from temporalio.worker import Interceptor as WorkerInterceptor

CONVERTER = pydantic_data_converter


def build_worker(
    client: Client,
    queue: str,
    does: Sequence[Callable[..., Any]],
    interceptors: Sequence[WorkerInterceptor],
    workflows: Sequence[type] = (),
    **options: Any,
) -> "Worker | MemoryWorker":
    """Return a worker for a client's server; the options are a real one's."""
    if server := MemoryTemporal.of(client):
        return MemoryWorker(server, queue, does, interceptors, workflows)
    return Worker(
        client,
        build_id="tests",
        task_queue=queue,
        activities=does,
        interceptors=interceptors,
        workflows=workflows,
        **options,
    )


class MemoryTemporal(Interceptor):
    """The server: its runs by id, and the workers of each queue. It stands in a client as its interceptor."""

    client: Client

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.workers: list[MemoryWorker] = []
        self.changed = asyncio.Condition()

    @classmethod
    async def connect(cls) -> Client:
        """Return a client of a new server."""
        made = cls()
        made.client = await Client.connect(
            "127.0.0.1:1", lazy=True, interceptors=[made], data_converter=CONVERTER
        )
        return made.client

    @classmethod
    def of(cls, client: Client) -> Self | None:
        """Return the server of a client that is one's."""
        return next((i for i in client.config()["interceptors"] if isinstance(i, cls)), None)

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        return _Requests(next, self)

    def find(self, run_id: str) -> "Run":
        """Return a run; raises as the server does where there is none."""
        if run_id not in self.runs:
            raise RPCError(f"workflow not found for ID: {run_id}", RPCStatusCode.NOT_FOUND, b"")
        return self.runs[run_id]

    def find_open(self, run_id: str) -> "Run":
        """Return a run that has not ended."""
        if (run := self.find(run_id)).closed.done():
            message = "workflow execution already completed"
            raise RPCError(message, RPCStatusCode.NOT_FOUND, b"")
        return run

    async def worker_for(self, queue: str, activity_type: str = "") -> "MemoryWorker":
        """Wait for a worker of a queue that does an activity, or workflows."""

        def fit() -> "MemoryWorker | None":
            for worker in self.workers:
                own = activity_type in worker.activities if activity_type else worker.workflows
                if worker.queue == queue and own:
                    return worker
            return None

        async with self.changed:
            found = await self.changed.wait_for(fit)
            assert found
            return found


class _Requests(OutboundInterceptor):
    """What a client asks of the server."""

    def __init__(self, next: OutboundInterceptor, server: MemoryTemporal) -> None:
        super().__init__(next)
        self.server = server

    async def start_workflow(self, input: Any) -> WorkflowHandle[Any, Any]:
        known = self.server.runs.get(input.id)
        is_open = known and not known.closed.done()
        if known and is_open and input.start_signal:
            run = known
        elif is_open or (known and input.id_reuse_policy == WorkflowIDReusePolicy.REJECT_DUPLICATE):
            raise WorkflowAlreadyStartedError(input.id, input.workflow)
        else:
            arguments = await CONVERTER.encode(input.args)
            run = Run(self.server, input.id, input.workflow, input.task_queue, arguments)
            self.server.runs[input.id] = run
            run.starting = asyncio.create_task(run.start())
        if input.start_signal:
            run.push(signal_workflow=SignalWorkflow(signal_name=input.start_signal))
        return WorkflowHandle(
            self.server.client,
            input.id,
            result_run_id=run.execution,
            first_execution_run_id=run.execution,
            result_type=input.ret_type,
        )

    async def query_workflow(self, input: Any) -> Any:
        run = self.server.find(input.id)
        if input.reject_condition == QueryRejectCondition.NOT_OPEN and run.closed.done():
            raise WorkflowQueryRejectedError(run.status)
        await run.starting
        answer = run.query(input.query, await CONVERTER.encode(input.args))
        if answer.HasField("failed"):
            raise WorkflowQueryFailedError(answer.failed.message)
        hints = [input.ret_type] if input.ret_type else None
        [told] = await CONVERTER.decode([answer.succeeded.response], hints)
        return told

    async def signal_workflow(self, input: Any) -> None:
        run = self.server.find_open(input.id)
        sent = await CONVERTER.encode(input.args)
        run.push(signal_workflow=SignalWorkflow(signal_name=input.signal, input=sent))

    async def start_workflow_update(self, input: Any) -> WorkflowUpdateHandle[Any]:
        run = self.server.find_open(input.id)
        await run.starting
        name = str(uuid.uuid4())
        sent = await CONVERTER.encode(input.args)
        outcome = run.updates[name] = asyncio.get_running_loop().create_future()
        run.push(
            do_update=DoUpdate(
                id=name,
                protocol_instance_id=name,
                name=input.update,
                input=sent,
                run_validator=True,
            )
        )
        return WorkflowUpdateHandle(
            self.server.client,
            name,
            input.id,
            result_type=input.ret_type,
            known_outcome=await outcome,
        )

    async def cancel_workflow(self, input: Any) -> None:
        self.server.find_open(input.id).push(cancel_workflow=CancelWorkflow())

    async def terminate_workflow(self, input: Any) -> None:
        told = WorkflowExecutionTerminatedEventAttributes(reason=input.reason or "")
        run = self.server.find_open(input.id)
        run.close(HistoryEvent(workflow_execution_terminated_event_attributes=told))

    async def describe_workflow(self, input: Any) -> WorkflowExecutionDescription:
        run = self.server.find(input.id)
        told = DescribeWorkflowExecutionResponse()
        told.workflow_execution_info.execution.workflow_id = run.id
        told.workflow_execution_info.execution.run_id = run.execution
        told.workflow_execution_info.status = int(run.status)  # type: ignore[assignment]
        told.workflow_execution_info.history_length = run.length
        return await WorkflowExecutionDescription._from_raw_description(told, "default", CONVERTER)

    def fetch_workflow_history_events(self, input: Any) -> Any:
        """Return the event that closes a run, once it does, or its first; no further one is kept."""

        async def events() -> Any:
            run = self.server.find(input.id)
            if input.event_filter_type == WorkflowHistoryEventFilterType.CLOSE_EVENT:
                yield await asyncio.shield(run.closed)
                return
            given = Payloads(payloads=run.arguments)
            told = WorkflowExecutionStartedEventAttributes(input=given)
            yield HistoryEvent(workflow_execution_started_event_attributes=told)
            raise NotImplementedError

        return events()


@dataclass
class Run:
    """One execution: the workflow's instance, and what it waits for."""

    server: MemoryTemporal
    id: str
    type: str
    queue: str
    arguments: Sequence[Payload]
    execution: str = field(default_factory=lambda: str(uuid.uuid4()))
    updates: dict[str, "asyncio.Future[Outcome]"] = field(default_factory=dict)
    starting: "asyncio.Task[None]" = field(init=False)
    closed: "asyncio.Future[HistoryEvent]" = field(init=False)

    def __post_init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.closed = self._loop.create_future()
        self._jobs: list[WorkflowActivationJob] = []
        self._answers: dict[str, Any] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._activities: dict[int, _Work] = {}
        self.length = 0
        """The events of its history, more or less: a refused update and a query are none."""

    @property
    def status(self) -> WorkflowExecutionStatus:
        if not self.closed.done():
            return WorkflowExecutionStatus.RUNNING
        return _STATUS[str(self.closed.result().WhichOneof("attributes"))]

    async def start(self) -> None:
        """Begin once there is a worker."""
        worker = await self.server.worker_for(self.queue)
        self._instance = worker.instantiate(self)
        worker.runs.append(self)
        begun = InitializeWorkflow(
            workflow_type=self.type, workflow_id=self.id, arguments=self.arguments, attempt=1
        )
        self._jobs.insert(0, WorkflowActivationJob(initialize_workflow=begun))
        self._turn()

    def push(self, **job: Any) -> None:
        """Have the workflow hear of something in its next turn, with all else that happens until then."""
        self._jobs.append(WorkflowActivationJob(**job))
        if len(self._jobs) == 1 and self.starting.done():
            self._loop.call_soon(self._turn, context=Context())

    def query(self, name: str, arguments: Sequence[Payload]) -> Any:
        """Return the result of a query; what happened before it is heard of first."""
        self._turn()
        asked = QueryWorkflow(query_id="query", query_type=name, arguments=arguments)
        self._activate([WorkflowActivationJob(query_workflow=asked)])
        return self._answers.pop("query")

    def close(self, event: HistoryEvent) -> None:
        """End: nothing that is at work is waited for."""
        if self.closed.done():
            return
        self.closed.set_result(event)
        for timer in self._timers.values():
            timer.cancel()
        for work in self._activities.values():
            work.abandon()
        for outcome in self.updates.values():
            if not outcome.done():
                why = RPCError("workflow execution already completed", RPCStatusCode.NOT_FOUND, b"")
                outcome.set_exception(why)

    def evict(self) -> None:
        """Leave the worker: the workflow's tasks end here."""
        self.close(HistoryEvent())
        self._activate([WorkflowActivationJob(remove_from_cache=RemoveFromCache())])

    def resolve(self, seq: int, **result: Any) -> None:
        """Tell the workflow what came of an activity, once."""
        if self._activities.pop(seq, None) and not self.closed.done():
            resolution = activity_result.ActivityResolution(**result)
            self.push(resolve_activity=ResolveActivity(seq=seq, result=resolution))

    def _turn(self) -> None:
        jobs, self._jobs = self._jobs, []
        if jobs and not self.closed.done():
            self._activate(jobs)

    def _activate(self, jobs: list[WorkflowActivationJob]) -> None:
        self.length += sum(
            not (j.HasField("do_update") or j.HasField("query_workflow")) for j in jobs
        )
        told = WorkflowActivation(run_id=self.execution, jobs=jobs, history_length=self.length)
        told.timestamp.FromNanoseconds(time.time_ns())
        loop = asyncio._get_running_loop()
        try:
            done = Context().run(self._instance.activate, told)
        finally:
            asyncio._set_running_loop(loop)
        if done.HasField("failed"):
            told_why = WorkflowExecutionFailedEventAttributes(failure=done.failed.failure)
            self.close(HistoryEvent(workflow_execution_failed_event_attributes=told_why))
        for command in done.successful.commands:
            self._obey(command)

    def _obey(self, command: WorkflowCommand) -> None:
        name = command.WhichOneof("variant")
        given: Any = getattr(command, str(name))
        if name in _UNOBSERVED:
            return
        getattr(self, f"_{name}")(given)

    def _start_timer(self, given: Any) -> None:
        seconds = given.start_to_fire_timeout.ToTimedelta().total_seconds()
        fire = FireTimer(seq=given.seq)
        self._timers[given.seq] = self._loop.call_later(
            seconds, lambda: self.push(fire_timer=fire), context=Context()
        )

    def _cancel_timer(self, given: Any) -> None:
        self._timers.pop(given.seq).cancel()

    def _schedule_activity(self, given: ScheduleActivity) -> None:
        self._activities[given.seq] = _Work(self, given)

    def _request_cancel_activity(self, given: Any) -> None:
        if work := self._activities.get(given.seq):
            work.request_cancel()

    def _respond_to_query(self, given: Any) -> None:
        self._answers[given.query_id] = given

    def _update_response(self, given: Any) -> None:
        if given.HasField("accepted"):
            self.length += 1
            return
        outcome = Outcome(failure=given.rejected)
        if given.HasField("completed"):
            outcome = Outcome(success=Payloads(payloads=[given.completed]))
        self.updates.pop(given.protocol_instance_id).set_result(outcome)

    def _complete_workflow_execution(self, given: Any) -> None:
        result = Payloads(payloads=[given.result])
        told = WorkflowExecutionCompletedEventAttributes(result=result)
        self.close(HistoryEvent(workflow_execution_completed_event_attributes=told))

    def _fail_workflow_execution(self, given: Any) -> None:
        told = WorkflowExecutionFailedEventAttributes(failure=given.failure)
        self.close(HistoryEvent(workflow_execution_failed_event_attributes=told))

    def _cancel_workflow_execution(self, _: Any) -> None:
        told = WorkflowExecutionCanceledEventAttributes()
        self.close(HistoryEvent(workflow_execution_canceled_event_attributes=told))


_STATUS = {
    "workflow_execution_completed_event_attributes": WorkflowExecutionStatus.COMPLETED,
    "workflow_execution_failed_event_attributes": WorkflowExecutionStatus.FAILED,
    "workflow_execution_canceled_event_attributes": WorkflowExecutionStatus.CANCELED,
    "workflow_execution_terminated_event_attributes": WorkflowExecutionStatus.TERMINATED,
}
_UNOBSERVED = (
    "modify_workflow_properties",
    "upsert_workflow_search_attributes",
    "set_patch_marker",
)
"""Commands of which a run sees nothing: memo, search attributes and patches are the dev server's tests."""


class _Work:
    """An activity, in as many attempts as it takes."""

    def __init__(self, run: Run, given: ScheduleActivity) -> None:
        self._run, self._given = run, given
        self._attempt: ActivityEnvironment | None = None
        self._started = time.monotonic()
        self._task = asyncio.get_running_loop().create_task(self._do(), context=Context())

    def request_cancel(self) -> None:
        """Cancel the attempt at its next heartbeat, or what waits for one at once."""
        waits = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
        why = activity.ActivityCancellationDetails(cancel_requested=True)
        if attempt := self._attempt:
            attempt.on_heartbeat = lambda *_: attempt.cancel(why)
        else:
            self._task.cancel()
        if not attempt or self._given.cancellation_type != waits:
            self._resolve_cancelled()

    def abandon(self) -> None:
        """End: nobody waits for it."""
        if self._attempt:
            self._attempt.cancel(activity.ActivityCancellationDetails(not_found=True))
        else:
            self._task.cancel()

    def _resolve_cancelled(self) -> None:
        cause = Failure(message="cancelled", canceled_failure_info=CanceledFailureInfo())
        failure = self._wrap(cause, RetryState.RETRY_STATE_CANCEL_REQUESTED)
        cancelled = activity_result.Cancellation(failure=failure)
        self._run.resolve(self._given.seq, cancelled=cancelled)

    async def _do(self) -> None:
        worker = await self._run.server.worker_for(
            self._given.task_queue or self._run.queue, self._given.activity_type
        )
        policy, attempt = RetryPolicy.from_proto(self._given.retry_policy), 0
        pause = policy.initial_interval
        while True:
            attempt += 1
            result = await self._try(worker, policy, attempt)
            if not isinstance(result, Failure):
                self._run.resolve(self._given.seq, completed=activity_result.Success(result=result))
                return
            told = result.application_failure_info
            delay = (
                told.next_retry_delay.ToTimedelta() if told.HasField("next_retry_delay") else pause
            )
            if state := self._find_end(result, policy, attempt, delay):
                failed = activity_result.Failure(failure=self._wrap(result, state))
                self._run.resolve(self._given.seq, failed=failed)
                return
            await asyncio.sleep(delay.total_seconds())
            pause = min(pause * policy.backoff_coefficient, policy.maximum_interval or 100 * pause)

    def _find_end(
        self, failure: Failure, policy: RetryPolicy, attempt: int, delay: timedelta
    ) -> "RetryState.ValueType | None":
        """Return why there is no further attempt."""
        told = failure.application_failure_info
        if told.non_retryable or told.type in (policy.non_retryable_error_types or ()):
            return RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE
        if 0 < policy.maximum_attempts <= attempt:
            return RetryState.RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED
        if self._left() is not None and (self._left() or 0) <= delay.total_seconds():
            return RetryState.RETRY_STATE_TIMEOUT
        return None

    def _left(self) -> float | None:
        """Return the seconds until it must be closed."""
        most = self._given.schedule_to_close_timeout.ToTimedelta().total_seconds()
        return most - (time.monotonic() - self._started) if most else None

    async def _try(self, worker: "MemoryWorker", policy: RetryPolicy, n: int) -> Payload | Failure:
        given = self._given
        environment = self._attempt = ActivityEnvironment(self._run.server.client)
        environment.payload_converter = CONVERTER.payload_converter
        most = given.start_to_close_timeout.ToTimedelta()
        environment.info = replace(
            environment.info,
            activity_id=given.activity_id,
            activity_type=given.activity_type,
            attempt=n,
            heartbeat_timeout=given.heartbeat_timeout.ToTimedelta() or None,
            start_to_close_timeout=most or None,
            retry_policy=policy,
            workflow_id=self._run.id,
            workflow_run_id=self._run.execution,
            workflow_type=self._run.type,
            task_queue=worker.queue,
        )
        try:
            async with asyncio.timeout(most.total_seconds() or self._left()):
                return await worker.execute(environment, given)
        except TimeoutError:
            late = TimeoutFailureInfo(timeout_type=TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE)
            return Failure(message="activity StartToClose timeout", timeout_failure_info=late)
        except asyncio.CancelledError:
            self._resolve_cancelled()
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the workflow hears of it
            failure = Failure()
            CONVERTER.failure_converter.to_failure(error, CONVERTER.payload_converter, failure)
            return failure
        finally:
            self._attempt = None

    def _wrap(self, cause: Failure, state: "RetryState.ValueType") -> Failure:
        info = ActivityFailureInfo(activity_id=self._given.activity_id, retry_state=state)
        info.activity_type.name = self._given.activity_type
        return Failure(message="Activity task failed", cause=cause, activity_failure_info=info)


class _Innermost(ActivityInboundInterceptor):
    def __init__(self) -> None:
        """Nothing follows."""

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        return await input.fn(*input.args)


@dataclass
class MemoryWorker:
    """A worker of one queue, for as long as its block lasts."""

    server: MemoryTemporal
    queue: str
    does: Sequence[Callable[..., Any]]
    interceptors: Sequence[WorkerInterceptor]
    workflows: Sequence[type] = ()
    runs: list[Run] = field(default_factory=list)

    @cached_property
    def activities(self) -> dict[str, Callable[..., Any]]:
        return {str(activity._Definition.must_from_callable(fn).name): fn for fn in self.does}

    async def __aenter__(self) -> Self:
        async with self.server.changed:
            self.server.workers.append(self)
            self.server.changed.notify_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.workers.remove(self)
        for run in self.runs:
            run.evict()

    def instantiate(self, run: Run) -> Any:
        """Return the instance of a run's workflow."""
        defined = (workflow._Definition.must_from_class(each) for each in self.workflows)
        given = WorkflowInterceptorClassInput(unsafe_extern_functions={})
        classes = (each.workflow_interceptor_class(given) for each in self.interceptors)
        now = datetime.now(UTC)
        return UnsandboxedWorkflowRunner().create_instance(
            WorkflowInstanceDetails(
                payload_converter_factory=CONVERTER._new_payload_converter,
                failure_converter_class=CONVERTER.failure_converter_class,
                interceptor_classes=[each for each in classes if each],
                defn=next(each for each in defined if each.name == run.type),
                info=workflow.Info(
                    attempt=1,
                    continued_run_id=None,
                    cron_schedule=None,
                    execution_timeout=None,
                    first_execution_run_id=run.execution,
                    headers={},
                    namespace="default",
                    original_execution_run_id=run.execution,
                    parent=None,
                    root=None,
                    priority=Priority.default,
                    raw_memo={},
                    retry_policy=None,
                    run_id=run.execution,
                    run_timeout=None,
                    search_attributes={},
                    start_time=now,
                    task_queue=self.queue,
                    task_timeout=timedelta(seconds=10),
                    typed_search_attributes=TypedSearchAttributes.empty,
                    workflow_id=run.id,
                    workflow_start_time=now,
                    workflow_type=run.type,
                ),
                randomness_seed=1,
                extern_functions={},
                disable_eager_activity_execution=False,
                worker_level_failure_exception_types=[],
                patch_activation_callback=None,
                last_completion_result=Payloads(),
                last_failure=None,
            )
        )

    async def execute(self, environment: ActivityEnvironment, given: ScheduleActivity) -> Payload:
        """Do one attempt of an activity, behind the interceptors."""
        fn = self.activities[given.activity_type]
        types = activity._Definition.must_from_callable(fn).arg_types
        args = await CONVERTER.decode(given.arguments, types)
        inbound: ActivityInboundInterceptor = _Innermost()
        for each in reversed(self.interceptors):
            inbound = each.intercept_activity(inbound)
        asked = ExecuteActivityInput(fn=fn, args=args, executor=None, headers={})
        [result] = await CONVERTER.encode([await environment.run(inbound.execute_activity, asked)])
        return result
