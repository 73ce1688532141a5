"""Between an activity's event loop and the thread of a library that blocks."""

import asyncio
import contextlib
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

PATIENCE_SECONDS = 10.0
"""How long a thread may take to notice that its work is over."""


class Stopped(Exception):
    """Raised within the thread once its work is over; whoever swallows it gets it again."""


class Bridge:
    """Runs one function in a thread and coroutines for it in the loop.

    The first failure ends the work: no coroutine is started after it, whatever the library makes
    of the exception, and it is this failure that `run` raises.
    """

    def __init__(self, threads: Executor) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._threads = threads
        self._calls: set[Future[Any]] = set()
        self._failure: BaseException | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the work returns; a cancel ends the calls in flight, then the thread."""

        def inside() -> T:
            return self._context.copy().run(work, *args, **kwargs)

        thread = asyncio.ensure_future(self._loop.run_in_executor(self._threads, inside))
        try:
            await asyncio.wait({thread})
        except asyncio.CancelledError as cancel:
            await self._end(thread, cancel)
            raise
        if self._failure is not None:
            thread.exception()  # looked at: what the library made of the failure tells nothing
            raise self._failure
        return thread.result()

    async def _end(self, thread: "asyncio.Future[T]", cancel: BaseException) -> None:
        """Cancel the calls in flight and see the thread out."""
        self._failure = self._failure or cancel
        for call in set(self._calls):
            call.cancel()
        done, _ = await asyncio.wait({thread}, timeout=PATIENCE_SECONDS)
        for over in done:
            over.exception()

    def do(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return what a coroutine gives; called in a thread of the work, which waits for it."""
        if self._failure is not None:
            raise Stopped
        call = self._context.copy().run(asyncio.run_coroutine_threadsafe, make(), self._loop)
        self._calls.add(call)
        failure: BaseException
        try:
            return call.result()
        except BaseException as error:  # noqa: BLE001 - kept for `run`, which raises it
            failure = error
        finally:
            with contextlib.suppress(KeyError):
                self._calls.remove(call)
        self._failure = self._failure or failure
        # Raised out here: libraries look at an exception's context for reasons to try again.
        raise Stopped
