"""Child processes that never outlive us: start, wait until ready, stop."""

import asyncio
import contextlib
import ctypes
import fcntl
import os
import random
import signal
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO

PR_SET_PDEATHSIG = 1
PR_SET_TIMERSLACK = 29
POLL_SECONDS = 0.02

Probe = Callable[[], Awaitable[object]]


class StackError(Exception):
    """Something the reader must know or change before the stack can run; shown without a trace."""


@dataclass
class Child:
    """One child process, its output in a log file."""

    name: str
    argv: Sequence[str]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    timer_slack_ns: int = 0
    """How late the kernel may wake it, so as to wake it less often (Linux); 0: as it wakes us."""
    process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """Return the id of the process that runs now."""
        assert self.process is not None
        return self.process.pid

    async def start(self) -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches us alone."""
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *self.argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **self.env},
                start_new_session=True,
                preexec_fn=_prepared(os.getpid(), self.stop_signal, self.timer_slack_ns),
            )

    async def until_ready(self, probe: Probe, seconds: float = 60) -> None:
        """Wait until `probe` stops raising; a process that ends first is a `StackError`."""
        assert self.process is not None
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            if self.process.returncode is not None:
                raise StackError(f"{self.name} ended while starting:\n{self.last_words()}")
            try:
                await probe()
            except Exception as error:
                if asyncio.get_running_loop().time() > deadline:
                    raise StackError(f"{self.name} is not ready: {error!r}") from error
                await asyncio.sleep(POLL_SECONDS)
            else:
                return

    async def said(self, beginning: str) -> None:
        """Raise unless a line in the log begins so; what answers on a port may be another's."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        if not any(line.startswith(beginning) for line in lines):
            raise LookupError(f"{self.name} has not said {beginning}")

    async def ended(self) -> int:
        """Wait for the end of the process and return its code; a signal's is negative."""
        assert self.process is not None
        return await self.process.wait()

    async def stop(self, grace_seconds: float = 10) -> None:
        """Ask the process to end, and end it when it does not."""
        if self.process is None or self.process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(self.stop_signal)
        try:
            await asyncio.wait_for(self.process.wait(), grace_seconds)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()

    def last_words(self, lines: int = 15) -> str:
        """Return the end of the log."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:]) + f"\n(all of it: {self.log})"


SPARE_PORTS = range(20_000, 32_000)
"""Below those that Linux and macOS give to connections: none takes one while its process is away."""


def free_ports(preferred: Mapping[str, int | Sequence[int]]) -> dict[str, int]:
    """Return a port for each name: the first preferred one that nobody has, else one that is free.

    This user's other stacks keep off them for as long as we live, whether anyone listens or not.
    """
    with contextlib.ExitStack() as held:
        return {name: _port(held, wanted) for name, wanted in preferred.items()}


def _port(held: contextlib.ExitStack, wanted: int | Sequence[int]) -> int:
    first = [wanted] if isinstance(wanted, int) else wanted
    for port in filter(None, [*first, *random.sample(SPARE_PORTS, 100)]):
        if _is_free(held, port) and _is_ours(port):
            return port
    raise StackError(
        f"no port is free among a hundred of {SPARE_PORTS.start} to {SPARE_PORTS.stop}"
    )


def _is_free(held: contextlib.ExitStack, port: int) -> bool:
    """Take a port, to be given back with the others; what cannot be taken is not free."""
    taken = held.enter_context(socket.socket())
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True


def _is_ours(port: int) -> bool:
    """Claim a port: its byte in a file of this user's, locked until this process ends."""
    try:
        fcntl.lockf(_claims(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except (BlockingIOError, PermissionError):
        return False
    return True


@cache
def _claims() -> BinaryIO:
    return Path(tempfile.gettempdir(), f"greenlight-{os.getuid()}.ports").open("ab")


def _prepared(parent: int, signum: signal.Signals, slack_ns: int) -> Callable[[], None] | None:
    """Return what a child does first: above all, have the kernel end it when we are killed (Linux)."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)  # loaded here: after the fork it is too late to import anything

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(signum))
        libc.prctl(PR_SET_TIMERSLACK, slack_ns)
        if os.getppid() != parent:
            os._exit(1)

    return prepare
