"""Reservation of free ports: several stacks of a user, and their restarts, do not collide."""

import contextlib
import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO

from greenlight.errors import CommandError

FALLBACK_PORTS = range(20_000, 32_000)
"""Below the ephemeral range, so that no connection takes a port while its process restarts."""


def reserve_ports(preferred: Mapping[str, int | Sequence[int]]) -> dict[str, int]:
    """Reserve a port for each name: the first free one of those preferred, or any.

    Other stacks of this user respect the reservation until this process ends.
    """
    with contextlib.ExitStack() as sockets:
        return {name: _reserve_port(sockets, ports) for name, ports in preferred.items()}


def _reserve_port(sockets: contextlib.ExitStack, preferred_ports: int | Sequence[int]) -> int:
    first = [preferred_ports] if isinstance(preferred_ports, int) else preferred_ports
    for port in filter(None, [*first, *random.sample(FALLBACK_PORTS, 100)]):
        bound = sockets.enter_context(socket.socket())  # until all are chosen
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # This user's other stacks lock the byte of a port in a file as long as they run.
        with contextlib.suppress(OSError):  # another process has the port
            bound.bind(("127.0.0.1", port))
            fcntl.lockf(_open_claims_file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
            return port
    raise CommandError(
        f"no free port among a hundred of {FALLBACK_PORTS.start} to {FALLBACK_PORTS.stop}"
    )


@cache
def _open_claims_file() -> BinaryIO:
    return Path(tempfile.gettempdir(), f"greenlight-{os.getuid()}.ports").open("ab")
