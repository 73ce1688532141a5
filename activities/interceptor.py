"""What every activity gets without asking: heartbeats, error translation, patience with the store."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)

from contracts.errors import GreenlightError, StoreUnavailable, Transient

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0
_JITTER = 0.2
_LONGEST_BEAT_SECONDS = 1.0
_DEFAULT_LIMIT = timedelta(seconds=60)


class ActivityInterceptor(Interceptor):
    """The worker's one interceptor for activities."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Put ours in front of the next."""
        return _Inbound(next)


class _Inbound(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        async with _heartbeats():
            try:
                return await self._outlast_store(input)
            except GreenlightError as error:
                failure = translate(error)
        # Raised out here, so that no exception of a client travels along as its cause.
        raise failure

    async def _outlast_store(self, input: ExecuteActivityInput) -> Any:
        """Run the activity again while the store is away, for up to half of start-to-close."""
        loop = asyncio.get_running_loop()
        limit = activity.info().start_to_close_timeout or _DEFAULT_LIMIT
        deadline = loop.time() + limit.total_seconds() / 2
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return await self.next.execute_activity(input)
            except StoreUnavailable:
                if loop.time() + pause > deadline:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


@contextlib.asynccontextmanager
async def _heartbeats() -> AsyncIterator[None]:
    """Heartbeat every quarter of the timeout, and each second: a cancel comes as the answer to it.

    Not at once, since most activities are short.
    """
    timeout = activity.info().heartbeat_timeout
    pause = min(timeout.total_seconds() / 4, _LONGEST_BEAT_SECONDS) if timeout else 0
    beating = asyncio.create_task(_beat(pause)) if timeout else None
    try:
        yield
    finally:
        if beating:
            beating.cancel()


async def _beat(seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        activity.heartbeat()


def translate(error: GreenlightError) -> ApplicationError:
    """Return the failure that Temporal sees.

    A store that is away ends the activity for good: its workflow starts it anew, so that an outage
    uses up no attempt.
    """
    final = not isinstance(error, Transient) or isinstance(error, StoreUnavailable)
    return ApplicationError(
        str(error),
        type=error.type(),
        non_retryable=final,
        next_retry_delay=_jittered(error.retry_after),
    )


def _jittered(retry_after: float | None) -> timedelta | None:
    """Return the wait the other side asked for and up to a fifth more, so that calls spread."""
    if retry_after is None:
        return None
    return timedelta(seconds=retry_after * random.uniform(1, 1 + _JITTER))  # noqa: S311
