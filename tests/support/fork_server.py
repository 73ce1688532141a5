"""Starts the processes of stacks as forks of one that has imported the product: `-m tests.support.fork_server`.

Importing takes worker and gateway over three seconds of processor time each, and the suite starts some fifty of them.
The processes that they run on foreign input are forks of a second server, which has only imported what these import.
`greenlight up` starts programs, as does every test of it.
"""

import asyncio
import contextlib
import functools
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NoReturn, cast

from activities.confined.call_pool import CHARTS, EVIDENCE, INDEXING, READING, REPORTS
from activities.confined.memory_and_time_limits import end_with_parent
from activities.confined.subprocess_sandbox import SubprocessSandbox
from greenlight.stack.processes import NO_SECRETS, Child

ROOT = Path(__file__).parents[2]
LAUNCHER = str(Path(__file__).with_name("fork_launcher.py"))
PRODUCT = ("worker", "api.app", "offline.__main__")
POOL = ("activities.confined.call_pool", *READING, *EVIDENCE, *INDEXING, *CHARTS, *REPORTS)
LENGTH = struct.Struct("!I")
INHERITED = "GREENLIGHT_TESTS_FORK_SERVER"
"""The variable with the server's socket: the processes that run tests share one server."""
INHERITED_POOL = "GREENLIGHT_TESTS_POOL_FORK_SERVER"
"""The same of the server of confined processes."""


class ForkedProcess:
    """A process of the server, with the part of `asyncio.subprocess.Process` that a stack uses."""

    def __init__(
        self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._writer = writer
        self._ending = asyncio.create_task(self._wait(reader))

    async def _wait(self, reader: asyncio.StreamReader) -> int:
        self.returncode = int(await reader.readline())
        self._writer.close()
        return self.returncode

    async def wait(self) -> int:
        return await asyncio.shield(self._ending)

    def send_signal(self, signum: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, signum)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass
class ForkedChild(Child):
    """A child that is a fork of the server; it ends with the connection that asked for it."""

    async def start(self) -> None:
        reader, writer = await asyncio.open_unix_connection(os.environ[INHERITED])
        told = {
            "argv": [*self.argv],
            "log": str(self.log),
            "env": {**os.environ, **NO_SECRETS, **self.env},
        }
        request = json.dumps(told).encode()
        writer.write(LENGTH.pack(len(request)) + request)
        if not (answer := await reader.readline()):
            raise OSError(f"no fork for {self.name}: is {self.log} open to writing?")
        process = ForkedProcess(int(answer), reader, writer)
        self.process = cast(asyncio.subprocess.Process, process)


@contextlib.contextmanager
def run_fork_server(*modules: str, variable: str = INHERITED) -> Iterator[None]:
    """Run a server that has imported these modules, for this process and its forks; it ends with the last of them."""
    with tempfile.TemporaryDirectory(prefix="greenlight-forks-") as folder:
        path = str(Path(folder) / "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fork_server", str(listener.fileno()), *modules],
            stdin=subprocess.PIPE,
            cwd=ROOT,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
        listener.close()
        os.environ[variable] = path
        try:
            yield
        finally:
            del os.environ[variable]
            server.kill()
            server.communicate()


def launch_by(path: str) -> tuple[str, ...]:
    """Return the program that starts what follows it as a fork of the server at a socket."""
    return (sys.executable, "-IS", LAUNCHER, path)


class _Server:
    """A thread that forks for each request, and sends each connection its process's exit code."""

    def __init__(self, listener: socket.socket) -> None:
        self._selector = selectors.DefaultSelector()
        self._connections: dict[int, socket.socket] = {}
        self._ended, woken = socket.socketpair()
        for each in (self._ended, woken):
            each.setblocking(False)
        self._files = [listener, self._ended, woken]
        signal.set_wakeup_fd(woken.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(listener, selectors.EVENT_READ, self._accept)
        self._selector.register(self._ended, selectors.EVENT_READ, self._reap)
        self._selector.register(sys.stdin, selectors.EVENT_READ, self._end)

    def serve(self) -> NoReturn:
        while True:
            for key, _ in self._selector.select():
                key.data(key.fileobj)

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        streams: list[int] = []
        try:
            header, streams, _, _ = socket.recv_fds(connection, LENGTH.size, 3)
            with connection.makefile("rb") as reading:
                told = json.loads(reading.read(*LENGTH.unpack(header)))
            streams = streams or _open_streams(told["log"])
        except (OSError, ValueError, struct.error):  # no such log, or a starter that was killed
            connection.close()
            for stream in streams:
                os.close(stream)
            return
        pid = os.fork()
        if not pid:
            connection.close()
            self._become(streams, told["argv"], told["env"])
        for stream in streams:
            os.close(stream)
        self._connections[pid] = connection
        self._selector.register(
            connection, selectors.EVENT_READ, functools.partial(self._kill, pid)
        )
        with contextlib.suppress(OSError):  # the starter was killed: then its end is read next
            connection.sendall(f"{pid}\n".encode())

    def _become(
        self, streams: Sequence[int], argv: Sequence[str], env: Mapping[str, str]
    ) -> NoReturn:
        """Be what a program would be that is started so, but for the imports."""
        self._selector.close()
        for each in (*self._files, *self._connections.values()):
            each.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        end_with_parent()
        for here, there in enumerate(streams):
            os.dup2(there, here)
        for there in streams:
            os.close(there)
        os.environ.clear()
        os.environ.update(env)
        sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]
        _run_program(argv)

    def _kill(self, pid: int, connection: socket.socket) -> None:
        """Kill a process whose starter closed the connection, in most cases because it ended itself."""
        if self._connections.get(pid) is not connection:  # reaped in this very round of events
            return
        self._selector.unregister(connection)
        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):  # its programs, such as pandoc
            os.killpg(pid, signal.SIGKILL)

    def _reap(self, ended: socket.socket) -> None:
        """Report the exit code of each process that has ended."""
        ended.recv(4096)
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = found
                connection = self._connections.pop(pid)
                if connection in {key.fileobj for key in self._selector.get_map().values()}:
                    self._selector.unregister(connection)
                with connection, contextlib.suppress(OSError):
                    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())

    def _end(self, _: object) -> NoReturn:
        """End, and with it all that was forked: nobody is left who could ask."""
        for pid in self._connections:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)


def _open_streams(log: str) -> list[int]:
    """Open standard input, output and error of a process that is asked for nothing and writes a log."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    return [os.open(os.devnull, os.O_RDONLY), output, os.dup(output)]


def _run_program(argv: Sequence[str]) -> NoReturn:
    """Run `python -m MODULE …` as this process."""
    module, *options = argv[argv.index("-m") + 1 :]
    for name in (module, f"{module}.__main__"):
        sys.modules.pop(name, None)  # runpy would warn
    sys.argv = [module, *options]
    gc.enable()
    code: object = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as exit_:
        code = exit_.code
        if isinstance(code, str):
            print(code, file=sys.stderr)  # noqa: T201 - as Python does
    except BaseException:  # noqa: BLE001 - as Python does
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def main() -> NoReturn:
    """Import the product, then fork at each request."""
    listener, *modules = sys.argv[1:]
    for module in modules:
        import_module(module)
    if path := os.environ.get(INHERITED_POOL):
        SubprocessSandbox.program = launch_by(path)
    gc.collect()
    gc.freeze()
    _Server(socket.socket(fileno=int(listener))).serve()


if __name__ == "__main__":
    main()
