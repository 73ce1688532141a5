"""Search in collections: ranked by the counts of the index, with passages of the best rows."""

import pytest

from activities.collections.search import OwnDocumentSearch
from contracts.collections import RankedRows
from store.collections.index import IndexRepository
from tests.activities.collections.conftest import ANA, Shelf
from tests.support.databases import fetch_as_owner

REPORTS = {
    "heron.md": "# Heron pumps\n\nCopper is dear. Copper is scarce. Copper is needed.",
    "egret.md": "# Egret pumps\n\nCopper is cheap, and the lake is near.",
    "osprey.md": "# Osprey pumps\n\nThey float.",
}


@pytest.fixture
async def collection(shelf: Shelf) -> str:
    made = await shelf.collections.make(ANA, "reports")
    for name, text in REPORTS.items():
        await shelf.add(made, name, text.encode())
    await shelf.index()
    return made


async def list_names(shelf: Shelf, collection: str, query: str) -> list[str]:
    found = [document.document_id for document in await shelf.find(collection, query)]
    sources = await shelf.collections.get_sources(ANA.tenant_id, found)
    return [sources[each].file_name.removeprefix("reports/") for each in found]


async def test_rows_are_ranked_by_terms_that_were_counted_when_indexed(
    shelf: Shelf, collection: str
) -> None:
    assert await list_names(shelf, collection, "copper") == ["heron.md", "egret.md"]
    await fetch_as_owner(shelf.pool, "UPDATE index_rows SET text = 'No term is counted here.'")
    assert await list_names(shelf, collection, "copper") == ["heron.md", "egret.md"]


async def test_candidates_carry_the_counts_of_the_query_alone(
    shelf: Shelf, collection: str
) -> None:
    found = await shelf.search.find(ANA.tenant_id, [collection], "copper of herons")
    assert sorted(sorted(row.text_terms.items()) for row in found.candidates) == [
        [("copper", 1)],
        [("copper", 3), ("heron", 1)],
    ]


async def test_a_row_deleted_during_a_search_is_left_out(shelf: Shelf, collection: str) -> None:
    [document, *_] = [each.document_id for each in await shelf.find(collection, "copper")]
    index = IndexRepository(shelf.pool)
    asked = [RankedRows(document_id=document, positions=[1, 2])]
    assert [row.position for row in await index.read(ANA.tenant_id, asked)] == [1]
    assert await index.read("another tenant", asked) == []


async def test_rows_of_an_indexed_document_wait_for_no_sorting(
    shelf: Shelf, collection: str
) -> None:
    assert await list_names(shelf, collection, "copper") == ["heron.md", "egret.md"]
    assert await fetch_as_owner(
        shelf.pool, "SELECT gin_clean_pending_list('index_rows_words')"
    ) == [0]


async def test_search_of_nothing_starts_no_process(shelf: Shelf) -> None:
    search = OwnDocumentSearch(IndexRepository(shelf.pool), run=None)  # type: ignore[arg-type]
    assert await search.search(ANA.tenant_id, [], "copper", 5) == []
