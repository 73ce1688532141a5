"""Floods of a gateway, each in its own process: `-m bench.bounds.floods` with a description on stdin.

The client of a flood must not share an event loop with the one that measures. Bytes go out over plain
sockets: a client library would take more of the machine than the gateway does.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from bench.bounds.addresses import resolve

MOST_ANSWER_BYTES = 4_096


@dataclass
class Flood:
    """A flood: how many connections, from which addresses, and what each sends."""

    name: str
    url: str
    connections: int
    addresses: list[str]
    """Loopback addresses of the client, used in turn."""
    seconds: float
    """How long connections are held open; the flood ends at most a few seconds later."""
    path: str = "/v1/runs"
    key: str = ""
    """An API key; if empty, each connection sends a different invalid key."""
    rounds: int = 1
    bytes: int = 0
    """Size of each head or body."""
    counted: Counter[str] = field(default_factory=Counter)
    """Status of each answer, or what else became of the connection."""


async def hold_streams(flood: Flood) -> None:
    """Open all event streams at once and hold those that are accepted."""
    await _open_all(flood, lambda n: _request(flood, n))


async def send_junk_keys(flood: Flood) -> None:
    """Send one request with an unknown key on each of many connections, in rounds."""
    for _ in range(flood.rounds):
        await _open_all(flood, lambda n: _request(flood, n))
        await asyncio.sleep(0.5)


async def hold_half_heads(flood: Flood) -> None:
    """Hold connections whose request heads never finish; reopen those that the gateway closes."""

    async def hold(n: int) -> None:
        while True:
            await _exchange(flood, n, [f"GET {flood.path} HTTP/1.1\r\nHost: 1".encode()], hold=True)

    holding = [asyncio.create_task(hold(n)) for n in range(flood.connections)]
    await asyncio.wait(holding, timeout=flood.seconds)
    for each in holding:
        each.cancel()
    await asyncio.gather(*holding, return_exceptions=True)


async def send_large_heads(flood: Flood) -> None:
    """Send heads that never end, up to a size, again and again for some seconds."""
    line = b"X-A: " + b"x" * 65_000 + b"\r\n"
    start = f"GET {flood.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
    end = asyncio.get_running_loop().time() + flood.seconds

    async def send(n: int) -> None:
        while asyncio.get_running_loop().time() < end:
            await _exchange(flood, n, [start, *[line] * (flood.bytes // len(line))])

    await asyncio.gather(*map(send, range(flood.connections)))


async def upload(flood: Flood) -> None:
    """Upload large documents at once, each a different one."""

    async def send(n: int) -> None:
        body = (f"{n} pumps sell. " * 2 + "\n").encode()
        body *= flood.bytes // len(body)
        extra = f"Content-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n"
        head = _make_head(flood, n, f"POST {flood.path}?name=pumps-{n}.txt", extra)
        pieces = [body[at : at + 1_000_000] for at in range(0, len(body), 1_000_000)]
        await _exchange(flood, n, [head, *pieces])

    await asyncio.gather(*map(send, range(flood.connections)))


async def get_repeatedly(flood: Flood) -> None:
    """Get one path on each connection, in rounds."""
    for _ in range(flood.rounds):
        await asyncio.gather(*(_request(flood, n) for n in range(flood.connections)))


async def _open_all(flood: Flood, open_one: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Open all connections at once; hold for the flood's time what stays open."""
    opened = [asyncio.create_task(open_one(n)) for n in range(flood.connections)]
    _, still = await asyncio.wait(opened, timeout=flood.seconds)
    for each in still:
        each.cancel()
    await asyncio.gather(*still, return_exceptions=True)


_serial = count()


def _make_head(flood: Flood, n: int, line: str, extra: str = "") -> bytes:
    key = flood.key or f"gl_junk-{n}-{next(_serial)}"
    host, port = resolve(flood.url)
    return (
        f"{line} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {key}\r\n{extra}\r\n"
    ).encode()


async def _request(flood: Flood, n: int) -> None:
    hold = flood.path.endswith("/stream")
    await _exchange(flood, n, [_make_head(flood, n, f"GET {flood.path}")], hold=hold)


async def _exchange(flood: Flood, n: int, parts: list[bytes], *, hold: bool = False) -> None:
    """Send bytes, count the status of the answer, and read on while the connection is held."""
    writer: asyncio.StreamWriter | None = None
    local = (flood.addresses[n % len(flood.addresses)], 0)
    outcome = "unanswered"
    try:
        reader, writer = await asyncio.open_connection(*resolve(flood.url), local_addr=local)
        for part in parts:
            writer.write(part)
            await writer.drain()
        answer = await reader.readline()
        outcome = answer[9:12].decode() or "closed"
        while hold and await reader.read(MOST_ANSWER_BYTES):
            pass
    except OSError:
        outcome = "closed"
    finally:
        flood.counted[outcome] += 1
        if writer:
            writer.transport.abort()


FLOODS: dict[str, Callable[[Flood], Coroutine[Any, Any, None]]] = {
    each.__name__: each
    for each in (
        hold_streams,
        send_junk_keys,
        hold_half_heads,
        send_large_heads,
        upload,
        get_repeatedly,
    )
}


async def start(flood: Flood) -> Counter[str]:
    """Run a flood in its own process and count its connections by outcome."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.bounds.floods"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        told, _ = await process.communicate(json.dumps(asdict(flood)).encode())
    except BaseException:
        process.kill()
        await process.wait()
        raise
    return Counter(json.loads(told))


if __name__ == "__main__":
    described = Flood(**json.load(sys.stdin))
    described.counted = Counter()
    with suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(FLOODS[described.name](described), described.seconds + 5))
    print(json.dumps(described.counted))
