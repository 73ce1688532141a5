"""Following a run's log."""

import asyncio
import random
from typing import Unpack

import pytest

from api.event_stream import LogTail
from api.reports.report_history import ReportHistory
from contracts.access.principal import Principal
from contracts.base import Json
from contracts.errors import StoreUnavailable
from contracts.notices import Notice
from contracts.runs.records import LoggedEvent
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository, LogPart
from store.run_records.runs import RunRepository, RunRow
from tests.api.conftest import Site
from tests.support.databases import connect_as_owner


class EmptyLog(EventRepository):
    """The log of a run without events; counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0

    async def read(
        self, principal: Principal, run_id: str, **part: Unpack[LogPart]
    ) -> list[LoggedEvent]:
        self.reads += 1
        return []

    async def has_run(self, principal: Principal, run_id: str) -> bool:
        return True


async def test_quiet_run_is_polled_less_and_less_often_however_many_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.event_stream.POLL_SECONDS", 0.01)
    log = EmptyLog()
    tail = _open_tail(log)

    async def watch() -> None:
        while True:
            await tail.advance(0, 1.0)
            assert not tail.recent

    viewers = asyncio.gather(*(watch() for _ in range(50)))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(viewers, 1.0)
    assert 4 < log.reads < 40


class SlowLog(EventRepository):
    """A log whose reads take until they are let go; then it holds one event after any other."""

    def __init__(self) -> None:
        self.reads = 0
        self.going = asyncio.Event()

    async def read(
        self, principal: Principal, run_id: str, **part: Unpack[LogPart]
    ) -> list[LoggedEvent]:
        self.reads += 1
        await self.going.wait()
        told = {"type": "StopEvent", "at": "2026-01-01T00:00:00Z", "payload": {}}
        return [LoggedEvent.model_validate({**told, "seq": part["after"] + 1, "run_id": run_id})]


class CutLog(EmptyLog):
    """A log with an event and a patch that nobody can expand, because the run's records are out of reach."""

    async def read(
        self, principal: Principal, run_id: str, **part: Unpack[LogPart]
    ) -> list[LoggedEvent]:
        await super().read(principal, run_id, **part)
        event = {"run_id": run_id, "at": "2026-01-01T00:00:00Z"}
        patch: Json = {"tool_output": {"raw_output": {"patch": {}}}}
        told = [
            event | {"seq": 1, "type": "StopEvent", "payload": {}},
            event | {"seq": 2, "type": "ToolCallResult", "payload": patch},
        ]
        return [LoggedEvent.model_validate(each) for each in told[part["after"] :]]


class RunsOutOfReach(RunRepository):
    """Records of runs whose reads fail, as while PostgreSQL restarts."""

    async def get(self, principal: Principal, run_id: str) -> RunRow:
        raise StoreUnavailable(Notice.of("store-away", reason="it restarts"))


async def test_events_that_cannot_be_expanded_are_read_again_only_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.event_stream.POLL_SECONDS", 0.05)
    log = CutLog()
    tail = _open_tail(log, RunsOutOfReach(Pool("")))

    async def watch() -> None:
        while True:
            await tail.advance(tail.last, 1.0)
            await asyncio.sleep(0)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watch(), 1.0)
    assert tail.last == 1, "what could be expanded is sent"
    assert 2 < log.reads < 12


def _open_tail(log: EventRepository, runs: RunRepository | None = None) -> LogTail:
    reader = Principal(tenant_id="t", user_id=None)
    history = ReportHistory(log, runs or RunRepository(Pool("")), reader, "r")
    tail = LogTail(log, history, (reader, "r"), 0)
    tail.grown.set()
    return tail


async def test_one_read_wakes_every_viewer_once_and_is_encoded_once() -> None:
    log = SlowLog()
    tail = _open_tail(log)
    viewers = [asyncio.create_task(tail.advance(0, 60.0)) for _ in range(50)]
    await asyncio.sleep(0)
    log.going.set()
    await asyncio.gather(*viewers)
    assert (log.reads, tail.last) == (1, 1)
    pages = [tail.cut_page(0) for _ in viewers]
    assert len({id(page.encode()) for page in pages}) == 1
    assert [event.seq for event in pages[0].events] == [1]


async def test_viewer_that_leaves_while_it_reads_is_succeeded_by_another() -> None:
    log = SlowLog()
    tail = _open_tail(log)

    async def watch() -> None:
        while tail.last == 0:
            await tail.advance(0, 60.0)

    leading, *others = [asyncio.create_task(watch()) for _ in range(3)]
    await asyncio.sleep(0)
    leading.cancel()
    await asyncio.sleep(0.01)
    log.going.set()
    async with asyncio.timeout(5):
        await asyncio.gather(*others)
    assert (log.reads, tail.last) == (2, 1)


async def test_viewer_leaves_in_time_while_another_waits_for_events() -> None:
    tail = _open_tail(SlowLog())
    leading = asyncio.create_task(tail.advance(0, 60.0))
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await tail.advance(0, 0.05)
    assert tail.last == 0
    leading.cancel()


async def test_stream_interrupted_five_times_yields_every_event_once(site: Site) -> None:
    run = await site.start()
    driving = asyncio.create_task(_drive(site, run))
    seen = 0
    seqs: list[int] = []
    types: list[str] = []
    for most in [*(random.randint(1, 3) for _ in range(5)), 10_000]:
        for event in await site.follow(run, seen, most):
            seqs.append(event.seq)
            types.append(event.type)
            seen = event.seq
    await driving
    logged = (await site.get(f"{run}/events")).json()["items"]
    assert seqs == [e["seq"] for e in logged] == list(range(1, len(logged) + 1))
    assert types[-1] == "workflow_complete"
    assert types.count("workflow_complete") == 1


async def _drive(site: Site, run: str) -> None:
    await site.until(run, "clarification")
    planned = (await site.post(f"{run}/answers", {"rest": None}, wait=20)).json()
    decision = {"action": "approve", "plan_hash": planned["plan_hash"]}
    await site.post(f"{run}/decision", decision)


async def test_stream_after_the_last_event_is_empty(site: Site) -> None:
    run = await site.complete()
    last = (await site.follow(run, 0))[-1]
    assert last.type == "workflow_complete"
    assert await site.follow(run, last.seq) == []
    assert await site.follow(run, last.seq - 1) == [last]


@pytest.mark.full
async def test_many_viewers_see_the_same(site: Site) -> None:
    run = await site.start()
    viewers = [asyncio.create_task(site.follow(run, 0)) for _ in range(20)]
    await _drive(site, run)
    views = await asyncio.gather(*viewers)
    assert len({tuple(e.seq for e in view) for view in views}) == 1


async def test_an_idle_stream_is_pinged_and_no_client_takes_it_for_an_event(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.event_stream.PING_SECONDS", 0.1)
    run = await site.start()
    await site.until(run, "clarification")
    viewer = asyncio.create_task(site.follow(run, 0))
    async with asyncio.timeout(60), site.http.stream("GET", f"{run}/stream") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        pings = 0
        async for line in answer.aiter_lines():
            pings += line == ": ping"
            if pings == 3:
                break
    await site.post(f"{run}/cancel")
    assert (await viewer)[-1].type == "workflow_complete"


@pytest.mark.full
async def test_events_come_by_page(site: Site) -> None:
    run = await site.complete()
    seqs: list[int] = []
    cursor: str | None = "0"
    while cursor:
        page = (await site.get(f"{run}/events", after=cursor, limit=7)).json()
        seqs += [e["seq"] for e in page["items"]]
        cursor = page["next_cursor"]
    assert seqs == list(range(1, len(seqs) + 1))
    tail = (await site.get(f"{run}/events", tail=2)).json()["items"]
    assert [e["seq"] for e in tail] == seqs[-2:]


@pytest.mark.full
async def test_a_stream_outlives_its_connections(site: Site) -> None:
    """PostgreSQL ends every connection, the listening one too, and the viewer notices nothing."""
    run = await site.start()
    watching = asyncio.create_task(site.follow(run, 0))
    await site.until(run, "clarification")
    async with connect_as_owner(site.database) as admin:
        await admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    await _drive(site, run)
    seqs = [event.seq for event in await watching]
    assert seqs == list(range(1, len(seqs) + 1))
