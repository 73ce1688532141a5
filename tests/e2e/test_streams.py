"""A whole run's events through a line that is cut at random: each once, in order."""

import asyncio
import contextlib
import random
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.records import LoggedEvent
from greenlight.home import Home
from tests.activities.models.line import Line
from tests.conftest import ROOT
from tests.whole import Run, Undisturbed, Whole

CUTS = 5


@pytest.fixture
async def line(whole: Whole) -> AsyncIterator[Line]:
    """A line to the gateway."""
    async with Line.to(f"{whole.stack.addresses.gateway}/") as line:
        yield line


async def cut_now_and_then(line: Line, client: asyncio.Task[Any]) -> None:
    """Cut a client off five times, unless it is done before."""
    cuts = 0
    while cuts < CUTS:
        assert not client.done(), "there was too little time to cut it off"
        await asyncio.sleep(random.uniform(0.1, 0.6))
        cuts += line.cut()
        await asyncio.sleep(0.1)
        line.mend()


async def test_a_client_that_is_cut_off_sees_every_event_once(whole: Whole, line: Line) -> None:
    await whole.providers.told(latency=0.3)
    run = await whole.start()
    seen: list[LoggedEvent] = []
    async with httpx.AsyncClient(base_url=line.dsn, timeout=30, trust_env=False) as http:
        following = asyncio.create_task(follow(Run(http, run.id), seen))
        cutting = asyncio.create_task(cut_now_and_then(line, following))
        await run.finish()
        await asyncio.gather(following, cutting)
    assert seen == await run.events()
    assert [event.type for event in seen].count("workflow_complete") == 1


async def follow(run: Run, seen: list[LoggedEvent]) -> None:
    while not seen or seen[-1].type != "workflow_complete":
        with contextlib.suppress(httpx.TransportError):
            async for event in run.stream(after=seen[-1].seq if seen else 0):
                seen.append(event)  # noqa: PERF401 - what came before the cut counts


async def test_watch_that_is_cut_off_tells_what_one_that_is_not_tells(
    whole: Whole, undisturbed: Undisturbed, line: Line, tmp_path: Path
) -> None:
    run = await whole.start()
    await run.answer()
    await whole.providers.told(latency=0.5)
    await run.approve()
    home = Home(tmp_path)
    with home.held():
        home.note(replace(whole.stack.addresses, gateway=line.dsn.rstrip("/")))
        cut_off = asyncio.create_task(watch(run, home.path))
        await cut_now_and_then(line, cut_off)
        out, told = await cut_off
    calm_out, calm = await watch(run, Path(whole.stack.addresses.home))
    lost = "connection lost, trying again"
    assert lost in told
    assert [one for one in told if one != lost] == calm
    assert out == calm_out
    assert out.rstrip() == undisturbed.report.rstrip()


async def watch(run: Run, home: Path) -> tuple[str, list[str]]:
    """Return what `watch` prints, and the lines in which it tells of the run."""
    program = "from greenlight import cli; cli.main()"
    process = await asyncio.create_subprocess_exec(
        *("env", f"GREENLIGHT_HOME={home}", sys.executable, "-c", program, "watch", run.id),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, told = await process.communicate()
    assert process.returncode == 0, told.decode()
    return out.decode(), told.decode().splitlines()
