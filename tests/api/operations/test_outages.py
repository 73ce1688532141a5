"""The gateway while what it needs is away."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from temporalio.client import Client

from api.app import connect_temporal, require_loopback
from api.dependencies import Dependencies
from greenlight.stack.ports import reserve_ports
from settings import Settings
from store.blobs import BlobStore
from store.postgres.pool import Pool
from store.run_records.event_log import Listener
from tests.api.conftest import Site, served
from tests.api.test_validation_errors import START, told
from tests.support.words import en, phrase

NOWHERE = "127.0.0.1:9"
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


@pytest.fixture
async def without_temporal(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """A gateway on the same database that reaches no Temporal."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", NOWHERE)
    settings = Settings(database_url=site.database, blob_url=tmp_path.as_uri())
    async with Pool(site.database) as pool, Listener(site.database) as listener:
        blobs = BlobStore(settings.blob_url)
        client = await connect_temporal(blobs)
        services = Dependencies(settings, pool, listener, client, blobs)
        async with served(services) as http:
            yield http


@pytest.fixture
async def without_postgres(temporal: Client, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A gateway that reaches no PostgreSQL."""
    dsn = f"postgresql://nobody@{NOWHERE}/nothing"
    settings = Settings(database_url=dsn)
    blobs = BlobStore(tmp_path.as_uri())
    async with (
        Pool(dsn) as pool,
        Listener(dsn) as listener,
        served(Dependencies(settings, pool, listener, temporal, blobs)) as http,
    ):
        yield http


async def test_start_without_temporal_is_503_and_leaves_no_run(
    site: Site, without_temporal: httpx.AsyncClient
) -> None:
    run = await site.start()
    known = await site.runs()
    problem = told(
        await without_temporal.post(START, json={"query": "x"}), 503, "engine-unavailable"
    )
    assert problem["code"] in {"engine-away", "engine-late"}
    assert await site.runs() == known
    told(await without_temporal.post(f"{run}/pause"), 503, "engine-unavailable")
    state = (await without_temporal.get(f"{run}/state")).json()
    assert (state["live"], state["run_id"]) == (False, run.rsplit("/", 1)[1])
    ready = await without_temporal.get("/readyz")
    assert (ready.status_code, ready.json()["postgres"]) == (503, "ok")
    assert ready.json()["temporal"] in {en("engine-away"), en("engine-late")}
    await site.post(f"{run}/cancel")


@pytest.mark.full
async def test_readiness_without_postgres_gives_the_reason(
    without_postgres: httpx.AsyncClient,
) -> None:
    paths = ("/v1/runs", "/v1/runs/run-1/state", "/v1/runs/run-1/stream", "/readyz")
    asked = [without_postgres.get(path) for path in paths]
    *refused, ready = await asyncio.gather(
        without_postgres.post(START, json={"query": "x"}), *asked
    )
    for answer in refused:
        told(answer, 503, "store-unavailable")
        assert answer.headers["retry-after"]
    assert (await without_postgres.get("/v1/phases")).status_code == 200
    assert (await without_postgres.get("/healthz")).json() == {"status": "ok"}
    told_ready = ready.json()
    assert told_ready["temporal"] == "ok"
    assert phrase("store-away") in told_ready["postgres"]


async def test_all_is_ready(site: Site) -> None:
    ready = await site.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == dict.fromkeys(("postgres", "temporal", "worker"), "ok")


async def test_a_gateway_is_ready_and_says_so_where_no_worker_is_up(
    site: Site, tmp_path: Path
) -> None:
    settings = Settings(
        database_url=site.database, blob_url=tmp_path.as_uri(), greenlight_task_queue="nobody"
    )
    async with Pool(site.database) as pool, Listener(site.database) as listener:
        blobs = BlobStore(settings.blob_url)
        async with served(Dependencies(settings, pool, listener, site.temporal, blobs)) as http:
            ready = await http.get("/readyz")
    assert (ready.status_code, ready.json()["temporal"]) == (200, "ok")
    assert phrase("worker-away") in ready.json()["worker"]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org", ""])
def test_public_address_without_keys_is_refused(host: str) -> None:
    with pytest.raises(SystemExit, match="GREENLIGHT_REQUIRE_KEYS"):
        require_loopback(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_is_fine(host: str) -> None:
    require_loopback(host)


@asynccontextmanager
async def process(**environment: str) -> AsyncIterator[httpx.AsyncClient]:
    """Run the gateway's own process; at the end it must stop cleanly and soon."""
    port = reserve_ports({"gateway": 0})["gateway"]
    told = {**os.environ, **environment, "GREENLIGHT_PORT": str(port)}
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "api.app", env=told, cwd=ROOT
    )
    url = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=url, trust_env=False) as http, asyncio.timeout(30):
        while True:
            try:
                assert (await http.get("/healthz")).status_code == 200
                break
            except httpx.ConnectError:
                await asyncio.sleep(0.1)
        yield http
        running.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            assert await running.wait() == 0


@pytest.mark.full
async def test_gateway_starts_while_everything_is_unreachable(tmp_path: Path) -> None:
    away = {"DATABASE_URL": f"postgresql://nobody@{NOWHERE}/nothing", "TEMPORAL_ADDRESS": NOWHERE}
    async with process(**away, BLOB_URL=tmp_path.as_uri()) as http:
        assert (await http.get("/v1/phases")).status_code == 200


@pytest.mark.full
async def test_gateway_stops_despite_an_open_stream(site: Site, tmp_path: Path) -> None:
    run = await site.start()
    async with AsyncExitStack() as watching:
        address = site.temporal.service_client.config.target_host
        told = {"DATABASE_URL": site.database, "TEMPORAL_ADDRESS": address}
        async with process(**told, BLOB_URL=tmp_path.as_uri()) as http:
            stream = http.stream("GET", f"{run}/stream", timeout=10)
            lines = (await watching.enter_async_context(stream)).aiter_lines()
            assert (await anext(lines)).startswith("id: 1")
    await site.post(f"{run}/cancel")
