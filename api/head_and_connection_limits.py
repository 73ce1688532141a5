"""HTTP protocol of the gateway: bounds on heads and connections, before a request exists."""

import asyncio
from collections import defaultdict
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 10.0
"""From the first byte of a request head, or the connection, until the head is complete."""
HEAD_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class HeadTooLarge(Exception):
    """The head exceeds its limit; the parser stops."""


class Connections:
    """The connections of one address; beyond the limit, the one that has been idle longest makes room."""

    def __init__(self) -> None:
        self.open = 0
        self.idle: dict[asyncio.Protocol, asyncio.Transport] = {}
        """Those without a request under way, the longest idle first."""

    def make_room(self) -> bool:
        """Close the connection that has been idle longest; False: all are in use."""
        if longest := next(iter(self.idle), None):
            self.idle.pop(longest).abort()
        return longest is not None


class BoundedProtocol(HttpToolsProtocol):
    """Closes connections with too large or slow request heads, and those beyond an address's limit."""

    max_connections = 1_000
    """Per address, set once for the process."""
    _addresses: defaultdict[str, Connections] = defaultdict(Connections)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection and expect its first head."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._own = self._addresses[self._address]
        self._own.open += 1
        self._head_bytes = self._parsed = 0
        self._is_in_head = False
        self._timer: asyncio.TimerHandle | None = None
        if self._own.open > self.max_connections and not self._own.make_room():
            transport.abort()
        else:
            self._own.idle[self] = transport
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self._own.idle.pop(self, None)
        self._own.open -= 1
        if not self._own.open:
            del self._addresses[self._address]
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse incoming data; close the connection if the head is too long."""
        if self._timer is None and self.cycle is not None and self.cycle.response_complete:
            self._expect_head()
        super().data_received(data)
        if self._is_in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse()

    def on_message_begin(self) -> None:
        """Begin a head."""
        super().on_message_begin()
        self._is_in_head, self._head_bytes, self._parsed = True, 0, 0

    def on_url(self, url: bytes) -> None:
        """Count the bytes of the address."""
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header's bytes and strip whitespace around its value (RFC 9110, 5.5)."""
        self._count(len(name) + len(value))
        super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """End the request head."""
        self._is_in_head = False
        self._stop_timer()
        self._own.idle.pop(self, None)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Count the connection as idle until its next request."""
        if not self.pipeline:
            self._own.idle[self] = self.transport
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what could not be parsed."""
        if self._parsed > MAX_HEAD_BYTES:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _count(self, size: int) -> None:
        self._parsed += size
        if self._parsed > MAX_HEAD_BYTES:
            raise HeadTooLarge

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self) -> None:
        self.transport.write(HEAD_TOO_LARGE)
        self.transport.close()


def bound_protocol(max_connections: int) -> type[Any]:
    """Return a protocol that limits the connections of an address to `max_connections`."""
    return type(
        "Protocol",
        (BoundedProtocol,),
        {"max_connections": max_connections, "_addresses": defaultdict(Connections)},
    )
