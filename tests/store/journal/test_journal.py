import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from contracts.base import Json
from contracts.errors import BudgetExceeded, StoreUnavailable
from contracts.models.usage import Usage
from contracts.runs.records import CallResult, CallSpec
from store.calls.call_journal import CallClaim, Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository
from store.run_records.runs import RunRepository
from tests.conftest import ROOT
from tests.store.conftest import OwnPostgres
from tests.store.samples import ME, batch, event, made, opened, spec, started
from tests.support.databases import connect_as_owner, fetch_as_owner
from tests.support.refusals import refused
from tests.support.words import en

PAID = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.2)


@asynccontextmanager
async def journal_of(dsn: str) -> AsyncIterator[Journal]:
    """A journal as a process of its own would have it."""
    async with Pool(dsn, max_size=20) as pool, Lease(dsn) as lease:
        await lease.held.wait()
        yield Journal(pool, lease)


@pytest.fixture
async def journal(database: str) -> AsyncIterator[Journal]:
    async with journal_of(database) as made:
        yield made


@pytest.fixture
async def other(database: str) -> AsyncIterator[Journal]:
    async with journal_of(database) as made:
        yield made


async def claim(journal: Journal, call: CallSpec) -> CallClaim:
    found = await asyncio.wait_for(journal.claim(call), 10)
    assert isinstance(found, CallClaim)
    return found


async def settled(journal: Journal, call: CallSpec) -> Json:
    found = await asyncio.wait_for(journal.claim(call), 10)
    assert isinstance(found, CallResult)
    assert found.reused
    return found.result


async def count_taken_over(pool: Pool, run_id: str) -> int:
    """Return how many calls were repeated after their owner's end, and so may be paid twice."""
    query = "SELECT sum(taken_over)::int FROM calls WHERE run_id = %(run)s"
    [count] = await fetch_as_owner(pool, query, {"run": run_id})
    return int(count)


async def waits(asking: asyncio.Task[Any], seconds: float = 0.7) -> bool:
    done, _ = await asyncio.wait({asking}, timeout=seconds)
    return not done


async def test_many_who_ask_at_once_pay_once(journal: Journal, other: Journal) -> None:
    """One of them, here or in another process, makes the call; all have its result."""
    paid: list[CallClaim] = []

    async def call(mine: Journal) -> Json:
        found = await mine.claim(spec("once"))
        if isinstance(found, CallResult):
            return found.result
        paid.append(found)
        await asyncio.sleep(0.2)
        await mine.settle(found, made(PAID, answer=len(paid)))
        return {"answer": len(paid)}

    answers = await asyncio.gather(*(call(mine) for mine in (journal, other) for _ in range(8)))
    assert len(paid) == 1
    assert answers == [{"answer": 1}] * 16
    assert await journal.sum_usage("default", "once") == PAID.model_copy(
        update={"reused_calls": 15}
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("phase_id", "planning"), ("attempt", 2), ("plan_step", "2")),
        *(("run_id", "other"), ("tenant_id", "other")),
    ],
)
async def test_another_call_is_another_claim(journal: Journal, field: str, value: object) -> None:
    """All parts of the key distinguish calls; the name alone does not."""
    call = spec(f"keys-{field}", cap=5)

    def with_scope(**changes: object) -> CallSpec:
        return call.model_copy(update={"scope": call.scope.model_copy(update=changes)})

    await journal.settle(await claim(journal, call), made(PAID, n=1))
    assert await settled(journal, with_scope(name="turn-9")) == {"n": 1}
    await claim(journal, with_scope(**{field: value}))
    await claim(journal, call.model_copy(update={"request_hash": "another"}))


async def test_what_led_to_a_call_is_logged_ahead_of_it_and_once(
    journal: Journal, pool: Pool
) -> None:
    """It is shown once the recorder has come with it and its rows, and nothing after it before."""
    await RunRepository(pool).create(started("led"), opened())
    call, led = spec("led"), [event("w-1"), event("w-2")]
    scope = call.scope.model_copy(
        update={"told": [e.model_dump(mode="json") for e in led], "told_from": 1}
    )
    begun = event("turn-1", type="AgentInput")
    await claim(journal, call.model_copy(update={"scope": scope, "events": [begun]}))
    runs, events = RunRepository(pool), EventRepository(pool)
    shown = []
    for version in (1, 2, 3):
        shown.append([e.seq for e in await events.read(ME, "led")])
        assert (await runs.get(ME, "led")).last_seq == len(shown[-1])
        await runs.record(batch("led", version, events=[event(f"w-{version}")]))
    assert shown == [[], [1], [1, 2, 3]]
    await claim(journal, spec("led", 1).model_copy(update={"scope": scope}))
    keys = "SELECT key FROM events WHERE run_id = %(run)s ORDER BY seq"
    assert await fetch_as_owner(pool, keys, {"run": "led"}) == ["w-1", "w-2", "turn-1", "w-3"]
    assert len(await events.read(ME, "led")) == 4


async def test_a_failed_call_is_free_again(journal: Journal, other: Journal, pool: Pool) -> None:
    """Errors are not kept; the next try is a new one and nobody counts it as paid twice."""
    first = await claim(journal, spec("failed"))
    await journal.release(first, "model-busy")
    await claim(other, spec("failed"))
    assert await count_taken_over(pool, "failed") == 0


async def test_a_released_claim_cannot_free_anothers(journal: Journal, other: Journal) -> None:
    first = await claim(journal, spec("late"))
    await journal.release(first, "model-busy")
    await claim(other, spec("late"))
    await journal.release(first, "model-busy")
    asking = asyncio.create_task(journal.claim(spec("late")))
    assert await waits(asking)
    asking.cancel()


async def test_tool_calls_are_journaled_without_format_usd(journal: Journal) -> None:
    """Even where the run has no dollar left."""
    await claim(journal, spec("tools", usd=1.0))
    tool = spec("tools", request=1, usd=0).model_copy(update={"kind": "tool"})
    await journal.settle(await claim(journal, tool), made(Usage(), hits=["\x00"]))
    assert await settled(journal, tool) == {"hits": ["�"]}
    assert (await journal.sum_usage("default", "tools")).calls == 0


async def test_the_cap_holds_against_a_race(journal: Journal, other: Journal) -> None:
    """Of ten concurrent calls, only as many are made as the cap allows; the others wait until that is known."""

    async def call(mine: Journal, n: int) -> None:
        found = await mine.claim(spec("race", n, 0.3))
        assert isinstance(found, CallClaim)
        await asyncio.sleep(0.2)
        await mine.settle(found, made(Usage(calls=1, usd=0.3)))

    made_of = [call(mine, n) for n, mine in enumerate([journal, other] * 5)]
    found = await asyncio.gather(*made_of, return_exceptions=True)
    refused = [each for each in found if isinstance(each, BudgetExceeded)]
    assert (found.count(None), len(refused)) == (3, 7)
    prices = {"price": 0.3, "cap": 1, "left": 0.1}
    assert str(refused[0]) == en("budget-exceeded", **prices)


async def test_refusal_names_the_whole_cap_and_what_is_kept_of_it(journal: Journal) -> None:
    keeping = spec("keeping", 0, 0.3).model_copy(update={"kept_usd": 0.8})
    with pytest.raises(BudgetExceeded) as refused:
        await journal.claim(keeping)
    prices = {"price": 0.3, "cap": 1, "left": 1, "kept": 0.8}
    assert str(refused.value) == en("budget-exceeded", **prices)
    await claim(journal, keeping.model_copy(update={"kept_usd": 0.7}))


async def test_what_a_call_did_not_cost_is_free_again(journal: Journal) -> None:
    """Settled for less, or released: the rest of a reservation can be claimed, and is waited for until then."""
    first = await claim(journal, spec("rest", 0, 0.6))
    asking = asyncio.create_task(claim(journal, spec("rest", 1, 0.6)))
    assert await waits(asking)
    await journal.settle(first, made(Usage(calls=1, usd=0.4)))
    await journal.release(await asking, "model-busy")
    last = await claim(journal, spec("rest", 2, 0.6))
    await journal.settle(last, made(Usage(calls=1, usd=0.6)))
    with refused(BudgetExceeded, "budget-exceeded", left=0):
        await claim(journal, spec("rest", 3, 0.01))


async def test_reservation_of_a_dead_process_is_not_waited_for(
    journal: Journal, database: str
) -> None:
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        await claim(Journal(pool, lease), spec("dead", 0, 0.6))
    with pytest.raises(BudgetExceeded):
        await claim(journal, spec("dead", 1, 0.6))


async def test_the_last_cent_can_be_spent(journal: Journal) -> None:
    """Ten dimes fit into a dollar, which they would not in binary fractions."""
    for n in range(10):
        await claim(journal, spec("dimes", n, 0.1))


async def test_a_claim_we_have_given_up_is_ours_again(
    journal: Journal, pool: Pool, database: str
) -> None:
    """What this process claimed but does not have in flight is taken over at once."""
    async with Lease(database) as lease:
        await lease.held.wait()
        await claim(Journal(pool, lease), spec("given-up"))
        await claim(Journal(pool, lease), spec("given-up"))
    assert await count_taken_over(pool, "given-up") == 1


async def test_asking_can_be_cancelled_at_any_moment(journal: Journal, other: Journal) -> None:
    """A claim whose caller was cancelled does not block others."""
    for n in range(20):
        asking = asyncio.create_task(journal.claim(spec("cancelled", n, 0.01)))
        await asyncio.sleep(n * 0.0003)
        asking.cancel()
        [heard] = await asyncio.gather(asking, return_exceptions=True)
        if isinstance(heard, CallClaim):
            await journal.release(heard, "cancelled")
        await claim(other, spec("cancelled", n, 0.01))


@asynccontextmanager
async def other_process(dsn: str, run_id: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process that has claimed the call of `spec(run_id)`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.store.journal.owner", dsn, run_id),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 60) == b"claimed\n"
    yield process
    if process.returncode is None:
        process.kill()
    await process.wait()


async def test_a_killed_process_frees_its_claims(
    journal: Journal, pool: Pool, database: str
) -> None:
    async with other_process(database, "killed") as process:
        asking = asyncio.create_task(journal.claim(spec("killed")))
        assert await waits(asking)
        process.kill()
        taken = await asyncio.wait_for(asking, 60)
    assert isinstance(taken, CallClaim)
    assert await count_taken_over(pool, "killed") == 1


async def test_a_stopped_process_keeps_its_claims(
    journal: Journal, pool: Pool, database: str
) -> None:
    """It may continue at any moment, so other callers wait, and receive its result."""
    async with other_process(database, "stopped") as process:
        process.send_signal(signal.SIGSTOP)
        asking = asyncio.create_task(journal.claim(spec("stopped")))
        assert await waits(asking)
        process.send_signal(signal.SIGCONT)
        await process.communicate(b"\n")
        assert await asyncio.wait_for(asking, 60) == CallResult(
            result={"by": "the other"}, usage=Usage(calls=1, usd=0.2), reused=True
        )
    assert await count_taken_over(pool, "stopped") == 0


async def test_the_first_to_settle_wins(journal: Journal, other: Journal, database: str) -> None:
    """A call taken over may come back to life: both go on with its result, and both were paid."""
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        zombie = Journal(pool, lease)
        first = await claim(zombie, spec("zombie"))
        await lease.__aexit__(None, None, None)
        second = await claim(journal, spec("zombie"))
        for _ in range(2):  # as one does that lost the store's answer
            assert await zombie.settle(first, made(PAID, by="zombie")) == {"by": "zombie"}
        assert await journal.settle(second, made(PAID, by="heir")) == {"by": "zombie"}
        assert await settled(other, spec("zombie")) == {"by": "zombie"}
        usage = await other.sum_usage("default", "zombie")
        assert (usage.calls, usage.usd) == (1, 2 * PAID.usd)


async def test_a_broken_lease_is_taken_again(journal: Journal, database: str) -> None:
    """The owner stays the same, so no other process takes over calls in flight."""
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        owner = lease.owner
        mine = Journal(pool, lease)
        held = await claim(mine, spec("broken"))
        async with connect_as_owner(database) as admin:
            await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks"
                " WHERE locktype = 'advisory' AND (classid::bigint << 32) + objid::bigint = %s",
                [owner],
            )
        await asyncio.sleep(0.05)
        await asyncio.wait_for(lease.held.wait(), 5)
        assert lease.owner == owner
        asking = asyncio.create_task(journal.claim(spec("broken")))
        assert await waits(asking)
        await mine.settle(held, made(PAID, by="me"))
        assert await asyncio.wait_for(asking, 5) == CallResult(
            result={"by": "me"}, usage=PAID, reused=True
        )


async def test_an_outage_loses_no_call(own_postgres: OwnPostgres) -> None:
    """The result of a call in flight during a PostgreSQL outage is stored as soon as PostgreSQL is back.

    This holds even if its activity was cancelled meanwhile, and another process may ask for the call before
    its owner has its lock again.
    """
    async with journal_of(own_postgres.dsn) as journal:
        held = await claim(journal, spec("outage"))
        await own_postgres.stop()
        settling = asyncio.create_task(journal.settle(held, made(PAID, n=1)))
        await asyncio.sleep(1)
        settling.cancel()
        await own_postgres.start()
        async with journal_of(own_postgres.dsn) as other, Pool(own_postgres.dsn) as pool:
            assert await settled(other, spec("outage")) == {"n": 1}
            assert await count_taken_over(pool, "outage") == 0


async def test_who_insists_on_a_settlement_gives_up_with_its_process(
    own_postgres: OwnPostgres,
) -> None:
    """Its pool is closed: it would go on for ever, and the process with it."""
    async with journal_of(own_postgres.dsn) as journal:
        held = await claim(journal, spec("insisting"))
        await own_postgres.stop()
        releasing = asyncio.create_task(journal.release(held, "model-busy"))
        await asyncio.sleep(1)
        assert not releasing.done()
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(releasing, 5)
    await own_postgres.start()


@pytest.mark.full
async def test_an_outage_is_logged_when_it_begins_and_when_it_ends(
    own_postgres: OwnPostgres, caplog: pytest.LogCaptureFixture
) -> None:
    async with Pool(own_postgres.dsn) as pool:
        await pool.fetch("SELECT 1")
        await own_postgres.stop()
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                await pool.fetch("SELECT 1")
        await own_postgres.start()
        assert await pool.fetch("SELECT 1") == [1]
    began, ended = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert began.startswith("PostgreSQL is unreachable: ")
    assert ended == "PostgreSQL is back"


async def test_a_call_is_in_flight_through_an_outage(own_postgres: OwnPostgres) -> None:
    """A call continues without PostgreSQL, and settles later; other callers wait for it."""
    async with journal_of(own_postgres.dsn) as journal:
        held = await claim(journal, spec("flight"))
        await own_postgres.stop()
        await own_postgres.start()
        async with journal_of(own_postgres.dsn) as other:
            asking = asyncio.create_task(other.claim(spec("flight")))
            assert await waits(asking)
            await journal.settle(held, made(PAID, n=1))
            assert await asyncio.wait_for(asking, 60) == CallResult(
                result={"n": 1}, usage=PAID, reused=True
            )
