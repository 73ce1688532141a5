"""Another tenant, who lists runs and asks questions while a bound is exercised."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from bench.harness import SMALL_QUESTION, TIMEOUT_SECONDS

PAUSE_SECONDS = 0.1


@dataclass
class Waits:
    """Seconds that another tenant waited, and what was refused."""

    lists: list[float] = field(default_factory=list)
    questions: list[float] = field(default_factory=list)
    """Seconds from the start of a run to its first question."""
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Bystander:
    """Another tenant at one address; each request is a new connection, as a stranger's first one is."""

    http: httpx.AsyncClient
    waits: Waits

    async def list_until(self, over: asyncio.Event) -> None:
        """List runs again and again."""
        while not over.is_set():
            began = time.perf_counter()
            if await self._ask("GET", "/v1/runs"):
                self.waits.lists.append(time.perf_counter() - began)
            await asyncio.sleep(PAUSE_SECONDS)

    async def question_until(self, over: asyncio.Event) -> None:
        """Start runs one after another and wait for the first question of each."""
        while not over.is_set():
            began = time.perf_counter()
            body = {"query": SMALL_QUESTION, "fresh": True, "save_startup": False}
            started = await self._ask("POST", "/v1/workflows/deep_research/run", json=body)
            if started and await self._ask(
                "GET", f"/v1/runs/{started['run_id']}/state", params={"wait": 60}
            ):
                self.waits.questions.append(time.perf_counter() - began)
                await self._ask("POST", f"/v1/runs/{started['run_id']}/cancel")
            await asyncio.sleep(PAUSE_SECONDS)

    async def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the JSON of a response; empty, and noted, if the request is refused."""
        try:
            response = await self.http.request(method, path, **options)
            if response.is_success:
                return dict(response.json())
            reason = str(response.status_code)
        except httpx.TransportError as error:
            reason = type(error).__name__
        self.waits.refused.append(f"{method} {path.split('/')[-1]}: {reason}")
        return {}


@asynccontextmanager
async def watch(url: str, address: str, key: str) -> AsyncIterator[Waits]:
    """Keep another tenant working at an address while the block lasts, and yield its waits."""
    transport = httpx.AsyncHTTPTransport(
        local_address=address,
        limits=httpx.Limits(max_keepalive_connections=0),
        verify=False,  # plain HTTP
    )
    over, waits = asyncio.Event(), Waits()
    async with httpx.AsyncClient(
        base_url=url,
        transport=transport,
        headers={"Authorization": f"Bearer {key}"},
        timeout=TIMEOUT_SECONDS,
    ) as http:
        bystander = Bystander(http, waits)
        working = [
            asyncio.create_task(bystander.list_until(over)),
            asyncio.create_task(bystander.question_until(over)),
        ]
        yield waits
        over.set()
        await asyncio.gather(*working)
