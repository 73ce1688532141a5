"""Paging through the list of runs while it changes."""

import asyncio
from datetime import UTC, datetime

from contracts.access.principal import Principal
from store.postgres.pool import Pool
from store.run_records.runs import RunQuery, RunRepository
from tests.store.samples import batch, event, opened, started

TENANT = "busy"
ME = Principal(tenant_id=TENANT)
BEFORE, INSERTED = 60, 200


def moment(n: int) -> str:
    return f"2026-03-01T{n // 60:02}:{n % 60:02}:00+00:00"


async def end(runs: RunRepository, run_id: str, at: str) -> None:
    last = [event("last", type="workflow_complete")]
    changes = {"tenant_id": TENANT, "status": "completed", "ended_at": at, "events": last}
    await runs.record(batch(run_id, 1, **changes))


async def test_pages_hold_each_run_once_while_others_are_inserted(pool: Pool) -> None:
    """And while those that went on end, and some of the new ones do."""
    runs = RunRepository(pool)
    there = [f"there-{n}" for n in range(BEFORE)]
    for n, name in enumerate(there):
        await runs.create(started(name, moment(n), tenant_id=TENANT), opened())
        if n % 2:
            await end(runs, name, moment(n + 1))
    going = there[::2]

    async def insert(n: int) -> None:
        name, at = f"new-{n}", datetime.now(UTC).isoformat()
        await runs.create(started(name, at, tenant_id=TENANT), opened())
        if n % 5 == 0:
            await end(runs, name, at)
        if n < len(going):
            await end(runs, going[n], at)

    page = await runs.list_page(ME, RunQuery(limit=7))
    seen = [run.run_id for run in page.items]
    batches = [range(start, start + 25) for start in range(0, INSERTED, 25)]
    while page.next_cursor:
        new = batches.pop(0) if batches else ()
        changing = asyncio.gather(*(insert(n) for n in new))
        page = await runs.list_page(ME, RunQuery(cursor=page.next_cursor, limit=7))
        await changing
        seen += [run.run_id for run in page.items]
    assert sorted(seen) == sorted(there)
    for rest in batches:
        await asyncio.gather(*map(insert, rest))
    now = await runs.list_page(ME, RunQuery(limit=100))
    assert all(run.run_id.startswith("new-") for run in now.items), "a new list has what is new"


async def test_a_ticker_is_found_however_it_is_written(pool: Pool) -> None:
    runs = RunRepository(pool)
    start = started("lower", tenant_id="tickers", inputs={"ticker": "aapl"})
    await runs.create(start, opened())
    found = await runs.list_page(Principal(tenant_id="tickers"), RunQuery(ticker="AAPL"))
    assert [run.run_id for run in found.items] == ["lower"]


async def test_a_run_on_several_companies_is_found_by_each_of_them_and_in_its_tenant_alone(
    pool: Pool,
) -> None:
    runs = RunRepository(pool)
    written = {"first": {"ticker": "AAPL, snow"}, "second": {"tickers": "SNOW,AAPL"}}
    for name, inputs in written.items():
        await runs.create(started(name, tenant_id="several", inputs=inputs), opened())
    for ticker in ("aapl", "SNOW"):
        found = await runs.list_page(Principal(tenant_id="several"), RunQuery(ticker=ticker))
        assert {run.run_id for run in found.items} == {*written}
    for tenant, ticker in (("other", "SNOW"), ("several", "MSFT")):
        found = await runs.list_page(Principal(tenant_id=tenant), RunQuery(ticker=ticker))
        assert found.items == []
