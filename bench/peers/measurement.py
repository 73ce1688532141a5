"""Research runs on one simulated provider: duration, depth, repeated input and price.

The provider takes a second to the first token and then sends 100 tokens a second. Runs marked `recorded` are
answered from a recording of a strong model, the others by the stand-in.
"""

import asyncio
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.harness import TIMEOUT_SECONDS, RunDriver, make_table, start_stack, union_seconds
from bench.peers import systems
from bench.peers.calls import Call, measure_calls
from bench.peers.provider import PACE, Corpus, Services, StandIn
from bench.quality import Figures, count_spent
from bench.replay import Exchange, Replay, Scripted
from bench.speed import read_cpu_seconds
from contracts.evidence.claims import JUDGE
from contracts.models.call import PLANNED
from domain.report.claims.report_claims import list_claims
from greenlight.errors import UsageError
from greenlight.stack.supervisor import Stack
from offline import wire
from offline.library.sample import Sample
from offline.recordings.recording import Body, Recording

PUMPS = "I want to sell solar irrigation pumps to farms in East Africa: which market first, and is it big enough?"
APPLE = {
    "definition": "investment_analysis",
    "query": "Is Apple worth buying?",
    "inputs": {"ticker": "AAPL"},
}
QUESTIONS: dict[str, Body] = {
    "q1": {
        "query": "Should we enter Kenya with solar irrigation pumps, by its irrigated land, electricity and farms?"
    },
    "q2": {
        "query": "Compare Kenya, Ethiopia, Tanzania, Uganda and Rwanda by irrigated land, population, electricity "
        "access and GDP per capita: where should we sell solar irrigation pumps first?"
    },
    "q3": {
        "query": "What decides the market for solar pumps in Kenya: Irrigation, Agriculture, Electricity, Income, "
        "Transport and Government?"
    },
    "market": {"definition": "market_analysis", "query": PUMPS},
    "company": APPLE,
}
RECORDED: dict[str, Body] = {
    "market recorded": QUESTIONS["market"]
    | {"config_overrides": {"crew": {"config": {"max_sources": 60}}}},
    "company recorded": APPLE,
}
FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures" / "quality"
REVIEWERS = {"plan_reviewer", "step_reviewer", JUDGE}
"""Roles that only check. Repairs are calls of the writer, recognized by name."""
COLUMNS = {
    "wall_seconds": "wall s",
    "model_seconds": "of it model s",
    "first_words_seconds": "first words s",
    "first_sentence_seconds": "first sentence s",
    "calls": "calls",
    "depth": "depth",
    "most_at_once": "at once",
    "input_kchars": "in k",
    "output_kchars": "out k",
    "sent_before": "sent before",
    "prefix": "prefix",
    "cached_share": "cached",
    "cached_of_turns": "cached of later turns",
    "checking_calls": "checking calls",
    "checking_tokens": "their tokens",
    "pages": "pages",
    "cpu_seconds": "CPU s",
    "usd": "bill $",
    "expected_usd": "price $",
}
"""Figure -> its column's head."""


async def measure(only: Sequence[str], others: Path | None) -> list[Figures]:
    """Return the figures of a run for each question that is named, or for all; then of other systems.

    `others` is a folder for the environments of these.
    """
    if unknown := {*only}.difference(QUESTIONS | RECORDED):
        raise UsageError(f"peers has no question {unknown.pop()!r}")
    chosen = only or [*QUESTIONS, *RECORDED]
    asked = {name: body for name, body in QUESTIONS.items() if name in chosen}
    found = await _measure_group(StandIn(), Services(Corpus()), asked)
    for name in (name for name in RECORDED if name in chosen):
        recording = Recording.load(FIXTURES / f"{RECORDED[name]['definition']}.json")
        model, services = Replay(recording, PACE), Services(Sample())
        found += await _measure_group(model, services, {name: RECORDED[name]})
    if others:
        for name, question in product(systems.SYSTEMS, systems.SUBJECTS):
            if question in chosen:
                query = str(QUESTIONS[question]["query"])
                found.append(await systems.measure_system(name, question, query, others))
    return found


async def _measure_group(
    model: Scripted, services: Services, asked: dict[str, Body]
) -> list[Figures]:
    """Start a stack and do a run for each question."""
    if not asked:
        return []
    async with start_stack(model, "simulated", services=services.routes) as driver:
        await _wait_for_crew_worker(driver.stack)
        figures = []
        for name, body in asked.items():
            run = await measure_run(driver, model, services, body)
            figures.append({"question": name} | run)
        return figures


async def _wait_for_crew_worker(stack: Stack) -> None:
    """Wait until CrewAI is loaded, so that no run is charged for the loading."""
    log = Path(stack.addresses.home, "logs", "crew-worker.log")
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            if b'"message": "ready"' in await asyncio.to_thread(log.read_bytes):
                return
            await asyncio.sleep(0.2)


async def measure_run(
    driver: RunDriver, model: Scripted, services: Services, body: Body
) -> Figures:
    """Do a run and return its figures."""
    model.forget()
    services.requests.clear()
    first, worded = list[float](), list[float]()

    async def look_for_sentence(event: Any) -> None:
        if event["type"] == "HumanResponseEvent":
            worded.clear()  # text from before the approval is the plan
        if event["type"] == "AgentStream" and not worded:
            worded.append(datetime.fromisoformat(event["at"]).timestamp())
        if first or event["type"] in ("AgentStream", "AgentInput"):
            return
        report = await driver.gateway.report(event["run_id"])
        if report and list_claims(report):
            first.append(time.time())

    before = sum(read_cpu_seconds(driver.stack).values())
    run = await driver.follow(on_event=look_for_sentence, **body)
    used = sum(read_cpu_seconds(driver.stack).values()) - before
    state = await driver.gateway.state(run.id)
    spent = count_spent(state, model.exchanges)

    def count_seconds(until: list[float]) -> float | None:
        """Return the seconds from the start, without those of humans."""
        if not until:
            return None
        return round(until[0] - run.started - run.count_human_seconds(until[0]), 1)

    return {
        "status": state.status,
        "load": round(os.getloadavg()[0], 1),
        "wall_seconds": round(run.seconds - run.human_seconds, 1),
        "first_words_seconds": count_seconds(worded),
        "first_sentence_seconds": count_seconds(first),
        "missing": [*getattr(model, "missing", ())],
        "model_seconds": round(union_seconds([(e.began, e.ended) for e in model.exchanges]), 1),
        **measure_calls([make_call(exchange) for exchange in model.exchanges]),
        **measure_checking(run.events),
        "timeline": [*list_timeline(run.events, run.started)],
        "pages": len({path for path in services.requests if path.startswith("/pages/")}),
        "cpu_seconds": round(used, 1),
        "cached_of_turns": share_cached_turns(model.exchanges),
        **{name: spent[name] for name in ("cached_share", "usd", "expected_usd", "top_usd")},
    }


def make_call(exchange: Exchange) -> Call:
    """Return the measured properties of a Messages API exchange."""
    names = ("tools", "system", "messages", "output_config")
    text = json.dumps([exchange.request.get(name) for name in names], ensure_ascii=False)
    answered = len(wire.join_output(exchange.message["content"]))
    return Call(text, answered, exchange.began, exchange.ended)


def share_cached_turns(exchanges: Iterable[Exchange]) -> float | None:
    """Return the cached share of input tokens, over calls that continue a model's own conversation; None without any."""
    later = [e.message["usage"] for e in exchanges if has_earlier_turn(e.request)]
    read = sum(usage["cache_read_input_tokens"] for usage in later)
    names = ("input_tokens", "cache_creation_input_tokens")
    size = read + sum(usage[name] for usage in later for name in names)
    return round(read / size, 3) if size else None


def has_earlier_turn(request: Body) -> bool:
    """Return whether the model already answered in this conversation; turns planned by code do not count."""
    said = (m["content"] for m in request["messages"] if m["role"] == "assistant")
    return any(not str(b.get("id", "")).startswith(PLANNED) for blocks in said for b in blocks)


def measure_checking(events: Iterable[Any]) -> Figures:
    """Return the share of a run's calls that only check or repair, and their share of its tokens."""
    answers = [event["payload"] for event in events if event["type"] == "AgentOutput"]
    checks = [a for a in answers if a["current_agent_name"] in REVIEWERS or "-mend" in a["call"]]

    def count_tokens(made: Sequence[Any]) -> int:
        return sum(a["usage"]["input_tokens"] + a["usage"]["output_tokens"] for a in made)

    return {
        "checking_calls": round(len(checks) / max(len(answers), 1), 3),
        "checking_tokens": round(count_tokens(checks) / max(count_tokens(answers), 1), 3),
    }


def list_timeline(events: Iterable[Any], started: float) -> Iterator[Figures]:
    """Yield the calls of a run as they end: from when to when, after how long without a call in flight, and their tokens."""
    begun: dict[tuple[str, str], tuple[float, float]] = {}
    idle_since = started
    for event in events:
        if event["type"] not in ("AgentInput", "AgentOutput"):
            continue
        said, at = event["payload"], datetime.fromisoformat(event["at"]).timestamp()
        call = (event["phase_id"], said["call"])
        if event["type"] == "AgentInput":
            begun[call] = (at, 0.0 if begun else at - idle_since)
        elif call in begun:
            began, idle = begun.pop(call)
            idle_since = at
            yield {
                "call": "/".join(call),
                "began": round(began - started, 1),
                "ended": round(at - started, 1),
                "idle_before": round(max(idle, 0.0), 1),
                "tokens_in": said["usage"]["input_tokens"],
                "tokens_out": said["usage"]["output_tokens"],
            }


def make_tables(figures: Sequence[Figures]) -> Iterator[Table]:
    """Yield one table, a row for each run; of a run alone also its calls."""
    title = "Runs on a simulated provider: 1 s to the first token, then 100 tokens/s"
    table = make_table(title, "question", *COLUMNS.values())
    for run in figures:
        values = (run.get(name) for name in COLUMNS)
        shown = ("–" if value is None else f"{value:,}" for value in values)
        table.add_row(run["question"], *shown)
    yield table
    if len(figures) == 1 and (calls := figures[0].get("timeline")):
        heads = ("call", "from s", "to s", "none in flight before s", "tokens in", "out")
        timeline = make_table("Its calls to the model", *heads)
        for call in calls:
            timeline.add_row(*(str(value) for value in call.values()))
        yield timeline
