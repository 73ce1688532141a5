"""The check as an activity: snapshots from the blob store, verdicts in order."""

from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities.citations import CitationActivities
from contracts.errors import NotFound
from contracts.evidence.sources import CheckRequest, Citation, Claim, Source
from contracts.models.call import Scope
from store.blobs import BlobStore

SCOPE = Scope(run_id="run-1", phase_id="synthesis", attempt=1, name="check")


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path.as_uri())


async def kept(blobs: BlobStore, text: str, title: str = "") -> Source:
    key = await blobs.put("default", SCOPE.run_id, text.encode())
    return Source(
        url="https://a.test/",
        title=title,
        retrieved_at="2026-03-01T10:00:00+00:00",
        content_hash="0" * 64,
        text_key=key,
        raw_key=key,
        chars=len(text),
    )


def claim(text: str, source: int, quote: str) -> Claim:
    return Claim(text=text, citations=[Citation(source=source, quote=quote)])


async def check(blobs: BlobStore, claims: list[Claim], sources: list[Source]) -> list[Claim]:
    request = CheckRequest(scope=SCOPE, claims=claims, sources=sources)
    return (await ActivityEnvironment().run(CitationActivities(blobs).check, request)).claims


async def test_each_claim_gets_its_verdict_in_order(blobs: BlobStore) -> None:
    pumps = await kept(blobs, "A pump costs 300 dollars.\nÜber 40 % sind solar.\n")
    land = await kept(blobs, "Farms have 2 ha on average.\n", title="Farms of Kenya")
    checked = await check(
        blobs,
        [
            claim("Kenyan farms have 2 hectares.", 2, "Farms have 2 ha on average."),
            claim("A pump costs $301.", 1, "A pump costs 300 dollars."),
            claim("A pump costs $300.", 1, "A pump costs 300 dollars."),
            claim("40 % sind es.", 1, "Über 40 % sind solar."),
            claim("A pump costs $300.", 3, "A pump costs 300 dollars."),
            Claim(text="Nobody knows."),
        ],
        [pumps, land],
    )
    assert [c.verdict == "supported" for c in checked] == [True, False, True, True, False, False]
    assert [c.citations[0].start for c in checked[:4]] == [0, 0, 0, 26]
    assert [c.reason for c in checked[4:]] == ["source 3 does not exist", "no source is cited"]


async def test_checking_again_changes_nothing(blobs: BlobStore) -> None:
    source = await kept(blobs, "A pump  costs 300\ndollars.\n")
    once = await check(blobs, [claim("It costs $300.", 1, "A pump costs 300 dollars.")], [source])
    assert once[0].verdict == "supported"
    assert await check(blobs, once, [source]) == once


async def test_only_cited_snapshots_are_read(blobs: BlobStore) -> None:
    lost = (await kept(blobs, "lost")).model_copy(update={"text_key": "default/run-1/" + "0" * 64})
    source = await kept(blobs, "A pump costs 300 dollars.")
    checked = await check(
        blobs, [claim("It works.", 2, "A pump costs 300 dollars.")], [lost, source]
    )
    assert checked[0].verdict == "supported"
    with pytest.raises(NotFound):
        await check(blobs, [claim("It works.", 1, "A pump costs 300 dollars.")], [lost])


async def test_no_claims_is_no_trouble(blobs: BlobStore) -> None:
    assert await check(blobs, [], []) == []
