"""Work on what strangers wrote, in a process that may die of it and knows none of our secrets."""

import asyncio
import resource
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from pathlib import Path

_ROOT = Path(__file__).parents[1]


async def run_apart(module: str, *args: str, given: bytes, seconds: float) -> bytes:
    """Return what a module prints when it is given this; nothing where it died.

    Raises:
        TimeoutError: It took longer; it has ended by now.
    """
    command = (sys.executable, "-m", module, *args)
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=_ROOT, env={}
    )
    try:
        async with asyncio.timeout(seconds):
            told, _ = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return told


def confine(seconds: int, memory: int) -> None:
    """Bound this process, so that it ends by itself even if nobody is left to end it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our parent, which ends us
    signal.alarm(seconds)
    with suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
