"""Which outputs later runs find: the same user's, under the same key, complete and not expired."""

from typing import Any

import psycopg
import pytest

from contracts.base import Json
from contracts.runs.request import FindRequest, Seed
from store.postgres.pool import Pool
from store.reuse.step_cache import StepCacheRepository
from store.run_records.runs import RunRepository
from tests.store.samples import batch, opened, phase, started
from tests.support.databases import as_owner, fetch_as_owner

LATER = "2999-01-02T00:00:00+00:00"
LATEST = "2999-01-03T00:00:00+00:00"
PAST = "2026-01-01T00:00:00+00:00"


class Keeping:
    """Runs whose phases have cache keys; names start with the test's name."""

    def __init__(self, pool: Pool, name: str) -> None:
        self.pool, self.name = pool, name
        self.runs, self.cache = RunRepository(pool), StepCacheRepository(pool)

    async def keeps(
        self, run_id: str, expires_at: str | None = LATER, version: int = 1, **changes: Any
    ) -> None:
        """Have a run of ann's keep an output that names it."""
        run = f"{self.name}-{run_id}"
        await self.runs.create(started(run, user_id="ann"), opened())
        output: Json = {"of": run_id}
        row = phase("analysis", output=output).model_copy(
            update={"cache_key": self.name, "expires_at": expires_at} | changes
        )
        await self.runs.record(batch(run, version, phases=[row]))

    async def finds(self, user: str = "ann", tenant: str = "default", run: str = "mine") -> str:
        mine = f"{self.name}-{run}"
        request = FindRequest(tenant_id=tenant, user_id=user, run_id=mine, cache_key=self.name)
        kept = await self.cache.find(request)
        if kept is None:
            return ""
        made_by = f"{self.name}-{kept.output['of']}"
        assert kept == Seed(origin="cache", run_id=made_by, output=kept.output)
        return str(kept.output["of"])

    async def expired(self, *run_ids: str) -> None:
        """Store outputs of runs, and let them expire."""
        for run_id in run_ids:
            await self.keeps(run_id)
        await fetch_as_owner(
            self.pool,
            "UPDATE phase_executions SET expires_at = now() WHERE cache_key = %(key)s",
            {"key": self.name},
        )

    async def keyed(self) -> int:
        [count] = await fetch_as_owner(
            self.pool,
            "SELECT count(*) FROM phase_executions WHERE cache_key = %(key)s",
            {"key": self.name},
        )
        return int(count)


@pytest.fixture
def kept(pool: Pool, request: pytest.FixtureRequest) -> Keeping:
    return Keeping(pool, f"t{abs(hash(request.node.name))}")


async def test_the_newest_is_found_by_the_same_user_alone(kept: Keeping) -> None:
    await kept.keeps("a", LATEST)
    await kept.keeps("b", LATER)
    assert await kept.finds() == "a"
    assert await kept.finds(run="a") == "b", "a run takes nothing over from itself"
    assert await kept.finds(user="bob") == ""
    assert await kept.finds(tenant="other") == ""


@pytest.mark.parametrize(
    "changes",
    [{"expires_at": PAST}, {"status": "partial"}, {"cache_key": None}, {"cache_key": "another"}],
    ids=str,
)
async def test_what_does_not_count_is_not_found(kept: Keeping, changes: dict[str, Any]) -> None:
    await kept.keeps("a", **changes)
    assert await kept.finds() == ""


async def test_a_phase_that_is_run_again_takes_its_key_back(kept: Keeping) -> None:
    await kept.keeps("a")
    await kept.keeps("a", version=3, status="pending", cache_key=None, expires_at=None)
    assert await kept.finds() == ""
    await kept.keeps("a", version=2)
    assert await kept.finds() == "", "an older batch that comes late changes nothing"


async def test_a_deleted_run_is_forgotten(kept: Keeping) -> None:
    await kept.keeps("a")
    await fetch_as_owner(kept.pool, "DELETE FROM runs WHERE id = %(id)s", {"id": f"{kept.name}-a"})
    assert await kept.finds() == ""


async def test_keys_that_expired_are_cleared_as_others_are_kept(kept: Keeping) -> None:
    await kept.expired("a", "b", "c")
    assert await kept.keyed() == 3
    await kept.keeps("new")
    assert await kept.keyed() == 1
    assert await kept.finds() == "new"


async def test_clearing_waits_for_nobody(kept: Keeping) -> None:
    await kept.expired("old")
    dsn = as_owner(str(kept.pool.conninfo))
    async with await psycopg.AsyncConnection.connect(dsn) as other:
        await other.execute("SELECT FROM phase_executions WHERE cache_key IS NOT NULL FOR UPDATE")
        await kept.keeps("new")
        assert await kept.keyed() == 2
