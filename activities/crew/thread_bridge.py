"""Bridge between an activity's event loop and the thread of a library that blocks."""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

THREAD_EXIT_SECONDS = 10.0
"""How long a cancelled thread may take to finish."""


class BridgeClosed(Exception):
    """Raised in the thread once its work is over, and again whenever it calls the loop."""

    _flow_listener_logged = True  # else CrewAI logs it as an error, though `run` says what failed


class ThreadBridge:
    """Runs one function in a thread, and coroutines on its behalf in the loop.

    The first failure ends the work: even if the library swallows the exception, no further
    coroutine is started, and `run` raises this failure.
    """

    def __init__(self, threads: Executor) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._threads = threads
        self._calls: set[Future[Any]] = set()
        self._failure: BaseException | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the function's result; a cancellation ends the calls in flight, then the thread."""

        def run_in_context() -> T:
            return self._context.copy().run(work, *args, **kwargs)

        thread = asyncio.ensure_future(self._loop.run_in_executor(self._threads, run_in_context))
        try:
            await asyncio.wait({thread})
        except asyncio.CancelledError as cancel:
            await self._close(thread, cancel)
            raise
        if self._failure is not None:
            thread.exception()  # retrieved, so that asyncio does not log it
            raise self._failure
        return thread.result()

    async def _close(self, thread: "asyncio.Future[T]", cancel: BaseException) -> None:
        """Cancel the calls in flight and wait for the thread to end."""
        self._failure = self._failure or cancel
        for call in set(self._calls):
            call.cancel()
        done, _ = await asyncio.wait({thread}, timeout=THREAD_EXIT_SECONDS)
        for ended in done:
            ended.exception()

    def call(self, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return a coroutine's result; called in the thread, which blocks until then."""
        if self._failure is not None:
            raise BridgeClosed
        call = self._context.copy().run(asyncio.run_coroutine_threadsafe, start(), self._loop)
        self._calls.add(call)
        failure: BaseException
        try:
            return call.result()
        except BaseException as error:  # noqa: BLE001 - `run` raises it
            failure = error
        finally:
            self._calls.discard(call)
        self._failure = self._failure or failure
        # Raised outside the handler: libraries search an exception's context for reasons to retry.
        raise BridgeClosed
