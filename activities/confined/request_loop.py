"""The loop of a confined process: it answers requests on standard input, within its limits.

A request and its reply are bytes behind a header with their length.
"""

import gc
import os
import signal
import struct
import sys
from collections.abc import Callable
from typing import BinaryIO

from activities.confined.confinement import READS_LIBRARIES, Confinement
from activities.confined.memory_and_time_limits import end_with_parent, limit_memory, limit_time

MAX_REQUEST_BYTES, MAX_REPLY_BYTES = 120_000_000, 50_000_000
HEADER = struct.Struct(">Q")
"""Length of the following message in bytes."""
REQUEST_HEADER = struct.Struct(">Qd")
"""The same, and how many seconds of processor time the request may take."""


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
    limit_memory(memory_bytes)
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
            with limit_time(seconds):
                request = sys.stdin.buffer.read(length)
                _reply(replies, answer(request))
            request = b""


def _reply(replies: BinaryIO, reply: bytes) -> None:
    replies.write(HEADER.pack(len(reply)) + reply)
    replies.flush()
