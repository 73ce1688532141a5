"""Runs that search collections: chosen by name, waited for until they are read, and spoken of truly."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from contracts.notices import Notice
from tests.api.conftest import Site
from tests.api.documents.test_collections import V1, make, put, until_read
from tests.support.words import en

NAME = "field notes"


@pytest.fixture
async def notes(site: Site) -> AsyncIterator[str]:
    """A collection with one document that is read and one that cannot be."""
    await make(site, NAME)
    await put(site, NAME, "pumps.md", "# Pumps\n\nThey sell in Kenya.")
    await put(site, NAME, "broken.pdf", "%PDF-1.7 broken")
    await until_read(site, NAME)
    yield NAME
    await site.http.delete(f"{V1}/{NAME}")


async def test_a_start_names_each_collection_that_it_cannot_have(site: Site, notes: str) -> None:
    async def ask(*names: str, definition: str = "deep_research") -> dict[str, Any]:
        body = {"query": "Where to sell pumps?", "collections": names}
        return dict((await site.post(f"/v1/workflows/{definition}/run", body)).json())

    [unknown] = (await ask(notes, "nobody's"))["problems"]
    assert unknown["path"] == "collections[1]"
    assert unknown["params"] == {"name": "nobody's", "known": [notes]}
    assert "collections" in (await ask(*[notes] * 21))["problems"][0]["path"]
    unread = await ask(notes, definition="one_shot")
    [problem] = unread["problems"]
    assert (problem["path"], problem["code"]) == ("collections", "documents-unread-by-run")


async def test_what_no_search_finds_is_told_above_the_report(site: Site, notes: str) -> None:
    run = await site.complete(collections=[notes])
    state = (await site.get(f"{run}/state")).json()
    [found] = state["collections"]
    assert (found["name"], found["documents"], found["indexed"]) == (notes, 2, 1)
    told = en("documents-failed", n=1, collection=notes, names=["broken.pdf"])
    assert [notice["code"] for notice in state["notices"]] == ["documents-failed"]
    for format in ("md", "html"):
        assert told in (await site.get(f"{run}/report", format=format)).text
    child = await site.start(from_run=run.rpartition("/")[2], redo=["research"])
    await site.follow(child, 0)
    assert (await site.get(f"{child}/state")).json()["collections"] == [found]


async def test_a_run_waits_until_its_collections_are_read_and_tells_how_far(
    site: Site, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.collections.run_documents.MOVED_SECONDS", 0.2)
    reading = asyncio.Event()
    indexing = site.indexing._index

    async def held(document: Any) -> None:
        await reading.wait()
        await indexing(document)

    monkeypatch.setattr(site.indexing, "_index", held)
    for n in range(3):
        await put(site, notes, f"late-{n}.md", f"Late pumps {n}.")
    run = await site.start(collections=[notes])
    await site.until(run, "clarification")
    planned = (await site.post(f"{run}/answers", {"answers": {}, "rest": None}, wait=30)).json()
    before = len(site.fakes.searches)
    await site.post(f"{run}/decision", {"action": "approve", "plan_hash": planned["plan_hash"]})
    async with asyncio.timeout(60):
        while not (state := (await site.get(f"{run}/state")).json())["collections"][0]["documents"]:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    assert len(site.fakes.searches) == before
    assert [notice["code"] for notice in state["notices"]] == [
        "collection-unread",
        "documents-failed",
    ]
    reading.set()
    events = await site.follow(run, 0)
    assert events[-1].status == "completed"
    assert len(site.fakes.searches) > before
    told = [Notice.model_validate(notice) for e in events if (notice := e.payload.get("notice"))]
    first = Notice.of("collections-reading", "info", done=2, n=5)
    assert next(one for one in told if one.code == first.code) == first
    ended = (await site.get(f"{run}/state")).json()
    assert [notice["code"] for notice in ended["notices"]] == ["documents-failed"]


async def test_a_wait_without_progress_ends_and_says_what_is_not_indexed(
    site: Site, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("activities.collections.run_documents.MAX_WAIT_SECONDS", 0.5)
    monkeypatch.setattr("workflows.phase_context.indexing.LONGEST_STALL", 1.0)
    stuck = asyncio.Event()

    async def held(document: Any) -> None:
        await stuck.wait()

    monkeypatch.setattr(site.indexing, "_index", held)
    await put(site, notes, "late.md", "Late pumps.")
    run = await site.complete(collections=[notes])
    told = en("collection-unread", unread=1, n=3, collection=notes)
    assert told in (await site.get(f"{run}/report", format="md")).text
    stuck.set()


async def test_a_collection_that_is_deleted_meanwhile_is_said_to_be_gone(site: Site) -> None:
    await make(site, "short-lived")
    run = await site.start(collections=["short-lived"])
    await site.until(run, "clarification")
    await site.http.delete(f"{V1}/short-lived")
    planned = (await site.post(f"{run}/answers", {"answers": {}, "rest": None}, wait=30)).json()
    decision = {"action": "approve", "plan_hash": planned["plan_hash"]}
    ended = (await site.post(f"{run}/decision", decision, wait=30)).json()
    assert [notice["code"] for notice in ended["notices"]] == ["collection-gone"]
