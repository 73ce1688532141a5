"""Many crews in one process, as the crew worker has them: `python -m bench.crew_probe COUNT`.

Prints one line of JSON. Temporal is left out: what is measured is CrewAI, gateway and journal.
"""

import asyncio
import json
import os
import resource
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import psutil
from temporalio.testing import ActivityEnvironment

from contracts.agents.crews import CrewTaskRequest, CrewTaskResult
from contracts.agents.market import AGENTS, TASKS
from contracts.models.call import Scope
from contracts.models.inputs import data
from settings import Settings
from store.blobs import BlobStore
from worker import crew_activities, services

TICK_SECONDS = 0.01
PLAN = {"search_terms": ["Kenya irrigated land", "Kenya electricity access"]}

Work = Callable[[CrewTaskRequest], Awaitable[CrewTaskResult]]


async def main(count: int) -> None:
    """Load CrewAI, warm up with one crew, then have `count` at work at once."""
    started, settings = time.perf_counter(), Settings(greenlight_max_crews=count)
    blobs = BlobStore(settings.blob_url)
    async with services(settings, blobs) as made:
        [work] = crew_activities(settings, made)
        loaded = time.perf_counter() - started
        await _at_work(work)
        idle_mb, cpu = _memory_mb(), _cpu_seconds()
        late: list[float] = []
        watch = asyncio.create_task(_watch(late))
        begun = time.perf_counter()
        calls = sum(await asyncio.gather(*(_at_work(work) for _ in range(count))))
        seconds = time.perf_counter() - begun
        watch.cancel()
        lags = sorted(late)
        found = {
            "load_s": loaded,
            "calls": calls,
            "seconds": seconds,
            "cpu_ms": (_cpu_seconds() - cpu) * 1000 / calls,
            "lag_p99_ms": lags[int(len(lags) * 0.99)] * 1000,
            "lag_max_ms": lags[-1] * 1000,
            "idle_mb": idle_mb,
            "mb": _memory_mb(),
        }
    print(json.dumps(found), flush=True)


async def _at_work(work: Work) -> int:
    """Have one agent search, read and answer; return how many calls it made."""
    request = CrewTaskRequest(
        scope=Scope(run_id=f"run-{uuid.uuid4()}", phase_id="crew", attempt=1, name="task"),
        agent=AGENTS[0],
        task=TASKS[0],
        model=Settings().greenlight_model,
        output_schema=TASKS[0].output_schema or {},
        inputs=[data("question", "How much irrigated land has Kenya?"), data("plan", PLAN)],
        may_read=4,
        max_results=5,
        max_turns=6,
        max_tokens=4_000,
        cap_usd=5.0,
        plan_hash="bench",
    )
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, activity_id=str(uuid.uuid4()))
    result = await environment.run(work, request)
    return result.turns + len(result.searches) + len(result.sources)


async def _watch(late: list[float]) -> None:
    """Note how late the loop wakes up, in seconds, until cancelled."""
    while True:
        due = time.perf_counter() + TICK_SECONDS
        await asyncio.sleep(TICK_SECONDS)
        late.append(time.perf_counter() - due)


def _memory_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


def _cpu_seconds() -> float:
    used: Any = resource.getrusage(resource.RUSAGE_SELF)
    return float(used.ru_utime + used.ru_stime)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
    os._exit(0)  # a process with a Temporal client may abort in interpreter shutdown
