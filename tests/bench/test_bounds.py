"""Floods of `bench bounds` count what becomes of their connections, and end by themselves."""

import asyncio
import time

import pytest

from bench.bounds import floods
from bench.bounds.addresses import ATTACKERS
from bench.bounds.floods import Flood

ANSWERS = {
    "/v1/runs": b"HTTP/1.1 401 Unauthorized\r\n\r\n",
    "/v1/files": b"HTTP/1.1 201 Created\r\n\r\n",
}


@pytest.fixture
def seen() -> list[str]:
    """Addresses of the clients, in the order of their requests."""
    return []


@pytest.fixture
async def url(seen: list[str]) -> str:
    """The address of a server that answers two paths and no other."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append(writer.get_extra_info("peername")[0])
        path = head.split(b" ")[1].partition(b"?")[0].decode()
        if found := ANSWERS.get(path):
            writer.write(found)
            await reader.read(1_000_000)
        else:
            await asyncio.sleep(60)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return "http://{}:{}".format(*server.sockets[0].getsockname())


@pytest.mark.parametrize(
    ("flood", "counted"),
    [
        (Flood("send_junk_keys", "", 4, ATTACKERS[:2], seconds=9, rounds=2), {"401": 8}),
        (Flood("upload", "", 2, ATTACKERS, seconds=9, path="/v1/files", bytes=9_000), {"201": 2}),
        (Flood("hold_streams", "", 3, ATTACKERS, seconds=1, path="/a/stream"), {"unanswered": 3}),
        (Flood("get_repeatedly", "", 2, ATTACKERS, seconds=0.1, path="/a"), {"unanswered": 2}),
    ],
    ids=lambda value: value.name if isinstance(value, Flood) else "",
)
async def test_flood_counts_its_answers_and_ends(
    url: str, seen: list[str], flood: Flood, counted: dict[str, int]
) -> None:
    began = time.monotonic()
    flood.url = url
    assert await floods.start(flood) == counted
    assert time.monotonic() - began < 30
    assert set(seen) == set(flood.addresses[: flood.connections])
