"""One caller's many requests, streams, connections and heads hold up nobody else."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack

import httpx
import pytest
import uvicorn
from temporalio.client import Client
from uvicorn.server import ServerState

from api import protocol
from api.errors import TooManyRequests
from api.limits import Ceiling
from store.keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site, site_over
from tests.offline_services import eventually

STREAMS = 20
PATIENCE_SECONDS = 5
"""Client, server and worker share this process, and the machine its cores."""


@pytest.fixture(scope="module")
async def site(
    database: str, temporal: Client, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("blobs")
    limits = {"greenlight_streams_per_key": STREAMS, "greenlight_requests_per_key": 30}
    async with site_over(database, temporal, folder, **limits) as made:
        yield made


async def watch(http: httpx.AsyncClient, run: str, statuses: Counter[int]) -> None:
    """Open a stream, count how it is answered, and keep it."""
    async with http.stream("GET", f"{run}/stream", timeout=60) as answer:
        statuses[answer.status_code] += 1
        if answer.status_code == 200:
            await asyncio.sleep(60)
        else:
            assert int(answer.headers["retry-after"]) > 0


async def test_streams_of_one_key_slow_no_other_users_list(site: Site, keys: KeyRepository) -> None:
    """A stream holds no connection to the database, and what exceeds the limit reaches none."""
    async with AsyncExitStack() as stack:
        mallory = await sign_in(site, keys, "evil", "mallory", stack)
        ana = await sign_in(site, keys, "acme", "ana", stack)
        run = await mallory.start(user_id="mallory")
        await mallory.until(run, "clarification")
        statuses: Counter[int] = Counter()
        limits = httpx.Limits(max_connections=None)
        many = httpx.AsyncClient(
            base_url=site.http.base_url,
            headers=mallory.http.headers,
            limits=limits,
            trust_env=False,
        )
        await stack.enter_async_context(many)
        watching = [asyncio.create_task(watch(many, run, statuses)) for _ in range(10 * STREAMS)]

        async def are_all_answered() -> bool:
            began = time.monotonic()
            assert (await ana.get("/v1/runs")).status_code == 200
            assert time.monotonic() - began < PATIENCE_SECONDS
            return statuses.total() == 10 * STREAMS

        assert await eventually(are_all_answered)
        assert statuses == {200: STREAMS, 429: 9 * STREAMS}
        assert (await mallory.get("/v1/runs")).status_code == 200, "requests count apart"
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

        async def is_free() -> bool:
            return (await many.get(f"{run}/stream?after=x")).status_code != 429

        assert await eventually(is_free)


def test_requests_are_counted_while_they_last() -> None:
    ceiling = Ceiling(2, "requests")
    for _ in range(2):
        with ExitStack() as held:
            for who in ("a", "a", "b"):
                held.enter_context(ceiling.hold(who))
            with pytest.raises(TooManyRequests, match="requests: up to 2 at once"):
                held.enter_context(ceiling.hold("a"))


def address(site: Site) -> tuple[str, int]:
    url = httpx.URL(str(site.http.base_url))
    return url.host, url.port or 80


async def talk(site: Site, *parts: bytes) -> bytes:
    """Send bytes and return what comes back until the server hangs up."""
    reader, writer = await asyncio.open_connection(*address(site))
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


GET = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LARGE = b"x" * (protocol.MAX_HEAD_BYTES + 1)


@pytest.mark.parametrize(
    "parts",
    [
        (GET + b"A: " + LARGE + b"\r\n\r\n",),
        (GET, b"A: ", LARGE),
        (GET, *(b"A%d: " % n + b"x" * 1_000 + b"\r\n" for n in range(80))),
        (b"GET /" + LARGE,),
        (b"GET /" + LARGE + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",),
    ],
    ids=["one header", "unfinished header", "many headers", "unfinished path", "path"],
)
async def test_head_beyond_its_size_is_refused(site: Site, parts: tuple[bytes, ...]) -> None:
    answer = await talk(site, *parts)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431"), answer[:200]


async def test_large_body_is_no_large_head(site: Site) -> None:
    body = b'{"x": "' + b"y" * 500_000 + b'"}'
    answer = await site.http.post(
        "/v1/workflows/validate", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in {401, 422}
    assert (await site.http.get("/healthz")).status_code == 200


async def test_unfinished_head_is_closed_after_its_time(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    for begun in (b"", b"GET /healthz HTTP/1.1\r\nHo"):
        began = time.monotonic()
        assert await talk(site, begun) == b""
        assert time.monotonic() - began < 5
    assert (await site.http.get("/healthz")).status_code == 200


async def ignore(_: object, __: object, ___: object) -> None:
    """Do nothing: no request gets here."""


def make_protocols(most: int) -> Callable[[], asyncio.Protocol]:
    """Return what makes the protocol of each connection."""
    config, state = uvicorn.Config(ignore, log_level="error"), ServerState()
    config.load()
    bounded = protocol.bound_protocol(most)
    return lambda: bounded(config, state, {})


async def read_answer(place: tuple[str, int]) -> bytes:
    """Return what a server answers to what is no request."""
    reader, writer = await asyncio.open_connection(*place)
    try:
        writer.write(b"no HTTP at all\r\n\r\n")
        async with asyncio.timeout(5):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_connections_of_an_address_are_bounded() -> None:
    """Those beyond the limit are closed at once, and there is room again when others go."""
    made = make_protocols(3)
    async with await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0) as server:
        place = server.sockets[0].getsockname()
        held = [await asyncio.open_connection(*place) for _ in range(3)]
        assert await read_answer(place) == b""
        for _, writer in held:
            writer.close()
            await writer.wait_closed()

        async def has_room() -> bool:
            return (await read_answer(place)).startswith(b"HTTP/1.1 400")

        assert await eventually(has_room)
