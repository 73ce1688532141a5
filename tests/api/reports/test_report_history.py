"""The living report over HTTP: at any moment, in every event, and taken back."""

import asyncio
from typing import Any

import pytest

from contracts.runs.records import LoggedEvent
from tests.api.conftest import Site
from tests.api.test_validation_errors import told
from tests.support.words import phrase


@pytest.fixture(scope="module")
async def run(site: Site) -> str:
    return await site.complete()


def output(event: LoggedEvent) -> dict[str, Any]:
    told: Any = event.payload.get("tool_output", {})
    found = told.get("raw_output") if told.get("tool_name") == "update_report" else None
    return found if isinstance(found, dict) else {}


async def test_every_patch_carries_the_report_that_it_makes(site: Site, run: str) -> None:
    events = await site.follow(run, 0)
    patches = [event for event in events if "patch" in output(event)]
    assert [output(p)["patch"]["number"] for p in patches] == [1, 2]
    for patch in patches:
        markdown = output(patch)["new_report_markdown"]
        assert (await site.get(f"{run}/report", at=patch.seq)).text == markdown
    [later] = [e for e in await site.follow(run, patches[0].seq) if e.seq == patches[1].seq]
    assert later == patches[1]
    page = (await site.get(f"{run}/events", after=patches[1].seq - 1, limit=1)).json()["items"]
    assert LoggedEvent.model_validate(page[0]) == patches[1]


async def test_reader_may_leave_the_reports_in_patches_out(site: Site, run: str) -> None:
    whole = await site.follow(run, 0)
    page = (await site.get(f"{run}/events", limit=500, markdown=False)).json()["items"]
    assert [event["seq"] for event in page] == [event.seq for event in whole]
    streamed = await site.follow(f"{run}", 0, markdown=False)
    assert streamed == [LoggedEvent.model_validate(event) for event in page]
    patches = [output(event) for event in streamed if output(event)]
    assert [("patch" in each, "new_report_markdown" in each) for each in patches] == [
        (True, False)
    ] * 2


async def test_pages_of_many_reports_end_early_and_lose_no_event(
    site: Site, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await site.follow(run, 0)
    patches = [event.seq for event in whole if output(event)]
    monkeypatch.setattr("api.reports.report_history.MAX_PAGE_CHARS", 1)
    monkeypatch.setattr("api.event_stream.RECENT_BYTES", 1)
    assert await site.follow(run, 0) == whole
    after, read, ends = "0", list[LoggedEvent](), list[int]()
    while after:
        page = (await site.get(f"{run}/events", after=after, limit=500)).json()
        read += map(LoggedEvent.model_validate, page["items"])
        after = page["next_cursor"]
        ends += [int(after)] if after else []
    assert (read, ends) == (whole, patches)


async def test_report_is_rendered_after_any_event(site: Site, run: str) -> None:
    events = await site.follow(run, 0)
    first, second = (event.seq for event in events if "patch" in output(event))
    told(await site.get(f"{run}/report", at=first - 1), 404, "not-found")
    drafts = [(await site.get(f"{run}/report", at=seq)).text for seq in (first, second)]
    assert ["And more." in draft for draft in drafts] == [False, True]
    assert all(phrase("draft") in draft for draft in drafts)
    ended = next(e.seq for e in events if (e.type, e.phase_id) == ("step_complete", "synthesis"))
    assert phrase("draft") in (await site.get(f"{run}/report", at=ended - 1)).text
    whole = (await site.get(f"{run}/report", at=ended)).text
    assert whole == (await site.get(f"{run}/report")).text
    assert "<h1>Pumps</h1>" in (await site.get(f"{run}/report", format="html", at=first)).text
    for wrong in (0, "x", 2**60):
        told(await site.get(f"{run}/report", at=wrong), 422, "invalid-input")


async def test_undo_takes_the_seq_of_a_patch(site: Site) -> None:
    held = site.fakes.hold("turn-3")
    run = await site.start()
    await site.until(run, "clarification")
    planned = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()
    await site.post(f"{run}/decision", {"action": "approve", "plan_hash": planned["plan_hash"]})
    patch = await first_patch(site, run)
    refused = told(await site.post(f"{run}/undo", {"seq": 1}), 422, "invalid-input")
    assert (refused["code"], refused["params"]) == ("event-no-patch", {"seq": 1})
    for body in ({}, {"seq": 0}, {"seq": "two"}):
        told(await site.post(f"{run}/undo", body), 422, "invalid-input")
    assert "Pumps sell. [1]" in (await site.get(f"{run}/report")).text
    undone = await site.post(f"{run}/undo", {"seq": patch, "by": "ann"})
    assert undone.status_code == 202, undone.text
    told(await site.post(f"{run}/undo", {"seq": patch}), 409, "conflict")
    held.set()
    events = await site.follow(run, 0)
    assert "Pumps sell. [1]" not in (await site.get(f"{run}/report")).text
    assert [output(e)["patch"].get("undoes") for e in events if output(e)] == [None, 1, None]
    told(await site.post(f"{run}/undo", {"seq": patch}), 409, "conflict")


async def first_patch(site: Site, run: str) -> int:
    async with asyncio.timeout(60):
        while True:
            page = (await site.get(f"{run}/events", limit=500)).json()["items"]
            found = [e for e in map(LoggedEvent.model_validate, page) if output(e)]
            if found:
                return found[0].seq
            await asyncio.sleep(0.1)
