"""Starts over HTTP: once per Idempotency-Key, and about a startup that is there."""

import asyncio
import gc
import uuid

import httpx
import pytest
from temporalio.client import WorkflowFailureError

from contracts.base import Json
from tests.api.conftest import Site
from tests.api.test_validation_errors import START, told

BODY: Json = {"query": "Where to sell pumps?", "inputs": {}, "budget": 1}


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


async def start_with_key(
    site: Site, key: str, other: Json | None = None, path: str = START
) -> httpx.Response:
    return await site.http.post(path, json=BODY | (other or {}), headers={"Idempotency-Key": key})


def run_of(answer: httpx.Response) -> str:
    assert answer.status_code == 202, answer.text
    return str(answer.json()["run_id"])


async def test_the_same_key_and_body_start_one_run_however_the_body_is_written(site: Site) -> None:
    starts = [start_with_key(site, "same") for _ in range(5)]
    starts.append(start_with_key(site, "same", {"user_id": "local", "budget": 1.0}))
    [run] = {run_of(answer) for answer in await asyncio.gather(*starts)}
    await site.post(f"/v1/runs/{run}/cancel")
    await site.follow(f"/v1/runs/{run}", 0)
    again = await start_with_key(site, "same")
    assert (run_of(again), again.json()["status"]) == (run, "cancelled")


@pytest.mark.parametrize(
    "other",
    [{"query": "Where to buy?"}, {"budget": 2}, {"user_id": "ann"}, {"only": ["recall"]}],
    ids=lambda other: next(iter(other)),
)
async def test_the_same_key_with_another_body_is_409_and_names_the_first_run(
    site: Site, other: Json
) -> None:
    key = f"body-{next(iter(other))}"
    run = run_of(await start_with_key(site, key))
    refused = told(await start_with_key(site, key, other), 409, "conflict")
    assert run in refused["detail"]
    await site.post(f"/v1/runs/{run}/cancel")


async def test_the_same_key_for_another_definition_is_409(site: Site) -> None:
    run = run_of(await start_with_key(site, "definition"))
    path = "/v1/workflows/one_shot/run"
    refused = await start_with_key(site, "definition", path=path)
    assert run in told(refused, 409, "conflict")["detail"]
    await site.post(f"/v1/runs/{run}/cancel")


async def test_concurrent_bodies_with_one_key_start_one_run_and_409(site: Site) -> None:
    """Neither request sees the other's row: Temporal detects the conflict."""
    for n in range(5):
        bodies: list[Json] = [{"query": "One?"}, {"query": "Two?"}]
        answers = await asyncio.gather(*(start_with_key(site, f"race-{n}", b) for b in bodies))
        assert sorted(a.status_code for a in answers) == [202, 409]
        [run] = [run_of(a) for a in answers if a.is_success]
        [refused] = [a for a in answers if not a.is_success]
        assert run in told(refused, 409, "conflict")["detail"]
        await site.post(f"/v1/runs/{run}/cancel")


async def test_a_startup_that_is_unknown_or_anothers_is_404(site: Site) -> None:
    made = await site.post("/v1/startups", {"name": "Pumps", "user_id": "founder"})
    theirs = made.json()["id"]
    before = await site.runs()
    for startup_id in ("nothing", theirs):
        body = {"query": "x", "user_id": "ben", "startup_id": startup_id}
        refused = told(await site.post(START, body), 404, "not-found")
        assert startup_id in refused["detail"]
    assert await site.runs() == before
    run = await site.start(user_id="founder", startup_id=theirs)
    assert (await site.until(run, "clarification"))["startup"]["id"] == theirs
    await site.post(f"{run}/cancel")


async def test_a_start_by_hand_with_an_unknown_startup_ends_at_once(site: Site) -> None:
    handle = await site.temporal.start_workflow(
        "Research",
        {"query": "x", "startup_id": "nothing"},
        id=f"by-hand-{uuid.uuid4()}",
        task_queue=site.queue,
    )
    with pytest.raises(WorkflowFailureError) as failed:
        await asyncio.wait_for(handle.result(), 10)
    assert "nothing" in str(failed.value.cause)


async def test_a_start_answers_with_the_first_state_where_a_worker_is_there(site: Site) -> None:
    path, body = "/v1/workflows/deep_research/run", {"query": "Where to sell pumps?"}
    key = {"Idempotency-Key": "first-state"}
    begun = (await site.http.post(path, json=body, headers=key)).json()
    assert begun["state"]["run_id"] == begun["run_id"]
    assert {phase["id"] for phase in begun["state"]["phases"]} >= {"clarification", "planning"}
    again = (await site.http.post(path, json=body, headers=key)).json()
    assert (again["run_id"], again["state"]) == (begun["run_id"], None)
    await site.post(f"/v1/runs/{begun['run_id']}/cancel", wait=10)


async def test_a_start_without_a_worker_is_kept_and_recorded(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """It answers after 2 s, and no failure of the request that was given up is left unseen."""
    await site.rest()
    try:
        answer = await site.post("/v1/workflows/deep_research/run", {"query": "Why pumps?"})
        assert answer.status_code == 202, answer.text
        begun = answer.json()
        assert begun["state"] is None
        run = f"/v1/runs/{begun['run_id']}"
        assert (await site.get(run)).json()["query"] == "Why pumps?"
    finally:
        await site.work()
    await site.until(run, "clarification")
    gc.collect()
    assert "never retrieved" not in caplog.text
    await site.post(f"{run}/cancel", wait=10)
