"""Budgets of a tenant, a user and a key hold for all of their runs together."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import psycopg
import pytest

from contracts.access.budgets import BudgetBody, HolderKind
from contracts.access.principal import Principal
from contracts.errors import BudgetExceeded, NotFound
from contracts.models.usage import Usage
from contracts.runs.records import CallSpec
from store.access.access_keys import KeyRepository
from store.calls.budgets import BudgetRepository
from store.calls.call_journal import CallClaim, Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from tests.store.samples import made, opened, spec, started
from tests.support.databases import as_owner, fetch_as_owner


def find_opening(period: str) -> date:
    """Return the day on which a period that has begun ends; a run of the tests may pass midnight."""
    today = datetime.now(UTC).date()
    if period == "day":
        return today + timedelta(1)
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with Pool(database, max_size=20) as made_pool:
        yield made_pool


@pytest.fixture
async def journal(database: str, pool: Pool) -> AsyncIterator[Journal]:
    async with Lease(database) as lease:
        await lease.held.wait()
        yield Journal(pool, lease)


@pytest.fixture
async def other(database: str) -> AsyncIterator[Journal]:
    async with Pool(database, max_size=20) as own, Lease(database) as lease:
        await lease.held.wait()
        yield Journal(own, lease)


@pytest.fixture
def budgets(pool: Pool) -> BudgetRepository:
    return BudgetRepository(pool)


async def begin(
    pool: Pool, tenant: str, run: str, user: str = "ana", key: str | None = None
) -> None:
    request = started(f"{tenant}-{run}", tenant_id=tenant, user_id=user, key_id=key)
    await RunRepository(pool).create(request, opened())


def call(tenant: str, run: str, n: int = 0, usd: float = 0.3) -> CallSpec:
    made_call = spec(f"{tenant}-{run}", n, usd, cap=100)
    return made_call.model_copy(
        update={"scope": made_call.scope.model_copy(update={"tenant_id": tenant})}
    )


async def pay(journal: Journal, spec: CallSpec, usd: float) -> None:
    claim = await asyncio.wait_for(journal.claim(spec), 10)
    assert isinstance(claim, CallClaim)
    await journal.settle(claim, made(Usage(calls=1, usd=usd)))


async def put(
    budgets: BudgetRepository, tenant: str, kind: HolderKind, holder: str, **limits: float
) -> None:
    await budgets.put(Principal(tenant_id=tenant), kind, holder, BudgetBody(**limits))


async def refuse(journal: Journal, spec: CallSpec) -> tuple[str, str, str, date | None]:
    with pytest.raises(BudgetExceeded) as refused:
        await asyncio.wait_for(journal.claim(spec), 10)
    met = refused.value.budget
    assert met
    assert refused.value.words == met.notice
    return met.kind, met.holder, met.period, met.opens_on


async def test_two_runs_at_once_cannot_both_take_the_last_dollar(
    journal: Journal, other: Journal, pool: Pool, budgets: BudgetRepository, database: str
) -> None:
    """Two processes are held up between the check and the reservation: one alone passes the check."""
    await put(budgets, "race", "user", "ana", day_usd=1)
    for run in ("first", "second", "third"):
        await begin(pool, "race", run)
    await pay(journal, call("race", "third", usd=0.1), 0.1)
    async with await psycopg.AsyncConnection.connect(as_owner(database)) as holding:
        await holding.execute("SELECT FROM spent_by_day WHERE tenant_id = 'race' FOR UPDATE")
        asked = [
            asyncio.create_task(mine.claim(call("race", run, usd=0.6)))
            for mine, run in ((journal, "first"), (other, "second"))
        ]
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            " AND query LIKE '%%claim_call%%' AND datname = current_database()"
        )
        while (await fetch_as_owner(pool, waiting, {})) != [2]:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await holding.rollback()
    [done], _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    claim = await done
    assert isinstance(claim, CallClaim)
    await asyncio.sleep(0.5)
    [late] = [task for task in asked if task is not done]
    assert not late.done(), "it waits for what the other one costs"
    owner = journal if done is asked[0] else other
    await owner.settle(claim, made(Usage(calls=1, usd=0.6)))
    with pytest.raises(BudgetExceeded):
        await asyncio.wait_for(late, 10)


async def test_many_runs_at_once_stay_within_the_budgets_of_their_users(
    journal: Journal, other: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    """Two processes claim for six runs of each of three users at once."""
    asked = [(user, f"{user}-{n}") for n in range(6) for user in ("a", "b", "c")]
    for user, run in asked:
        await begin(pool, "crowd", run, user)
    for user in {user for user, _ in asked}:
        await put(budgets, "crowd", "user", user, day_usd=1)

    async def ask(mine: Journal, user: str, run: str) -> str:
        claim = await mine.claim(call("crowd", run))
        assert isinstance(claim, CallClaim)
        await asyncio.sleep(0.2)
        await mine.settle(claim, made(Usage(calls=1, usd=0.3)))
        return user

    claims = (ask((journal, other)[n % 2], *each) for n, each in enumerate(asked))
    found = await asyncio.gather(*claims, return_exceptions=True)
    refused = [each for each in found if isinstance(each, BudgetExceeded)]
    assert [found.count(user) for user in "abc"] == [3] * 3
    assert len(refused) == 9
    [budget] = await budgets.list_own(Principal(tenant_id="crowd", user_id="a"))
    assert [budget.day_spent_usd, budget.left_usd] == pytest.approx([0.9, 0.1])


@pytest.mark.parametrize(
    ("kind", "holder", "period"),
    [("tenant", "", "day"), ("user", "ana", "month"), ("key", "k-1", "day")],
)
async def test_each_budget_refuses_calls_of_its_holder_alone(
    journal: Journal,
    pool: Pool,
    budgets: BudgetRepository,
    kind: HolderKind,
    holder: str,
    period: str,
) -> None:
    tenant = f"of-{kind}"
    if kind == "key":
        key, _ = await KeyRepository(pool).create(Principal(tenant_id=tenant, user_id="ana"))
        holder = key.id
    await put(budgets, tenant, kind, holder, **{f"{period}_usd": 0.5})
    await begin(pool, tenant, "first", key=holder if kind == "key" else None)
    await begin(pool, tenant, "second", key=holder if kind == "key" else None)
    await begin(pool, tenant, "ben", user="ben", key="another")
    await pay(journal, call(tenant, "first"), 0.3)
    refused = await refuse(journal, call(tenant, "second"))
    assert refused == (kind, holder, period, find_opening(period))
    if kind == "tenant":
        assert (await refuse(journal, call(tenant, "ben")))[0] == "tenant"
    else:
        await pay(journal, call(tenant, "ben"), 0.3)
    await pay(journal, call(tenant, "second", usd=0.1), 0.1)
    await begin(pool, f"not-{tenant}", "theirs")
    await pay(journal, call(f"not-{tenant}", "theirs", usd=10), 10)


async def test_a_key_made_by_a_key_spends_its_maker_s_budget(
    journal: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    keys, ana = KeyRepository(pool), Principal(tenant_id="line", user_id="ana")
    first, _ = await keys.create(ana)
    second, _ = await keys.create(ana.model_copy(update={"key_id": first.id}))
    await put(budgets, "line", "key", first.id, day_usd=0.5)
    await begin(pool, "line", "one", key=second.id)
    await pay(journal, call("line", "one"), 0.3)
    assert (await refuse(journal, call("line", "one", 1)))[:2] == ("key", first.id)
    [own] = await budgets.list_own(second.principal)
    assert own.holder == first.id
    assert own.left_usd == pytest.approx(0.2)


async def test_what_was_spent_yesterday_counts_for_the_month_alone(
    journal: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    await put(budgets, "days", "tenant", "", day_usd=0.5)
    await begin(pool, "days", "one")
    await pay(journal, call("days", "one"), 0.3)
    await refuse(journal, call("days", "one", 1))
    await fetch_as_owner(
        pool, "UPDATE spent_by_day SET day = day - 1 WHERE tenant_id = 'days' RETURNING true"
    )
    await pay(journal, call("days", "one", 1), 0.3)
    [budget] = await budgets.list_own(Principal(tenant_id="days"))
    assert budget.day_spent_usd == pytest.approx(0.3)


async def test_a_failed_call_and_a_removed_run_give_back_what_they_reserved(
    journal: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    await put(budgets, "back", "tenant", "", day_usd=1)
    await begin(pool, "back", "one")
    await pay(journal, call("back", "one", usd=0.5), 0.2)
    claim = await journal.claim(call("back", "one", 1, usd=0.8))
    assert isinstance(claim, CallClaim)
    await journal.release(claim, "failed", lost_usd=0.1)
    [budget] = await budgets.list_all(Principal(tenant_id="back"))
    assert budget.day_spent_usd == pytest.approx(0.3)
    left = await journal.claim(call("back", "one", 2, usd=0.7))
    assert isinstance(left, CallClaim)
    await fetch_as_owner(
        pool, "UPDATE calls SET owner = NULL WHERE run_id = 'back-one' RETURNING true"
    )
    removed = RemovalRepository(pool)
    await removed.remove(Principal(tenant_id="back"), "back-one", lost=True)
    [budget] = await budgets.list_all(Principal(tenant_id="back"))
    assert budget.day_spent_usd == pytest.approx(0.3)


async def test_a_call_dearer_than_the_whole_budget_never_opens(
    journal: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    await put(budgets, "dear", "tenant", "", day_usd=0.2, month_usd=100)
    await begin(pool, "dear", "one")
    assert await refuse(journal, call("dear", "one")) == ("tenant", "", "day", None)


async def test_what_a_run_keeps_for_its_report_must_fit_too(
    journal: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    await put(budgets, "kept", "tenant", "", day_usd=0.5)
    await begin(pool, "kept", "one")
    keeping = call("kept", "one").model_copy(update={"kept_usd": 0.3})
    assert (await refuse(journal, keeping))[0] == "tenant"
    await pay(journal, call("kept", "one"), 0.3)


async def test_budgets_are_changed_and_taken_away(
    journal: Journal, pool: Pool, budgets: BudgetRepository
) -> None:
    who = Principal(tenant_id="changed")
    await put(budgets, "changed", "tenant", "", day_usd=0)
    await put(budgets, "changed", "user", "ana", month_usd=0.1)
    await begin(pool, "changed", "one")
    assert await refuse(journal, call("changed", "one")) == ("tenant", "", "day", None)
    every = await budgets.list_all(who)
    assert [(b.kind, b.opens_on) for b in every] == [
        ("tenant", find_opening("day")),
        ("user", None),
    ]
    await put(budgets, "changed", "user", "ana", day_usd=5)
    await budgets.delete(who, "tenant", "")
    await pay(journal, call("changed", "one"), 0.3)
    assert await budgets.list_all(Principal(tenant_id="elsewhere")) == []
    with pytest.raises(NotFound):
        await budgets.delete(who, "tenant", "")
    with pytest.raises(NotFound):
        await put(budgets, "changed", "key", "none", day_usd=1)
