"""Child processes that end with their parent."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from greenlight.errors import CommandError
from settings import SECRETS

PR_SET_PDEATHSIG = 1
PR_SET_TIMERSLACK = 29
POLL_SECONDS = 0.02
START_SECONDS, STOP_SECONDS = 60, 10
"""How long a process may take to become ready, and to stop by itself."""

NO_SECRETS = {name.upper(): "" for name in SECRETS}
"""Empty rather than left out: a secret that is missing would be read from .env."""

Probe = Callable[[], Awaitable[object]]


@dataclass
class Child:
    """A child process whose output goes to a log file."""

    name: str
    argv: Sequence[str]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    ready_line: str = ""
    """Part of the log line that a ready process writes."""
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL
    """Signal sent by the kernel when the parent dies (Linux); a graceful end would wait for other dying services."""
    timer_slack_ns: int = 0
    """Timer slack of the process (Linux); 0 inherits the parent's."""
    process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """Id of the current process."""
        assert self.process is not None
        return self.process.pid

    async def start(self) -> None:
        """Start the process in a new session, so that Ctrl-C reaches the parent alone."""
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *self.argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **NO_SECRETS, **self.env},
                start_new_session=True,
                preexec_fn=_make_preexec(os.getpid(), self.orphan_signal, self.timer_slack_ns),
            )

    async def wait_until_ready(self, probe: Probe | None = None) -> None:
        """Wait until `probe` stops raising; by default, until the ready line is in the log.

        Raises:
            CommandError: the process ended, or was not ready in time.
        """
        assert self.process is not None
        probe = probe or self._check_ready_line
        deadline = asyncio.get_running_loop().time() + START_SECONDS
        while True:
            if self.process.returncode is not None:
                end = "\n".join(self._read_log()[-15:])
                problem = f"{self.name} ended while starting:\n{end}\n(all of it: {self.log})"
                raise CommandError(problem)
            try:
                await probe()
            except Exception as error:
                if asyncio.get_running_loop().time() > deadline:
                    raise CommandError(f"{self.name} is not ready: {error!r}") from error
                await asyncio.sleep(POLL_SECONDS)
            else:
                return

    async def _check_ready_line(self) -> None:
        """Raise unless the ready line is in the log: another stack might answer on the port."""
        if not any(self.ready_line in line for line in self._read_log()):
            raise LookupError(f"{self.log} has no line with {self.ready_line}")

    def _read_log(self) -> list[str]:
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()

    async def wait(self) -> int:
        """Wait for the process to end and return its exit code; a signal's is negative."""
        assert self.process is not None
        return await self.process.wait()

    async def stop(self) -> None:
        """Stop the process; kill it after the grace period."""
        if self.process is None or self.process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(self.stop_signal)
        try:
            await asyncio.wait_for(self.process.wait(), STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()


def _make_preexec(parent: int, signum: signal.Signals, slack_ns: int) -> Callable[[], None] | None:
    """Return the preexec function of a child: the kernel ends it with its parent (Linux)."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)  # loaded here: after the fork it is too late to import anything

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(signum))
        libc.prctl(PR_SET_TIMERSLACK, slack_ns)
        if os.getppid() != parent:
            os._exit(1)

    return prepare
