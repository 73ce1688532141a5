"""A phase's own time: it stands still while the phase waits for a human or the run is paused."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from temporalio import workflow

from contracts.state import PhaseState

T = TypeVar("T")

ABSENCE_SECONDS = 5.0
"""A timer that rings later than this rang while no worker was up."""


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
        self._alarm: asyncio.TimerHandle | None = None

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
        if not workflow.in_workflow() or self._timeout.expired():
            return  # an evicted run's coroutines are closed outside of any workflow
        self._since = workflow.time()
        left = max(0.0, self._limit - self._phase.active_seconds)
        loop = asyncio.get_running_loop()
        self._alarm = loop.call_at(loop.time() + left, self._ring, loop.time() + left)

    def _stop(self) -> None:
        if not workflow.in_workflow():
            return
        if self._since is not None:
            self._phase.active_seconds += workflow.time() - self._since
            self._since = None
        if self._alarm is not None:
            self._alarm.cancel()

    def _ring(self, due: float) -> None:
        """End the phase, unless nobody was there to work on it: then its time begins again."""
        now = asyncio.get_running_loop().time()
        if now - due > ABSENCE_SECONDS:
            self._start()
        else:
            self._timeout.reschedule(now)
