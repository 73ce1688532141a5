"""What a scheduled run's probe compares, on real rows."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from activities.reuse.schedule_probe import ScheduleProbe
from contracts.access.principal import Principal
from contracts.base import Json
from contracts.collections import CollectionUse
from contracts.models.usage import Usage
from contracts.runs.probes import PreviousRequest, SearchesRequest
from domain.schedule_digests import compute_basis, compute_gathered
from store.calls.call_journal import CallClaim, Journal
from store.calls.past_calls import PastCallRepository
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
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
    ("run", "changes"),
    [
        ("other-plan", {"plan_hash": "other"}),
        ("other-start", {"basis": "other"}),
        ("unfinished", {"phases": ["research", "synthesis"]}),
        ("gathered-else", {"gathered": {"research": "other"}}),
        ("gathered-nothing", {"gathered": {"synthesis": compute_gathered({})}}),
        ("other-tenant", {"tenant_id": "elsewhere"}),
        ("gone", {"from_run": "run-none"}),
    ],
)
async def test_run_of_another_plan_start_or_tenant_does_not_stand(
    probe: ScheduleProbe, pool: Pool, run: str, changes: dict[str, object]
) -> None:
    runs = RunRepository(pool)
    await runs.create(started(run), opened())
    request = await complete(runs, run)
    assert (await probe.find_previous(request)).run_id == run
    assert not (await probe.find_previous(request.model_copy(update=changes))).run_id


async def complete(runs: RunRepository, run: str) -> PreviousRequest:
    """Have a run end with a report, and return the request of one that repeats it."""
    decision = {"checkpoint_id": "c", "phase_id": "p", "action": "approve", "at": "now"}
    report: Json = {"title": "Pumps", "sections": []}
    snapshot = {"phases": [], "decisions": [decision | {"plan_hash": "sha"}]}
    output: Json = {"report": report, "sources": []}
    done = phase("research", output=output)
    await runs.record(
        batch(run, 1, snapshot=snapshot, phases=[done], status="completed", ended_at="now"), []
    )
    before = await runs.get_parent(Principal(), run)
    files = [file.content_hash for file in before.files]
    start = (before.definition, before.query, before.inputs, files, before.collections)
    return PreviousRequest(
        tenant_id="default",
        run_id="run-new",
        from_run=run,
        phases=["research"],
        plan_hash="sha",
        basis=compute_basis(*start),
        gathered={"research": compute_gathered(output)},
    )


async def test_runs_of_any_temporal_schedule_are_compared_with_the_one_before(
    probe: ScheduleProbe, pool: Pool
) -> None:
    """This includes schedules made with Temporal's tools; runs of a schedule with a similar id do not count."""
    runs = RunRepository(pool)
    first, other = "weekly-2026-11-02T05:00:00Z", "weekly-x-2026-11-09T05:00:00Z"
    for name in (first, other):
        await runs.create(started(name), opened())
    later = (await complete(runs, first)).model_copy(update={"from_run": "run-none"})
    await complete(runs, other)
    for run_id in ("weekly-2026-11-09T05:00:00Z", "weekly-2026-11-16T05:00:00Z"):
        await runs.create(started(run_id), opened())
        asked = later.model_copy(update={"run_id": run_id})
        assert (await probe.find_previous(asked)).run_id == first
        await runs.record(batch(run_id, 1, status="failed", ended_at="now"), [])


@pytest.mark.parametrize(
    "changed",
    [
        {"query": "Where to sell drills?"},
        {"inputs": {"ticker": "MSFT"}},
        {"files": ["other"]},
        {"collections": [CollectionUse(id="c", name="Notes", version="2")]},
        {"collections": []},
    ],
)
def test_start_with_anything_else_has_another_basis(changed: dict[str, Any]) -> None:
    start: dict[str, Any] = {
        "definition": DEFINITION,
        "query": "Where to sell pumps?",
        "inputs": {"ticker": "AAPL"},
        "files": ["hash"],
        "collections": [CollectionUse(id="c", name="Notes", version="1")],
    }
    assert compute_basis(**start) == compute_basis(**start | {"query": " Where to sell  pumps? "})
    assert compute_basis(**start) != compute_basis(**start | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"fundamentals": {"filed": "2027-01-29"}},
        {"news": [{"title": "Pumps boom"}]},
        {"sources": []},
    ],
)
def test_what_is_gathered_differs_by_figures_news_and_pages_alone(changed: Json) -> None:
    page: Json = {"url": "https://example.org/1", "retrieved_at": "now"}
    output: Json = {"fundamentals": {"filed": "2026-10-30"}, "news": [], "sources": [page]}
    later: Json = {"sources": [page | {"retrieved_at": "later"}], "searches": [{"found": 1}]}
    assert compute_gathered(output) == compute_gathered(output | later)
    assert compute_gathered(output) != compute_gathered(output | changed)
