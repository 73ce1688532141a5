"""How long runs took by depth: the time in which calls were in flight, of whole runs with a model alone."""

import json
from typing import Any

from contracts.base import Json
from contracts.planning.depth import Minutes
from contracts.planning.plan import Depth
from contracts.runs.request import Seed
from contracts.runs.start import Opened
from contracts.search import ServiceName
from store.calls.past_calls import ENOUGH_RUNS, PastCallRepository
from store.postgres.pool import Pool
from store.run_records.runs import RunRepository
from tests.store.samples import batch, opened, phase, started
from tests.support.databases import fetch_as_owner

CALLS = """
    INSERT INTO calls (tenant_id, key, run_id, phase_id, attempt, plan_step, name, kind, model, claimed_at, settled_at)
    SELECT %(tenant)s, %(run)s || '/' || n, %(run)s, 'research', 1, '', 'turn', 'model', 'm',
        '2026-03-01T10:00:00Z'::timestamptz + make_interval(secs => (span ->> 0)::float),
        '2026-03-01T10:00:00Z'::timestamptz + make_interval(secs => (span ->> 1)::float)
    FROM jsonb_array_elements(%(spans)s::jsonb) WITH ORDINALITY AS s (span, n)"""


def at(depth: Depth = "standard", **resolved: Any) -> Opened:
    base = opened()
    return base.model_copy(
        update={
            "terms": base.terms.model_copy(update={"offline": False}),
            "resolved": base.resolved.model_copy(update={"depth": depth, **resolved}),
        }
    )


async def ran(
    pool: Pool, run_id: str, spans: str, made: Opened | None = None, **given: Any
) -> None:
    runs = RunRepository(pool)
    request = started(run_id, definition_id="small", version=1, **given)
    await runs.create(request, made or at())
    tenant = request.input.tenant_id
    output: Json = {"report": {}}
    ended = {"status": "completed", "ended_at": "2026-03-01T12:00:00+00:00"}
    await runs.record(
        batch(run_id, 1, tenant_id=tenant, phases=[phase("p", output=output)], **ended)
    )
    await fetch_as_owner(pool, CALLS, {"tenant": tenant, "run": run_id, "spans": spans})


async def measure(pool: Pool, tenant: str = "default") -> dict[Depth, Minutes]:
    return await PastCallRepository(pool).measure(tenant, "small", 1, "m")


async def test_waits_do_not_count_and_calls_at_once_count_once(pool: Pool) -> None:
    for n in range(ENOUGH_RUNS):
        # Three minutes of work in two parts, one of which two calls share, with an hour of waiting
        # between them.
        await ran(pool, f"run-{n}", "[[0, 60], [3600, 3720], [3630, 3700]]")
        await ran(pool, f"deep-{n}", "[[0, 601]]", at("thorough"))
    found = await measure(pool)
    assert found == {
        "standard": Minutes(low=3, high=3, runs=3),
        "thorough": Minutes(low=10, high=11, runs=3),
    }
    assert await measure(pool, "another") == {}


MINE = "mine"


async def test_runs_that_say_nothing_of_a_whole_one_do_not_count(pool: Pool) -> None:
    for n in range(ENOUGH_RUNS - 1):
        await ran(pool, f"run-{n}", "[[0, 60]]", tenant_id=MINE)
    seeds = {"planning": Seed(output={}, origin="given")}
    by_rule = at().model_copy(update={"terms": opened().terms})
    await ran(pool, "seeded", "[[0, 1]]", at(seeds=seeds), tenant_id=MINE)
    await ran(pool, "part", "[[0, 1]]", until="planning", tenant_id=MINE)
    await ran(pool, "again", "[[0, 1]]", from_run="run-0", tenant_id=MINE)
    await ran(pool, "batched", "[[0, 9000]]", batch=True, tenant_id=MINE)
    await ran(pool, "offline", "[[0, 1]]", by_rule, tenant_id=MINE)
    await ran(pool, "theirs", "[[0, 1]]", tenant_id="other")
    await ran(pool, "idle", "[]", tenant_id=MINE)
    assert await measure(pool, MINE) == {}, "too few whole runs"
    await ran(pool, "third", "[[0, 60]]", tenant_id=MINE)
    assert await measure(pool, MINE) == {"standard": Minutes(low=1, high=1, runs=3)}


SEARCHES = """
    INSERT INTO calls (tenant_id, key, run_id, phase_id, attempt, plan_step, name, kind, model, claimed_at, error)
    SELECT %(tenant)s, 'search/' || n, 'r', 'research', 1, '', 'search', 'search', made ->> 'model',
        now() - (made ->> 'ago')::int * interval '1 hour', made ->> 'error'
    FROM jsonb_array_elements(%(made)s::jsonb) WITH ORDINALITY AS s (made, n)"""


async def test_service_refuses_once_it_has_refused_its_newest_searches(pool: Pool) -> None:
    def made(model: str, *errors: str, ago: int = 1) -> list[dict[str, object]]:
        """Searches of a service, the newest first."""
        return [{"model": model, "ago": ago + n, "error": each} for n, each in enumerate(errors)]

    refused = "search-refused"
    searches = [
        *made("brave", refused, refused, refused, ""),
        *made("tavily", "", refused, refused, refused),
        *made("exa", refused, refused),
        *made("searxng", refused, refused, refused, ago=24),
        *made("anthropic", "search-failed", refused, refused),
    ]
    await fetch_as_owner(pool, SEARCHES, {"tenant": "searching", "made": json.dumps(searches)})
    calls = PastCallRepository(pool)
    services: list[ServiceName] = ["brave", "tavily", "exa", "searxng", "anthropic"]
    assert await calls.list_refusing("searching", services) == ["brave"]
    assert await calls.list_refusing("searching", ["tavily"]) == []
    assert await calls.list_refusing("another", services) == []
