"""Limits that a confined process sets itself: memory, processor time, wall time, and its parent's life."""

import ctypes
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CALL_SECONDS, CALL_MEMORY_BYTES = 20, 1_000_000_000
"""Limits of a function that a call pool runs: processor time, unless it is asked with less, and memory."""
REPORT_SECONDS, REPORT_MEMORY_BYTES = 60, 1_000_000_000
"""Limits of a report that is drawn as a file."""
PANDOC_SECONDS, PANDOC_HEAP_MB = 15, 512
"""Limits of one run of pandoc within either."""
WAIT_TIMES = 4
"""Wall time of a request as a multiple of its processor time, because other work may hold the processor."""
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def limit_memory(memory_bytes: int) -> None:
    """Limit the address space of this process, where the system has this limit."""
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Let the kernel kill this process if the block exceeds its processor time or wall time, even without a parent."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAIT_TIMES * seconds + 5)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)


def end_with_parent() -> None:
    """Let the kernel kill this process when its parent ends, if supported."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
