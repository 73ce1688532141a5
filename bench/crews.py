"""Crews side by side in one process: memory, calls a second, processor time, lag of the loop.

`python -m bench.crews COUNT` is that process; it prints one line of JSON. Temporal is left out: CrewAI,
the model gateway and the journal are measured.
"""

import asyncio
import json
import os
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace

import psutil
from rich.table import Table
from temporalio.testing import ActivityEnvironment

from bench.harness import BenchClient, make_table
from contracts.agents.crews import CrewTaskRequest, CrewTaskResult
from contracts.agents.market import AGENTS, TASKS
from contracts.models.call import Scope, to_input
from settings import Settings
from store.blobs import BlobStore
from worker import build_crew_activities, open_services

CONCURRENCY = (1, 8, 20)
LATENCY_SECONDS = 1.0
TICK_SECONDS = 0.01
PLAN = {"search_terms": ["Kenya irrigated land", "Kenya electricity access"]}

CrewTask = Callable[[CrewTaskRequest], Awaitable[CrewTaskResult]]


async def measure(bench: BenchClient) -> Table:
    """Measure each number of crews at work at once, every call answered after a second."""
    rows = []
    await bench.set_latency(LATENCY_SECONDS)
    for count in CONCURRENCY:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.crews", str(count)),
            env={**os.environ, **bench.stack.environment},
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"the process of {count} crews failed")
        rows.append(json.loads(output.decode().splitlines()[-1]))
    table = make_table("Crews at work at once, 1000 ms a call: search, read, answer", *rows[0])
    for row in rows:
        table.add_row(*row.values())
    return table


async def main(count: int) -> None:
    """Load CrewAI, warm up with one crew, then run `count` at once."""
    started, settings = time.perf_counter(), Settings(greenlight_max_crews=count)
    async with open_services(settings, BlobStore(settings.blob_url), crews=True) as made:
        [perform] = build_crew_activities(settings, made)
        loaded = time.perf_counter() - started
        await _run_agent(perform)
        idle_mb, cpu = _memory_mb(), time.process_time()
        lags: list[float] = []
        watch = asyncio.create_task(_watch_loop(lags))
        begun = time.perf_counter()
        calls = sum(await asyncio.gather(*(_run_agent(perform) for _ in range(count))))
        seconds = time.perf_counter() - begun
        watch.cancel()
        lags.sort()
        figures = {
            "at once": f"{count}",
            "calls": f"{calls}",
            "calls/s": f"{calls / seconds:.1f}",
            "CPU ms a call": f"{(time.process_time() - cpu) * 1000 / calls:.0f}",
            "lag p99 ms": f"{lags[int(len(lags) * 0.99)] * 1000:.0f}",
            "lag max ms": f"{lags[-1] * 1000:.0f}",
            "MB loaded": f"{idle_mb:.0f}",
            "MB at work": f"{_memory_mb():.0f}",
            "load s": f"{loaded:.1f}",
        }
    print(json.dumps(figures), flush=True)


async def _run_agent(perform: CrewTask) -> int:
    """Have one agent search, read and answer; return the number of its calls."""
    request = CrewTaskRequest(
        scope=Scope(run_id=f"run-{uuid.uuid4()}", phase_id="crew", attempt=1, name="task"),
        agent=AGENTS[0],
        task=TASKS[0],
        model=Settings().greenlight_model,
        output_schema=TASKS[0].output_schema or {},
        inputs=[to_input("question", "How much irrigated land has Kenya?"), to_input("plan", PLAN)],
        may_read=4,
        max_results=5,
        max_turns=6,
        max_tokens=4_000,
        cap_usd=5.0,
        plan_hash="bench",
    )
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, activity_id=str(uuid.uuid4()))
    result = await environment.run(perform, request)
    return result.turns + len(result.searches) + len(result.sources)


async def _watch_loop(lags: list[float]) -> None:
    """Collect how late the event loop wakes up, in seconds, until cancelled."""
    while True:
        due = time.perf_counter() + TICK_SECONDS
        await asyncio.sleep(TICK_SECONDS)
        lags.append(time.perf_counter() - due)


def _memory_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
    os._exit(0)  # a process with a Temporal client may abort in interpreter shutdown
