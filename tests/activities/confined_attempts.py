"""A sandboxed subprocess that attempts what it must not, and answers with what became of it."""

import os
import resource
import socket
import subprocess
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TextIO

from activities.confined.request_loop import serve

FAMILIES = {
    "inet": (socket.AF_INET, socket.SOCK_STREAM),
    "unix": (socket.AF_UNIX, socket.SOCK_STREAM),
    "datagram": (socket.AF_INET, socket.SOCK_DGRAM),
}


def run_thread() -> str:
    ran: list[str] = []
    thread = threading.Thread(target=ran.append, args=("ran",))
    thread.start()
    thread.join()
    return ran[0]


OPENED: list[TextIO] = []
ATTEMPTS: dict[str, Callable[..., object]] = {
    "open": lambda path: os.close(os.open(path, os.O_RDONLY)),
    "write": lambda path: Path(path).write_text("written", "utf-8"),
    "list": os.listdir,
    "socket": lambda family: socket.socket(*FAMILIES[family]).close(),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "spawn": lambda: subprocess.run(["/bin/true"], check=True),
    "fork": os.fork,
    "kill": lambda pid: os.kill(int(pid), 0),
    "limit": lambda pid: resource.prlimit(int(pid), resource.RLIMIT_CPU, (1, 1)),
    "thread": run_thread,
    "import": lambda: import_module("dateparser.data.date_translation_data.sw").__name__,
    "status": lambda: OPENED[0].read(),
}


def try_program(path: str) -> str:
    """Return what becomes of running a program, in a process of a call pool."""
    try:
        return str(subprocess.run([path, "--version"], check=True, capture_output=True).returncode)
    except OSError as error:
        return type(error).__name__


def answer(request: bytes) -> bytes:
    what, *args = request.decode().split()
    try:
        return str(ATTEMPTS[what](*args)).encode()
    except OSError as error:
        return type(error).__name__.encode()


if __name__ == "__main__":
    OPENED.append(Path("/proc/self/status").open(encoding="utf-8"))  # noqa: SIM115 - before it is confined
    serve(answer, memory_bytes=500_000_000)
