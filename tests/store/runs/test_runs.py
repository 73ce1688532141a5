import asyncio

import pytest

from contracts.access.principal import Principal
from contracts.collections import CollectionUse
from contracts.errors import InvalidInput, NotFound, StoreUnavailable
from contracts.notices import Notice
from contracts.runs.request import Seed
from contracts.runs.start import RunInput
from greenlight.stack.ports import reserve_ports
from store.postgres.pool import Pool
from store.run_records.event_log import EventRepository
from store.run_records.runs import RunQuery, RunRepository
from tests.store.samples import (
    DEFINITION,
    ME,
    TERMS,
    artifact,
    batch,
    event,
    opened,
    phase,
    source,
    started,
)
from tests.support.refusals import refused

ALL = RunQuery()

HASTE = Notice.of("phase-ended-late")


@pytest.fixture
def runs(pool: Pool) -> RunRepository:
    return RunRepository(pool)


async def test_a_run_is_kept_as_it_was_started(runs: RunRepository) -> None:
    """What the gateway kept gives way to the run's own, and nothing does once it has recorded."""
    await runs.create(started("kept", query="As the gateway has it?"), opened())
    await runs.create(started("kept", inputs={"ticker": "ACME"}, from_run="before"), opened())
    await runs.record(batch("kept", 1, snapshot={}))
    await runs.create(started("kept", query="Another question?"), opened())
    row = await runs.get(ME, "kept")
    assert (row.query, row.inputs, row.parent) == (
        "Which country first?",
        {"ticker": "ACME"},
        "before",
    )
    assert (row.status, row.ended_at, row.definition_id) == ("running", None, "small")
    assert row.opened == opened()
    assert row.snapshot == {}
    assert RunInput.model_validate(row.request).query == row.query
    assert row.started_at == "2026-03-01T10:00:00+00:00"


async def test_what_the_gateway_resolved_never_replaces_what_the_run_did(
    runs: RunRepository,
) -> None:
    """A worker may be first: only it knows the library that a run searches in place of the web."""
    folder = CollectionUse(id="f", name="Folder", replaces_web=True)
    searched = opened().model_copy(update={"collections": [folder]})
    await runs.create(started("first"), searched)
    assert await runs.create(started("first"), opened(), is_provisional=True)
    assert (await runs.get(ME, "first")).opened == searched
    await runs.create(started("later"), opened(), is_provisional=True)
    await runs.create(started("later"), searched)
    assert (await runs.get(ME, "later")).opened == searched


async def test_the_id_of_a_run_that_has_ended_is_taken(runs: RunRepository) -> None:
    assert await runs.create(started("over"), opened())
    assert await runs.create(started("over"), opened())
    await runs.record(batch("over", 1, events=[event("w-1", type="workflow_complete")]))
    assert not await runs.create(started("over"), opened())


async def test_recording_again_changes_nothing(runs: RunRepository, pool: Pool) -> None:
    await runs.create(started("twice"), opened())
    once = batch("twice", 1, phases=[phase("planning")], sources=[source(1)])
    await runs.record(once)
    before = await runs.get(ME, "twice")
    assert before.offline, "its terms say so"
    await runs.record(once)
    assert await runs.get(ME, "twice") == before
    assert before.last_seq == 1
    assert (
        len(await runs.list_phases(ME, "twice")) == len(await runs.list_sources(ME, "twice")) == 1
    )


async def test_an_older_batch_never_overwrites(runs: RunRepository, pool: Pool) -> None:
    """A zombie recorder's events are kept if new, its rows are not."""
    await runs.create(started("old"), opened())
    newer = {"status": "waiting", "phases": [phase("planning", "waiting")]}
    await runs.record(batch("old", 5, **newer))
    await runs.record(batch("old", 4, phases=[phase("planning", "running")], sources=[source(1)]))
    row = await runs.get(ME, "old")
    assert (row.status, row.usage.calls, row.last_seq) == ("waiting", 5, 2)
    assert (await runs.get_phase(ME, "old", "planning")).status == "waiting"
    assert await runs.list_sources(ME, "old") == []


async def test_a_batch_may_come_before_the_start_is_kept(runs: RunRepository) -> None:
    ended = "2026-03-01T11:00:00+00:00"
    await runs.record(batch("early", 3, status="completed", ended_at=ended))
    await runs.create(started("early"), opened())
    row = await runs.get(ME, "early")
    assert (row.query, row.status, row.ended_at) == ("Which country first?", "completed", ended)
    assert row.snapshot["phases"]


async def test_phases_come_in_the_definitions_order(runs: RunRepository) -> None:
    await runs.create(started("order"), opened())
    for n, phase_id in enumerate(["synthesis", "planning", "research"]):
        await runs.record(batch("order", n, phases=[phase(phase_id)]))
    assert [p.id for p in await runs.list_phases(ME, "order")] == [
        "planning",
        "research",
        "synthesis",
    ]
    some = await runs.list_phases(ME, "order", ["synthesis", "planning", "summary"])
    assert [p.id for p in some] == ["planning", "synthesis"]
    assert await runs.list_phases(ME, "order", []) == []
    with refused(NotFound, "run-has-no-phase", phase="summary"):
        await runs.get_phase(ME, "order", "summary")


async def test_sources_keep_their_places(runs: RunRepository) -> None:
    await runs.create(started("sources"), opened())
    await runs.record(batch("sources", 1, sources=[source(1)]))
    await runs.record(batch("sources", 2, sources=[source(n) for n in range(1, 13)]))
    urls = [s.url for s in await runs.list_sources(ME, "sources")]
    assert urls == [f"http://example.org/{n}" for n in range(1, 13)]


async def test_a_parent_gives_completed_outputs_and_decisions(runs: RunRepository) -> None:
    await runs.create(started("parent"), opened())
    decision = {"checkpoint_id": "c", "phase_id": "planning", "action": "approve", "at": "x"}
    snapshot = {"phases": [], "decisions": [decision]}
    planned = phase("planning", output={"plan": 1}).model_copy(update={"notices": [HASTE]})
    done = [planned, phase("research", "partial", {"findings": []})]
    await runs.record(batch("parent", 1, phases=done, snapshot=snapshot))
    parent = await runs.get_parent(ME, "parent")
    assert parent.definition == DEFINITION
    kept = Seed(output={"plan": 1}, origin="parent", run_id="parent", notices=[HASTE])
    assert parent.seeds == {"planning": kept}
    assert (parent.query, parent.cap_usd) == ("Which country first?", TERMS.cap_usd)
    assert [d.action for d in parent.decisions] == ["approve"]


async def test_others_see_nothing(runs: RunRepository) -> None:
    await runs.create(started("private", user_id="ann"), opened())
    assert (await runs.get(Principal(user_id="ann"), "private")).user_id == "ann"
    for other in (Principal(user_id="bob"), Principal(tenant_id="other")):
        for read in (runs.get, runs.list_phases, runs.get_parent, runs.list_sources):
            with pytest.raises(NotFound):
                await read(other, "private")
        seen = (await runs.list_page(other, ALL)).items
        assert "private" not in [run.run_id for run in seen]


async def test_running_come_first_then_the_newest_completion(runs: RunRepository) -> None:
    """Page by page the list holds each run once, although new ones start in between."""
    tenant = Principal(tenant_id="list")
    ends = {"a": "12:00", "b": None, "c": "14:00", "d": None, "e": "13:00"}
    for n, (name, end) in enumerate(ends.items()):
        at = f"2026-03-01T10:0{n}:00+00:00"
        await runs.create(started(name, at, tenant_id="list"), opened())
        if end:
            ended = f"2026-03-01T{end}:00+00:00"
            changes = {"tenant_id": "list", "status": "completed", "ended_at": ended}
            await runs.record(batch(name, 1, **changes))
    seen, cursor = [], None
    while True:
        page = await runs.list_page(tenant, RunQuery(cursor=cursor, limit=2))
        seen += [run.run_id for run in page.items]
        await runs.create(
            started(f"new-{len(seen)}", "2026-03-02T10:00:00Z", tenant_id="list"), opened()
        )
        if not (cursor := page.next_cursor):
            break
    assert seen == ["d", "b", "c", "e", "a"]


async def test_the_list_is_narrowed(runs: RunRepository) -> None:
    tenant = Principal(tenant_id="filters")
    acme, other = {"ticker": "ACME"}, {"ticker": "OTHER"}
    for request in (
        started("x", tenant_id="filters", inputs=acme),
        started("y", tenant_id="filters", inputs=other, user_id="ann"),
        started("z", tenant_id="filters"),
    ):
        await runs.create(request, opened())
    await runs.record(batch("z", 1, tenant_id="filters", status="failed"))

    async def found(**filters: str) -> list[str]:
        page = await runs.list_page(tenant, RunQuery.model_validate(filters))
        return sorted(run.run_id for run in page.items)

    assert await found(ticker="ACME") == ["x"]
    assert await found(user_id="ann") == ["y"]
    assert await found(status="failed") == ["z"]
    assert await found(definition_id="small") == ["x", "y", "z"]
    assert await found(definition_id="small", status="running", user_id="local") == ["x"]
    assert await found(definition_id="large") == []


async def test_a_run_is_found_by_words_of_its_question(runs: RunRepository) -> None:
    tenant = Principal(tenant_id="words")
    for run, query in (
        ("a", "Wind in Peru, 100 % of it?"),
        ("b", "Sun in Chile"),
        ("c", "PERUVIAN sun"),
    ):
        await runs.create(started(run, tenant_id="words", query=query), opened())

    async def found(text: str) -> list[str]:
        page = await runs.list_page(tenant, RunQuery(text=text))
        return sorted(run.run_id for run in page.items)

    assert await found("peru") == ["a", "c"]
    assert await found("sun in") == ["b"]
    assert await found("100 %") == ["a"]  # no character has a meaning of its own
    assert await found("%") == ["a"]
    assert await found("Bolivia") == []


@pytest.mark.parametrize("cursor", ["x", "", "bnVsbA==", "WyJpbmZpbml0eSIsICJ4IiwgInIiXQ==", "é"])
async def test_a_made_up_cursor_is_refused(runs: RunRepository, cursor: str) -> None:
    with pytest.raises(InvalidInput):
        await runs.list_page(ME, RunQuery(cursor=cursor))


@pytest.mark.full
async def test_a_store_that_is_away_says_so() -> None:
    nowhere = reserve_ports({"postgres": 0})["postgres"]
    async with Pool(f"postgresql://nobody@127.0.0.1:{nowhere}/none") as pool:
        said = await asyncio.gather(
            RunRepository(pool).get(ME, "run"),
            EventRepository(pool).append("default", "run", [event("w-0")]),
            return_exceptions=True,
        )
        assert [type(error) for error in said] == [StoreUnavailable, StoreUnavailable]


async def test_artifacts_are_kept_in_their_order(runs: RunRepository) -> None:
    """Each batch that has some has all so far; one that comes late takes nothing back."""
    await runs.record(batch("made", 2, artifacts=[artifact(2), artifact(1)]))
    await runs.record(batch("made", 3, artifacts=[artifact(2), artifact(1), artifact(0)]))
    await runs.record(batch("made", 1, artifacts=[artifact(2)]))
    found = await runs.list_artifacts(ME, "made")
    assert found == [artifact(2), artifact(1), artifact(0)]
    with pytest.raises(NotFound):
        await runs.list_artifacts(Principal(tenant_id="other"), "made")
