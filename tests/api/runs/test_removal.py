"""Runs that are removed: by hand, after a while, for good."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from temporalio.client import ScheduleOverlapPolicy
from temporalio.worker import Worker

from activities.collections.storage import DocumentStorage
from activities.heartbeat_interceptor import ActivityInterceptor
from activities.runs.run_removal import RemovalActivities, Remover
from api.archives.run_archive import RunArchive
from api.runs.service import RunService
from contracts.access.principal import Principal
from contracts.archive import CALLS, EVENTS, RUN
from contracts.errors import NotFound
from store.access.audit_log_reader import AuditRepository
from store.access.secret_encryption import TextCipher
from store.alerts import AlertRepository
from store.collections.documents import CollectionRepository
from store.collections.queue import IndexQueue
from store.postgres.pool import Pool
from store.run_records.removals import RemovalRepository
from temporal.run_client import RunClient
from temporal.side_workflows.alerts import Courier
from temporal.side_workflows.indexing import Indexer
from temporal.side_workflows.sweep_schedule import schedule_sweep, sweep_id
from tests.api.conftest import Site
from tests.api.test_validation_errors import START, told
from tests.support.databases import as_owner, connect_as_owner
from tests.support.offline_services import eventually
from tests.support.product.residue import places
from tests.support.temporal.sandbox import WorkflowRunners
from tests.support.words import phrase
from workflows.sweep import Sweep


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


WORD = "zorblaxine"
READS = ("", "/state", "/phases", "/events", "/stream", "/report", "/sources", "/artifacts")


def blobs_of(site: Site, run: str) -> list[Path]:
    """Return the files and folders of a run among the blobs."""
    name = run.rpartition("/")[2]
    return [path for path in site.folder.rglob("*") if name in path.parts]


async def a_run_about_it(site: Site) -> str:
    """Complete a run whose question, answers and pages contain the word."""
    run = await site.start(query=f"Where do {WORD} pumps sell?")
    await site.until(run, "clarification")
    long = f"{WORD} " * 1_600  # twice this is more than a history holds itself
    answers = {"answers": {"q1": long, "q2": long}}
    planned = (await site.post(f"{run}/answers", answers, wait=30)).json()
    decision = {"action": "approve", "plan_hash": planned["plan_hash"]}
    assert (await site.post(f"{run}/decision", decision, wait=30)).json()["status"] == "completed"
    await site.follow(run, 0)
    return run


@pytest.mark.parametrize("rest", [
    {"temporal"},
    pytest.param(set(), marks=pytest.mark.full),  # which takes some seconds to delete
])  # fmt: skip
async def test_deletion_leaves_no_rows_blobs_or_executions(
    site: Site, monkeypatch: pytest.MonkeyPatch, rest: set[str]
) -> None:
    """Neither of its question, nor of its answers, nor of the pages it read."""
    monkeypatch.setattr("tests.api.conftest.PAGE", f"{WORD} pumps sell.")
    run = await a_run_about_it(site)

    async def left() -> set[str]:
        return await places(WORD, site.database, site.folder, site.temporal)

    assert await left() >= {"runs", "events", "phase_executions", "blobs", "temporal"}
    assert [path for path in blobs_of(site, run) if "_payloads" in path.parts]

    assert (await site.http.delete(run)).status_code == 204

    async def clean() -> bool:
        return await left() <= rest

    assert await eventually(clean)
    assert not blobs_of(site, run)
    for path in READS:
        told(await site.get(run + path), 404, "not-found")
    assert run not in await site.runs()


async def test_deletion_of_a_live_run_is_409(site: Site) -> None:
    run = await site.start()
    await site.until(run, "clarification")
    assert phrase("run-live") in told(await site.http.delete(run), 409, "conflict")["detail"]
    await site.post(f"{run}/cancel", wait=10)
    await site.follow(run, 0)
    assert (await site.http.delete(run)).status_code == 204


async def test_the_key_of_a_deleted_run_starts_no_other(site: Site) -> None:
    headers = {"Idempotency-Key": "removed"}
    answer = await site.http.post(START, json={"query": "x"}, headers=headers)
    run = answer.json()["links"]["self"]
    await site.post(f"{run}/cancel")
    await site.follow(run, 0)
    await site.http.delete(run)
    again = await site.http.post(START, json={"query": "x"}, headers=headers)
    assert phrase("idempotency-removed") in told(again, 409, "conflict")["detail"]


async def test_child_of_a_deleted_run_keeps_its_pages(site: Site) -> None:
    parent = await site.complete()
    answer = await site.post(
        START, {"query": "Where to sell pumps?", "from_run": parent.rpartition("/")[2]}
    )
    child = answer.json()["links"]["self"]
    ended = await site.follow(child, 0)
    assert ended[-1].status == "completed"
    assert (await site.http.delete(parent)).status_code == 204
    sources = (await site.get(f"{child}/sources")).json()["items"]
    assert sources
    for n in range(1, len(sources) + 1):
        assert "Pumps" in (await site.get(f"{child}/sources/{n}/snapshot")).text
    assert (await site.get(f"{child}/report")).status_code == 200
    told(await site.get(f"{child}/compare/{parent.rpartition('/')[2]}"), 404, "not-found")


@pytest.mark.parametrize(
    "entry", [EVENTS, *(pytest.param(e, marks=pytest.mark.full) for e in (RUN, CALLS))]
)
async def test_archive_of_a_run_that_is_deleted_meanwhile_is_not_sealed(
    site: Site, entry: str
) -> None:
    """Otherwise an archive that looks complete would lack the removed parts."""
    run = await site.complete()
    await eventually(lambda: is_idle(site, run))
    service = await RunService.find(site.services, Principal(), run.rpartition("/")[2])
    parts = (await RunArchive.load(service)).write()
    async for part in parts:
        if entry.encode() in part:
            assert (await site.http.delete(run)).status_code == 204
            break
    with pytest.raises(NotFound):
        async for _ in parts:
            pass


async def test_stream_of_a_deleted_run_ends(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A viewer that waits for more of it is not kept for a quarter of an hour."""
    monkeypatch.setattr("api.event_stream.POLL_SECONDS", 0.05)
    run = await site.start()
    await site.until(run, "clarification")
    await site.post(f"{run}/cancel", wait=10)
    await site.follow(run, 0)
    last = (await site.get(f"{run}/events", tail=1)).json()["items"][0]["seq"]
    waiting = asyncio.create_task(site.follow(run, last + 1_000))
    await asyncio.sleep(0.3)
    await site.http.delete(run)
    assert await asyncio.wait_for(waiting, 10) == []


@asynccontextmanager
async def sweeping(site: Site, **kept: int) -> AsyncIterator[str]:
    """Run the sweep, which removes temporary runs at once; yield the schedule's id."""
    # Temporal names a schedule's workflow by the second: of two with one name, the later is not started.
    queue = f"{site.queue}-{uuid.uuid4()}"
    async with Pool(site.database) as pool:
        remover = Remover(RemovalRepository(pool), site.blobs, RunClient(site.temporal, "any"))
        indexer = Indexer(site.temporal, queue)
        documents = DocumentStorage(
            CollectionRepository(pool), IndexQueue(pool), site.blobs, indexer
        )
        days = kept.get("retention_days", 0)
        alerts, courier = AlertRepository(pool, TextCipher()), Courier(site.temporal, queue)
        activities = RemovalActivities(
            remover, timedelta(0), days, documents, alerts, courier, AuditRepository(pool)
        )
        for _ in range(2):
            await schedule_sweep(site.temporal, queue)
        async with Worker(
            site.temporal,
            task_queue=queue,
            workflows=[Sweep],
            activities=[activities.sweep],
            workflow_runner=WorkflowRunners.choose(),
            interceptors=[ActivityInterceptor()],
        ):
            schedule = site.temporal.get_schedule_handle(sweep_id(queue))
            await schedule.trigger(overlap=ScheduleOverlapPolicy.TERMINATE_OTHER)
            yield sweep_id(queue)
            await schedule.delete()


async def cancelled(site: Site, **body: Any) -> str:
    run = await site.start(**body)
    await site.post(f"{run}/cancel")
    await site.follow(run, 0)
    await eventually(lambda: is_idle(site, run))
    await site.temporal.get_workflow_handle(run.rpartition("/")[2]).result()  # it records no more
    return run


async def is_idle(site: Site, run: str) -> bool:
    query = "SELECT NOT EXISTS (SELECT FROM calls WHERE run_id = %s AND settled_at IS NULL)"
    async with await psycopg.AsyncConnection.connect(as_owner(site.database)) as connection:
        found = await (await connection.execute(query, [run.rpartition("/")[2]])).fetchone()
    return bool(found and found[0])


async def gone(site: Site, run: str) -> bool:
    return (await site.get(run)).status_code == 404


async def test_a_temporary_run_is_swept_once_it_has_ended(site: Site) -> None:
    """One that goes on is not, nor is any other; while it is there the list says what it is."""
    kept, live = await cancelled(site), await site.start(temp_workflow=True)
    run = await cancelled(site, temp_workflow=True)
    items = (await site.get("/v1/runs", limit=200)).json()["items"]
    marked = {f"/v1/runs/{item['run_id']}": item["temp_workflow"] for item in items}
    assert (marked[kept], marked[live], marked[run]) == (False, True, True)
    async with sweeping(site):
        assert await eventually(lambda: gone(site, run))
    assert run not in await site.runs()
    assert {kept, live} <= await site.runs()
    await site.post(f"{live}/cancel")


async def test_runs_past_the_retention_are_swept(site: Site) -> None:
    old, young = await cancelled(site), await cancelled(site)
    async with connect_as_owner(site.database) as admin:
        await admin.execute(
            "UPDATE runs SET ended_at = ended_at - interval '8 days' WHERE id = %s",
            [old.rpartition("/")[2]],
        )
    async with sweeping(site, retention_days=7):
        assert await eventually(lambda: gone(site, old))
    assert young in await site.runs()
