"""The images' entry points, each run as its container runs it, with the variables that compose gives it."""

import asyncio
import json
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
import pytest
from temporalio.client import Client

from store.blobs import BlobStore
from temporal.payloads import data_converter
from temporal.side_workflows.sweep_schedule import sweep_id
from tests.conftest import Offline, Postgres
from tests.deploy.containers import read_compose
from tests.deploy.image import PLACE, USER, Ended, Image, run_service
from tests.deploy.relay import listen_on_socket
from tests.support.databases import as_owner
from tests.support.words import en

RELAY = Path(__file__).with_name("relay.py")
pytestmark = pytest.mark.timeout(400)
SECRET = "0123456789abcdef" * 4
READYZ = (
    "python -c 'import urllib.error as e, urllib.request as r\n"
    'try: print(r.urlopen("http://127.0.0.1:8460/readyz").read().decode())\n'
    "except e.HTTPError as error: print(error.read().decode())'"
)


@dataclass(frozen=True)
class Host:
    """What a container finds: a folder to write to, and PostgreSQL on a socket in it."""

    image: Image
    given: dict[str, str]

    async def install(self, image: str) -> "Host":
        """Return the host with an image of the lock's packages, instead of all that is installed here."""
        return replace(self, image=await asyncio.to_thread(Image.install, image, self.image.folder))

    async def run(
        self, service: str, *, command: str = "", probe: str = "", ask: str = "true", **more: str
    ) -> Ended:
        given = self.given | more
        return await run_service(service, self.image, given, command=command, probe=probe, ask=ask)


@pytest.fixture(scope="module")
async def host(postgres: Postgres, temporal: Client) -> AsyncIterator[Host]:
    queue = f"test-{uuid.uuid4()}"
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # a socket's path is short
    database = await postgres.database()
    given = {
        "DATABASE_URL": on_socket(database),
        "DATABASE_OWNER_URL": on_socket(as_owner(database)),
        "GREENLIGHT_DATABASE_PASSWORD": "unused",
        "BLOB_URL": f"file://{PLACE}/blobs",
        "TEMPORAL_ADDRESS": "127.0.0.1:7233",
        "GREENLIGHT_TASK_QUEUE": queue,
        "ANTHROPIC_API_KEY": "sk-nobody",
        "POSTGRES_PASSWORD": "unused",
        "GREENLIGHT_SIGNING_KEY": SECRET,
    }
    there = int(temporal.service_client.config.target_host.rpartition(":")[2])
    async with (
        listen_on_socket(folder / ".s.PGSQL.5432", postgres.port),
        listen_on_socket(folder / "temporal", there),
    ):
        yield Host(Image(folder), given)
    await temporal.get_schedule_handle(sweep_id(queue)).delete()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
async def migrated(host: Host) -> Ended:
    return await host.run("migrate")


def on_socket(dsn: str) -> str:
    own = psycopg.conninfo.conninfo_to_dict(dsn)
    return f"postgresql://{own['user']}:{own['password']}@/{own['dbname']}?host={PLACE}"


def assert_confined(ended: Ended) -> None:
    assert f"user {USER}\n" in ended.said
    assert "root can be written" not in ended.said
    assert "network is there" not in ended.said


def probe_of(service: str) -> str:
    """Return the command of compose's health check."""
    test: str = read_compose()[service]["healthcheck"]["test"]
    return test.replace("$$", "$")


@pytest.mark.parametrize("of_its_lock", [False, pytest.param(True, marks=pytest.mark.full)])
async def test_gateway_is_healthy_over_a_migrated_database_and_names_what_is_unreachable(
    host: Host, migrated: Ended, of_its_lock: bool
) -> None:
    if of_its_lock:
        host = await host.install("gateway")
        migrated = await host.run("migrate")
    assert_confined(migrated)
    assert migrated.code == 0, migrated.said
    if of_its_lock:
        add = await host.run("migrate", command="python -m greenlight.cli keys add --user ana")
        assert add.code == 0, add.said
    ended = await host.run("gateway", probe=probe_of("gateway"), ask=READYZ)
    assert_confined(ended)
    assert "probe succeeded" in ended.said, ended.said
    [told] = [json.loads(line) for line in ended.said.splitlines() if '"postgres"' in line]
    assert told["postgres"] == "ok"
    assert told["temporal"] != "ok"
    assert "confinement" not in told, "its processes that read documents are confined"
    assert ended.code == 0, ended.said


@pytest.mark.parametrize(
    ("service", "of_its_lock"),
    [
        ("worker", False),
        pytest.param("worker", True, marks=pytest.mark.full),
        pytest.param("crew-worker", True, marks=pytest.mark.full),
    ],
)
async def test_worker_lives_without_temporal_and_is_ready_once_it_is_there(
    host: Host, migrated: Ended, service: str, of_its_lock: bool
) -> None:
    assert migrated.code == 0
    if of_its_lock:
        host = await host.install(service)
    ready, _, alive = probe_of(service).partition(" && ")
    assert (ready, "alive" in alive) == ("test -f /tmp/probes/ready", True)
    ask = f"""
        {ready} && echo "ready without Temporal"
        python {RELAY} 7233 {PLACE}/temporal &
        for _ in $(seq 240); do {probe_of(service)} && {{ echo healthy; break; }}; sleep 0.25; done
    """
    ended = await host.run(service, probe=alive, ask=ask)
    assert_confined(ended)
    assert "ready without Temporal" not in ended.said
    assert ("healthy" in ended.said, ended.code) == (True, 0), ended.said


@pytest.mark.full
async def test_confined_worker_searches_reads_pages_and_reports(
    host: Host, migrated: Ended, temporal: Client, offline: Offline
) -> None:
    """The worker's own processes read the pages: they run below it, confined once more."""
    assert migrated.code == 0
    folder, port = host.image.folder, int(offline.model.rpartition(":")[2])
    work = f"""
        python {RELAY} 7233 {PLACE}/temporal & python {RELAY} {port} {PLACE}/offline &
        for _ in $(seq 400); do test -e {PLACE}/finished && break; sleep 0.25; done
    """
    services = {
        "ANTHROPIC_API_KEY": "offline",
        "ANTHROPIC_BASE_URL": offline.model,
        "BRAVE_API_KEY": "offline",
        "BRAVE_BASE_URL": offline.search,
        "GREENLIGHT_FETCH_ALLOW": json.dumps([offline.search.removeprefix("http://")]),
    }
    async with listen_on_socket(folder / "offline", port):
        working = asyncio.create_task(host.run("worker", probe="true", ask=work, **services))
        client = await Client.connect(
            temporal.service_client.config.target_host,
            data_converter=data_converter(BlobStore((folder / "blobs").as_uri())),
        )
        asked = {
            "query": "Is Brazil or Argentina better for wind power?",
            "definition_id": "web_answer",
        }
        queue = host.given["GREENLIGHT_TASK_QUEUE"]
        run = await client.start_workflow("Research", asked, id=f"run-{queue}", task_queue=queue)
        result = await asyncio.wait_for(run.result(), 90)
        report = await run.query("report")
        (folder / "finished").touch()
        ended = await working
    assert_confined(ended)
    assert (result["status"], ended.code) == ("completed", 0), ended.said
    assert f"## {en('sources')}\n" in report, "what its quotes were located in"
    assert host.image.folder.joinpath("blobs", "default", run.id).exists(), (
        "pages as they were read"
    )


@pytest.mark.full
async def test_codec_server_is_healthy(host: Host) -> None:
    ended = await host.run("codec", probe=probe_of("codec"))
    assert_confined(ended)
    assert ("probe succeeded" in ended.said, ended.code) == (True, 0), ended.said


@pytest.mark.full
@pytest.mark.parametrize("service", ["migrate", "gateway", "worker"])
async def test_setting_that_is_wrong_ends_the_process_with_its_name(
    host: Host, service: str
) -> None:
    ended = await host.run(service, GREENLIGHT_CAP_USD="much")
    assert ended.code
    assert "greenlight_cap_usd" in ended.said.lower()
