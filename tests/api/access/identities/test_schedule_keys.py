"""A schedule starts runs while the key by which it was made lives, and within its tenant's limit of active runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError

from api.access.rate_limits import UserRate
from contracts.access.budgets import BudgetBody
from contracts.access.principal import Principal
from store.access.access_keys import KeyRepository
from tests.api.access.conftest import sign_in
from tests.api.conftest import Site
from tests.support.words import en

ANA = Principal(tenant_id="acme", user_id="ana")


@pytest.fixture(scope="module")
def engine(temporal: Client) -> Client:
    return temporal


@pytest.fixture
async def holders(site: Site, keys: KeyRepository) -> AsyncIterator[tuple[Site, Site]]:
    """The gateway as the holders of two keys of one user see it."""
    async with AsyncExitStack() as stack:
        first = await sign_in(site, keys, "acme", "ana", stack)
        yield first, await sign_in(site, keys, "acme", "ana", stack)


@pytest.fixture(scope="module")
async def run(site: Site, keys: KeyRepository) -> str:
    """The path of a completed run of the user."""
    async with AsyncExitStack() as stack:
        return await (await sign_in(site, keys, "acme", "ana", stack)).complete(user_id="ana")


async def make(holder: Site, run: str) -> dict[str, Any]:
    body = {"from_run": run.rpartition("/")[2], "time": "05:00"}
    made: dict[str, Any] = (await holder.post("/v1/schedules", body)).raise_for_status().json()
    return made


def last_days() -> dict[str, str]:
    end = datetime.now(UTC) - timedelta(days=1)
    return {"start_at": (end - timedelta(days=2)).isoformat(), "end_at": end.isoformat()}


async def test_schedule_of_a_revoked_key_pauses_and_starts_no_run(
    site: Site, holders: tuple[Site, Site], keys: KeyRepository, run: str
) -> None:
    first, second = holders
    schedule = await make(first, run)
    place = f"/v1/schedules/{schedule['id']}"
    made_by = (await keys.list_live(ANA))[-2]
    (await second.http.delete(f"/v1/keys/{made_by.id}")).raise_for_status()
    shown = (await second.get(place)).json()
    assert (shown["state"], shown["note"]) == ("paused", en("schedule-key-revoked"))
    for path, body in (("trigger", None), ("backfill", last_days())):
        refused = await second.post(f"{place}/{path}", body)
        assert (refused.status_code, refused.json()["code"]) == (409, "schedule-key-revoked")
    await site.temporal.get_schedule_handle(schedule["id"]).trigger()
    async with asyncio.timeout(60):
        while not (recent := (await second.get(place)).json()["recent"]):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.1)
        with pytest.raises(WorkflowFailureError) as failed:
            await site.temporal.get_workflow_handle(recent[0]["run_id"]).result()
    assert en("schedule-key-revoked") in str(failed.value.cause)
    assert (await second.get(f"/v1/runs/{recent[0]['run_id']}")).status_code == 404
    resumed = await second.http.put(f"{place}/pause", json={"paused": False})
    assert resumed.json()["state"] == "active"
    assert await site.services.schedules.list_without_key(ANA) == []


async def test_schedule_starts_no_run_beyond_the_tenants_limit(
    site: Site, holders: tuple[Site, Site], run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = holders
    place = f"/v1/schedules/{(await make(first, run))['id']}"
    monkeypatch.setattr(site.services.limits, "runs_per_tenant", 0)
    for path, body in (("trigger", None), ("backfill", last_days())):
        refused = await first.post(f"{place}/{path}", body)
        assert (refused.status_code, refused.json()["code"]) == (429, "runs-many")
    counted = await first.post(f"{place}/backfill", last_days(), dry_run=True)
    assert counted.json()["runs"] == 2


async def test_key_that_resumes_a_schedule_pays_for_its_runs_and_is_logged(
    site: Site,
    holders: tuple[Site, Site],
    keys: KeyRepository,
    run: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = holders
    place = f"/v1/schedules/{(await make(first, run))['id']}"
    made_by, resumed_by = (await keys.list_live(ANA))[-2:]
    await keys.revoke(ANA, made_by.id)
    (await second.http.put(f"{place}/pause", json={"paused": False})).raise_for_status()
    operator, budgets = Principal(tenant_id="acme"), site.services.budgets
    await budgets.put(operator, "key", resumed_by.id, BudgetBody(day_usd=0.0))
    for path, body in (("trigger", None), ("backfill", last_days())):
        refused = await second.post(f"{place}/{path}", body)
        assert (refused.status_code, refused.json()["code"]) == (429, "budget-used-up-day")
    await budgets.delete(operator, "key", resumed_by.id)
    with monkeypatch.context() as patch:
        patch.setattr(site.services.limits, "start_rate", UserRate(4, "limit-start-rate"))
        site.services.limits.start_rate.take(("acme", "ana"), resumed_by.id)
        refused = await second.post(f"{place}/backfill", last_days())
        assert (refused.status_code, refused.json()["code"]) == (429, "limit-start-rate")
    (await second.post(f"{place}/trigger")).raise_for_status()
    async with asyncio.timeout(60):
        while not (recent := (await second.get(place)).json()["recent"]):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.1)
        while not (await second.get(f"/v1/runs/{recent[0]['run_id']}")).json().get("ended_at"):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    started = {"tenant": "acme", "run": recent[0]["run_id"]}
    [kept] = await site.services.pool.fetch(
        "SELECT key_id FROM runs WHERE (tenant_id, id) = (%(tenant)s, %(run)s)", started
    )
    logged = await site.services.pool.fetch(
        "SELECT key_id FROM audit_log WHERE tenant_id = %(tenant)s AND object = %(run)s"
        " AND action = 'run.started'",
        started,
    )
    assert (kept, logged) == (resumed_by.id, [resumed_by.id])
