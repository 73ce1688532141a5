"""Activity interceptor: heartbeats, translation of errors, and waiting out an unreachable store."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from contracts.errors import (
    GreenlightError,
    ModelBusy,
    StoreUnavailable,
    Transient,
    WorkerStopping,
)

LONG_WAIT_SECONDS = 30.0
"""What a provider may ask for in an activity; a longer wait is the workflow's."""
_FIRST_BACKOFF_SECONDS = 0.1
_MAX_BACKOFF_SECONDS = 2.0
_JITTER = 0.2
_MAX_HEARTBEAT_SECONDS = 1.0
_DEFAULT_TIMEOUT = timedelta(seconds=60)


class ActivityInterceptor(Interceptor):
    """Wraps every activity of a worker."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Put this interceptor in front of the next one."""
        return _ActivityInbound(next)


class _ActivityInbound(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        async with _heartbeat():
            try:
                return await self._retry_unreachable_store(input)
            except GreenlightError as error:
                failure = to_application_error(error)
        # Raised outside the handler, so that no client's exception is attached as its cause.
        raise failure

    async def _retry_unreachable_store(self, input: ExecuteActivityInput) -> Any:
        """Retry the activity while the store is unreachable, for up to half of start-to-close."""
        loop = asyncio.get_running_loop()
        timeout = activity.info().start_to_close_timeout or _DEFAULT_TIMEOUT
        deadline = loop.time() + timeout.total_seconds() / 2
        backoff = _FIRST_BACKOFF_SECONDS
        while True:
            try:
                return await self.next.execute_activity(input)
            except StoreUnavailable:
                if loop.time() + backoff > deadline:
                    raise
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, _MAX_BACKOFF_SECONDS)


@contextlib.asynccontextmanager
async def _heartbeat() -> AsyncIterator[None]:
    """Heartbeat every quarter of the timeout and at least each second: its answer brings a cancel.

    The first one is not sent at once, since most activities are short.
    """
    timeout = activity.info().heartbeat_timeout
    if not timeout:
        yield
        return
    interval = min(timeout.total_seconds() / 4, _MAX_HEARTBEAT_SECONDS)

    async def beat() -> None:
        while True:
            await asyncio.sleep(interval)
            activity.heartbeat()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


def settles(error: GreenlightError) -> bool:
    """Tell whether a failure is a call's result: a retry would not help, or none is left."""
    if isinstance(error, StoreUnavailable | WorkerStopping):
        return False
    policy = activity.info().retry_policy
    most = policy.maximum_attempts if policy else 0
    return not isinstance(error, Transient) or 0 < most <= activity.info().attempt


def to_application_error(error: GreenlightError) -> ApplicationError:
    """Return a failure as Temporal sees it, retryable unless it is permanent.

    An unreachable store is not retryable either, nor is a provider that asks for a long wait: the workflow
    starts the activity anew, so that an outage uses up no attempt, and the wait no time of a phase.
    """
    delay = None
    if error.retry_after is not None:
        # Plus up to a fifth of what the provider asked for, so that retries spread.
        spread = random.uniform(1, 1 + _JITTER)  # noqa: S311
        delay = timedelta(seconds=error.retry_after * spread)
    waits = isinstance(error, ModelBusy) and (error.retry_after or 0) >= LONG_WAIT_SECONDS
    non_retryable = (
        not isinstance(error, Transient)
        or isinstance(error, StoreUnavailable)
        or (waits and not settles(error))
    )
    return ApplicationError(
        str(error),
        type=error.type(),
        non_retryable=non_retryable,
        next_retry_delay=delay,
    )
