"""The verification of an answer's claims against the snapshots they cite, by code alone."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from contracts.agents.tools import UPDATE_REPORT
from contracts.base import Json
from contracts.errors import NotFound
from contracts.evidence.claims import CitablePage
from contracts.models.call import ModelResult
from domain.evidence.claims import find_claims, map_claims
from domain.evidence.quotes import Snapshot
from domain.evidence.verification import Evidence, verify_claim

if TYPE_CHECKING:
    from store.blobs import BlobStore


class ClaimVerifier:
    """Reads the snapshots that are cited and gives each claim its verdict."""

    def __init__(self, blobs: "BlobStore") -> None:
        self._blobs = blobs

    async def verify(self, result: ModelResult, pages: Sequence[CitablePage]) -> ModelResult:
        """Return a result whose typed output and changes of the report are verified.

        Raises StoreUnavailable, which is waited out; a snapshot that is gone carries nothing.
        """
        inputs: Json = {
            block.id: block.input
            for block in result.content
            if block.type == "tool_use" and block.name == UPDATE_REPORT
        }
        said: Json = {"output": result.output, "inputs": inputs}
        cited = {citation.source for claim in find_claims(said) for citation in claim.citations}
        used = [page for page in pages if page.number in cited]
        read = await asyncio.gather(*map(self._read, used))
        sources = {page.number: found for page, found in zip(used, read, strict=True) if found}
        verified: Any = await asyncio.to_thread(
            map_claims, said, lambda claim: verify_claim(claim, sources)
        )
        return result.model_copy(
            update={"output": verified["output"], "verified_inputs": verified["inputs"]}
        )

    async def _read(self, page: CitablePage) -> Evidence | None:
        try:
            text = await self._blobs.get(page.text_key)
        except NotFound:
            return None
        return Evidence(title=page.title, snapshot=Snapshot(text.decode()))
