"""Activity that reads a company's facts from EDGAR and stores its computed figures as a source."""

import asyncio
import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.errors import NoFacts
from contracts.evidence.company import CompanyFacts, FactsRequest, Fundamentals
from contracts.evidence.sources import Source
from domain.fundamentals.computation import compute_fundamentals
from domain.fundamentals.text import name_source, render_text

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from activities.integrations.edgar import Edgar, Filed
    from contracts.models.call import Scope
    from store.blobs import BlobStore

PUBLISHER = "SEC EDGAR"
_SNIPPET_CHARS = 400


class CompanyActivities:
    """Reads a company's filings; journaled, so that a retry returns what the first call read."""

    def __init__(self, edgar: "Edgar", blobs: "BlobStore", tool_calls: "ToolCalls") -> None:
        self._edgar = edgar
        self._blobs = blobs
        self._tool_calls = tool_calls

    @activity.defn(name="company.facts")
    async def facts(self, request: FactsRequest) -> CompanyFacts:
        """Return a company's fundamentals, and the source whose text states each of them.

        Raises:
            UnknownTicker, NoFacts, FactsRefused: Not retried.
            FactsFailed: EDGAR did not answer; retried.
        """

        async def read() -> CompanyFacts:
            filed = await self._edgar.filed(request.ticker)
            fundamentals, newest = await asyncio.to_thread(
                compute_fundamentals, filed.facts, filed.company, request.as_of
            )
            if not fundamentals.figures:
                raise NoFacts(_explain_no_facts(fundamentals))
            source = await self._save_source(request.scope, filed, fundamentals, newest)
            return CompanyFacts(fundamentals=fundamentals, source=source)

        return await self._tool_calls.run(
            request.scope, "company_facts", request, read, CompanyFacts
        )

    async def _save_source(
        self, scope: "Scope", filed: "Filed", fundamentals: Fundamentals, newest: str
    ) -> Source:
        text = render_text(fundamentals)
        raw_key = await self._blobs.put(scope.tenant_id, scope.run_id, filed.body)
        text_key = await self._blobs.put(scope.tenant_id, scope.run_id, text.encode())
        return Source(
            url=filed.url,
            title=name_source(fundamentals),
            author=fundamentals.company.name,
            publisher=PUBLISHER,
            published=newest,
            retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
            content_type="application/json",
            snippet=text[:_SNIPPET_CHARS],
            content_hash=hashlib.sha256(filed.body).hexdigest(),
            bytes=len(filed.body),
            text_key=text_key,
            raw_key=raw_key,
            chars=len(text),
        )


def _explain_no_facts(fundamentals: Fundamentals) -> str:
    company = fundamentals.company
    when = f" that were filed by {fundamentals.as_of}" if fundamentals.as_of else ""
    return f"`ticker`: EDGAR has no figures of {company.name} ({company.ticker}){when}."
