"""An agent's search over collections and the web: ranking, readable pages, and queries that must not leak."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb
from starlette.responses import JSONResponse

from contracts.collections import CollectionUse
from contracts.errors import FetchRefused, SearchRefused
from store.postgres.pool import Pool
from tests.activities.collections.conftest import ANA, Shelf
from tests.activities.collections.conftest import sandbox as sandbox
from tests.activities.web.test_web import Desk
from tests.activities.web.test_web import desk as desk
from tests.support.databases import fetch_as_owner
from tests.support.refusals import refused

SECRET = (
    "# Board\n\nThe board wants to sell the Lagos plant before the strike. Churn was 11.437 %.\n"
)
OTHER = "# Minutes\n\nNobody has read these minutes of the Kassel committee yet.\n"
APPROVED = ["How has our churn changed, and which plants are sold?"]
OWNER = ANA.model_copy(update={"tenant_id": "default"})


@pytest.fixture
async def shelf(database: str, tmp_path: Path, sandbox: object) -> AsyncIterator[Shelf]:
    async with Pool(database) as pool:
        made = Shelf(pool, tmp_path, sandbox)  # type: ignore[arg-type]
        yield made
        await made.collections.delete(OWNER, "board")


async def give(desk: Desk, shelf: Shelf, *, replaces_web: bool = False) -> CollectionUse:
    """Give the run a collection of two documents."""
    collection = await shelf.collections.make(OWNER, "board")
    await shelf.add(collection, "minutes/june.md", SECRET.encode(), OWNER)
    await shelf.add(collection, "other.md", OTHER.encode(), OWNER)
    await shelf.index("default")
    used = CollectionUse(id=collection, name="board", replaces_web=replaces_web)
    opened = {"files": [], "collections": [used.model_dump(mode="json")]}
    await fetch_as_owner(
        desk.listed._pool,
        "UPDATE runs SET opened = %(opened)s WHERE id = %(run)s",
        {"opened": Jsonb(opened), "run": desk.run_id},
    )
    found = {"web": {"results": [{"url": "https://a.test/x", "title": "A"}]}}
    desk.site.does("/res/v1/web/search", lambda _: JSONResponse(found))
    return used


async def test_documents_of_a_collection_lead_with_their_passages_and_are_read(
    desk: Desk, shelf: Shelf
) -> None:
    used = await give(desk, shelf)
    result = await desk.search("which plant is sold", "agent", APPROVED)
    first = result.hits[0]
    assert (first.url, first.collection) == ("file:///board/minutes/june.md", "board")
    assert "sell the Lagos plant" in first.passages[0].text
    assert result.hits[-1].url == "https://a.test/x"
    read = await desk.fetch(first.url)
    assert (read.title, read.collection, read.own_path) == (
        "Board",
        "board",
        "board/minutes/june.md",
    )
    await shelf.collections.delete(OWNER, "board")
    await shelf.documents.delete_loose_blobs()
    kept = await fetch_as_owner(
        shelf.pool,
        "SELECT count(*) FROM blob_references WHERE holder = %(run)s",
        {"run": desk.run_id},
    )
    assert kept == [2], "the run keeps what it has read"
    rows = await fetch_as_owner(
        shelf.pool, "SELECT count(*) FROM index_rows WHERE scope = %(id)s", {"id": used.id}
    )
    assert rows == [0], "and no search finds it"
    with refused(FetchRefused, "file-gone", name="board/other.md"):
        await desk.fetch("file:///board/other.md")
    await shelf.collections.make(OWNER, "board")


async def test_what_was_found_or_read_of_a_collection_is_carried_out_by_no_query(
    desk: Desk, shelf: Shelf
) -> None:
    await give(desk, shelf)
    await desk.search("churn 11.437 %", "agent", APPROVED)  # nobody has seen it before
    await desk.search("which plant is sold", "agent", APPROVED)
    with refused(SearchRefused, "search-discloses"):
        await desk.search("board wants to sell the Lagos plant", "agent", APPROVED)
    await desk.fetch("file:///board/minutes/june.md")
    with refused(SearchRefused, "search-discloses"):
        await desk.search("before the strike churn of 11.437 %", "agent", APPROVED)
    await desk.search("plants sold in 2024", "agent", APPROVED)


async def test_a_folder_in_place_of_the_web_is_searched_alone(desk: Desk, shelf: Shelf) -> None:
    await give(desk, shelf, replaces_web=True)
    result = await desk.search("board wants to sell the Lagos plant", "agent")
    assert {hit.collection for hit in result.hits} == {"board"}
