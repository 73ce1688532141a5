"""Pool of sandboxed processes that run our functions on foreign input: `-m activities.confined.call_pool MODULE…`.

A request is the pickle of a function and its arguments, which only we write. A reply is JSON of the type
that the function is annotated with, because a process that has read foreign input is not trusted.
"""

import asyncio
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError

from activities.confined.confinement import Confinement
from activities.confined.memory_and_time_limits import CALL_MEMORY_BYTES, CALL_SECONDS
from activities.confined.pandoc_process import find_pandoc
from activities.confined.request_loop import MAX_REQUEST_BYTES, serve
from activities.confined.subprocess_sandbox import SandboxDied, SubprocessSandbox
from contracts.errors import ErrorInfo, GreenlightError, TooCostly

MAX_PROCESSES = 3
"""A tenant may use two of them; the third starts only for another tenant."""
READING = ("activities.parsing.read_document",)
"""A process with these may run pandoc, and no other program."""
EVIDENCE = (
    *("domain.evidence.claim_check", "activities.claims.judge", "activities.claims.mend"),
    *("domain.company.news", "domain.evidence.pages.passage_search"),
    *("activities.calls.structured_output", "domain.retrieval.shown_parts"),
)
INDEXING = ("activities.collections.rows", "activities.collections.search")
CHARTS = ("activities.integrations.charts", "pygal", "pygal.style")
REPORTS = ("api.reports.text_formats", "domain.report.changes.report_diff")

T = TypeVar("T")
_VALUE, _BYTES, _ERROR, _BUG, _MEMORY = b"=", b"b", b"!", b"?", b"m"


class CallFailed(Exception):
    """A function raised an exception that is not one of our errors: a bug."""


class Runner(Protocol):
    """Runs a function on foreign input, off the event loop."""

    async def __call__(
        self, function: Callable[..., T], *args: Any, task: str, tenant: str = ""
    ) -> T:
        """Return what the function returns.

        `task` says in a bug's error what was done. Raises what the function raises, or TooCostly.
        """


async def run_in_thread(function: Callable[..., T], *args: Any, task: str, tenant: str = "") -> T:
    """Run a function in a thread, unbounded: for input that is not foreign, as in tests."""
    return await asyncio.to_thread(function, *args)


class CallPool:
    """Up to `size` warm processes that have `modules` imported; a tenant never holds all of them."""

    def __init__(self, *modules: str, size: int = MAX_PROCESSES) -> None:
        self._sandbox = SubprocessSandbox(
            "activities.confined.call_pool", *modules, size=size, seconds=CALL_SECONDS
        )
        self._warming: asyncio.Task[None] | None = None

    def warm(self, delay: float = 0) -> None:
        """Start a process in the background if none is idle."""
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self._warm(delay))

    async def close(self) -> None:
        """Stop the processes."""
        if self._warming:
            self._warming.cancel()
            await asyncio.wait([self._warming])
        await self._sandbox.close()

    async def run(
        self,
        function: Callable[..., T],
        *args: Any,
        task: str,
        tenant: str = "",
        seconds: float = CALL_SECONDS,
    ) -> T:
        """Run a module's function, whose return type must be annotated, in a sandboxed process.

        Raises:
            TooCostly: It exceeds its limit of processor time (or four times that in wall time), memory or
                input.
            CallFailed: It raised an exception that is not one of our errors; `task` names the work.
        """
        request = pickle.dumps((function, args))
        if len(request) > MAX_REQUEST_BYTES:
            raise TooCostly("input", MAX_REQUEST_BYTES // 10**6)
        try:
            with _open_span(function.__name__):
                reply = await self._sandbox.run(request, tenant, seconds)
        except TimeoutError:
            _count_end("time")
            self.warm()
            raise TooCostly("time", seconds) from None
        except SandboxDied:
            _count_end("died")
            self.warm()
            raise TooCostly("died") from None
        if not self._sandbox.is_warm:  # it has served its last request
            self.warm()
        return _read_reply(function, reply, task)

    async def _warm(self, delay: float) -> None:
        await asyncio.sleep(delay)
        with suppress(SandboxDied, TimeoutError):
            await self._sandbox.warm()


def _open_span(name: str) -> AbstractContextManager[object]:
    from activities.spans import (
        open_span,
    )  # imported here, because the sandboxed processes import this module too

    return open_span(f"sandbox {name}")


def _count_end(reason: str) -> None:
    from temporal.telemetry.prometheus_metrics import PARSER_ENDS

    PARSER_ENDS.labels(reason).inc()


def _read_reply(function: Callable[..., T], reply: bytes, task: str) -> T:
    kind, body = reply[:1], reply[1:]
    if kind == _MEMORY:
        raise TooCostly("memory", CALL_MEMORY_BYTES // 10**6)
    if kind == _ERROR:
        told = ErrorInfo.model_validate_json(body)
        error = next(c for c in _list_errors(GreenlightError) if c.type() == told.type)
        raise error(told.problems or told.words)
    if kind == _BUG:
        raise CallFailed(f"{task}: {body.decode(errors='replace')}")
    try:
        value: T = body if kind == _BYTES else _adapter(function).validate_json(body)  # type: ignore[assignment]
    except ValidationError as error:
        raise CallFailed(f"{task}: the reply is not what {function.__name__} returns") from error
    return value


def _list_errors(error: type[GreenlightError]) -> Iterator[type[GreenlightError]]:
    yield error
    for each in error.__subclasses__():
        yield from _list_errors(each)


@cache
def _adapter(function: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(function)["return"])


def answer(request: bytes) -> bytes:
    """Run the function of a request and return the reply."""
    try:
        function, args = pickle.loads(request)  # noqa: S301 - written by the process that started this one
        value = function(*args)
        return (
            _BYTES + value
            if isinstance(value, bytes)
            else _VALUE + _adapter(function).dump_json(value)
        )
    except GreenlightError as error:
        return _ERROR + ErrorInfo.of(error).model_dump_json().encode()
    except MemoryError:
        return _MEMORY
    except Exception:  # noqa: BLE001 - whatever it is, it is told to who asked
        return _BUG + traceback.format_exc(limit=-3).encode(errors="replace")


if __name__ == "__main__":
    for module in sys.argv[1:]:
        import_module(module)
    reads = set(READING) <= set(sys.argv)
    programs = (str(find_pandoc()),) if reads else ()
    serve(answer, CALL_MEMORY_BYTES, Confinement(programs=programs))
