"""A whole run's events through a line that is cut at random: each once, in order."""

import asyncio
import contextlib
import random
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.runs.records import LoggedEvent
from greenlight.stack.home import Home
from tests.activities.calls.line import Line
from tests.support.stack import Run, Undisturbed, Whole

CUTS = 5
LOST = "connection lost, trying again"


async def cut_now_and_then(line: Line, client: asyncio.Task[Any]) -> None:
    """Cut a client off five times, unless it is done before."""
    cuts = 0
    while cuts < CUTS:
        assert not client.done(), "there was too little time to cut it off"
        await asyncio.sleep(random.uniform(0.1, 0.6))
        cuts += line.cut()
        await asyncio.sleep(0.1)
        line.mend()


@pytest.mark.full
async def test_clients_that_are_cut_off_see_every_event_once(
    whole: Whole, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """One that goes on after the last event it has seen, and `watch`, which does so by itself."""
    run = await whole.start()
    await run.answer()
    await whole.providers.told(latency=1.0)
    await run.approve()
    async with laid(whole) as line, laid(whole) as other:
        following = asyncio.create_task(follow(line, run))
        watching = asyncio.create_task(watch_through(other, whole, run, tmp_path))
        await asyncio.gather(cut_now_and_then(line, following), cut_now_and_then(other, watching))
        seen, (out, told) = await asyncio.gather(following, watching)
    assert seen == await run.events()
    assert [event.type for event in seen].count("workflow_complete") == 1
    calm_out, calm = await watch(whole, run)
    assert LOST in told
    assert [one for one in told if one != LOST] == calm
    assert out == calm_out
    assert out.rstrip() == undisturbed.report.rstrip()


def laid(whole: Whole) -> AbstractAsyncContextManager[Line]:
    """Lay a line to the gateway."""
    return Line.to(f"{whole.stack.addresses.gateway}/")


async def follow(line: Line, run: Run) -> list[LoggedEvent]:
    seen: list[LoggedEvent] = []
    async with httpx.AsyncClient(
        base_url=line.dsn, timeout=30, trust_env=False, verify=False
    ) as http:
        while not seen or seen[-1].type != "workflow_complete":
            with contextlib.suppress(httpx.TransportError):
                async for event in Run(http, run.id).stream(after=seen[-1].seq if seen else 0):
                    seen.append(event)  # noqa: PERF401 - what came before the cut counts
    return seen


async def watch_through(line: Line, whole: Whole, run: Run, path: Path) -> tuple[str, list[str]]:
    """Watch through the line, from a home whose gateway address is the line's."""
    home = Home(path)
    with home.lock():
        home.publish(whole.stack.addresses.model_copy(update={"gateway": line.dsn.rstrip("/")}))
        return await watch(whole, run, home.path)


async def watch(whole: Whole, run: Run, home: Path | None = None) -> tuple[str, list[str]]:
    """Return the output of `watch`, and the lines of its progress."""
    code, out, told = await whole.command("watch", run.id, home=home)
    assert code == 0, told
    return out, told.splitlines()
