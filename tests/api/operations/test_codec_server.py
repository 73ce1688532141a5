"""The codec server, for Temporal's own CLI and for pages of its UI."""

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from google.protobuf import json_format
from temporalio.api.common.v1 import Payloads
from temporalio.client import Client

from api.codec_server import MAX_BODY_BYTES, create_codec_app
from contracts.access.principal import KeyScope, Principal
from greenlight.stack.temporal_server import find_program
from store.access.access_keys import KeyRepository
from store.blobs import BlobStore
from store.postgres.pool import Pool
from temporal.payloads import data_converter
from tests.api.test_validation_errors import told
from tests.support.http_server import serve_http
from tests.temporal.test_encryption import OLD, encrypted
from tests.workflows.support.fake_activities import Fakes

UI = "https://temporal.example.org/namespaces/default"
SECRET = "Where to sell the pumps of Project Nightjar?"


@dataclass
class Codec:
    """The codec server, and who has keys for it."""

    http: httpx.AsyncClient
    keys: KeyRepository

    @property
    def endpoint(self) -> str:
        return str(self.http.base_url).rstrip("/")

    async def make_key(self, scope: KeyScope) -> dict[str, str]:
        """Return the header of a new key."""
        _, token = await self.keys.create(Principal(user_id="ops", scope=scope))
        return {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def codec_server(database: str, folder: Path) -> AsyncIterator[Codec]:
    async with Pool(database, max_size=2) as pool:
        keys = KeyRepository(pool)
        converter = data_converter(BlobStore(folder.as_uri()), OLD)
        config = uvicorn.Config(create_codec_app(converter, keys, UI), port=0, log_level="error")
        async with (
            serve_http(config) as port,
            httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=False
            ) as http,
        ):
            yield Codec(http, keys)


@pytest.fixture
async def codec(database: str, tmp_path: Path) -> AsyncIterator[Codec]:
    async with codec_server(database, tmp_path) as made:
        yield made


async def run_cli(temporal: Client, codec: Codec, key: dict[str, str], *words: str) -> str:
    """Return what the `temporal` program prints with this codec server, or its complaint."""
    process = await asyncio.create_subprocess_exec(
        *(find_program(), *words, "--address", temporal.service_client.config.target_host),
        *("--codec-endpoint", codec.endpoint, "--codec-auth", key["Authorization"]),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, complaint = await process.communicate()
    return (out if process.returncode == 0 else complaint).decode()


def list_data(shown: str) -> str:
    """Return the data of all payloads in a history as JSON."""
    found = re.findall(r'"data": ?"([^"]*)"', shown)
    return "\n".join(base64.b64decode(data).decode(errors="replace") for data in found)


async def test_temporals_cli_reads_and_answers_an_encrypted_run(
    temporal: Client, task_queue: str, tmp_path: Path, codec: Codec
) -> None:
    """The CLI starts the run and answers it with payloads that it had encrypted, and reads it in clear."""
    key = await codec.make_key("payloads")
    run_id = f"by-hand-{task_queue}"
    of = ("--workflow-id", run_id)
    async with encrypted(temporal, tmp_path, task_queue, OLD, Fakes()) as made:
        given = json.dumps({"query": SECRET, "inputs": {"audience": "Nightjar"}})
        start = ("workflow", "start", *of, "--type", "Research", "--task-queue", task_queue)
        await run_cli(temporal, codec, key, *start, "--input", given)
        handle = made.client.get_workflow_handle(run_id)
        await handle.execute_update("wait")
        steer = ("workflow", "signal", *of, "--name", "steer")
        await run_cli(temporal, codec, key, *steer, "--input", '{"text": "Look at Nightjar."}')
        query = ("workflow", "query", *of, "--type", "state")
        assert SECRET in await run_cli(temporal, codec, key, *query)
        show = ("workflow", "show", *of, "-o", "json")
        shown = await run_cli(temporal, codec, key, *show)
        assert SECRET in list_data(shown)
        assert "Look at Nightjar." in list_data(shown)
        stranger = await codec.make_key("decide")
        refused = await run_cli(temporal, codec, stranger, *show)
        assert "Nightjar" not in refused + list_data(refused)
        stored = (await handle.fetch_history()).to_json()
        await handle.terminate()
    assert "Nightjar" not in list_data(stored)


async def test_page_of_the_ui_may_ask_from_its_origin_alone(codec: Codec) -> None:
    asks = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-namespace",
    }
    for origin, allowed in (
        ("https://temporal.example.org", True),
        ("https://evil.example", False),
    ):
        answer = await codec.http.options("/decode", headers={"Origin": origin, **asks})
        assert (answer.status_code == 200) is allowed
        assert (answer.headers.get("Access-Control-Allow-Origin") == origin) is allowed


async def test_requests_without_the_scope_or_with_other_bodies_are_refused(codec: Codec) -> None:
    for path in ("/decode", "/encode", "/default/decode", "/default/encode"):
        told(await codec.http.post(path, json={}), 401, "unauthenticated")
        for scope in ("ask", "decide", "approve"):
            headers = await codec.make_key(scope)
            told(await codec.http.post(path, json={}, headers=headers), 403, "not-allowed")
        headers = await codec.make_key("payloads")
        empty = await codec.http.post(path, content=b"{}", headers=headers)
        assert (empty.status_code, empty.json()) == (200, {})
        for body in (b"no JSON", b'{"payloads": 5}', b"\xff", b"[" * 100_000):
            told(await codec.http.post(path, content=body, headers=headers), 422, "invalid-input")
    headers = await codec.make_key("payloads")
    large = b" " * (MAX_BODY_BYTES + 1)
    told(await codec.http.post("/decode", content=large, headers=headers), 413, "body-too-large")


async def test_references_stay_where_they_are_asked_to(codec: Codec, tmp_path: Path) -> None:
    converter = data_converter(BlobStore(tmp_path.as_uri()), OLD)
    headers = await codec.make_key("payloads")
    [reference] = await converter.encode(["Nightjar " * 6_000])
    body: dict[str, Any] = json_format.MessageToDict(Payloads(payloads=[reference]))
    kept = await codec.http.post(
        "/decode", params={"preserveStorageRefs": "true"}, json=body, headers=headers
    )
    assert kept.json() == body
    read = await codec.http.post("/decode", json=body, headers=headers)
    parsed = json_format.ParseDict(read.json(), Payloads()).payloads
    assert json.loads(parsed[0].data) == "Nightjar " * 6_000
