"""A phase's timer, paused while it waits for a human, the store or a provider, or the run is paused."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

from temporalio import workflow

from contracts.errors import OutOfTime
from contracts.notices import Notice
from contracts.runs.state import PhaseState

T = TypeVar("T")

ABSENCE_SECONDS = 5.0
"""A timer that rings later than this rang while no worker was up."""
MOST_OF_IT = 0.8


class PhaseTimeout(Exception):
    """The phase used up its time."""


class PhaseTimer:
    """Counts a phase's active seconds into its state, so that they outlive continue-as-new."""

    def __init__(self, phase: PhaseState, limit_seconds: float) -> None:
        self._phase = phase
        self._limit = limit_seconds
        self._since: float | None = None
        self._stops = 0
        self._timeout = asyncio.timeout(None)
        self._alarm: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()

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

    def is_nearly_over(self) -> bool:
        """Return whether so much time is used that newly begun work might not finish."""
        return self.count_left() < (1 - MOST_OF_IT) * self._limit

    def count_left(self) -> float:
        """Return the seconds of its own that the phase has left."""
        used = self._phase.active_seconds
        used += workflow.time() - self._since if self._since is not None else 0.0
        return max(self._limit - used, 0.0)

    @asynccontextmanager
    async def leave_a_reserve(self, seconds: float | None = None) -> AsyncIterator[None]:
        """Limit optional work, so that the phase can still finish within a fifth of its time, or `seconds`.

        Raises:
            OutOfTime: Most of the phase's time is used up; the work is cancelled, or not begun.
        """
        told = Notice.of("cause-time-nearly")
        reserve = (1 - MOST_OF_IT) * self._limit if seconds is None else seconds
        if self.count_left() <= reserve:
            raise OutOfTime(told)
        work, is_late = asyncio.current_task(), False
        assert work is not None

        async def expire() -> None:
            nonlocal is_late
            while (left := self.count_left() - reserve) > 0:
                await workflow.wait_condition(lambda: not self._stops)
                await workflow.sleep(left, summary="the phase's time for optional work")
            is_late = True
            work.cancel()

        alarm = asyncio.create_task(expire())
        try:
            yield
        except asyncio.CancelledError:
            if not is_late:
                raise
            work.uncancel()
            raise OutOfTime(told) from None
        finally:
            alarm.cancel()

    @contextmanager
    def pause(self) -> Iterator[None]:
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
        if not self._is_in_own_run() or self._timeout.expired():
            return
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            return  # there is nothing left to time, and an evicted run must not create tasks
        self._since = workflow.time()
        left = max(0.0, self._limit - self._phase.active_seconds)
        self._alarm = asyncio.create_task(self._ring(left))

    def _stop(self) -> None:
        if not self._is_in_own_run():
            return
        if self._since is not None:
            self._phase.active_seconds += workflow.time() - self._since
            self._since = None
        if self._alarm is not None:
            self._alarm.cancel()

    def _is_in_own_run(self) -> bool:
        """Return whether the code runs within its own workflow run.

        Runs left by a stopped worker are closed by the garbage collector at any moment: outside of all
        runs, or within another one, whose timers must not be changed.
        """
        return workflow.in_workflow() and asyncio.get_running_loop() is self._loop

    async def _ring(self, left: float) -> None:
        """End the phase in time; restart its timer if no worker was available meanwhile."""
        due = self._loop.time() + left
        await workflow.sleep(left, summary=f"{self._phase.id} has {left:.0f} s left")
        now = self._loop.time()
        if now - due > ABSENCE_SECONDS:
            self._start()
        else:
            self._timeout.reschedule(now)
