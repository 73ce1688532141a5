import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest

from contracts.base import Json
from contracts.errors import BudgetExceeded
from contracts.models.call import Scope
from contracts.terms import Usage
from store.journal import Claim, Journal, Settled
from store.postgres.lease import Lease
from store.postgres.pool import Pool, open_pool
from tests.conftest import ROOT
from tests.store.conftest import OwnPostgres
from tests.store.samples import scope

PAID = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.2)


@asynccontextmanager
async def journal_of(dsn: str) -> AsyncIterator[Journal]:
    """A journal as a process of its own would have it."""
    async with open_pool(dsn, max_size=20) as pool, Lease(dsn) as lease:
        await lease.held()
        yield Journal(pool, lease)


@pytest.fixture
async def journal(database: str) -> AsyncIterator[Journal]:
    async with journal_of(database) as made:
        yield made


@pytest.fixture
async def other(database: str) -> AsyncIterator[Journal]:
    async with journal_of(database) as made:
        yield made


async def ask(
    journal: Journal, where: Scope, usd: float = 0.5, cap: float = 1.0
) -> Claim | Settled:
    return await journal.claim(where, "model", "hash", "m", usd, cap)


async def claim(journal: Journal, where: Scope, usd: float = 0.5, cap: float = 1.0) -> Claim:
    found = await asyncio.wait_for(ask(journal, where, usd, cap), 10)
    assert isinstance(found, Claim)
    return found


async def settled(journal: Journal, where: Scope) -> Json:
    found = await asyncio.wait_for(ask(journal, where), 10)
    assert isinstance(found, Settled)
    return found.result


async def waits(asking: asyncio.Task[Claim | Settled], seconds: float = 0.7) -> bool:
    done, _ = await asyncio.wait({asking}, timeout=seconds)
    return not done


async def test_many_who_ask_at_once_pay_once(journal: Journal, other: Journal) -> None:
    """One of them, here or in another process, makes the call; all have its result."""
    paid: list[Claim] = []

    async def call(mine: Journal) -> Json:
        found = await ask(mine, scope("once"))
        if isinstance(found, Settled):
            return found.result
        paid.append(found)
        await asyncio.sleep(0.2)
        await mine.settle(found, {"answer": len(paid)}, PAID)
        return {"answer": len(paid)}

    answers = await asyncio.gather(*(call(mine) for mine in (journal, other) for _ in range(8)))
    assert len(paid) == 1
    assert answers == [{"answer": 1}] * 16
    assert await journal.usage("default", "once") == PAID.model_copy(update={"reused_calls": 15})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("phase_id", "planning"), ("attempt", 2), ("plan_step", "2"), ("nth", 1)),
        *(("run_id", "other"), ("tenant_id", "other")),
    ],
)
async def test_another_call_is_another_claim(journal: Journal, field: str, value: object) -> None:
    """Whatever the key is made of tells calls apart; the name alone does not."""
    where = scope(f"keys-{field}")
    await journal.settle(await claim(journal, where), {"n": 1}, PAID)
    assert await settled(journal, where.model_copy(update={"name": "turn-9"})) == {"n": 1}
    await claim(journal, where.model_copy(update={field: value}))


async def test_a_failed_call_is_free_again(journal: Journal, other: Journal) -> None:
    """Errors are not kept; the next try is a new one and nobody counts it as paid twice."""
    first = await claim(journal, scope("failed"))
    await journal.release(first, "model-busy")
    second = await claim(other, scope("failed"))
    assert (first.fence, second.fence) == (1, 2)
    assert await journal.taken_over("default", "failed") == 0


async def test_a_released_claim_cannot_free_anothers(journal: Journal, other: Journal) -> None:
    first = await claim(journal, scope("late"))
    await journal.release(first, "model-busy")
    await claim(other, scope("late"))
    await journal.release(first, "model-busy")
    asking = asyncio.create_task(ask(journal, scope("late")))
    assert await waits(asking)
    asking.cancel()


async def test_tool_calls_are_journaled_without_dollars(journal: Journal) -> None:
    """Even where the run has no dollar left."""
    await claim(journal, scope("tools"), 1.0)
    found = await journal.claim(scope("tools"), "tool", "another")
    assert isinstance(found, Claim)
    await journal.settle(found, {"hits": ["\x00"]}, Usage())
    again = await journal.claim(scope("tools"), "tool", "another")
    assert again == Settled({"hits": ["�"]}, Usage())
    assert (await journal.usage("default", "tools")).calls == 0


async def test_the_cap_holds_against_a_race(journal: Journal, other: Journal) -> None:
    """Of ten claims at once only as many are granted as the cap has room for."""
    found = await asyncio.gather(
        *(ask(mine, scope("race", nth=n), 0.3) for n, mine in enumerate([journal, other] * 5)),
        return_exceptions=True,
    )
    granted = [each for each in found if isinstance(each, Claim)]
    refused = [each for each in found if isinstance(each, BudgetExceeded)]
    assert (len(granted), len(refused)) == (3, 7)
    assert "may cost $0.3000" in str(refused[0])
    assert "reserved $0.9000 of its $1.00" in str(refused[0])


async def test_what_a_call_did_not_cost_is_free_again(journal: Journal) -> None:
    """Settled for less, or released: the rest of a reservation can be claimed."""
    first = await claim(journal, scope("rest"), 0.6)
    with pytest.raises(BudgetExceeded, match=r"reserved \$0\.6000"):
        await claim(journal, scope("rest", nth=1), 0.6)
    await journal.settle(first, {}, Usage(calls=1, usd=0.4))
    second = await claim(journal, scope("rest", nth=1), 0.6)
    await journal.release(second, "model-busy")
    await claim(journal, scope("rest", nth=2), 0.6)
    with pytest.raises(BudgetExceeded, match=r"spent \$0\.4000"):
        await claim(journal, scope("rest", nth=3), 0.01)


async def test_the_last_cent_can_be_spent(journal: Journal) -> None:
    """Ten dimes fit into a dollar, which they would not in binary fractions."""
    for n in range(10):
        await claim(journal, scope("dimes", nth=n), 0.1)


async def test_a_claim_we_have_given_up_is_ours_again(
    journal: Journal, pool: Pool, database: str
) -> None:
    """What this process claimed but does not have in flight is taken over at once."""
    async with Lease(database) as lease:
        await lease.held()
        await claim(Journal(pool, lease), scope("given-up"))
        again = await claim(Journal(pool, lease), scope("given-up"))
    assert again.fence == 2
    assert await journal.taken_over("default", "given-up") == 1


async def test_asking_can_be_cancelled_at_any_moment(journal: Journal, other: Journal) -> None:
    """Nobody waits for a claim whose answer its asker did not hear."""
    for n in range(20):
        asking = asyncio.create_task(ask(journal, scope("cancelled", nth=n), 0.01))
        await asyncio.sleep(n * 0.0003)
        asking.cancel()
        [heard] = await asyncio.gather(asking, return_exceptions=True)
        if isinstance(heard, Claim):
            await journal.release(heard, "cancelled")
        await claim(other, scope("cancelled", nth=n), 0.01)


@asynccontextmanager
async def other_process(dsn: str, run_id: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process that has claimed the call of `scope(run_id)`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.store.owner", dsn, run_id),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 20) == b"claimed\n"
    yield process
    if process.returncode is None:
        process.kill()
    await process.wait()


async def test_a_killed_process_frees_its_claims(journal: Journal, database: str) -> None:
    async with other_process(database, "killed") as process:
        asking = asyncio.create_task(ask(journal, scope("killed")))
        assert await waits(asking)
        process.kill()
        taken = await asyncio.wait_for(asking, 10)
    assert isinstance(taken, Claim)
    assert taken.fence == 2
    assert await journal.taken_over("default", "killed") == 1


async def test_a_stopped_process_keeps_its_claims(journal: Journal, database: str) -> None:
    """It may go on any moment: whoever asks waits, and gets what it settles."""
    async with other_process(database, "stopped") as process:
        process.send_signal(signal.SIGSTOP)
        asking = asyncio.create_task(ask(journal, scope("stopped")))
        assert await waits(asking)
        process.send_signal(signal.SIGCONT)
        await process.communicate(b"\n")
        assert await asyncio.wait_for(asking, 10) == Settled(
            {"by": "the other"}, Usage(calls=1, usd=0.2)
        )
    assert await journal.taken_over("default", "stopped") == 0


async def test_the_first_to_settle_wins(journal: Journal, other: Journal, database: str) -> None:
    """A call taken over may come back to life: both go on with its result, and both were paid."""
    async with open_pool(database) as pool, Lease(database) as lease:
        await lease.held()
        zombie = Journal(pool, lease)
        first = await claim(zombie, scope("zombie"))
        await lease.__aexit__(None, None, None)
        second = await claim(journal, scope("zombie"))
        for _ in range(2):  # as one does that lost the store's answer
            assert await zombie.settle(first, {"by": "zombie"}, PAID) == {"by": "zombie"}
        assert await journal.settle(second, {"by": "heir"}, PAID) == {"by": "zombie"}
        assert await settled(other, scope("zombie")) == {"by": "zombie"}
        usage = await other.usage("default", "zombie")
        assert (usage.calls, usage.usd) == (1, 2 * PAID.usd)


async def test_a_broken_lease_is_taken_again(journal: Journal, database: str) -> None:
    """Under the same owner, so that nobody takes over what is in flight."""
    async with open_pool(database) as pool, Lease(database) as lease:
        await lease.held()
        owner = lease.owner
        mine = Journal(pool, lease)
        held = await claim(mine, scope("broken"))
        async with await psycopg.AsyncConnection.connect(database, autocommit=True) as admin:
            await admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks"
                " WHERE locktype = 'advisory' AND (classid::bigint << 32) + objid::bigint = %s",
                [owner],
            )
        await asyncio.sleep(0.05)
        await asyncio.wait_for(lease.held(), 5)
        assert lease.owner == owner
        asking = asyncio.create_task(ask(journal, scope("broken")))
        assert await waits(asking)
        await mine.settle(held, {"by": "me"}, PAID)
        assert await asyncio.wait_for(asking, 5) == Settled({"by": "me"}, PAID)


async def test_an_outage_loses_no_call(own_postgres: OwnPostgres) -> None:
    """PostgreSQL away while a call is in flight: its result is kept as soon as it is back.

    Even where its activity was cancelled meanwhile, and although another process may ask for the
    call before its owner has its lock again.
    """
    async with journal_of(own_postgres.dsn) as journal:
        held = await claim(journal, scope("outage"))
        await own_postgres.stop()
        settling = asyncio.create_task(journal.settle(held, {"n": 1}, PAID))
        await asyncio.sleep(1)
        settling.cancel()
        await own_postgres.start()
        async with journal_of(own_postgres.dsn) as other:
            assert await settled(other, scope("outage")) == {"n": 1}
            assert await other.taken_over("default", "outage") == 0


async def test_a_call_is_in_flight_through_an_outage(own_postgres: OwnPostgres) -> None:
    """It goes on without PostgreSQL, and settles after; whoever asks meanwhile waits for it."""
    async with journal_of(own_postgres.dsn) as journal:
        held = await claim(journal, scope("flight"))
        await own_postgres.stop()
        await own_postgres.start()
        async with journal_of(own_postgres.dsn) as other:
            asking = asyncio.create_task(ask(other, scope("flight")))
            assert await waits(asking)
            await journal.settle(held, {"n": 1}, PAID)
            assert await asyncio.wait_for(asking, 10) == Settled({"n": 1}, PAID)
