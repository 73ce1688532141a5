"""Recording a run, and what becomes of a batch that PostgreSQL never takes."""

import dataclasses
from collections.abc import AsyncIterator

import psycopg
import pytest
from temporalio.testing import ActivityEnvironment

from activities.runs.run_activities import ATTEMPTS, RunActivities
from contracts.errors import Conflict, NotFound
from contracts.evidence.claims import Claim
from contracts.models.call import Scope
from contracts.report.edits import EditRequest
from contracts.runs.records import Batch, Recorded
from domain.report.claims.report_claims import list_claims
from store.calls.call_journal import Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository
from store.run_records.runs import RunRepository
from tests.domain.report.changes.test_hand_edits import REPORT, SALES, edited
from tests.store.samples import ME, START, batch, event, opened, phase, source, started
from tests.support.databases import fetch_as_owner


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with Pool(database) as opened:
        yield opened


@pytest.fixture
async def runs(pool: Pool, database: str) -> AsyncIterator[RunActivities]:
    async with Lease(database) as lease:
        yield RunActivities(None, RunRepository(pool), Journal(pool, lease), None, None)  # type: ignore[arg-type]


async def record(runs: RunActivities, sent: Batch, attempt: int) -> Recorded:
    environment = ActivityEnvironment()
    environment.info = dataclasses.replace(environment.info, attempt=attempt)
    return await environment.run(runs.record, sent)


def edit(after: Claim, tenant: str = "default", user: str = "local") -> EditRequest:
    scope = Scope(tenant_id=tenant, run_id="e", phase_id="edit", attempt=1, name="put")
    return EditRequest(scope=scope, user_id=user, run_id="ended", before=SALES, after=after)


async def test_sentence_is_edited_once_by_its_owner_in_a_run_that_has_ended(
    runs: RunActivities, pool: Pool
) -> None:
    await RunRepository(pool).create(started("ended"), opened())
    had = phase("synthesis", output={"report": REPORT.model_dump(mode="json")})
    had = had.model_copy(update={"cache_key": "k", "expires_at": "2126-01-01T00:00:00Z"})
    await runs._runs.record(batch("ended", 1, phases=[had], sources=[source(1)]))
    new, other = (list_claims(edited(f"Sales {verb}.", None))[1] for verb in ("grew", "fell"))
    with pytest.raises(Conflict):
        await runs.edit(edit(new))  # while it works
    end = [event("w-2", "workflow_complete", status="completed")]
    ended = {"status": "completed", "ended_at": START, "events": end}
    await runs._runs.record(batch("ended", 2, **ended))
    for stranger in ({"tenant": "acme"}, {"user": "bob"}):
        with pytest.raises(NotFound):
            await runs.edit(edit(new, **stranger))
    assert (await runs.edit(edit(new))).phases == ["synthesis"]
    assert (await runs.edit(edit(new))).phases == [], "a second attempt"
    with pytest.raises(Conflict):
        await runs.edit(edit(other))
    [kept] = await RunRepository(pool).list_phases(ME, "ended")
    assert "Sales grew." in str(kept.output)
    assert "Sales fell." not in str(kept.output)
    assert await fetch_as_owner(pool, "SELECT 1 FROM phase_executions WHERE cache_key = 'k'") == []


async def test_batch_that_postgresql_never_takes_is_set_aside_and_the_run_ends(
    runs: RunActivities, pool: Pool
) -> None:
    await RunRepository(pool).create(started("refused"), opened())
    bad = phase("planning").model_copy(update={"expires_at": "never"})
    events = [event("w-1"), event("w-2", "workflow_complete", status="completed")]
    sent = batch("refused", 2, phases=[bad], events=events, status="completed", ended_at=START)
    for attempt in range(1, ATTEMPTS):
        with pytest.raises(psycopg.DataError, match="never"):
            await record(runs, sent, attempt)
    assert await fetch_as_owner(pool, "SELECT 1 FROM rejected_batches") == []
    recorded = await record(runs, sent, ATTEMPTS)
    assert "never" in recorded.rejected
    [kept] = await fetch_as_owner(
        pool, "SELECT batch::jsonb FROM rejected_batches WHERE run_id = 'refused'"
    )
    assert [e["key"] for e in kept["events"]] == ["w-1", "w-2"]
    assert (await RunRepository(pool).get(ME, "refused")).status == "completed"
    logged = await EventRepository(pool).read(ME, "refused", after=0, limit=9)
    assert [e.type for e in logged] == ["Status", "workflow_complete"]
    assert "never" in str(logged[0].payload["message"])


async def test_batch_whose_row_cannot_be_written_either_is_given_up(
    runs: RunActivities, pool: Pool
) -> None:
    await RunRepository(pool).create(started("hopeless"), opened())
    sent = batch("hopeless", 2, ended_at="never")
    assert "never" in (await record(runs, sent, ATTEMPTS)).rejected
    assert (await RunRepository(pool).get(ME, "hopeless")).status == "running"
    assert await fetch_as_owner(
        pool, "SELECT 1 FROM rejected_batches WHERE run_id = 'hopeless'"
    ) == [1]
