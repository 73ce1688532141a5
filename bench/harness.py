"""Starts a real stack in a temporary home, and runs that answer their questions immediately."""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from rich.table import Table
from starlette.routing import BaseRoute
from temporalio.client import Client

from activities.calls.request_body import render_body
from activities.calls.structured_output import parse_output
from bench.replay import Model, serve
from contracts.models.call import ModelRequest, ModelResult
from contracts.models.usage import Usage
from contracts.runs.events import InputRequiredEvent
from greenlight.client import AsyncGatewayClient
from greenlight.stack.supervisor import Stack
from settings import Settings
from store.blobs import BlobStore
from worker import build_client
from workflows.checkpoints.decision_checks import list_offered_choices

QUESTION = (
    "Which of Kenya, Ethiopia and Tanzania should we enter first with solar irrigation pumps?"
)
SMALL_QUESTION = "How much irrigated land does Kenya have?"
TIMEOUT_SECONDS, RUN_SECONDS = 120.0, 3_600.0
CONTACT = "bench@greenlight.example"

Span = tuple[float, float]
"""Begin and end, in seconds since the epoch."""
Ask = Callable[[ModelRequest], Awaitable[ModelResult]]
EventHandler = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class BenchRun:
    """A finished run: its events, its start and its end."""

    id: str
    started: float
    ended: float
    events: list[dict[str, Any]]

    @property
    def seconds(self) -> float:
        """Wall time from the start to the last event."""
        return self.ended - self.started

    @property
    def human_seconds(self) -> float:
        """Time from each question to its response."""
        return self.count_human_seconds(self.ended)

    def count_human_seconds(self, until: float) -> float:
        """Return the time from each question that was put before `until` to its response."""
        questions, responses = (
            [_parse_time(e["at"]) for e in self.events if e["type"] == name]
            for name in ("InputRequiredEvent", "HumanResponseEvent")
        )
        return sum(b - a for a, b in zip(questions, responses, strict=True) if a < until)

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
class RunDriver:
    """A client of a stack's gateway that does whole runs."""

    gateway: AsyncGatewayClient
    stack: Stack

    async def follow(
        self,
        query: str,
        on_event: EventHandler | None = None,
        definition: str = "deep_research",
        **options: Any,
    ) -> BenchRun:
        """Start a run, answer and approve immediately, and follow its log to the end.

        Raises:
            TimeoutError: The run took longer than an hour.
        """
        started, events = time.time(), []
        run_id = await self.gateway.start_run(query, definition, **{"fresh": True, **options})
        async with asyncio.timeout(RUN_SECONDS):
            async for event in self.gateway.follow_events(run_id):
                events.append(event.model_dump(mode="json"))
                if on_event:
                    await on_event(events[-1])
                if event.type == "InputRequiredEvent":
                    await self._reply(run_id, InputRequiredEvent.model_validate(event.payload))
        return BenchRun(run_id, started, time.time(), events)

    async def _reply(self, run_id: str, asked: InputRequiredEvent) -> None:
        """Leave questions to the run, approve all else, and of choices take the first."""
        if asked.kind == "questions":
            await self.gateway.answer(run_id, {question.id: None for question in asked.questions})
        else:
            choice = next(iter(list_offered_choices(asked)), None)
            await self.gateway.approve(run_id, asked.plan_hash, choice)


@dataclass(frozen=True)
class BenchClient(RunDriver):
    """Clients of a stack's services."""

    offline: httpx.AsyncClient
    temporal: Client

    async def run(
        self, query: str = QUESTION, on_event: EventHandler | None = None, **options: Any
    ) -> BenchRun:
        """Do a run that completes."""
        run = await self.follow(query, on_event, **options)
        if run.events[-1]["status"] != "completed":
            raise RuntimeError(f"{run.id} did not complete: {run.events[-3:]}")
        return run

    async def start(self, query: str = QUESTION) -> str:
        """Start a run, leave it at its questions, and return its id."""
        run_id = await self.gateway.start_run(query, "deep_research", fresh=True)
        await self.gateway.state(run_id, wait=30)
        return run_id

    async def set_latency(self, seconds: float) -> None:
        """Set the latency of the offline services and clear their log of requests."""
        (await self.offline.post("/control", json={"latency": seconds})).raise_for_status()
        (await self.offline.delete("/requests")).raise_for_status()

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


def open_client(url: str, **options: Any) -> httpx.AsyncClient:
    """Return a client of one of a stack's services."""
    limits = httpx.Limits(max_connections=None)  # one stream per run
    return httpx.AsyncClient(
        base_url=url, timeout=TIMEOUT_SECONDS, limits=limits, trust_env=False, **options
    )


@asynccontextmanager
async def open_model() -> AsyncIterator[Ask]:
    """Yield what asks the model of the settings, without a stack and without a journal."""
    client, blobs = build_client(Settings()), BlobStore("memory://")

    async def ask(request: ModelRequest) -> ModelResult:
        reply = await client.stream(await render_body(request, blobs), lambda _: None)
        output = parse_output(request, reply)
        return ModelResult(content=reply.content, output=output, usage=Usage())

    yield ask
    await client.close()


def notify(text: str) -> None:
    """Print a message about the stack's start to stderr, since stdout may hold JSON."""
    print(text, file=sys.stderr)


@asynccontextmanager
async def start_stack(
    model: Model, key: str, library: Path | None = None, services: Sequence[BaseRoute] = ()
) -> AsyncIterator[RunDriver]:
    """Start a stack that asks a model, under a key of its provider, and searches `services`, a library or the sample."""
    async with serve(model, services) as url:
        variables = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": key}
        if services:
            variables |= {"BRAVE_BASE_URL": url, "BRAVE_API_KEY": key}
            variables |= {"EDGAR_BASE_URL": url, "EDGAR_WWW_URL": url, "EDGAR_CONTACT": CONTACT}
            variables["PRICES_URL"] = f"{url}/closes/{{ticker}}.csv"
            variables["GREENLIGHT_FETCH_ALLOW"] = json.dumps([url.removeprefix("http://")])
        elif not library:
            variables["GREENLIGHT_LIBRARY"] = (
                "sample"  # otherwise the model would use its key to search the web
            )
        with (
            set_variables(**variables),
            tempfile.TemporaryDirectory(prefix="greenlight-bench-") as home,
        ):
            async with (
                Stack(Path(home), notify, library=library) as stack,
                AsyncGatewayClient(stack.addresses.gateway) as gateway,
            ):
                yield RunDriver(gateway, stack)


@contextmanager
def set_variables(**values: str) -> Iterator[None]:
    """Set variables of the environment, which the stack's processes inherit, for a while."""
    before = {name: os.environ.get(name) for name in values}
    os.environ |= values
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@asynccontextmanager
async def start_bench() -> AsyncIterator[BenchClient]:
    """Start a stack that uses the stand-in's answers, warm it up with one run, and stop it at the end."""
    with (
        set_variables(GREENLIGHT_SAMPLES=os.devnull),
        tempfile.TemporaryDirectory(prefix="greenlight-bench-") as home,
    ):
        async with Stack(Path(home), notify) as stack:
            addresses = stack.addresses
            assert addresses.offline, "the command line leaves no provider's key"
            key = httpx.URL(addresses.offline["requests"]).params
            async with (
                AsyncGatewayClient(addresses.gateway) as gateway,
                open_client(addresses.offline["model"], params=key) as offline,
            ):
                temporal = await Client.connect(addresses.temporal)
                client = BenchClient(gateway, stack, offline, temporal)
                await client.run()
                yield client
