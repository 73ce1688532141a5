"""Many viewers of one run, and viewers that leave."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
from httpx_sse import aconnect_sse
from pydantic import SecretStr

from api.dependencies import Dependencies
from settings import Settings
from store.events import Listener
from store.postgres.pool import Pool
from tests.api.conftest import Site, served
from tests.offline_services import eventually

VIEWERS = 200


@dataclass
class Hall:
    """A gateway of its own over the site's records, with room for many viewers."""

    http: httpx.AsyncClient
    listener: Listener

    async def watch(self, run: str, most: int = 10_000) -> list[int]:
        """Return the seqs that a viewer saw, of at most so many events."""
        seen: list[int] = []
        async with aconnect_sse(self.http, "GET", f"{run}/stream") as source:
            async for sent in source.aiter_sse():
                seen.append(int(sent.id))
                if len(seen) == most:
                    break
        return seen

    async def left(self) -> bool:
        """Tell whether the last subscription has ended."""
        return not self.listener.subscribers


@pytest.fixture
async def hall(site: Site) -> AsyncIterator[Hall]:
    settings = Settings(
        database_url=site.database,
        greenlight_offline=True,
        greenlight_signing_key=SecretStr("of gateway and worker"),
        greenlight_task_queue=site.queue,
    )
    async with Pool(site.database) as pool, Listener(site.database) as listener:
        services = Dependencies(settings, pool, listener, site.temporal, site.blobs)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with (
            served(services) as client,
            httpx.AsyncClient(
                base_url=client.base_url, limits=limits, timeout=60, trust_env=False
            ) as http,
        ):
            yield Hall(http, listener)


async def history(site: Site, run: str) -> int:
    """Return how many events Temporal keeps of a run, once what it does by itself is done."""
    handle = site.temporal.get_workflow_handle(run.rpartition("/")[2])
    known = 0
    while known != (found := (await handle.describe()).history_length):
        known = found
        await asyncio.sleep(0.5)
    return known


async def plan(site: Site, run: str) -> str:
    await site.until(run, "clarification")
    planned = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()
    return str(planned["plan_hash"])


@pytest.mark.full
async def test_200_viewers_see_every_event_once_and_spend_no_history(
    site: Site, hall: Hall
) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    before = await history(site, run)
    viewers = [asyncio.create_task(hall.watch(run)) for _ in range(VIEWERS)]
    await eventually(lambda: _all_wait(hall))
    assert await history(site, run) == before
    decision = {"action": "approve", "plan_hash": await plan(site, run)}
    await site.post(f"{run}/decision", decision)
    views = await asyncio.gather(*viewers)
    logged = (await site.get(f"{run}/events", limit=500)).json()["items"]
    assert set(map(tuple, views)) == {tuple(event["seq"] for event in logged)}
    assert await eventually(hall.left)
    ended = await history(site, run)
    await asyncio.gather(*(hall.watch(run) for _ in range(VIEWERS)))
    assert await history(site, run) == ended


async def _all_wait(hall: Hall) -> bool:
    return sum(map(len, hall.listener.subscribers.values())) == VIEWERS


async def test_viewers_that_leave_in_any_state_leave_nothing_behind(site: Site, hall: Hall) -> None:
    """Waiting for answers, for a decision, paused, at work, ended: some cut off, some given up."""
    run = await site.start()
    await site.until(run, "clarification")
    await come_and_go(hall, run)
    plan_hash = await plan(site, run)
    await come_and_go(hall, run)
    await site.post(f"{run}/pause")
    await come_and_go(hall, run)
    working = asyncio.create_task(come_and_go(hall, run))
    await site.post(f"{run}/decision", {"action": "approve", "plan_hash": plan_hash})
    await site.post(f"{run}/resume")
    await working
    whole = [event.seq for event in await site.follow(run, 0)]
    await come_and_go(hall, run)
    assert await hall.watch(run) == whole == list(range(1, len(whole) + 1))
    assert await eventually(hall.left)


async def come_and_go(hall: Hall, run: str) -> None:
    """Have some viewers leave after what they came for, and some while they wait for more."""
    seen = await asyncio.gather(*(hall.watch(run, most) for most in (1, 3)))
    assert seen == [[1], [1, 2, 3]]
    waiting = [asyncio.create_task(hall.watch(run)) for _ in range(2)]
    await asyncio.sleep(0.1)
    for viewer in waiting:
        viewer.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
