"""Limits that a confined process sets itself: memory, processor time, wall time, and its parent's life.

It answers requests on standard input; each and its reply are bytes behind a header with their length.
"""

import ctypes
import gc
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from activities.confined.confinement import READS_LIBRARIES, Confinement

CALL_SECONDS, CALL_MEMORY_BYTES = 20, 1_000_000_000
"""Limits of a function that a call pool runs: processor time, unless it is asked with less, and memory."""
REPORT_SECONDS, REPORT_MEMORY_BYTES = 60, 1_000_000_000
"""Limits of a report that is drawn as a file."""
PANDOC_SECONDS, PANDOC_HEAP_MB = 15, 512
"""Limits of one run of pandoc within either."""
MAX_REQUEST_BYTES, MAX_REPLY_BYTES = 120_000_000, 50_000_000
WAIT_TIMES = 4
"""Wall time of a request as a multiple of its processor time, because other work may hold the processor."""
HEADER = struct.Struct(">Q")
"""Length of the following message in bytes."""
REQUEST_HEADER = struct.Struct(">Qd")
"""The same, and how many seconds of processor time the request may take."""
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def serve(
    answer: Callable[[bytes], bytes],
    memory_bytes: int,
    confinement: Confinement = READS_LIBRARIES,
) -> None:
    """Confine this process, then answer requests on standard input until it ends.

    The kernel kills the process when a request exceeds its processor time or wall time, even if the parent is
    gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    with suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    gc.collect()
    gc.freeze()  # the imports stay for good
    gc.set_threshold(50_000)  # a request makes many objects and few cycles
    confinement.apply()
    end_with_parent()  # a change of user resets it
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)  # output of libraries must not mix with replies
        _reply(replies, b"")
        while header := sys.stdin.buffer.read(REQUEST_HEADER.size):
            length, seconds = REQUEST_HEADER.unpack(header)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, WAIT_TIMES * seconds + 5)
            request = sys.stdin.buffer.read(length)
            _reply(replies, answer(request))
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            request = b""


def end_with_parent() -> None:
    """Let the kernel kill this process when its parent ends, if supported."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def _reply(replies: BinaryIO, reply: bytes) -> None:
    replies.write(HEADER.pack(len(reply)) + reply)
    replies.flush()
