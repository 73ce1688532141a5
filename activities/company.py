"""Activity that reads a company's facts from EDGAR and stores its computed figures as a source."""

import asyncio
from typing import TYPE_CHECKING

from temporalio import activity

from activities.filings import PUBLISHER, FilingReader
from activities.parsing.document import Parsed
from activities.web import store_page
from contracts.errors import NoFacts, PriceFailed, UnknownTicker
from contracts.evidence.company import CompanyFacts, FactsRequest, Fundamentals, SharePrice
from domain.filings.parts import render_parts
from domain.filings.passages import render_passages
from domain.fundamentals.computation import compute_fundamentals
from domain.fundamentals.peers import compare_companies, render_peers
from domain.fundamentals.text import name_source, render_text
from domain.fundamentals.valuation import value_shares

if TYPE_CHECKING:
    from activities.calls.tool_calls import ToolCalls
    from activities.integrations.edgar import Edgar, Filed
    from activities.integrations.share_prices import PriceSource
    from activities.parsing.page_parser import PageParser
    from store.blobs import BlobStore


class CompanyActivities:
    """Reads a company's filings; journaled, so that a retry returns what the first call read."""

    def __init__(
        self,
        edgar: "Edgar",
        prices: "PriceSource",
        parser: "PageParser",
        blobs: "BlobStore",
        tool_calls: "ToolCalls",
    ) -> None:
        self._edgar = edgar
        self._reader = FilingReader(edgar, parser, blobs)
        self._prices = prices
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
            fundamentals = await asyncio.to_thread(
                compute_fundamentals, filed.facts, filed.company, request.as_of
            )
            company = fundamentals.company
            if not fundamentals.figures:
                when = f" that were filed by {fundamentals.as_of}" if fundamentals.as_of else ""
                raise NoFacts(
                    f"`ticker`: EDGAR has no figures of {company.name} ({company.ticker}){when}."
                )
            fundamentals = await self._add_valuation(fundamentals, request)
            fundamentals = await self._add_peers(fundamentals, request, filed)
            fundamentals, documents = await self._reader.add_filings(
                fundamentals, filed.filings, request
            )
            text = "\n".join(
                [
                    render_text(fundamentals),
                    *render_parts(fundamentals.parts),
                    *render_passages(fundamentals.passages),
                    *render_peers(fundamentals.peers),
                ]
            )
            source = await store_page(
                *(self._blobs, request.scope, filed.body, Parsed(text, "application/json")),
                url=filed.url,
                title=name_source(fundamentals),
                author=company.name,
                publisher=PUBLISHER,
                published=fundamentals.filed,
            )
            return CompanyFacts(fundamentals=fundamentals, source=source, documents=documents)

        return await self._tool_calls.run(
            request.scope, "company_facts", request, read, CompanyFacts
        )

    async def _add_peers(
        self, found: Fundamentals, request: FactsRequest, own: "Filed"
    ) -> Fundamentals:
        """Return fundamentals beside those of their peers; with a note for each that is not found."""
        filings, notes = [(own.company, own.facts)], list(found.notes)
        for ticker in request.peers:
            try:
                filed = await self._edgar.filed(ticker)
            except (UnknownTicker, NoFacts) as error:
                notes.append(f"Not compared: {error}")
            else:
                filings.append((filed.company, filed.facts))
        if len(filings) < 2:
            return found.model_copy(update={"notes": notes})
        peers = await asyncio.to_thread(compare_companies, filings, request.as_of)
        return found.model_copy(update={"peers": peers, "notes": notes})

    async def _add_valuation(self, found: Fundamentals, request: FactsRequest) -> Fundamentals:
        """Return fundamentals with closes and what the price means; with a note where there is none."""
        closes: list[SharePrice] = []
        notes = found.notes
        try:
            closes = await self._prices.list_closes(found.company.ticker, request.as_of)
        except PriceFailed as error:
            notes = notes if request.price else [*notes, f"{error}."]
        price = request.price or next(reversed(closes), None)
        return found.model_copy(
            update={
                "notes": notes,
                "closes": {close.day: close.value for close in closes},
                "valuation": value_shares(found, price, request.terms) if price else None,
            }
        )
