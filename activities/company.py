"""Activity that reads a company's facts from EDGAR and stores its computed figures as a source."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from temporalio import activity

from activities.filings import PUBLISHER, FilingReader
from activities.parsing.document import Parsed
from activities.web import store_page
from contracts.errors import NoFacts, PriceFailed, UnknownTicker
from contracts.evidence.company import CompanyFacts, FactsRequest, Fundamentals, Peer, SharePrice
from contracts.evidence.sources import Source
from domain.filings.parts import render_parts
from domain.filings.passages import render_passages
from domain.fundamentals.computation import compute_fundamentals
from domain.fundamentals.peers import compare_companies, render_measures
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
            fundamentals = await self._compute(filed, request)
            others, notes = await self._read_others(request)
            every = [(filed, fundamentals), *others]
            peers = await asyncio.to_thread(_compare, every, request.as_of)
            update = {"peers": peers, "notes": [*fundamentals.notes, *notes]}
            fundamentals, documents = await self._reader.add_filings(
                fundamentals.model_copy(update=update), filed.filings, request
            )
            every[0] = (filed, fundamentals)
            sources = [
                await self._state(of, found, documents, render_measures(peers, n), request)
                for n, (of, found) in enumerate(every)
            ]
            return CompanyFacts(
                fundamentals=fundamentals,
                source=sources[0],
                documents=documents,
                others=[
                    CompanyFacts(fundamentals=found, source=source)
                    for (_, found), source in zip(others, sources[1:], strict=True)
                ],
            )

        return await self._tool_calls.run(
            request.scope, "company_facts", request, read, CompanyFacts
        )

    async def _compute(self, filed: "Filed", request: FactsRequest) -> Fundamentals:
        found = await asyncio.to_thread(
            compute_fundamentals, filed.facts, filed.company, request.as_of
        )
        if not found.figures:
            when = f" that were filed by {found.as_of}" if found.as_of else ""
            name = f"{found.company.name} ({found.company.ticker})"
            raise NoFacts(f"`ticker`: EDGAR has no figures of {name}{when}.")
        return await self._add_valuation(found, request)

    async def _read_others(
        self, request: FactsRequest
    ) -> tuple[list[tuple["Filed", Fundamentals]], list[str]]:
        """Return those to compare the company with, and a note for each that is not found."""
        found, notes = [], []
        for ticker in request.peers:
            own = request.model_copy(update={"ticker": ticker, "price": None})
            try:
                filed = await self._edgar.filed(ticker)
                found.append((filed, await self._compute(filed, own)))
            except (UnknownTicker, NoFacts) as error:
                notes.append(f"Not compared: {error}")
        return found, notes

    async def _state(
        self,
        filed: "Filed",
        found: Fundamentals,
        documents: Sequence[Source],
        beside: Iterable[str],
        request: FactsRequest,
    ) -> Source:
        """Return the source that states a company's figures, those it has `beside` others too."""
        text = "\n".join(
            [
                render_text(found),
                *render_parts(found.parts),
                *render_passages(found.passages),
                *beside,
                f"Computed from the facts at {filed.url}",
            ]
        )
        return await store_page(
            *(self._blobs, request.scope, filed.body, Parsed(text, "application/json")),
            url=self._choose_address(filed, found, documents),
            title=name_source(found),
            author=found.company.name,
            publisher=PUBLISHER,
            published=found.filed,
        )

    def _choose_address(
        self, filed: "Filed", found: Fundamentals, documents: Sequence[Source]
    ) -> str:
        """Return where people read the newest of the figures: in their report, else among the facts.

        Where the report is a source of its own it is the list of its documents.
        """
        newest = {a for f in found.figures if f.end == found.newest_end for a in f.accessions}
        listed = [each for each in filed.filings if each.accession in newest and each.document]
        if not listed:
            return filed.url
        report = max(listed, key=lambda filing: filing.filed)
        url = self._edgar.locate(report)
        is_source = any(document.url == url for document in documents)
        return self._edgar.locate_index(report) if is_source else url

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


def _compare(every: Sequence[tuple["Filed", Fundamentals]], as_of: str | None) -> list[Peer]:
    """Return the measures of several companies side by side; none of a single one."""
    if len(every) < 2:
        return []
    told = {
        found.company.ticker: found.model_dump(include={"filed"}) | {"newest_end": found.newest_end}
        for _, found in every
    }
    peers = compare_companies([(filed.company, filed.facts) for filed, _ in every], as_of)
    return [peer.model_copy(update=told[peer.company.ticker]) for peer in peers]
