"""The end of a run is told to who waits for it, also where Temporal closed the run from outside."""

import asyncio

from httpx_sse import aconnect_sse

from tests.api.conftest import Site


async def test_a_terminated_run_is_cancelled_in_its_record(site: Site) -> None:
    run = await site.start()
    await site.get(f"{run}/state", wait=20)
    await site.temporal.get_workflow_handle(run.rsplit("/", 1)[-1]).terminate("by hand")
    state = (await site.get(f"{run}/state")).json()
    assert (state["status"], state["live"], state["pending"]) == ("cancelled", False, [])
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
