"""What models did in a run, by phase."""

import pytest

from contracts.principal import Principal
from contracts.terms import Usage
from store.journal import CallClaim, Journal
from store.postgres.connection import Lease
from store.postgres.pool import Pool
from store.runs import ModelUse, RunRepository
from tests.store.samples import ME, made, opened, spec, started

CALLS = [("planning", "large"), ("research", "small"), ("research", "large"), ("research", "small")]


@pytest.fixture
async def spent(pool: Pool, database: str) -> str:
    """Make calls of 2 s each, one of them not yet settled and one of a tool."""
    await RunRepository(pool).create(started("spent"), opened())
    async with Lease(database) as lease:
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
    await pool.fetch(
        "UPDATE calls SET settled_at = claimed_at + interval '2 s' WHERE usage IS NOT NULL"
    )
    return "spent"


async def test_each_model_of_a_phase_is_told_of(pool: Pool, spent: str) -> None:
    runs = RunRepository(pool)
    once = {"calls": 1, "input_tokens": 10, "output_tokens": 3, "total_tokens": 13, "usd": 0.5}
    twice = {name: 2 * value for name, value in once.items()}
    assert await runs.list_usage(ME, spent) == [
        ModelUse.model_validate({"phase_id": phase, "model": model, "seconds": seconds, **use})
        for phase, model, use, seconds in (
            ("planning", "large", once, 2),
            ("research", "small", twice, 4),
            ("research", "large", once, 2),
        )
    ]
    assert await runs.list_usage(Principal(tenant_id="other"), spent) == []
