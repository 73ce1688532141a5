"""Bodies that a reader leaves early: nothing is left for the garbage collector, and connections are reused."""

import asyncio
import gzip
import time
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import StreamingResponse

from activities.integrations.http.response_bodies import ResponseTooLarge, open_body, read_body
from tests.activities.web.site import Site
from tests.support.generators import dropped_generators

PIECE = b"x" * 65_536


async def _flood() -> AsyncIterator[bytes]:
    while True:
        yield PIECE
        await asyncio.sleep(0)


async def _hang_after_one() -> AsyncIterator[bytes]:
    yield PIECE
    await asyncio.sleep(60)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, verify=False) as made:
        yield made


@pytest.mark.parametrize("raw", [False, True])
async def test_large_body_is_refused_and_closed(
    site: Site, http: httpx.AsyncClient, raw: bool
) -> None:
    url = site.does("/", lambda _: StreamingResponse(_flood()))
    with dropped_generators() as dropped:
        async with http.stream("GET", url) as response:
            with pytest.raises(ResponseTooLarge):
                await read_body(response, 200_000, raw=raw)
    assert dropped == []


async def test_packed_body_is_measured_unpacked(site: Site, http: httpx.AsyncClient) -> None:
    packed = gzip.compress(PIECE * 10)
    url = site.puts("/", packed, headers={"content-encoding": "gzip"})
    with dropped_generators() as dropped:
        async with http.stream("GET", url) as response:
            with pytest.raises(ResponseTooLarge):
                await read_body(response, len(PIECE))
        async with http.stream("GET", url) as response:
            assert await read_body(response, len(packed), raw=True) == packed
    assert dropped == []


async def test_body_that_does_not_end_is_closed_after_a_moment(
    site: Site, http: httpx.AsyncClient
) -> None:
    url = site.does("/", lambda _: StreamingResponse(_hang_after_one()))
    started = time.monotonic()
    with dropped_generators() as dropped:
        async with http.stream("GET", url) as response, open_body(response) as pieces:
            await anext(pieces)
    assert dropped == []
    assert time.monotonic() - started < 20


async def test_cancelled_reader_closes_the_body(site: Site, http: httpx.AsyncClient) -> None:
    url = site.does("/", lambda _: StreamingResponse(_hang_after_one()))
    with dropped_generators() as dropped, pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3), http.stream("GET", url) as response:
            await read_body(response, 200_000)
    assert dropped == []


async def test_body_that_ends_leaves_its_connection_to_the_next_request(
    site: Site, http: httpx.AsyncClient
) -> None:
    async def two_pieces(_: Request) -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            yield PIECE
            await asyncio.sleep(0.01)
            yield b"the end"

        return StreamingResponse(pieces())

    url = site.does("/", two_pieces)
    for _ in range(2):
        async with http.stream("GET", url) as response, open_body(response) as pieces:
            await anext(pieces)
    ports = {request.client and request.client.port for request in site.requests}
    assert len(ports) == 1
