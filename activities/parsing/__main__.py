"""A process that reads one file from its input and may die of it: `-m activities.parsing TYPE`."""

import json
import resource
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from activities.parsing.document import Unreadable
from activities.parsing.files import MAX_MEMORY_BYTES, MAX_SECONDS, read_file


def confine() -> None:
    """Bound this process, so that it ends by itself even if nobody is left to end it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker, which ends us
    signal.alarm(MAX_SECONDS)
    with suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def answer(body: bytes, media_type: str) -> dict[str, Any]:
    """Return what is in a file, or why it cannot be read."""
    try:
        return {"parsed": asdict(read_file(body, media_type))}
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": f"takes more than {MAX_MEMORY_BYTES // 10**6} MB of memory to read"}


if __name__ == "__main__":
    confine()
    json.dump(answer(sys.stdin.buffer.read(), sys.argv[1]), sys.stdout)
