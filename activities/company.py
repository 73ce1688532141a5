"""A company's facts: what it filed with EDGAR, computed by code and kept as a source."""

import asyncio
import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from temporalio import activity

from activities.web import never
from contracts.errors import NoFacts
from contracts.evidence.company import CompanyFacts, FactsRequest, Fundamentals
from contracts.evidence.sources import Source
from domain.fundamentals.compute import fundamentals
from domain.fundamentals.telling import title_of, told

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from activities.integrations.edgar import Edgar, Filed
    from contracts.models.call import Scope
    from store.blobs import BlobStore

PUBLISHER = "SEC EDGAR"
_SNIPPET_CHARS = 400


class CompanyActivities:
    """Reads what a company filed; journaled, so that a retry sees what the first call saw."""

    def __init__(self, edgar: "Edgar", blobs: "BlobStore", tool_calls: "ToolCalls") -> None:
        self._edgar = edgar
        self._blobs = blobs
        self._tool_calls = tool_calls

    @activity.defn(name="company.facts")
    async def facts(self, request: FactsRequest) -> CompanyFacts:
        """Return a company's fundamentals, and the source whose text says each of them."""

        async def read() -> CompanyFacts:
            filed = await self._edgar.filed(request.ticker)
            found, newest = await asyncio.to_thread(
                fundamentals, filed.facts, filed.company, request.as_of
            )
            if not found.figures:
                raise NoFacts(_nothing(found))
            source = await self._kept(request.scope, filed, found, newest)
            return CompanyFacts(fundamentals=found, source=source)

        arguments = request.model_dump(mode="json", exclude={"scope"})
        return await self._tool_calls.run(
            request.scope, "company_facts", arguments, read, CompanyFacts, never
        )

    async def _kept(
        self, scope: "Scope", filed: "Filed", found: Fundamentals, newest: str
    ) -> Source:
        text = told(found)
        raw_key = await self._blobs.put(scope.tenant_id, scope.run_id, filed.body)
        text_key = await self._blobs.put(scope.tenant_id, scope.run_id, text.encode())
        return Source(
            url=filed.url,
            title=title_of(found),
            author=found.company.name,
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


def _nothing(found: Fundamentals) -> str:
    company = found.company
    when = f" that were filed by {found.as_of}" if found.as_of else ""
    return f"`ticker`: EDGAR has no figures of {company.name} ({company.ticker}){when}."
