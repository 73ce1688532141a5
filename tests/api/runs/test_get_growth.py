"""What a GET costs grows with a report no faster than the report, and holds up nobody else."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import httpx
import psutil
import pytest

from activities.confined.call_pool import INDEXING, READING, REPORTS, CallPool
from tests.api.conftest import Site
from workflows.start.seeds import MAX_GIVEN_REPORT_CHARS

TOKENS = ["x\n\n", "[1]", "| a |\n|-|\n", "[a", "&", "word "]
MORE_TOKENS = [
    "*a",
    "`",
    "![a](artifacts/x)",
    "<",
    "> ",
    "- a\n",
    "1. a\n",
    "\n",
    "](",
    "# a\n",
    "\\",
]
MAX_RATIO = 10
NEGLIGIBLE_SECONDS = 0.3
MAX_STALL_SECONDS = 0.5
SKIPPED = ("/stream", "/docs", "/assets")
"""Never ends, and pages of no run."""


@pytest.fixture(autouse=True)
async def _own_processes(site: Site, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Render in programs that this process has started: it knows the time of no others."""
    pool = CallPool(*READING, *INDEXING, *REPORTS)
    monkeypatch.setattr(site.services, "sandbox", pool)
    yield
    await pool.close()


async def start(site: Site, token: str, chars: int) -> str:
    """Return a finished run with a given report."""
    body = token * (chars // len(token) - 100) + "\n\n1. " + "&" * 600 + "\n"
    report = {"title": "T", "sections": [], "markdown": body}
    run = await site.start(
        "deep_research", given={"synthesis": {"report": report}}, only=["synthesis"]
    )
    await site.follow(run, 0)
    return run


async def measure(ask: Callable[[], Awaitable[httpx.Response]], most: float = 0) -> float:
    """Return the processor time that an answer takes, that of subprocesses too; the least of two if it exceeds `most`."""
    taken: list[float] = []
    while not taken or (len(taken) < 2 and taken[0] > most):
        before = read_processor_time()
        answer = await ask()
        taken.append(read_processor_time() - before)
        assert answer.status_code < 500, answer.text
        assert answer.status_code == 200 or not answer.url.path.endswith("/report")
    return min(taken)


def read_processor_time() -> float:
    """Return the processor time of this process and its subprocesses, independent of the machine's load."""
    seconds = time.process_time()
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            seconds += (
                sum(child.cpu_times()[:2])
                if "activities.confined.call_pool" in child.cmdline()
                else 0
            )
    return seconds


async def watch(stalls: list[float]) -> None:
    """Note for how long at once the event loop, which is the gateway's too, computes."""
    while True:
        started = time.thread_time()
        await asyncio.sleep(0.01)
        stalls.append(time.thread_time() - started)


def list_paths(site: Site, schema: dict[str, Any]) -> list[str]:
    """Return the paths of a run that GET reads, with `{other}` where one names another run."""
    paths = [path for path, each in schema["paths"].items() if "get" in each and "{run_id}" in path]
    fill = {"{phase_id}": "synthesis", "{n}": "1", "{aid}": "source-1", "{other_id}": "{other}"}
    for name, value in fill.items():
        paths = [path.replace(name, value) for path in paths]
    rest = re.compile(r"\{(?!run_id|other)\w+\}")
    paths = [rest.sub("none", path) for path in paths]
    reports = [
        f"{path}?format={f}" for path in paths if path.endswith("/report") for f in ("html", "json")
    ]
    return [path for path in [*paths, *reports] if not path.endswith(SKIPPED)]


@pytest.mark.parametrize(
    "token",
    [*TOKENS[:1], *(pytest.param(t, marks=pytest.mark.full) for t in TOKENS[1:] + MORE_TOKENS)],
)
async def test_get_grows_no_faster_than_the_report(site: Site, token: str) -> None:
    sizes = [MAX_GIVEN_REPORT_CHARS // 5, MAX_GIVEN_REPORT_CHARS * 4 // 5]
    small, large = [await start(site, token, size) for size in sizes]
    other = await start(site, f"{token}y", sizes[1])
    schema = (await site.get("/openapi.json")).json()
    paths = list_paths(site, schema)
    assert len(paths) > 12
    stalls: list[float] = []
    watching = asyncio.create_task(watch(stalls))
    grown: dict[str, Any] = {}
    for path in paths:
        there = path.replace("{other}", other.rsplit("/", 1)[1])
        ask = [
            partial(site.http.get, there.replace("/v1/runs/{run_id}", run))
            for run in (small, large)
        ]
        taken = [await measure(ask[1], NEGLIGIBLE_SECONDS)]
        if taken[0] > NEGLIGIBLE_SECONDS:
            taken.insert(0, await measure(ask[0]))
            if taken[1] > MAX_RATIO * taken[0]:
                grown[path] = taken
    watching.cancel()
    assert not grown
    assert max(stalls) < MAX_STALL_SECONDS


async def test_given_report_beyond_the_limit_is_refused(site: Site) -> None:
    report = {"title": "T", "sections": [], "markdown": "x" * (MAX_GIVEN_REPORT_CHARS + 1)}
    body = {"query": "?", "given": {"synthesis": {"report": report}}, "only": ["synthesis"]}
    refused = await site.post("/v1/workflows/deep_research/run", body)
    assert refused.status_code == 422
    assert [p["path"] for p in refused.json()["problems"]] == ["given.synthesis.report.markdown"]
