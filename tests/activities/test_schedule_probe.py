"""What a scheduled run's probe compares, on real rows."""

from collections.abc import AsyncIterator

import pytest

from activities.reuse.schedule_probe import ScheduleProbe
from contracts.base import Json
from contracts.models.usage import Usage
from contracts.runs.probes import PreviousRequest, SearchesRequest
from store.calls.call_journal import CallClaim, Journal
from store.calls.past_calls import PastCallRepository
from store.postgres.connection import Lease
from store.postgres.pool import Pool
from store.run_records.runs import RunRepository
from tests.store.samples import DEFINITION, batch, made, opened, phase, spec, started

HIT = {"url": "http://example.org/1", "title": "Pumps", "snippet": "Pumps sell."}


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with Pool(database) as made_pool:
        yield made_pool


@pytest.fixture
async def journal(database: str, pool: Pool) -> AsyncIterator[Journal]:
    async with Lease(database) as lease:
        await lease.held.wait()
        yield Journal(pool, lease)


@pytest.fixture
def probe(pool: Pool) -> ScheduleProbe:
    return ScheduleProbe(RunRepository(pool), PastCallRepository(pool))


async def search(journal: Journal, run: str, name: str, *hits: dict[str, str]) -> None:
    call = spec(run, 0, 0)
    scope = call.scope.model_copy(update={"name": f"{name}/brave"})
    changes = {"kind": "search", "scope": scope, "request_hash": name}
    claim = await journal.claim(call.model_copy(update=changes))
    assert isinstance(claim, CallClaim)
    await journal.settle(claim, made(Usage(usd=0.005), hits=[dict(hit) for hit in hits]))


@pytest.mark.parametrize(
    ("run", "now", "same"),
    [
        ("to-the-letter", [("probe-search-1", HIT)], True),
        ("other-words", [("probe-search-1", HIT | {"snippet": "Pumps boom."})], False),
        ("one-more", [("probe-search-1", HIT), ("probe-search-2", HIT)], False),
        ("agents-search", [("turn-1", HIT)], False),
        ("none", [], False),
    ],
)
async def test_searches_are_the_same_to_the_letter_or_not_at_all(
    probe: ScheduleProbe,
    journal: Journal,
    pool: Pool,
    run: str,
    now: list[tuple[str, dict[str, str]]],
    same: bool,
) -> None:
    for name in (run, f"{run}-before"):
        await RunRepository(pool).create(started(name), opened())
    await search(journal, f"{run}-before", "probe-search-1", HIT)
    for name, hit in now:
        await search(journal, run, name, hit)
    request = SearchesRequest(tenant_id="default", run_id=run, previous_run_id=f"{run}-before")
    assert (await probe.compare_searches(request)).are_same is same


@pytest.mark.parametrize(
    ("run", "changes", "tenant"),
    [
        ("other-plan", {"plan_hash": "other"}, "default"),
        ("other-version", {"version": 9}, "default"),
        ("unfinished", {"phases": ["research", "synthesis"]}, "default"),
        ("other-tenant", {}, "elsewhere"),
        ("gone", {"from_run": "run-none"}, "default"),
    ],
)
async def test_run_of_another_plan_definition_or_tenant_does_not_stand(
    probe: ScheduleProbe, pool: Pool, run: str, changes: dict[str, object], tenant: str
) -> None:
    runs = RunRepository(pool)
    await runs.create(started(run), opened())
    decision = {"checkpoint_id": "c", "phase_id": "p", "action": "approve", "at": "now"}
    report: Json = {"title": "Pumps", "sections": []}
    snapshot = {"phases": [], "decisions": [decision | {"plan_hash": "sha"}]}
    done = phase("research", output={"report": report, "sources": []})
    await runs.record(batch(run, 1, snapshot=snapshot, phases=[done]), [])
    asked: Json = {"run_id": "run-new", "from_run": run, "phases": ["research"], "plan_hash": "sha"}
    asked |= {"definition_id": DEFINITION.id, "version": DEFINITION.version}
    request = PreviousRequest.model_validate(asked | {"tenant_id": "default"})
    assert (await probe.find_previous(request)).run_id == run
    other = PreviousRequest.model_validate(asked | {"tenant_id": tenant} | changes)
    assert not (await probe.find_previous(other)).run_id
