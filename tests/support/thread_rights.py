"""A thread that may not read what its files' modes forbid, even as root."""

import ctypes
from concurrent.futures import ThreadPoolExecutor

_VERSION_3 = 0x20080522
_OVERRIDES = 0b110
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


def make_bound_executor() -> ThreadPoolExecutor:
    """Return an executor of one thread to which the modes of files apply; Linux keeps capabilities by thread."""
    return ThreadPoolExecutor(max_workers=1, initializer=_drop_overrides)


def _drop_overrides() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    sets[0] &= ~_OVERRIDES
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")
