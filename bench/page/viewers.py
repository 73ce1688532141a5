"""The page while a run streams: how long it is busy, and how late an event is on the screen."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles

import httpx
from playwright.async_api import Page, async_playwright
from rich.table import Table

from bench.harness import SMALL_QUESTION, BenchClient, make_table, open_client
from bench.page.browser import launch_browser
from contracts.base import Json
from contracts.models.usage import Usage
from contracts.runs.events import (
    AgentEvent,
    AgentInput,
    AgentOutput,
    AgentResponse,
    AgentStream,
    EventPayload,
    ToolCall,
    build_event,
)
from contracts.runs.records import Event
from greenlight.stack.home import Home
from greenlight.stack.page import build_page
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository

TURNS = 100
DELTAS = 46
"""Pieces of an answer; with its beginning, its end and a tool call a turn is 50 events."""
PAUSE_SECONDS = 0.2
VIEWERS = 200
EVENT = b"\nid: "
WATCH = """() => {
    window.busy = [];
    window.seen = {};
    new PerformanceObserver(list => list.getEntries().forEach(task => busy.push(task.duration)))
        .observe({entryTypes: ["longtask"]});
    new MutationObserver(() => {
        const shown = document.querySelector(".feed").textContent.match(/turn-\\d+-/g) ?? [];
        shown.forEach(turn => { seen[turn] ??= Date.now() });
    }).observe(document.querySelector(".feed"), {subtree: true, childList: true, characterData: true});
}"""


async def measure(bench: BenchClient) -> Table:
    """Measure a run of 5,000 events watched by one browser, then by the browser and more viewers."""
    addresses = bench.stack.addresses
    await build_page(Home(Path(addresses.home)))
    columns = ("viewers", "events", "seconds", "longest task ms", "to screen p50 ms", "p95 ms")
    table = make_table("A run of 5,000 events in the browser", *columns)
    async with (
        async_playwright() as playwright,
        Pool(addresses.database, max_size=2) as pool,
        open_client(addresses.gateway) as gateway,
    ):
        browser = await launch_browser(playwright)
        for viewers in (1, VIEWERS):
            run_id = await bench.start(SMALL_QUESTION)
            others = [asyncio.create_task(_view(gateway, run_id)) for _ in range(viewers - 1)]
            page = await browser.new_page()
            await page.goto(f"{addresses.gateway}/runs/{run_id}/work")
            await page.locator(".feed").wait_for()
            await page.evaluate(WATCH)
            row = await _stream(EventRepository(pool), run_id, page)
            table.add_row(str(viewers), *row)
            await bench.gateway.request("POST", f"/v1/runs/{run_id}/cancel")
            counts = set(await asyncio.gather(*others))
            if len(counts) > 1:
                raise RuntimeError(f"the viewers have seen {counts} events")
            await page.close()
        await browser.close()
    return table


async def _view(gateway: httpx.AsyncClient, run_id: str) -> int:
    """Read a run's stream to its end and count its events, which others' machines would parse."""
    count, rest = 0, b""
    async with gateway.stream("GET", f"/v1/runs/{run_id}/stream") as answer:
        async for piece in answer.aiter_raw():
            parts = (rest + piece).split(EVENT)
            count += len(parts) - 1
            rest = parts[-1][1 - len(EVENT) :]
    return count


async def _stream(log: EventRepository, run_id: str, page: Page) -> list[str]:
    """Append the events turn by turn; return how many, how long it took, and what the page says."""
    sent, count, started = {}, 0, time.perf_counter()
    for turn in range(TURNS):
        events = make_turn(turn)
        sent[f"turn-{turn}-"] = time.time() * 1_000
        await log.append("default", run_id, events)
        count += len(events)
        await asyncio.sleep(PAUSE_SECONDS)
    seconds = time.perf_counter() - started
    await page.wait_for_timeout(1_000)
    seen: dict[str, float] = await page.evaluate("seen")
    busy: list[float] = await page.evaluate("busy")
    late = quantiles((at - sent[turn] for turn, at in seen.items()), n=20)
    figures = (max(busy, default=0), late[9], late[18])
    return [str(count), f"{seconds:.1f}", *(f"{figure:.0f}" for figure in figures)]


def make_turn(turn: int) -> list[Event]:
    """Return a model's streamed answer, and the tool call that follows from it."""
    agent = AgentEvent(current_agent_name="researcher", call=f"turn-{turn}")
    asked: Json = {"query": f"turn-{turn}-"}
    search = ToolCall(tool_id=f"tool-{turn}", tool_name="web_search", tool_kwargs=asked)
    told: list[EventPayload] = [
        AgentInput(**dict(agent), input=[], model="none"),
        *(AgentStream(**dict(agent), delta=f"word {n} ") for n in range(DELTAS)),
        AgentOutput(
            **dict(agent),
            response=AgentResponse(blocks=[]),
            tool_calls=[],
            model="none",
            stop_reason="end_turn",
            usage=Usage(calls=1, input_tokens=1, output_tokens=1),
            usd=0,
        ),
        search,
        search.finish({"hits": []}),
    ]
    now = datetime.now(UTC).isoformat()
    return [
        build_event(payload, f"bench/{turn}/{n}", now, phase_id="clarification")
        for n, payload in enumerate(told)
    ]
