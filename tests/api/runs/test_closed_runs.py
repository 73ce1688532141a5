"""Runs that Temporal closed or an operator paused from outside, and the end of a run for those who wait."""

import asyncio

import pytest
from httpx_sse import aconnect_sse
from temporalio.api.workflowservice.v1 import (
    PauseWorkflowExecutionRequest,
    UnpauseWorkflowExecutionRequest,
)

from temporal.run_client import RunClient
from tests.api.conftest import Site
from tests.support.offline_services import eventually


@pytest.fixture(scope="module")
def site(dev_site: Site) -> Site:
    return dev_site


async def test_a_terminated_run_is_cancelled_in_its_record(site: Site) -> None:
    run = await site.start()
    await site.get(f"{run}/state", wait=20)
    await site.temporal.get_workflow_handle(run.rsplit("/", 1)[-1]).terminate("by hand")
    state = (await site.get(f"{run}/state")).json()
    assert (state["status"], state["live"], state["pending"]) == ("cancelled", False, [])
    assert "run-closed-outside" in [notice["code"] for notice in state["notices"]]
    assert (await site.get(run)).json()["status"] == "cancelled"
    async with aconnect_sse(site.http, "GET", f"{run}/stream") as source:
        events = [event async for event in source.aiter_sse()]
    assert events[-1].event == "workflow_complete"
    assert [e.event for e in events].count("workflow_complete") == 1
    assert (await site.post(f"{run}/steer", {"text": "more"})).status_code == 409


async def test_who_waits_for_the_end_reads_the_state_at_the_end(site: Site) -> None:
    held = site.fakes.hold("task-try-1-turn-1")
    runs = [await site.start("one_shot", query=f"Compute 17 * {n}", fresh=True) for n in range(5)]
    waiting = [asyncio.create_task(site.get(f"{run}/state", wait=20)) for run in runs]
    await asyncio.sleep(0.5)  # each has read the run as it goes on
    held.set()
    states = [(await task).json() for task in waiting]
    assert [state["status"] for state in states] == ["completed"] * 5


async def test_run_paused_by_an_operator_is_shown_paused_and_keeps_its_messages(site: Site) -> None:
    run = await site.start()
    state = (await site.get(f"{run}/state", wait=20)).json()
    assert [asked["kind"] for asked in state["pending"]] == ["questions"]
    run_id, service = run.rsplit("/", 1)[-1], site.temporal.workflow_service
    await service.pause_workflow_execution(
        PauseWorkflowExecutionRequest(namespace="default", workflow_id=run_id, reason="upgrade")
    )
    state = (await site.get(f"{run}/state")).json()
    assert (state["status"], state["live"], len(state["pending"])) == ("paused", False, 1)
    assert state["notices"][-1] == {
        "code": "run-paused-by-operator",
        "params": {"reason": "upgrade"},
        "severity": "warning",
    }
    answered = await site.post(f"{run}/answers", {"answers": {}, "rest": None})
    assert (answered.status_code, answered.json()["accepted"]) == (202, "signal")
    assert answered.json()["status"] == "paused"
    client = RunClient(site.temporal, site.queue)
    assert await client.has(run_id)
    assert (await site.http.delete(run)).status_code == 409, "it is live"
    await service.unpause_workflow_execution(
        UnpauseWorkflowExecutionRequest(namespace="default", workflow_id=run_id)
    )

    async def is_planned() -> bool:
        pending = (await site.get(f"{run}/state")).json()["pending"]
        return [asked["kind"] for asked in pending] == ["decision"]

    assert await eventually(is_planned)
