"""What each image runs, in an environment of that image's lock alone."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from greenlight.bootstrap import ROOT
from greenlight.development import image_lock
from greenlight.stack.ports import reserve_ports
from greenlight.stack.processes import Child
from tests.conftest import Postgres
from tests.databases import as_owner

pytestmark = [pytest.mark.full, pytest.mark.timeout(400)]


def install(image: str, place: Path) -> str:
    """Return the Python of an environment as the image's lock says."""
    uv = (sys.executable, "-m", "uv")
    python = str(place / "bin" / "python")
    hashed = ("--require-hashes", "--no-deps", "--only-binary", ":all:")
    lock = ("--requirement", str(image_lock(image)))
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(place)], check=True)
    subprocess.run(
        [*uv, "pip", "install", "--quiet", "--python", python, *hashed, *lock], check=True
    )
    return python


async def test_gateway_answers_and_migrates_in_its_own_environment(
    tmp_path: Path, postgres: Postgres
) -> None:
    python = await asyncio.to_thread(install, "gateway", tmp_path / "environment")
    port = reserve_ports({"gateway": 0})["gateway"]
    database = await postgres.database()
    told = {
        "DATABASE_URL": database,
        "DATABASE_OWNER_URL": as_owner(database),
        "BLOB_URL": tmp_path.as_uri(),
        "GREENLIGHT_PORT": str(port),
        "TEMPORAL_ADDRESS": "127.0.0.1:1",
    }
    for command in (["migrate"], ["keys", "add", "--user", "ana"]):
        argv = [python, "-m", "greenlight.cli", *command]
        await asyncio.to_thread(subprocess.run, argv, cwd=ROOT, env=os.environ | told, check=True)
    gateway = Child("gateway", [python, "-m", "api.app"], tmp_path / "log", told)
    await gateway.start()

    async def answers() -> None:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            (await http.get("/healthz")).raise_for_status()

    try:
        await gateway.wait_until_ready(answers)
    finally:
        await gateway.stop()


@pytest.mark.parametrize(
    ("image", "modules"),
    [
        ("gateway", "api.reports.pdf_and_word, activities.parsing.formats"),
        ("worker", "worker, activities.parsing.formats, pygal"),
        ("crew-worker", "worker, activities.integrations.crewai_adapter"),
    ],
)
def test_image_holds_what_its_modules_import(tmp_path: Path, image: str, modules: str) -> None:
    python = install(image, tmp_path / "environment")
    told = {"HOME": str(tmp_path), "CREWAI_DISABLE_TELEMETRY": "true"}
    subprocess.run([python, "-c", f"import {modules}"], cwd=ROOT, env=told, check=True)
