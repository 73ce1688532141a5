"""A phase's own time: it stands still while the phase waits for a human or the run is paused."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import FailureError

from contracts.state import PhaseState

T = TypeVar("T")


class PhaseTimeout(Exception):
    """The phase used up its time."""


class Clock:
    """Counts a phase's active seconds into its state, so that they outlive continue-as-new."""

    def __init__(self, phase: PhaseState, limit_seconds: float) -> None:
        self._phase = phase
        self._limit = limit_seconds
        self._since: float | None = None
        self._stops = 0
        self._timeout = asyncio.timeout(None)

    async def run(self, work: Awaitable[T]) -> T:
        """Return what the work returns, or raise PhaseTimeout once its active time is used up."""
        try:
            async with self._timeout:
                self._start()
                try:
                    return await work
                finally:
                    self._stop()
        except TimeoutError:
            raise PhaseTimeout from None
        except FailureError:
            # A cancelled activity surfaces as a failure of its own, not as our timeout.
            if self._timeout.expired():
                raise PhaseTimeout from None
            raise

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the clock for a wait; waits may nest."""
        self._stops += 1
        if self._stops == 1:
            self._stop()
        try:
            yield
        finally:
            self._stops -= 1
            if self._stops == 0:
                self._start()

    def _start(self) -> None:
        if not workflow.in_workflow():
            return  # an evicted run's coroutines are closed outside of any workflow
        self._since = workflow.time()
        left = max(0.0, self._limit - self._phase.active_seconds)
        self._reschedule(asyncio.get_running_loop().time() + left)

    def _stop(self) -> None:
        if not workflow.in_workflow():
            return
        if self._since is not None:
            self._phase.active_seconds += workflow.time() - self._since
            self._since = None
        self._reschedule(None)

    def _reschedule(self, when: float | None) -> None:
        if not self._timeout.expired():
            self._timeout.reschedule(when)
