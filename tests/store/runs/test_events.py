import asyncio
import uuid
from typing import LiteralString

import pytest

from contracts.access.principal import Principal
from store.postgres.pool import PAUSE_SECONDS, Pool
from store.run_records.event_log import EventRepository, Listener
from store.run_records.runs import RunRepository
from tests.store.samples import ME, batch, event, opened, started
from tests.support.databases import connect_as_owner, fetch_as_owner

ALTERED = "SELECT seq FROM altered_events WHERE run_id = %(run)s"


@pytest.fixture
def events(pool: Pool) -> EventRepository:
    return EventRepository(pool)


async def test_appending_again_adds_nothing(events: EventRepository) -> None:
    """An overlapping batch adds only its new events, in order."""
    await events.append("default", "again", [event("a", n=1), event("b", n=2)])
    await events.append("default", "again", [event("b", n=9), event("c", n=3), event("c", n=9)])
    read = await events.read(ME, "again")
    assert [(e.seq, e.payload["n"]) for e in read] == [(1, 1), (2, 2), (3, 3)]


async def test_no_event_is_dated_before_the_one_it_follows(
    pool: Pool, events: EventRepository
) -> None:
    """Writers have different clocks and may write late; the hash chain covers the stored times."""
    days = {"a": "02T10:00:00.5", "b": "02T10:00:00.123456", "c": "02T10:00:01", "d": "01T23:59:59"}
    told = {n: event(n).model_copy(update={"at": f"2026-03-{d}+00:00"}) for n, d in days.items()}
    await events.append("default", "dated", [told["a"], told["b"]])
    await events.append("default", "dated", [told["c"]])
    await events.append("default", "dated", [told["a"], told["d"]])
    at = [e.at for e in await events.read(ME, "dated")]
    assert at == [told[n].at for n in "aacc"]
    assert await fetch_as_owner(pool, ALTERED, {"run": "dated"}) == []


async def test_concurrent_writers_leave_no_gap(pool: Pool, events: EventRepository) -> None:
    """Twenty writers of one run: seq is contiguous, each writer's order is kept, the chain holds."""

    async def write(writer: int) -> None:
        for n in range(10):
            pair = [event(f"{writer}/{n}/{i}", writer=writer, n=n * 2 + i) for i in range(2)]
            await asyncio.gather(*(events.append("default", "busy", pair) for _ in range(2)))

    await asyncio.gather(*map(write, range(20)))
    read = await events.read(ME, "busy")
    assert [e.seq for e in read] == list(range(1, 401))
    for writer in range(20):
        assert [e.payload["n"] for e in read if e.payload["writer"] == writer] == list(range(20))
    assert await fetch_as_owner(pool, ALTERED, {"run": "busy"}) == []


@pytest.mark.parametrize(
    ("change", "seq"),
    [
        (
            "UPDATE events SET body = jsonb_set(body, '{payload,said}', '\"yes\"')"
            " WHERE run_id = %(run)s AND seq = 2",
            2,
        ),
        ("DELETE FROM events WHERE run_id = %(run)s AND seq = 2", 3),
        ("DELETE FROM events WHERE run_id = %(run)s AND seq = 3", 3),
    ],
    ids=["changed", "removed", "the last removed"],
)
async def test_altered_event_breaks_the_chain(
    pool: Pool, events: EventRepository, change: LiteralString, seq: int
) -> None:
    run = f"forged-{uuid.uuid4()}"
    await events.append("default", run, [event(f"w-{n}", said="no") for n in range(3)])
    assert await fetch_as_owner(pool, ALTERED, {"run": run}) == []
    await fetch_as_owner(pool, change, {"run": run})
    assert await fetch_as_owner(pool, ALTERED, {"run": run}) == [seq]


async def test_repositories_of_a_process_share_one_notification(
    pool: Pool, events: EventRepository, database: str
) -> None:
    async with connect_as_owner(database) as ears:
        await ears.execute("LISTEN greenlight_events")
        await events.append("default", "before", [event("w-0")])
        assert [n.payload async for n in ears.notifies(timeout=5, stop_after=1)] == ["before"]
        counts: list[int] = []
        for n in range(5):  # on a busy machine one of two may miss the other's notification
            run = f"shared-{n}"
            written = events.append("default", run, [event("w-0")])
            await asyncio.gather(written, RunRepository(pool).record(batch(run, 1)))
            heard = [each.payload async for each in ears.notifies(timeout=0.5)]
            counts.append(heard.count(run))
    assert min(counts) == 1


async def test_first_event_after_a_quiet_time_does_not_wait_for_the_pause(
    events: EventRepository, database: str
) -> None:
    clock = asyncio.get_running_loop().time
    waits: list[float] = []
    async with connect_as_owner(database) as ears:
        await ears.execute("LISTEN greenlight_events")
        for n in range(5):
            await asyncio.sleep(PAUSE_SECONDS)
            await events.append("default", "quiet", [event(f"w-{n}")])
            written = clock()
            waits.extend([clock() - written async for _ in ears.notifies(timeout=5, stop_after=1)])
    assert min(waits) < PAUSE_SECONDS


async def test_nothing_follows_the_end(events: EventRepository) -> None:
    """A zombie's late events do not come after `workflow_complete`."""
    end = event("w-1", "workflow_complete", status="completed")
    await events.append("default", "over", [event("w-0"), end, event("late")])
    await events.append("default", "over", [event("research/1/turn-1/5", "AgentStream")])
    assert [e.type for e in await events.read(ME, "over")] == ["Status", "workflow_complete"]


async def test_a_part_is_read(events: EventRepository) -> None:
    await events.append("default", "long", [event(f"w-{n}") for n in range(10)])
    assert [e.seq for e in await events.read(ME, "long", after=4, limit=3)] == [5, 6, 7]
    assert [e.seq for e in await events.read(ME, "long", tail=2)] == [9, 10]
    assert [e.seq for e in await events.read(ME, "long", after=9, tail=5)] == [10]
    assert await events.read(ME, "long", after=10) == []


async def test_others_read_nothing(pool: Pool, events: EventRepository) -> None:
    """Runs of other tenants and users look as if they did not exist."""
    await RunRepository(pool).create(started("mine", user_id="ann"), opened())
    await events.append("default", "mine", [event("w-0")])
    assert await events.read(Principal(user_id="ann"), "mine")
    for other in (Principal(user_id="bob"), Principal(tenant_id="other")):
        assert await events.read(other, "mine") == []
        assert not await events.has_run(other, "mine")


async def test_any_text_is_kept(events: EventRepository) -> None:
    """NUL and lone surrogates, which jsonb refuses, become U+FFFD; other characters are unchanged."""
    texts = ["a\x00b", "\ud800!", "\udfff", "😀", "\\u0000", "\\\x00", "Größe\n\t\x1f", "\\ud800"]
    await events.append("default", "odd", [event("w-0", texts=texts)])
    [read] = await events.read(ME, "odd")
    expected = ["a�b", "�!", "�", "😀", "\\u0000", "\\�", "Größe\n\t\x1f", "\\ud800"]
    assert read.payload["texts"] == expected


async def test_a_subscriber_is_woken(pool: Pool, events: EventRepository, database: str) -> None:
    """Events of its run wake it, from any writer; events of other runs and repetitions do not."""
    runs = RunRepository(pool)
    async with Listener(database) as listener:
        with listener.subscribe("heard") as heard, listener.subscribe("other") as other:
            await asyncio.wait_for(heard.wait(), 5)  # the connection is open
            heard.clear()
            other.clear()
            await events.append("default", "heard", [event("w-0")])
            await asyncio.wait_for(heard.wait(), 5)
            heard.clear()
            await runs.record(batch("heard", 1))
            await asyncio.wait_for(heard.wait(), 5)
            heard.clear()
            await runs.record(batch("heard", 1))
            await events.append("default", "loud", [event("w-0")])
            await asyncio.sleep(0.2)
            assert not heard.is_set()
            assert not other.is_set()


async def test_a_burst_makes_few_notifications(events: EventRepository, database: str) -> None:
    """At most one in each pause, however much is written, and one after the last event."""
    async with connect_as_owner(database) as ears:
        await ears.execute("LISTEN greenlight_events")
        clock = asyncio.get_running_loop().time
        began = clock()
        for n in range(200):
            await events.append("default", "burst", [event(f"w-{n}")])
        written = clock()
        heard = [
            clock() async for notice in ears.notifies(timeout=0.5) if notice.payload == "burst"
        ]
    assert 1 <= len(heard) <= (written - began) / PAUSE_SECONDS + 2


async def test_all_are_woken_after_a_broken_connection(
    events: EventRepository, database: str
) -> None:
    """What was written while nobody listened is not missed."""
    async with Listener(database) as listener:
        with listener.subscribe("cut") as woken:
            await asyncio.wait_for(woken.wait(), 5)
            woken.clear()
            await _cut_listeners(database)
            await asyncio.wait_for(woken.wait(), 5)
            woken.clear()
            await events.append("default", "cut", [event("w-0")])
            await asyncio.wait_for(woken.wait(), 5)


async def _cut_listeners(database: str) -> None:
    async with connect_as_owner(database) as admin:
        cut = await admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE 'LISTEN%%' AND datname = current_database()"
        )
        assert await cut.fetchall() == [(True,)]
