"""What every activity gets: heartbeats, one translation of errors, patience with the store."""

import asyncio
import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity, workflow
from temporalio.activity import ActivityCancellationDetails
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, ApplicationErrorCategory
from temporalio.testing import ActivityEnvironment
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    UnsandboxedWorkflowRunner,
    Worker,
)

from activities.heartbeat_interceptor import ActivityInterceptor, note_finished_call
from contracts.errors import InvalidInput, ModelBusy, StoreUnavailable
from contracts.notices import Notice

Activity = Callable[[], Awaitable[Any]]


class Innermost(ActivityInboundInterceptor):
    """Where the SDK calls the activity itself."""

    def __init__(self) -> None: ...

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        return await input.fn(*input.args)


async def run(
    fn: Activity, heartbeat: float | None = None, environment: ActivityEnvironment | None = None
) -> tuple[Any, list[float]]:
    """Run an activity of at most one second behind the interceptor; return its result and the times of heartbeats."""
    environment, beats = environment or ActivityEnvironment(), list[float]()
    environment.info = dataclasses.replace(
        environment.info,
        start_to_close_timeout=timedelta(seconds=1),
        heartbeat_timeout=timedelta(seconds=heartbeat) if heartbeat else None,
    )
    environment.on_heartbeat = lambda *_: beats.append(asyncio.get_running_loop().time())
    inbound = ActivityInterceptor().intercept_activity(Innermost())
    input = ExecuteActivityInput(fn=fn, args=(), executor=None, headers={})
    return await environment.run(inbound.execute_activity, input), beats


class SkippedTime(asyncio.SelectorEventLoop):
    """A loop that waits for nothing: where it would, its clock is at the next timer at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        selector: Any = self._selector  # type: ignore[attr-defined]
        poll = selector.select

        def skip(timeout: float | None) -> Any:
            self.now += timeout or 0
            return poll(0)

        selector.select = skip

    def time(self) -> float:
        return self.now


def test_heartbeats_start_after_a_quarter_of_the_timeout() -> None:
    with asyncio.Runner(loop_factory=SkippedTime) as runner:
        _, beats = runner.run(run(lambda: asyncio.sleep(35), heartbeat=4))
        assert beats == pytest.approx(range(1, 35), abs=0.01), "then at least each second"
        before = runner.get_loop().time()
        _, beats = runner.run(run(lambda: asyncio.sleep(0.35), heartbeat=0.4))
        assert [beat - before for beat in beats] == pytest.approx([0.1, 0.2, 0.3], abs=0.01)


def test_heartbeats_count_the_calls_that_are_finished() -> None:
    async def calling() -> None:
        for _ in range(2):
            await asyncio.sleep(0.15)
            note_finished_call()
        await asyncio.sleep(0.25)

    environment, told = ActivityEnvironment(), list[tuple[int, ...]]()
    environment.info = dataclasses.replace(
        environment.info, heartbeat_timeout=timedelta(seconds=0.4)
    )
    environment.on_heartbeat = lambda *details: told.append(details)
    inbound = ActivityInterceptor().intercept_activity(Innermost())
    input = ExecuteActivityInput(fn=calling, args=(), executor=None, headers={})
    with asyncio.Runner(loop_factory=SkippedTime) as runner:
        runner.run(environment.run(inbound.execute_activity, input))
    assert told == [(0,), (1,), (2,), (2,), (2,)]


async def interrupt(**why: bool) -> BaseException:
    """Return the exception of an activity that is cancelled during its call."""
    environment = ActivityEnvironment()

    async def interrupted() -> None:
        environment.cancel(cancellation_details=ActivityCancellationDetails(**why))
        await asyncio.sleep(5)

    with pytest.raises(BaseException) as ended:
        await run(interrupted, environment=environment)
    return ended.value


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ({"worker_shutdown": True}, "worker-stopping"),
        ({"worker_shutdown": True, "cancel_requested": True}, ""),
        ({"cancel_requested": True}, ""),
    ],
)
async def test_call_that_its_worker_gave_up_is_started_anew(
    why: dict[str, bool], reason: str
) -> None:
    """Not retryable: the workflow does it, so that no attempt is used up."""
    ended = await interrupt(**why)
    if reason:
        assert isinstance(ended, ApplicationError)
        assert (ended.type, ended.non_retryable) == (reason, True)
    else:
        assert isinstance(ended, asyncio.CancelledError)


@pytest.mark.parametrize("why", ["not_found", "timed_out"])
async def test_attempt_that_the_server_gave_up_leaves_no_traceback(why: str) -> None:
    """The SDK logs every failure with its traceback but a benign one."""
    ended = await interrupt(**{why: True})
    assert isinstance(ended, ApplicationError)
    assert ended.category is ApplicationErrorCategory.BENIGN


async def test_short_activity_sends_no_heartbeat() -> None:
    async def short() -> None: ...

    assert (await run(short, heartbeat=0.4))[1] == []


async def fail_with(error: Exception) -> ApplicationError:
    async def failing() -> None:
        raise error

    with pytest.raises(ApplicationError) as failed:
        await run(failing)
    return failed.value


async def test_permanent_error_is_not_retryable_and_keeps_its_type() -> None:
    failure = await fail_with(InvalidInput(Notice.of("no-report")))
    assert (failure.type, failure.message) == ("invalid-input", Notice.of("no-report").text)
    assert failure.non_retryable
    assert failure.__cause__ is None


async def test_transient_error_is_retried_after_its_delay() -> None:
    """The wait asked for and up to a fifth more."""
    failure = await fail_with(ModelBusy(Notice.of("model-late"), retry_after=10))
    assert (failure.type, failure.non_retryable) == ("model-busy", False)
    assert failure.next_retry_delay
    assert 10 <= failure.next_retry_delay.total_seconds() <= 12
    assert (await fail_with(ModelBusy(Notice.of("model-late")))).next_retry_delay is None


async def test_a_long_wait_is_the_workflows() -> None:
    """The workflow waits instead, and the phase's timer is paused meanwhile."""
    failure = await fail_with(ModelBusy(Notice.of("model-late"), retry_after=120))
    assert failure.non_retryable
    assert failure.next_retry_delay
    assert failure.next_retry_delay.total_seconds() >= 120


async def test_foreign_error_passes_unchanged() -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run(broken)


async def test_unreachable_store_is_retried_until_it_answers() -> None:
    back = time.monotonic() + 0.3

    async def needing() -> str:
        if time.monotonic() < back:
            raise StoreUnavailable(Notice.of("blob-unread", reason="away"))
        return "done"

    assert (await run(needing))[0] == "done"


async def test_store_unreachable_for_half_the_timeout_ends_the_activity() -> None:
    started = time.monotonic()
    failure = await fail_with(StoreUnavailable(Notice.of("blob-unread", reason="away")))
    assert time.monotonic() - started < 0.6
    assert (failure.type, failure.non_retryable) == ("store-unavailable", True)


class Shaky:
    """Busy twice, then done."""

    def __init__(self) -> None:
        self.started: list[float] = []

    @activity.defn(name="shaky")
    async def shaky(self) -> str:
        self.started.append(time.monotonic())
        if len(self.started) < 3:
            raise ModelBusy(Notice.of("model-late"), retry_after=0.2)
        return "done"

    @activity.defn(name="hopeless")
    async def hopeless(self) -> str:
        self.started.append(time.monotonic())
        raise InvalidInput(Notice.of("no-report"))


@workflow.defn
class Calls:
    """Calls one activity by name."""

    @workflow.run
    async def run(self, name: str) -> str:
        result: str = await workflow.execute_activity(
            name,
            start_to_close_timeout=timedelta(seconds=5),
            retry_policy=RetryPolicy(initial_interval=timedelta(seconds=30), maximum_attempts=3),
        )
        return result


@pytest.mark.full
async def test_temporal_retries_transient_errors(
    temporal: Client, task_queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The delay asked for wins over the policy's 30 s; a permanent error is tried once.

    Each failure is a line in the log, without a traceback.
    """
    shaky, hopeless = Shaky(), Shaky()
    worker = Worker(
        temporal,
        task_queue=task_queue,
        workflows=[Calls],
        activities=[shaky.shaky, hopeless.hopeless],
        interceptors=[ActivityInterceptor()],
        workflow_runner=UnsandboxedWorkflowRunner(),
    )
    async with worker:
        start = temporal.execute_workflow
        assert (
            await start(Calls.run, "shaky", id=f"a-{task_queue}", task_queue=task_queue) == "done"
        )
        assert shaky.started[2] - shaky.started[0] < 5
        with pytest.raises(WorkflowFailureError) as failed:
            await start(Calls.run, "hopeless", id=f"b-{task_queue}", task_queue=task_queue)
    assert isinstance(failed.value.cause, ActivityError)
    assert isinstance(failed.value.cause.cause, ApplicationError)
    assert failed.value.cause.cause.type == "invalid-input"
    assert len(hopeless.started) == 1
    said = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [r.getMessage().partition(": ")[2] for r in said] == [
        *[f"model-busy: {Notice.of('model-late').text}"] * 2,
        f"invalid-input: {Notice.of('no-report').text}",
    ]
    assert not any(record.exc_info for record in said)
