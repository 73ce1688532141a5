"""Holding claims against what they cite, by code alone."""

import asyncio
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.evidence.sources import CheckRequest, CheckResult, Claim
from contracts.models.call import Page
from domain.evidence.quotes import Snapshot
from domain.evidence.verdict import Evidence, judged

if TYPE_CHECKING:
    from store.blobs import BlobStore


class CitationActivities:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore") -> None:
        self._blobs = blobs

    @activity.defn(name="citations.check")
    async def check(self, request: CheckRequest) -> CheckResult:
        """Return the claims, in order, with verdicts and the places of their quotes."""
        numbers = request.numbers or range(1, len(request.sources) + 1)
        pages = [
            Page(number=number, title=source.title, text_key=source.text_key)
            for number, source in zip(numbers, request.sources, strict=True)
        ]
        return CheckResult(claims=await self.judge(request.claims, pages))

    async def judge(self, claims: list[Claim], pages: list[Page]) -> list[Claim]:
        """Return claims, in order, held against the pages they cite."""
        cited = {citation.source for claim in claims for citation in claim.citations}
        used = [page for page in pages if page.number in cited]
        read = await asyncio.gather(*map(self._evidence, used))
        sources = {page.number: evidence for page, evidence in zip(used, read, strict=True)}
        return await asyncio.to_thread(_judged, claims, sources)

    async def _evidence(self, page: Page) -> Evidence:
        text = await self._blobs.get(page.text_key)
        return Evidence(title=page.title, snapshot=Snapshot(text.decode()))


def _judged(claims: list[Claim], sources: dict[int, Evidence]) -> list[Claim]:
    return [judged(claim, sources) for claim in claims]
