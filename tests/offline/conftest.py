"""The offline services as their own process, over the sample or a folder."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parent.parent.parent
KEYS = {"x-api-key": "any", "X-Subscription-Token": "any"}


@dataclass(frozen=True)
class Services:
    """A client of one process, with keys that any service takes."""

    http: httpx.AsyncClient
    base: str

    async def log(self, service: str) -> list[dict[str, object]]:
        response = await self.http.get("/requests", params={"service": service})
        return list(response.json())

    async def titles(self, query: str, count: int = 5) -> list[str]:
        found = await self.http.get("/res/v1/web/search", params={"q": query, "count": count})
        return [hit["title"] for hit in found.json().get("web", {}).get("results", [])]


@asynccontextmanager
async def serving(*flags: str, module: str = "offline") -> AsyncIterator[Services]:
    """Start the services on any port; stop them by SIGTERM, which must end them cleanly."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *flags),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    line = json.loads(await asyncio.wait_for(process.stdout.readline(), 20))
    async with httpx.AsyncClient(
        base_url=line["model"],
        params=httpx.URL(line["requests"]).params,
        headers=KEYS,
        timeout=20,
        trust_env=False,
        verify=False,
    ) as http:
        yield Services(http, line["model"])
    process.terminate()
    await asyncio.wait_for(process.wait(), 5)


@pytest.fixture(scope="session")
async def sample() -> AsyncIterator[Services]:
    """The services over the sample library."""
    async with serving() as services:
        yield services


@pytest.fixture
async def services(sample: Services) -> AsyncIterator[Services]:
    """The services over the sample, without failures and with an empty log."""
    await sample.http.delete("/control")
    await sample.http.delete("/requests")
    yield sample
    await sample.http.delete("/control")
