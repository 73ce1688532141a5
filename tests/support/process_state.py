"""What all tests of a process share beside fixtures: each test leaves it as it found it."""

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = [
    (name, getattr(signal, name))
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD", "SIGUSR1", "SIGUSR2", "SIGPROF")
]
"""Signals whose handlers are compared; SIGALRM is that of the tests' timeouts."""
OF_PYTEST = b"PYTEST_CURRENT_TEST"
"""The environment variable that pytest sets anew in each phase of a test."""


async def make_executor() -> asyncio.AbstractEventLoop:
    """Return the running loop with its own executor, which it makes when it first needs one."""
    await asyncio.to_thread(int)
    return asyncio.get_running_loop()


@contextmanager
def kept_state(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """Check that the block leaves the process, and the loop's executor, as it found them.

    Raises:
        AssertionError: It did not; the message names what has changed.
    """
    before, environment = _read(loop), dict(os.environb)
    yield
    after, environment_after = _read(loop), dict(os.environb)
    environment_after[OF_PYTEST] = environment.setdefault(OF_PYTEST, b"")
    left = [name for name in before if before[name] != after[name]]
    if environment != environment_after:
        names = environment | environment_after
        left += [f"${n.decode()}" for n in names if environment.get(n) != environment_after.get(n)]
    assert not left, f"left changed to the tests that follow: {', '.join(left)}"


def _read(loop: asyncio.AbstractEventLoop | None) -> dict[str, object]:
    """Return what the process shares, by the name under which a change is told."""
    root = logging.getLogger()
    return {
        **{f"handler of {name}": signal.getsignal(number) for name, number in SIGNALS},
        "working directory": os.getcwd(),
        "level of logs": (root.level, root.manager.disable),
        "handlers of logs": [*root.handlers],
        "executor": loop and loop._default_executor,  # type: ignore[attr-defined]
    }
