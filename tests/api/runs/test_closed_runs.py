"""A run that Temporal closed from outside is told as ended, and its stream ends."""

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
