"""Holding claims against what they cite, by code alone."""

import asyncio
from typing import TYPE_CHECKING

from temporalio import activity

from activities.evidence.quotes import Snapshot
from activities.evidence.verdict import Evidence, judged
from contracts.web import CheckRequest, CheckResult, Claim, Source

if TYPE_CHECKING:
    from store.blobs import BlobStore


class CitationActivities:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore") -> None:
        self._blobs = blobs

    @activity.defn(name="citations.check")
    async def check(self, request: CheckRequest) -> CheckResult:
        """Return the claims, in order, with verdicts and the places of their quotes."""
        cited = {citation.source for claim in request.claims for citation in claim.citations}
        numbers = request.numbers or range(1, len(request.sources) + 1)
        used = [n for n in zip(numbers, request.sources, strict=True) if n[0] in cited]
        read = await asyncio.gather(*(self._evidence(source) for _, source in used))
        sources = {number: evidence for (number, _), evidence in zip(used, read, strict=True)}
        return await asyncio.to_thread(_check, request.claims, sources)

    async def _evidence(self, source: Source) -> Evidence:
        text = await self._blobs.get(source.text_key)
        return Evidence(title=source.title, snapshot=Snapshot(text.decode()))


def _check(claims: list[Claim], sources: dict[int, Evidence]) -> CheckResult:
    return CheckResult(claims=[judged(claim, sources) for claim in claims])
