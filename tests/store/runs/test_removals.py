"""Runs that are taken out: what they cost stays, nothing else does."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from typing import Literal

import psycopg
import pytest

from contracts.access.principal import Principal
from contracts.base import Json
from contracts.errors import Conflict, NotFound, NotOwner
from contracts.models.usage import Usage
from store.calls.call_journal import CallClaim, Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from tests.store.samples import (
    ME,
    START,
    artifact,
    batch,
    event,
    made,
    opened,
    phase,
    source,
    spec,
    started,
)
from tests.support.databases import as_owner, fetch_as_owner
from tests.support.offline_services import eventually
from tests.support.words import pattern

SOON = datetime(2100, 1, 1, tzinfo=UTC)
ENDED = "2026-03-01T11:00:00+00:00"
SPENT = "SELECT to_jsonb(s) FROM spend s WHERE run_id = %(run)s"
LAST = event("last", type="workflow_complete")


@pytest.fixture
def runs(pool: Pool) -> RunRepository:
    return RunRepository(pool)


@pytest.fixture
def removals(pool: Pool) -> RemovalRepository:
    return RemovalRepository(pool)


async def ended(runs: RunRepository, run_id: str, **given: object) -> None:
    """Keep a run that has ended."""
    more = {name: given.pop(name) for name in ("sources", "artifacts") if name in given}
    ended_at = given.pop("ended_at", ENDED)
    await runs.create(started(run_id, START, **given), opened())
    last = {"status": "completed", "ended_at": ended_at, "events": [LAST]}
    await runs.record(batch(run_id, 1, phases=[phase("planning")], **last, **more))


async def paid(database: str, pool: Pool, run_id: str) -> None:
    """Make two model calls and one of a tool."""
    async with Lease(database) as lease:
        await lease.held.wait()
        journal = Journal(pool, lease)
        usage = Usage(calls=1, input_tokens=10, output_tokens=2, usd=0.5)
        kinds: list[Literal["model", "tool"]] = ["model", "model", "tool"]
        for nth, kind in enumerate(kinds):
            call = spec(run_id, nth, cap=10).model_copy(update={"kind": kind})
            claim = await journal.claim(call)
            assert isinstance(claim, CallClaim)
            await journal.settle(claim, made(usage, said="secret"))


async def rows(pool: Pool, run_id: str) -> int:
    tables = ("phase_executions", "events", "calls", "sources", "artifacts")
    counted = [f"(SELECT count(*) FROM {table} WHERE run_id = %(run)s)" for table in tables]
    [found] = await fetch_as_owner(
        pool,
        f"SELECT {' + '.join(counted)} + (SELECT count(*) FROM runs WHERE id = %(run)s)",
        {"run": run_id},
    )
    return int(found)


async def test_what_a_run_cost_stays_and_nothing_else(
    runs: RunRepository, removals: RemovalRepository, pool: Pool, database: str
) -> None:
    await runs.create(started("gone"), opened())
    await paid(database, pool, "gone")
    await ended(runs, "gone", sources=[source(1)], artifacts=[artifact(1)])
    before = await fetch_as_owner(pool, SPENT, {"run": "gone"})
    assert [
        (s["model"], s["offline"], s["calls"], s["input_tokens"], s["usd"]) for s in before
    ] == [("m", True, 2, 20, 1.0)]
    await removals.remove(ME, "gone")
    assert await rows(pool, "gone") == 0
    assert await fetch_as_owner(pool, SPENT, {"run": "gone"}) == before
    with pytest.raises(NotFound):
        await runs.get(ME, "gone")


async def test_an_unfinished_removal_is_taken_up_again_and_a_finished_one_is_unknown(
    runs: RunRepository, removals: RemovalRepository
) -> None:
    await ended(runs, "again")
    await removals.remove(ME, "again")
    await removals.remove(ME, "again")
    await removals.finish("default", "again")
    with pytest.raises(NotFound):
        await removals.remove(ME, "again")


async def test_a_live_run_stays_unless_nobody_knows_it_any_more(
    runs: RunRepository, removals: RemovalRepository
) -> None:
    await runs.create(started("live"), opened())
    with pytest.raises(Conflict, match=pattern("run-live")):
        await removals.remove(ME, "live")
    assert (await runs.get(ME, "live")).status == "running"
    await removals.remove(ME, "live", lost=True)
    with pytest.raises(NotFound):
        await runs.get(ME, "live")


async def test_a_call_that_is_being_made_is_waited_for(
    runs: RunRepository, removals: RemovalRepository, pool: Pool, database: str
) -> None:
    """Otherwise its price would be in no ledger; a call whose process died does not block the removal."""
    await ended(runs, "busy")
    async with Lease(database) as lease:
        await lease.held.wait()
        claim = await Journal(pool, lease).claim(spec("busy"))
        assert isinstance(claim, CallClaim)
        with pytest.raises(Conflict, match=pattern("run-busy")):
            await removals.remove(ME, "busy")

    async def taken_out() -> bool:
        with contextlib.suppress(Conflict):
            await removals.remove(ME, "busy")
            return True
        return False

    assert await eventually(taken_out), "a server that has just started gives its owners a moment"


async def test_whoever_still_writes_for_it_writes_nothing(
    runs: RunRepository, removals: RemovalRepository, pool: Pool, database: str
) -> None:
    await ended(runs, "late")
    await removals.remove(ME, "late")
    await EventRepository(pool).append("default", "late", [event("w-9")])
    await runs.record(batch("late", 9, sources=[source(1)], artifacts=[artifact(1)]))
    assert not await runs.create(started("late"), opened()), "its id stays taken"
    async with Lease(database) as lease:
        await lease.held.wait()
        journal = Journal(pool, lease)
        with pytest.raises(Conflict, match=pattern("call-of-removed-run")):
            await journal.claim(spec("late"))
        lost = CallClaim("default", "late", "key", lease.owner)
        await journal.settle(lost, made(Usage(), event("w-10"), said="secret"))
    assert await rows(pool, "late") == 0


async def test_event_that_waits_for_a_removal_leaves_no_row(
    runs: RunRepository, pool: Pool, database: str
) -> None:
    await ended(runs, "race")
    async with await psycopg.AsyncConnection.connect(as_owner(database)) as removing:
        await removing.execute("SELECT remove_run('default', 'race', false)")
        late = [event("w-9")]
        appending = asyncio.create_task(EventRepository(pool).append("default", "race", late))
        await asyncio.sleep(0.3)
        assert not appending.done()
        await removing.commit()
        await appending
    assert await rows(pool, "race") == 0


async def test_others_cannot_remove_it(runs: RunRepository, removals: RemovalRepository) -> None:
    await ended(runs, "anns", user_id="ann")
    with pytest.raises(NotOwner):
        await removals.remove(Principal(user_id="bob"), "anns")
    with pytest.raises(NotFound):
        await removals.remove(Principal(tenant_id="other"), "anns")
    await removals.remove(Principal(user_id="ann"), "anns")
    with pytest.raises(NotOwner):
        await removals.remove(Principal(user_id="bob"), "anns")


def key(run_id: str, n: int) -> str:
    return f"{run_id}/{n:064x}"


async def test_blobs_are_needed_while_a_run_names_them(
    runs: RunRepository, removals: RemovalRepository
) -> None:
    """A run that took pages over keeps them; with the last one that names them they go."""
    page = source(1).model_copy(update={"text_key": key("parent", 1), "raw_key": key("parent", 2)})
    table = artifact(1, key("parent", 3))
    keys = [key("parent", n) for n in range(1, 5)]
    await ended(runs, "parent", sources=[page], artifacts=[table])
    await ended(runs, "child", sources=[page], from_run="parent")
    await removals.remove(ME, "parent")
    assert await removals.find_unneeded_blobs("default", "parent", keys) == keys[2:]
    await removals.remove(ME, "child")
    assert sorted(await removals.find_unneeded_blobs("default", "child", [])) == keys[:2]


async def test_blobs_of_a_run_that_is_there_are_its_own_to_keep(
    runs: RunRepository, removals: RemovalRepository
) -> None:
    page = source(1).model_copy(update={"text_key": key("first", 1), "raw_key": key("first", 2)})
    await ended(runs, "first")
    await ended(runs, "second", sources=[page])
    await removals.remove(ME, "second")
    assert await removals.find_unneeded_blobs("default", "second", []) == []


async def test_blobs_that_a_live_run_was_given_are_needed(
    runs: RunRepository, removals: RemovalRepository
) -> None:
    """It may read them before it has recorded them as its own."""
    await ended(runs, "giver")
    output: Json = {"sources": [{"text_key": key("giver", 1)}]}
    await runs.create(started("taker"), opened())
    await runs.record(batch("taker", 1, phases=[phase("planning", output=output)]))
    await removals.remove(ME, "giver")
    keys = [key("giver", 1), key("giver", 2)]
    assert await removals.find_unneeded_blobs("default", "giver", keys) == [key("giver", 2)]


async def test_what_is_due(runs: RunRepository, removals: RemovalRepository, pool: Pool) -> None:
    """Temporary runs past their time and runs past the retention; never one that is live."""
    await fetch_as_owner(pool, "UPDATE removals SET done_at = now()")
    await ended(runs, "short", temp_workflow=True, ended_at="2027-01-02T00:00:00+00:00")
    await ended(runs, "shortest", temp_workflow=True, ended_at="2027-01-01T00:00:00+00:00")
    await ended(runs, "long", ended_at="2027-01-01T00:00:00+00:00")
    await runs.create(started("going", temp_workflow=True), opened())
    at = datetime(2027, 1, 1, 12, tzinfo=UTC)

    async def due(temporary: datetime, kept: datetime | None = None) -> list[str]:
        found = await removals.list_due(temporary, kept, 10)
        return [run for _, run in found if run in {"short", "shortest", "long", "going"}]

    assert await due(at) == ["shortest"]
    assert await due(SOON) == ["shortest", "short"]
    assert await due(at - timedelta(days=365)) == []
    assert await due(at - timedelta(days=365), SOON) == ["long"]
    assert (await runs.get(ME, "going")).temp_workflow, "it is live"


async def test_a_removal_that_was_cut_off_is_due_after_a_minute(
    runs: RunRepository, removals: RemovalRepository, pool: Pool
) -> None:
    await ended(runs, "cut")
    await removals.remove(ME, "cut")
    long_ago = datetime(2000, 1, 1, tzinfo=UTC)
    assert ("default", "cut") not in await removals.list_due(long_ago, None, 100)
    await fetch_as_owner(
        pool, "UPDATE removals SET begun_at = now() - interval '2 minutes' WHERE run_id = 'cut'"
    )
    assert ("default", "cut") in await removals.list_due(long_ago, None, 100)


async def test_claims_of_ended_runs_are_closed_once_their_worker_is_gone(
    runs: RunRepository, removals: RemovalRepository, pool: Pool, database: str
) -> None:
    """A run's end or a later sweep closes claims of dead workers; claims of active runs remain."""
    open_claims = """SELECT jsonb_build_array(run_id, reserved_usd) FROM calls
        WHERE owner IS NOT NULL AND run_id = ANY(%(runs)s) ORDER BY run_id"""
    given = {"runs": ["orphan-1", "orphan-2", "orphan-3"]}
    for run in given["runs"]:
        await runs.create(started(run), opened())

    async def claim(lease: Lease, run: str) -> None:
        await lease.held.wait()
        assert isinstance(await Journal(pool, lease).claim(spec(run)), CallClaim)

    async def is_gone(run: str) -> bool:
        owner = "SELECT owner_lives(owner) FROM calls WHERE run_id = %(run)s"
        return await fetch_as_owner(pool, owner, {"run": run}) == [False]

    async with Lease(database) as dying:
        for run in ("orphan-1", "orphan-3"):
            await claim(dying, run)
    await eventually(lambda: is_gone("orphan-1"))
    async with Lease(database) as lease:
        await claim(lease, "orphan-2")
        for run in ("orphan-1", "orphan-2"):
            await ended(runs, run)
        assert await fetch_as_owner(pool, open_claims, given) == [
            ["orphan-2", 0.5],
            ["orphan-3", 0.5],
        ]
        await removals.close_claims()
        assert await fetch_as_owner(pool, open_claims, given) == [
            ["orphan-2", 0.5],
            ["orphan-3", 0.5],
        ]
    await eventually(lambda: is_gone("orphan-2"))
    await removals.close_claims()
    assert await fetch_as_owner(pool, open_claims, given) == [["orphan-3", 0.5]]
