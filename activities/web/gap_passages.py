"""Activity that finds the passages of pages by which a line on what was not found is judged."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from temporalio import activity

from activities.confined.call_pool import Runner, run_in_thread
from contracts.errors import NotFound
from contracts.evidence.claims import CitablePage
from contracts.report.checks import KnownClaim, PassageRequest, PassagesFound

if TYPE_CHECKING:
    from store.blobs import BlobStore


PageText = tuple[CitablePage, str]
Search = Callable[[Sequence[PageText], Sequence[str], Sequence[KnownClaim]], PassagesFound]


class GapActivities:
    """Searches the snapshots of the pages that were read."""

    def __init__(self, search: Search, blobs: "BlobStore", run: Runner = run_in_thread) -> None:
        self._search = search
        self._blobs = blobs
        self._run = run

    @activity.defn(name="gaps.passages")
    async def find_passages(self, request: PassageRequest) -> PassagesFound:
        """Return the most relevant passages for each line, and which pages were not searched to their end."""
        tenant = request.scope.tenant_id
        read = await asyncio.gather(*(self._read(tenant, page) for page in request.pages))
        both = [*zip(request.pages, read, strict=True)]
        pages = [(page, text) for page, text in both if text]
        found = await self._run(
            self._search,
            *(pages, request.lines, request.claims),
            task="finding passages on what was not found",
            tenant=tenant,
        )
        missing = [page.number for page, text in both if text is None]
        return found.model_copy(update={"unsearched": sorted({*found.unsearched, *missing})})

    async def _read(self, tenant: str, page: CitablePage) -> str | None:
        try:
            return (await self._blobs.get(tenant, page.text_key)).decode()
        except NotFound:
            return None
