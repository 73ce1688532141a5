"""What models did in a run, by phase."""

from datetime import date, timedelta

import pytest

from contracts.access.principal import Principal
from contracts.models.usage import Usage
from store.calls.call_journal import CallClaim, Journal
from store.calls.spend import ModelUse, SpendQuery, SpendRepository
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.runs import RunRepository
from tests.store.samples import ME, made, opened, spec, started
from tests.support.databases import fetch_as_owner

CALLS = [("planning", "large"), ("research", "small"), ("research", "large"), ("research", "small")]


@pytest.fixture(scope="module")
async def spent(database: str) -> str:
    """Make calls of 2 s each, one of them not yet settled and one of a tool."""
    async with Pool(database) as pool, Lease(database) as lease:
        await RunRepository(pool).create(started("spent"), opened())
        await lease.held.wait()
        journal = Journal(pool, lease)
        for nth, (phase, model) in enumerate([*CALLS, ("research", "")]):
            call = spec("spent", nth, cap=10)
            changes = {
                "kind": "model" if model else "tool",
                "model": model,
                "scope": call.scope.model_copy(update={"phase_id": phase}),
            }
            claim = await journal.claim(call.model_copy(update=changes))
            assert isinstance(claim, CallClaim)
            await journal.settle(claim, made(Usage(input_tokens=10, output_tokens=3, usd=0.5)))
        await journal.claim(spec("spent", 99, cap=10))
        await fetch_as_owner(
            pool,
            "UPDATE calls SET settled_at = claimed_at + interval '2 s' WHERE usage IS NOT NULL",
        )
    return "spent"


async def test_each_model_of_a_phase_is_told_of(pool: Pool, spent: str) -> None:
    spend = SpendRepository(pool)
    once = {"calls": 1, "input_tokens": 10, "output_tokens": 3, "total_tokens": 13, "usd": 0.5}
    twice = {name: 2 * value for name, value in once.items()}
    assert await spend.list_usage(ME, spent) == [
        ModelUse.model_validate({"phase_id": phase, "model": model, "seconds": seconds, **use})
        for phase, model, use, seconds in (
            ("planning", "large", once, 2),
            ("research", "small", twice, 4),
            ("research", "large", once, 2),
        )
    ]
    assert await spend.list_usage(Principal(tenant_id="other"), spent) == []


async def test_spend_is_summed_by_day_definition_and_model(pool: Pool, spent: str) -> None:
    spend = SpendRepository(pool)
    [row] = await fetch_as_owner(
        pool, "SELECT started_at::date::text FROM runs WHERE id = %(id)s", {"id": spent}
    )
    day = date.fromisoformat(row)
    found = await spend.list_spend(ME, SpendQuery(since=day, until=day))
    assert [(s.model, s.runs, s.calls, s.input_tokens, s.usd) for s in found] == [
        ("large", 1, 2, 20, 1.0),
        ("small", 1, 2, 20, 1.0),
    ]
    assert {(s.day, s.offline) for s in found} == {(day, True)}
    one = SpendQuery(since=day, until=day, model="small", definition_id=found[0].definition_id)
    assert [s.model for s in await spend.list_spend(ME, one)] == ["small"]
    for other in (
        SpendQuery(since=day, until=day, model="none"),
        SpendQuery(since=day + timedelta(1)),
        SpendQuery(since=day - timedelta(2), until=day - timedelta(1)),
        SpendQuery(since=day, user_id="nobody"),
    ):
        assert await spend.list_spend(ME, other) == []
    stranger = Principal(tenant_id="other")
    assert await spend.list_spend(stranger, SpendQuery(since=day, until=day)) == []
    assert await RunRepository(pool).count_by_status(stranger) == {}
    assert await RunRepository(pool).count_by_status(ME) == {"running": 1}
