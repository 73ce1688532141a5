"""The one gate in front of every activity of a phase: shut while the run is paused or is to continue as new."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from temporalio import workflow
from temporalio.exceptions import FailureError

from contracts.runs.state import RunState
from workflows.runtime.phase_timeout_and_pauses import PhaseTimer


class Gate:
    """Shut while the run is paused, and for good once Temporal suggests continue-as-new."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._closing = False
        self._in_flight = 0

    @property
    def is_closing(self) -> bool:
        """Whether it is closed permanently: the run continues as new as soon as it is idle."""
        return self._closing

    def is_empty(self) -> bool:
        """Return whether it is shut for good and every activity has come back."""
        return self._closing and self._in_flight == 0

    @contextmanager
    def hold_open(self) -> Iterator[None]:
        """Keep the run from continuing as new while an activity runs; a cancel is not lost in its end."""
        self._in_flight += 1
        try:
            yield
        except FailureError:
            raise_if_cancelled()
            raise
        finally:
            self._in_flight -= 1
        raise_if_cancelled()
        self._closing |= workflow.info().is_continue_as_new_suggested()

    async def wait_until_open(self, timer: PhaseTimer) -> None:
        """Wait until the run may continue; the phase's clock is paused meanwhile."""
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
