"""Reverse proxy before Temporal's UI, which accepts any Host and so is open to DNS rebinding."""

import asyncio
import re
from contextlib import suppress

LOOPBACK = "127.0.0.1"
HEAD_SECONDS = 10
MAX_HEAD_BYTES = 64 * 1024
REFUSAL = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 23\r\nConnection: close\r\n\r\nthis Host is not served"
UNOPENED = (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6566, 6679, 6697, 10080)
"""Ports that every browser blocks (the Fetch standard's list): no page can bypass the proxy."""

_HOST = re.compile(rb"\r\nhost:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)", re.IGNORECASE)
_CONNECTION = re.compile(rb"\r\nconnection:[^\r\n]*", re.IGNORECASE)


async def guard_host(port: int, upstream: int) -> asyncio.Server:
    """Proxy a loopback port to `upstream`, only for requests whose Host is this machine.

    Each connection carries one request, so that every request is checked.
    """
    allowed = [f"{name}:{port}".encode() for name in (LOOPBACK, "localhost")]

    async def forward(browser: asyncio.StreamReader, to_browser: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError, asyncio.LimitOverrunError):
            try:
                async with asyncio.timeout(HEAD_SECONDS):
                    head = await browser.readuntil(b"\r\n\r\n")
                if len(hosts := _HOST.findall(head)) == 1 and hosts[0] in allowed:
                    await _exchange(head, browser, to_browser, upstream)
                else:
                    to_browser.write(REFUSAL)
                    await to_browser.drain()
            finally:
                to_browser.close()

    return await asyncio.start_server(forward, LOOPBACK, port, limit=MAX_HEAD_BYTES)


async def _exchange(
    head: bytes, browser: asyncio.StreamReader, to_browser: asyncio.StreamWriter, upstream: int
) -> None:
    server, to_server = await asyncio.open_connection(LOOPBACK, upstream)
    to_server.write(_CONNECTION.sub(b"", head)[:-2] + b"Connection: close\r\n\r\n")
    upload = asyncio.create_task(_copy(browser, to_server))
    try:
        await _copy(server, to_browser)
    finally:
        upload.cancel()
        await asyncio.gather(upload, return_exceptions=True)
        to_server.close()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(MAX_HEAD_BYTES):
        target.write(data)
        await target.drain()
