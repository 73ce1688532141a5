"""A real stack in a temporary home, and runs on it whose questions are answered at once."""

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
SMALL_QUESTION = "How much irrigated land does Kenya have?"
TIMEOUT_SECONDS = 120.0

Span = tuple[float, float]
"""Begin and end, in seconds since the epoch."""
EventHandler = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class BenchRun:
    """A finished run: its events, its start and its end."""

    id: str
    started: float
    ended: float = 0.0
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Wall time from the start to the last event."""
        return self.ended - self.started

    @property
    def human_seconds(self) -> float:
        """Time from each question to its response."""
        questions, responses = (
            [_parse_time(e["at"]) for e in self.events if e["type"] == name]
            for name in ("InputRequiredEvent", "HumanResponseEvent")
        )
        return sum(b - a for a, b in zip(questions, responses, strict=True))

    @property
    def tool_spans(self) -> list[Span]:
        """Span of each tool call; fetching a page includes parsing it."""
        times = {
            (event["type"], event["payload"]["tool_id"]): _parse_time(event["at"])
            for event in self.events
            if event["type"] in ("ToolCall", "ToolCallResult")
        }
        return [
            (begin, times["ToolCallResult", tool])
            for (kind, tool), begin in times.items()
            if kind == "ToolCall"
        ]


@dataclass(frozen=True)
class BenchClient:
    """Clients of a stack's services."""

    stack: Stack
    gateway: httpx.AsyncClient
    offline: httpx.AsyncClient
    temporal: Client

    async def set_latency(self, seconds: float) -> None:
        """Set the latency of the offline services and clear their log of requests."""
        (await self.offline.post("/control", json={"latency": seconds})).raise_for_status()
        (await self.offline.delete("/requests")).raise_for_status()

    async def run(
        self, query: str = QUESTION, on_event: EventHandler | None = None, **options: Any
    ) -> BenchRun:
        """Start a run, answer and approve at once, and follow its log to the end."""
        run = BenchRun("", time.time())
        body = {"query": query, "fresh": True, **options}
        response = await self.gateway.post("/v1/workflows/deep_research/run", json=body)
        run.id = response.raise_for_status().json()["run_id"]
        async with aconnect_sse(self.gateway, "GET", f"/v1/runs/{run.id}/stream") as stream:
            async for sent in stream.aiter_sse():
                if not sent.data:  # a ping
                    continue
                run.events.append(sent.json())
                if sent.event == "InputRequiredEvent":
                    await self._reply(run.id, run.events[-1]["payload"])
                if on_event:
                    await on_event(run.events[-1])
        run.ended = time.time()
        if run.events[-1]["status"] != "completed":
            raise RuntimeError(f"{run.id} did not complete: {run.events[-3:]}")
        return run

    async def _reply(self, run_id: str, prompt: dict[str, Any]) -> None:
        path, body = "decision", {"action": "approve", "plan_hash": prompt["plan_hash"]}
        if prompt["kind"] == "questions":
            path, body = "answers", {"answers": {q["id"]: None for q in prompt["questions"]}}
        (await self.gateway.post(f"/v1/runs/{run_id}/{path}", json=body)).raise_for_status()

    async def list_requests(self, service: str = "") -> list[dict[str, Any]]:
        """List the requests that the offline services, or one of them, have received."""
        params = {"service": service} if service else {}
        response = await self.offline.get("/requests", params=params)
        entries: list[dict[str, Any]] = response.raise_for_status().json()
        return entries

    async def list_calls(self, service: str = "") -> list[Span]:
        """List the spans of those requests."""
        entries = await self.list_requests(service)
        return [((begin := _parse_time(e["at"])), begin + e["seconds"]) for e in entries]

    def count_worker_starts(self) -> int:
        """Count how often a worker of this stack has become ready."""
        log = Path(self.stack.addresses.home, "logs", "worker.log")
        return log.read_text(encoding="utf-8").splitlines().count('{"worker": "ready"}')

    async def wait_for_worker(self, starts: int) -> float:
        """Wait until more than `starts` workers have become ready; return the time."""
        while True:
            if self.count_worker_starts() > starts:
                return time.time()
            await asyncio.sleep(0.01)


def _parse_time(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def make_table(title: str, *columns: str) -> Table:
    """Make a table of figures; the first column names its rows."""
    table = Table(columns[0], title=title)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def union_seconds(spans: list[Span], after: float = 0.0) -> float:
    """Return for how many seconds at least one span was open."""
    total, until = 0.0, after
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


@asynccontextmanager
async def start_bench() -> AsyncIterator[BenchClient]:
    """Start a stack, warm it up with one run, and stop it at the end."""
    with tempfile.TemporaryDirectory(prefix="greenlight-bench-") as home:
        async with Stack(Path(home), print) as stack:
            addresses = stack.addresses
            if not addresses.offline:
                raise RuntimeError("bench uses the offline services: unset the provider keys")
            gateway = httpx.AsyncClient(
                base_url=addresses.gateway,
                timeout=TIMEOUT_SECONDS,
                limits=httpx.Limits(max_connections=None),
                trust_env=False,
            )
            offline = httpx.AsyncClient(
                base_url=addresses.offline["model"],
                params=httpx.URL(addresses.offline["requests"]).params,
                timeout=TIMEOUT_SECONDS,
                trust_env=False,
            )
            async with gateway, offline:
                temporal = await Client.connect(addresses.temporal)
                client = BenchClient(stack, gateway, offline, temporal)
                await client.run()
                yield client
