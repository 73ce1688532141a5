"""A real stack in a temporary home, and runs on it by a human who needs no time to answer."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from httpx_sse import aconnect_sse
from rich.table import Table
from temporalio.client import Client

from greenlight.stack.supervisor import Stack

QUESTION = (
    "Which of Kenya, Ethiopia and Tanzania should we enter first with solar irrigation pumps?"
)
SMALL = "How much irrigated land does Kenya have?"
PATIENCE_SECONDS = 120.0

Span = tuple[float, float]
Told = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class Run:
    """One finished run: what its log said, and the time from its start to its last event."""

    id: str
    started: float
    ended: float = 0.0
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Return its wall time."""
        return self.ended - self.started

    @property
    def waited(self) -> float:
        """Return for how long it waited for its human: from each question put to its answer heard."""
        asked, heard = (
            [_seconds(e["at"]) for e in self.events if e["type"] == name]
            for name in ("InputRequiredEvent", "HumanResponseEvent")
        )
        return sum(b - a for a, b in zip(asked, heard, strict=True))

    @property
    def tools(self) -> list[Span]:
        """Return from when to when each tool was at work: fetching a page is also reading it."""
        at = {
            (event["type"], event["payload"]["tool_id"]): _seconds(event["at"])
            for event in self.events
            if event["type"] in ("ToolCall", "ToolCallResult")
        }
        return [
            (t, at["ToolCallResult", tool]) for (kind, tool), t in at.items() if kind == "ToolCall"
        ]


@dataclass(frozen=True)
class Bench:
    """Clients of a stack."""

    stack: Stack
    gateway: httpx.AsyncClient
    offline: httpx.AsyncClient
    temporal: Client

    async def late(self, seconds: float) -> None:
        """Have the offline services answer that late from now on, and forget what they saw."""
        (await self.offline.post("/control", json={"latency": seconds})).raise_for_status()
        (await self.offline.delete("/requests")).raise_for_status()

    async def run(self, query: str = QUESTION, told: Told | None = None, **options: Any) -> Run:
        """Start a run, answer and approve at once, and follow its log to the end."""
        run = Run("", time.time())
        body = {"query": query, "fresh": True, **options}
        answer = await self.gateway.post("/v1/workflows/deep_research/run", json=body)
        run.id = answer.raise_for_status().json()["run_id"]
        async with aconnect_sse(self.gateway, "GET", f"/v1/runs/{run.id}/stream") as stream:
            async for sent in stream.aiter_sse():
                if not sent.data:  # a ping
                    continue
                run.events.append(sent.json())
                if sent.event == "InputRequiredEvent":
                    await self._reply(run.id, run.events[-1]["payload"])
                if told:
                    await told(run.events[-1])
        run.ended = time.time()
        ended = run.events[-1]
        if ended["status"] != "completed":
            raise RuntimeError(f"{run.id} ended as {ended['status']}: {run.events[-3:]}")
        return run

    async def _reply(self, run_id: str, asked: dict[str, Any]) -> None:
        path, body = "decision", {"action": "approve", "plan_hash": asked["plan_hash"]}
        if asked["kind"] == "questions":
            path, body = "answers", {"answers": {q["id"]: None for q in asked["questions"]}}
        (await self.gateway.post(f"/v1/runs/{run_id}/{path}", json=body)).raise_for_status()

    async def calls(self, service: str = "") -> list[Span]:
        """Return from when to when each call to a provider, or to one of its services, lasted."""
        which = {"service": service} if service else {}
        found = (await self.offline.get("/requests", params=which)).raise_for_status().json()
        begins = [datetime.fromisoformat(entry["at"]).timestamp() for entry in found]
        return [(t, t + e["seconds"]) for t, e in zip(begins, found, strict=True)]

    def workers_up(self) -> int:
        """Return how often a worker of this stack has said that it is up."""
        log = Path(self.stack.addresses.home, "logs", "worker.log")
        return log.read_text(encoding="utf-8").splitlines().count('{"worker": "ready"}')

    async def worker_after(self, known: int) -> float:
        """Return the time at which one more worker is up."""
        while True:
            if self.workers_up() > known:
                return time.time()
            await asyncio.sleep(0.01)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


Measurement = Callable[[Bench], Awaitable[Table]]


def critical(calls: list[Span], after: float = 0.0) -> float:
    """Return for how long at least one call was under way."""
    total, until = 0.0, after
    for begin, end in sorted(calls):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    """Start a stack, warm it up with one run, and stop it at the end."""
    with tempfile.TemporaryDirectory(prefix="greenlight-bench-") as home:
        async with Stack(Path(home), print) as stack:
            at = stack.addresses
            if not at.offline:
                raise RuntimeError("measured against the offline services: unset the provider keys")
            limits = httpx.Limits(max_connections=None)
            async with (
                httpx.AsyncClient(
                    base_url=at.gateway, timeout=PATIENCE_SECONDS, limits=limits, trust_env=False
                ) as gateway,
                httpx.AsyncClient(
                    base_url=at.offline["model"],
                    params=httpx.URL(at.offline["requests"]).params,
                    timeout=PATIENCE_SECONDS,
                    trust_env=False,
                ) as offline,
            ):
                made = Bench(stack, gateway, offline, await Client.connect(at.temporal))
                await made.run()
                yield made
