"""A thread that may not read what its files' modes forbid, even as root."""

import asyncio
import ctypes
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

_VERSION_3 = 0x20080522
_OVERRIDES = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


@contextmanager
def bound_threads() -> Iterator[None]:
    """Have the modes of files apply to what the event loop runs in threads; Linux keeps capabilities by thread.

    Afterwards the loop has its threads again: all tests of a process share it.
    """
    loop = asyncio.get_running_loop()
    own = loop._default_executor  # type: ignore[attr-defined]
    with ThreadPoolExecutor(initializer=_drop_overrides) as bound:
        loop.set_default_executor(bound)
        try:
            yield
        finally:
            loop._default_executor = own  # type: ignore[attr-defined]


def _drop_overrides() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    sets[0] &= ~_OVERRIDES
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")
