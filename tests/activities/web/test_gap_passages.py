"""Passages for checking gaps: from the tenant's own snapshots, in a sandboxed process."""

from pathlib import Path

from temporalio.testing import ActivityEnvironment

from activities.confined.call_pool import EVIDENCE, CallPool
from activities.web.gap_passages import GapActivities
from contracts.evidence.claims import CitablePage
from contracts.models.call import Scope
from contracts.report.checks import KnownClaim, PassageRequest
from domain.evidence.pages.passage_search import search_pages
from store.blobs import BlobStore


async def test_passages_are_found_in_the_snapshots_that_are_left(tmp_path: Path) -> None:
    blobs, pool = BlobStore(tmp_path.as_uri()), CallPool(*EVIDENCE)
    key = await blobs.put("ann", "run-1", b"# Pumps\n\nIn Kenya a pump costs 300 dollars.\n")
    foreign = await blobs.put("bob", "run-2", b"In Kenya a pump costs 900 dollars.")
    keys = (key, foreign, f"ann/run-1/{'0' * 64}")
    pages = [CitablePage(number=n, title="P", text_key=k) for n, k in enumerate(keys, start=1)]
    request = PassageRequest(
        scope=Scope(tenant_id="ann", run_id="run-1", phase_id="p", attempt=1, name="n"),
        lines=[["No source says what a pump costs in Kenya."]],
        claims=[KnownClaim(text="It is dear.", places=[(1, 0, 5)])],
        pages=pages,
    )
    activities = GapActivities(search_pages, blobs, pool.run)
    try:
        found = await ActivityEnvironment().run(activities.find_passages, request)
    finally:
        await pool.close()
    assert [(p.source, p.text) for p in found.passages] == [
        (1, "# Pumps"),
        (1, "In Kenya a pump costs 300 dollars."),
    ]
    assert found.passages[1].above == "Pumps"
    assert found.by_line == [[1]], "a heading tells nothing of itself"
    assert found.unsearched == [2, 3]
