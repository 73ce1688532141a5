"""Decompression of response bodies, a bounded piece at a time."""

import zlib

from contracts.errors import FetchFailed, FetchRefused

_PACKINGS = {"gzip", "x-gzip", "deflate"}
GZIP = b"\x1f\x8b"
"""How a member of a gzip file begins; there may be several, one behind the other."""


class Decompressor:
    """Decompresses gzip and deflate, never to more than `limit` bytes at a time."""

    def __init__(self, host: str, encoding: str, limit: int) -> None:
        encoding = encoding.strip().lower()
        if encoding not in _PACKINGS | {"", "identity"}:
            raise FetchRefused(f"{host!r} packed the page as {encoding!r}; only gzip can be read.")
        self._host = host
        self._limit = limit
        self._unpack = zlib.decompressobj(wbits=47) if encoding in _PACKINGS else None

    def feed(self, packed: bytes) -> bytes:
        """Return what the next piece holds."""
        if self._unpack is None:
            return packed
        try:
            found = self._unpack.decompress(packed, self._limit)
            while self._unpack.unused_data.startswith(GZIP) and len(found) < self._limit:
                packed, self._unpack = self._unpack.unused_data, zlib.decompressobj(wbits=47)
                found += self._unpack.decompress(packed, self._limit)
        except zlib.error as error:
            raise FetchFailed(f"The packed page from {self._host!r} is damaged.") from error
        return found

    def finish(self) -> None:
        """Refuse a body that breaks off."""
        if self._unpack is not None and not self._unpack.eof:
            raise FetchFailed(f"The packed page from {self._host!r} is damaged: it breaks off.")
