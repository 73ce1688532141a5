"""Activity interceptor: heartbeats, and waiting out an unreachable store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from activities.temporal_failures import to_application_error
from contracts.errors import (
    GreenlightError,
    StoreUnavailable,
    WorkerStopping,
)
from contracts.models.call import Scope
from contracts.notices import Notice
from temporal.telemetry.logs import current_step
from temporal.telemetry.prometheus_metrics import QUEUE_SECONDS

STORE_WAIT_SECONDS = 5.0
"""How long a phase's call waits for an unreachable store before the workflow waits, with the timer paused."""
_FIRST_BACKOFF_SECONDS = 0.1
_MAX_BACKOFF_SECONDS = 2.0
_MAX_HEARTBEAT_SECONDS = 1.0
_GIVEN_UP = "the server gave this attempt up"
_DEFAULT_TIMEOUT = timedelta(seconds=60)


@dataclass
class _Progress:
    calls: int = 0


_progress: ContextVar[_Progress] = ContextVar("_progress")


def note_finished_call() -> None:
    """Count a journaled call of this activity; a worker's death after it uses up no attempt."""
    if progress := _progress.get(None):
        progress.calls += 1


class ActivityInterceptor(Interceptor):
    """Wraps every activity of a worker."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Put this interceptor in front of the next one."""
        return _ActivityInbound(next)


class _ActivityInbound(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        scope = next(filter(None, (_find_scope(arg) for arg in input.args)), None)
        if scope:
            current_step.set(scope.phase_id)  # a plan's step is named in the words of its question
        info = activity.info()
        waited = info.started_time - info.current_attempt_scheduled_time
        QUEUE_SECONDS.labels(info.task_queue).observe(max(waited.total_seconds(), 0))
        async with _heartbeat():
            try:
                return await self._retry_unreachable_store(input)
            except GreenlightError as error:
                failure = to_application_error(error)
            except asyncio.CancelledError:
                why = activity.cancellation_details()
                if why is None or why.cancel_requested:
                    raise
                if why.worker_shutdown:
                    stopping = WorkerStopping(Notice.of("worker-stopped"))
                    failure = to_application_error(stopping)
                else:  # the SDK would log a traceback for a result nobody awaits
                    failure = ApplicationError(_GIVEN_UP, category=ApplicationErrorCategory.BENIGN)
        # Raised outside the handler, so that no client's exception is attached as its cause.
        raise failure

    async def _retry_unreachable_store(self, input: ExecuteActivityInput) -> Any:
        """Retry the activity while the store is unreachable, for up to half of start-to-close.

        A phase's call, which has a scope, only waits briefly and leaves the rest to the workflow.
        """
        loop = asyncio.get_running_loop()
        timeout = activity.info().start_to_close_timeout or _DEFAULT_TIMEOUT
        patience = timeout.total_seconds() / 2
        if any(map(_find_scope, input.args)):
            patience = min(patience, STORE_WAIT_SECONDS)
        deadline = loop.time() + patience
        backoff = _FIRST_BACKOFF_SECONDS
        while True:
            try:
                return await self.next.execute_activity(input)
            except StoreUnavailable:
                if loop.time() + backoff > deadline:
                    raise
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, _MAX_BACKOFF_SECONDS)


def _find_scope(arg: object) -> Scope | None:
    scope = getattr(arg, "scope", None)
    return scope if isinstance(scope, Scope) else None


@contextlib.asynccontextmanager
async def _heartbeat() -> AsyncIterator[None]:
    """Heartbeat every quarter of the timeout and at least each second: its answer brings a cancel.

    Each says how many calls are finished. The first one is not sent at once, since most activities
    are short.
    """
    progress = _Progress()
    _progress.set(progress)
    timeout = activity.info().heartbeat_timeout
    if not timeout:
        yield
        return
    interval = min(timeout.total_seconds() / 4, _MAX_HEARTBEAT_SECONDS)

    async def beat() -> None:
        while True:
            await asyncio.sleep(interval)
            activity.heartbeat(progress.calls)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
