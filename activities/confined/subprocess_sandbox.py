"""Sandbox for untrusted input: confined subprocesses with bounded time and memory and an empty environment.

A request and its reply are bytes, each behind a header with its length. A subprocess answers one
request after another, so that its imports are paid for once. A tenant never has all of them at once.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from pathlib import Path
from weakref import WeakValueDictionary

from activities.confined.memory_and_time_limits import WAIT_TIMES
from activities.confined.request_loop import HEADER, MAX_REPLY_BYTES, REQUEST_HEADER

MAX_REQUESTS = 200
"""A subprocess is replaced after this many requests, in case they leak."""
START_SECONDS = 60.0
END_SECONDS = 5.0

_ROOT = Path(__file__).parents[2]


class FairSlots:
    """Slots given in order, of which one owner holds all but one at most."""

    def __init__(self, size: int) -> None:
        self._free = asyncio.Semaphore(size)
        self._most = max(1, size - 1)
        self._owners = WeakValueDictionary[str, asyncio.Semaphore]()

    @asynccontextmanager
    async def hold(self, owner: str) -> AsyncIterator[None]:
        """Wait for a slot and hold it; without an owner, any that is free."""
        most = asyncio.Semaphore(self._most)
        own = self._owners.setdefault(owner, most) if owner else nullcontext()
        async with own, self._free:
            yield


class SandboxDied(Exception):
    """A subprocess that ended over a request: out of memory, crashed, or killed."""

    ended: str = ""
    """Its signal or exit status, such as `SIGKILL` or `exit 1`; empty if it was alive."""


class SubprocessSandbox:
    """Up to `size` subprocesses `python -m module ARGS`, each with one request at a time."""

    program: tuple[str, ...] = (sys.executable,)

    def __init__(self, module: str, *args: str, size: int, seconds: float) -> None:
        self._command = (*self.program, "-m", module, *args)
        self._slots = FairSlots(size)
        self._seconds = seconds
        self._idle: dict[Process, int] = {}
        """Number of requests that each has served."""
        self._waiting: list[asyncio.Future[tuple[Process, int]]] = []
        """Requests waiting for a subprocess, oldest first; at least as many are starting."""
        self._starting: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Stop the subprocesses."""
        await self._stop_starting(0)
        while self._idle:
            await _kill(self._idle.popitem()[0])

    @property
    def is_warm(self) -> bool:
        """Return whether a subprocess is idle, so that a request need not wait for its start."""
        return any(each.returncode is None for each in self._idle)

    async def warm(self) -> None:
        """Start a subprocess unless one is idle."""
        if not self.is_warm:
            async with self._slots.hold(""):
                self._give(await self._start(), 0)

    async def run(self, request: bytes, owner: str = "", seconds: float | None = None) -> bytes:
        """Return the reply to a request; cancelling it kills its subprocess.

        Raises:
            TimeoutError: It exceeds `seconds` of processor time, or four times that in wall time.
            SandboxDied: The subprocess ended without a reply.
        """
        async with self._slots.hold(owner):
            process, served = await self._take()
            seconds = seconds or self._seconds
            try:
                async with asyncio.timeout(seconds * WAIT_TIMES):
                    reply = await _exchange(process, request, seconds)
            except BaseException as error:
                if isinstance(error, SandboxDied):
                    error.ended = await _find_end(process)
                await _kill(process)
                if process.returncode == -signal.SIGPROF:
                    raise TimeoutError from None
                raise
            if served + 1 < MAX_REQUESTS:
                self._give(process, served + 1)
            else:
                await _kill(process)
            return reply

    async def _take(self) -> tuple[Process, int]:
        """Return an idle subprocess, else the first that is set free or started, and how many requests it has served.

        One that starts too late for this request serves another.
        """
        while self._idle:
            process, served = self._idle.popitem()
            if process.returncode is None:
                return process, served
        taken: asyncio.Future[tuple[Process, int]] = asyncio.get_running_loop().create_future()
        self._waiting.append(taken)
        if len(self._starting) < len(self._list_waiting()):
            starting = asyncio.create_task(self._add())
            self._starting.add(starting)
            starting.add_done_callback(self._starting.discard)
        try:
            return await taken
        except asyncio.CancelledError:
            if taken.done() and not taken.cancelled() and not taken.exception():
                self._give(*taken.result())
            await self._stop_starting(len(self._list_waiting()))
            raise

    async def _add(self) -> None:
        """Start a subprocess for the request that waits longest; its failure is that request's."""
        try:
            self._give(await self._start(), 0)
        except (SandboxDied, TimeoutError) as error:
            if waiting := self._list_waiting():
                waiting[0].set_exception(error)

    def _give(self, process: Process, served: int) -> None:
        """Give a subprocess to the request that waits longest, or keep it for the next one."""
        if waiting := self._list_waiting():
            waiting[0].set_result((process, served))
        else:
            self._idle[process] = served

    def _list_waiting(self) -> list[asyncio.Future[tuple[Process, int]]]:
        """Return the requests that still wait."""
        self._waiting = [each for each in self._waiting if not each.done()]
        return self._waiting

    async def _stop_starting(self, left: int) -> None:
        """Cancel the subprocesses that are still starting, except the first `left`."""
        surplus = [*self._starting][left:]
        for task in surplus:
            task.cancel()
        await asyncio.gather(*surplus, return_exceptions=True)

    async def _start(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=_ROOT,
            env={},
            process_group=0,  # its children cannot leave this group
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                await _receive(process)  # empty: the imports are done
        except BaseException:
            await _kill(process)
            raise
        return process


async def _exchange(process: Process, request: bytes, seconds: float) -> bytes:
    assert process.stdin is not None
    with suppress(ConnectionError):  # it died over the request; `_receive` says so
        process.stdin.write(REQUEST_HEADER.pack(len(request), seconds) + request)
        await process.stdin.drain()
    return await _receive(process)


async def _receive(process: Process) -> bytes:
    assert process.stdout is not None
    try:
        [length] = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
        if length > MAX_REPLY_BYTES:
            raise SandboxDied(f"the reply has more than {MAX_REPLY_BYTES:,} bytes")
        return await process.stdout.readexactly(length)
    except asyncio.IncompleteReadError as error:
        raise SandboxDied("the subprocess ended without a reply") from error


async def _find_end(process: Process) -> str:
    """Return how a subprocess ended that has closed its output; empty if it is still alive after `END_SECONDS`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    code = process.returncode
    if code is None:
        return ""
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name


async def _kill(process: Process) -> None:
    """Kill a subprocess and its children."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    await process.communicate()  # `wait` would hang if an unread reply fills the pipe
