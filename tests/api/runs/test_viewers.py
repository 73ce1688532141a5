"""Many viewers of one run, and viewers that leave."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Unpack

import httpx
import pytest
from httpx_sse import aconnect_sse
from pydantic import SecretStr

from api.dependencies import Dependencies
from api.event_stream import EventLog
from contracts.access.principal import Principal
from contracts.base import Json
from contracts.runs.records import Event, LoggedEvent
from settings import Settings
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository, Listener, LogPart
from tests.activities.calls.line import Line
from tests.api.conftest import Site, served
from tests.support.offline_services import eventually

VIEWERS = 200


class NotedEvents(EventRepository):
    """Event logs that note after which event one was found that was looked for, and can be held up."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.found: list[int] = []
        self.going = asyncio.Event()
        self.going.set()
        self.held = 0

    async def read(
        self, principal: Principal, run_id: str, **part: Unpack[LogPart]
    ) -> list[LoggedEvent]:
        self.held += 1
        await self.going.wait()
        self.held -= 1
        if events := await super().read(principal, run_id, **part):
            self.found.append(part["after"])
        return events


@dataclass
class Hall:
    """A gateway of its own over the site's records, with room for many viewers."""

    http: httpx.AsyncClient
    log: EventLog
    events: NotedEvents
    line: Line
    """To PostgreSQL."""

    async def watch(self, run: str, most: int = 10_000, after: int = 0) -> list[int]:
        """Return the sequence numbers that a viewer received after `after`, at most `most`."""
        seen: list[int] = []
        since = {"Last-Event-ID": str(after)}
        async with aconnect_sse(self.http, "GET", f"{run}/stream", headers=since) as source:
            async for sent in source.aiter_sse():
                seen.append(int(sent.id))
                if len(seen) == most:
                    break
        return seen

    async def watch_idly(self, run: str, resumed: asyncio.Event) -> list[int]:
        """Return the seqs that a viewer saw who reads nothing until it resumes."""
        receiver = socket.socket()
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        receiver.setblocking(False)
        address = self.http.base_url.host, self.http.base_url.port
        await asyncio.get_running_loop().sock_connect(receiver, address)
        reader, writer = await asyncio.open_connection(sock=receiver, limit=1_024)
        writer.write(f"GET {run}/stream HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
        await resumed.wait()
        text = (await reader.read()).decode()
        writer.close()
        return [int(seq) for seq in re.findall(r"^id: (\d+)", text, re.MULTILINE)]

    async def left(self) -> bool:
        """Return whether nobody watches any more."""
        return not self.log.tails

    def count_viewers(self) -> int:
        """Return how many watch."""
        return sum(tail.viewers for tail in self.log.tails.values())


@pytest.fixture
async def hall(site: Site) -> AsyncIterator[Hall]:
    settings = Settings(
        database_url=site.database,
        greenlight_offline=True,
        greenlight_signing_key=SecretStr("of gateway and worker"),
        greenlight_task_queue=site.queue,
    )
    async with (
        Line.to(site.database) as line,
        Pool(line.dsn) as pool,
        Listener(line.dsn) as listener,
    ):
        services = Dependencies(settings, pool, listener, site.temporal, site.blobs)
        services.log.events = events = NotedEvents(pool)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with (
            served(services) as client,
            httpx.AsyncClient(
                base_url=client.base_url, limits=limits, timeout=60, trust_env=False, verify=False
            ) as http,
        ):
            yield Hall(http, services.log, events, line)


async def history(site: Site, run: str) -> int:
    """Return how many events Temporal keeps of a run, once nothing is under way that would add one."""
    handle = site.temporal.get_workflow_handle(run.rpartition("/")[2])

    async def idle() -> int:
        told = (await handle.describe()).raw_description
        busy = told.pending_activities or told.HasField("pending_workflow_task")
        return 0 if busy else told.workflow_execution_info.history_length

    return int(await eventually(idle))


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
    return hall.count_viewers() == VIEWERS


async def add(site: Site, run: str, first: int, many: int) -> None:
    """Append that many pieces of an answer to a run's log."""
    agent: Json = {"current_agent_name": "researcher", "call": "a", "delta": "x" * 8_000}
    now = datetime.now(UTC).isoformat()
    events = [
        Event(key=f"told/{n}", type="AgentStream", at=now, payload=agent)
        for n in range(first, first + many)
    ]
    async with Pool(site.database) as pool:
        await EventRepository(pool).append("default", run.rpartition("/")[2], events)


@pytest.mark.full
async def test_each_viewer_sees_every_event_once_whatever_the_others_do(
    site: Site, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reads nothing for long, one leaves, one comes late, and PostgreSQL is away for a moment."""
    monkeypatch.setattr("api.event_stream.RECENT", 20)
    monkeypatch.setattr("api.event_stream.PAGE_SIZE", 50)
    run = await site.start()
    await site.until(run, "clarification")
    resumed = asyncio.Event()
    viewers = [asyncio.create_task(hall.watch(run)) for _ in range(4)]
    leaves = asyncio.create_task(hall.watch(run, 100))
    viewers.append(asyncio.create_task(hall.watch_idly(run, resumed)))
    await eventually(lambda: _watch(hall, 6))
    for first in range(0, 250, 25):
        await add(site, run, first, 22)  # more than is buffered for slow viewers
        await add(site, run, first + 22, 3)
    hall.line.cut()
    await add(site, run, 250, 125)
    hall.line.mend()
    await add(site, run, 375, 125)
    await eventually(lambda: _is_read(hall, run))
    viewers.append(asyncio.create_task(hall.watch(run)))
    await site.post(f"{run}/cancel", {"mode": "now"}, wait=10)
    assert await leaves == list(range(1, 101))
    last = (await site.follow(run, 0))[-1].seq
    assert last > 500
    await asyncio.gather(*viewers[:4])
    resumed.set()
    views = await asyncio.gather(*viewers)
    assert {tuple(seen) for seen in views} == {tuple(range(1, last + 1))}
    assert await eventually(hall.left)


async def _is_read(hall: Hall, run: str) -> bool:
    return (await hall.http.get(run)).is_success


async def _watch(hall: Hall, many: int) -> bool:
    return hall.count_viewers() == many


async def test_event_is_read_once_for_all_who_watch(site: Site, hall: Hall) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    viewers = [asyncio.create_task(hall.watch(run)) for _ in range(20)]
    await eventually(lambda: _watch(hall, 20))
    seen = len((await site.get(f"{run}/events")).json()["items"])
    for first in range(0, 200, 10):
        await add(site, run, first, 10)
    await site.post(f"{run}/cancel", {"mode": "now"}, wait=10)
    views = await asyncio.gather(*viewers)
    assert set(map(tuple, views)) == {tuple(range(1, views[0][-1] + 1))}
    found = [after for after in hall.events.found if after > seen]
    assert found == sorted(set(found)) != []


async def test_viewer_overtaken_while_it_waits_for_a_read_misses_no_event(
    site: Site, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.event_stream.RECENT", 5)
    run = await site.start()
    await site.until(run, "clarification")
    logged = len((await site.get(f"{run}/events")).json()["items"])
    ahead = asyncio.create_task(hall.watch(run))
    await eventually(lambda: _is_at(hall, logged))
    hall.events.going.clear()
    await add(site, run, 0, 5)
    await eventually(lambda: _is_held(hall))
    behind = asyncio.create_task(hall.watch(run, after=logged - 5))  # the first that is kept
    await eventually(lambda: _watch(hall, 2))
    await asyncio.sleep(0.1)
    hall.events.going.set()
    await eventually(lambda: _is_at(hall, logged + 5))
    await site.post(f"{run}/cancel", {"mode": "now"}, wait=10)
    seen = await ahead
    assert seen == list(range(1, seen[-1] + 1))
    assert await behind == seen[logged - 5 :]


async def _is_at(hall: Hall, seq: int) -> bool:
    return [tail.last for tail in hall.log.tails.values()] == [seq]


async def _is_held(hall: Hall) -> bool:
    return hall.events.held > 0


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
