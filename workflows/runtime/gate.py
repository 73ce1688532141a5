"""The one gate in front of every activity of a phase."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio import workflow
from temporalio.exceptions import FailureError

from contracts.runs.state import RunState
from workflows.runtime.activity_options import execute_activity
from workflows.runtime.phase_timer import PhaseTimer

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result", bound=BaseModel)


class Gate:
    """Shut while the run is paused, and for good once Temporal suggests continue-as-new."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._closing = False
        self._in_flight = 0

    def is_empty(self) -> bool:
        """Tell whether it is shut for good and every activity has come back."""
        return self._closing and self._in_flight == 0

    async def execute_activity(
        self,
        timer: PhaseTimer,
        method: Callable[[Any, Request], Awaitable[Result]],
        request: Request,
        *,
        summary: str,
        activity_id: str,
    ) -> Result:
        """Run an activity once nothing holds the run back; an outage of the store is waited out."""
        await self.wait_until_open(timer)
        self._in_flight += 1
        try:
            result = await execute_activity(
                method,
                request,
                summary=summary,
                activity_id=activity_id,
                during_outage=timer.pause,
            )
        except FailureError:
            raise_if_cancelled()
            raise
        finally:
            self._in_flight -= 1
        raise_if_cancelled()
        self._closing |= workflow.info().is_continue_as_new_suggested()
        return result

    async def wait_until_open(self, timer: PhaseTimer) -> None:
        """Wait until nothing holds the run back; the phase's clock stands still meanwhile."""
        if self._is_held():
            with timer.pause():
                await workflow.wait_condition(lambda: not self._is_held())

    def _is_held(self) -> bool:
        return self._state.paused or self._closing


def raise_if_cancelled() -> None:
    """Raise CancelledError if this task is being cancelled, however its activity ended."""
    task = asyncio.current_task()
    if task and task.cancelling():
        raise asyncio.CancelledError
