"""What models did in a run, by phase."""

import pytest

from contracts.models.call import Scope
from contracts.principal import Principal
from contracts.terms import Usage
from store.journal import Claim, Journal
from store.ledger import LedgerRepository, ModelUse
from store.postgres.lease import Lease
from store.postgres.pool import Pool, fetch
from store.runs import RunRepository
from tests.store.samples import ME, opened, started

CALLS = [("planning", "large"), ("research", "small"), ("research", "large"), ("research", "small")]


@pytest.fixture
async def spent(pool: Pool, database: str) -> str:
    """Make calls of 2 s each, one of them not yet settled and one of a tool."""
    await RunRepository(pool).create(started("spent"), opened())
    async with Lease(database) as lease:
        await lease.held()
        journal = Journal(pool, lease)
        for nth, (phase, model) in enumerate([*CALLS, ("research", "")]):
            scope = Scope(run_id="spent", phase_id=phase, attempt=1, name="turn", nth=nth)
            kind = "model" if model else "tool"
            claim = await journal.claim(scope, kind, "hash", model)  # type: ignore[arg-type]
            assert isinstance(claim, Claim)
            await journal.settle(claim, {}, Usage(input_tokens=10, output_tokens=3, usd=0.5))
        waits = Scope(run_id="spent", phase_id="research", attempt=1, name="turn", nth=99)
        await journal.claim(waits, "model", "hash", "small")
    await fetch(
        pool, "UPDATE calls SET settled_at = claimed_at + interval '2 s' WHERE usage IS NOT NULL"
    )
    return "spent"


async def test_each_model_of_a_phase_is_told_of(pool: Pool, spent: str) -> None:
    ledger = LedgerRepository(pool)
    once = {"calls": 1, "input_tokens": 10, "output_tokens": 3, "total_tokens": 13, "usd": 0.5}
    twice = {name: 2 * value for name, value in once.items()}
    assert await ledger.uses(ME, spent) == [
        ModelUse.model_validate({"phase_id": phase, "model": model, "seconds": seconds, **use})
        for phase, model, use, seconds in (
            ("planning", "large", once, 2),
            ("research", "small", twice, 4),
            ("research", "large", once, 2),
        )
    ]
    assert await ledger.uses(Principal(tenant_id="other"), spent) == []
