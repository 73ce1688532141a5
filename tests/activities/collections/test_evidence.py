"""What a collection read of a document is evidence: its figures are quoted, others are refused."""

import pytest

from contracts.evidence.claims import Citation, Claim
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from tests.activities.collections.conftest import ANA, Shelf
from tests.activities.collections.formats import MAKERS

RIGHT = "The pump sells for 41,500 euros in Kenya."
WRONG = "The pump sells for 45,100 euros in Kenya."


@pytest.mark.parametrize(
    "suffix",
    [
        pytest.param(suffix, marks=() if suffix in (".pdf", ".docx", ".xlsx") else pytest.mark.full)
        for suffix in MAKERS
    ],
)
async def test_a_figure_of_every_format_is_quoted_and_another_one_is_refused(
    shelf: Shelf, suffix: str
) -> None:
    collection = await shelf.collections.make(ANA, "evidence")
    await shelf.add(collection, f"prices{suffix}", MAKERS[suffix](RIGHT))
    await shelf.index()
    [found] = await shelf.find(collection, "price of the pump in Kenya")
    source = (await shelf.collections.get_sources("acme", [found.document_id])).popitem()[1]
    text = (await shelf.blobs.get("acme", source.text_key)).decode()
    claims = [
        Claim(text=said, citations=[Citation(source=1, quote=quote)])
        for said, quote in ((RIGHT, RIGHT), (WRONG, RIGHT), (WRONG, WRONG))
    ]
    pages = {1: CitedPage(source.title, Snapshot(text))}
    right, misread, invented = check_claims(claims, pages)
    assert right.outcome != "fails", right.problems
    assert (misread.outcome, invented.outcome) == ("fails", "fails")
    [quoted] = right.claim.citations
    assert text[quoted.start : quoted.end] == RIGHT, "where the page marks it"
    assert quoted.page == (2 if suffix == ".pdf" else None)
    await shelf.collections.delete(ANA, "evidence")
