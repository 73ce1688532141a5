"""Activity that reads a company's facts from EDGAR and stores its computed figures as a source."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from temporalio import activity

from activities.company.exhibits import store_exhibit
from activities.company.filings import PUBLISHER, FilingReader
from activities.company.presentation import ODD, CompanyPages, ReadCompany, present
from activities.confined.call_pool import Runner, run_in_thread
from activities.parsing.document import Parsed
from activities.temporal_failures import settles
from activities.web.web_activities import store_page
from contracts.agents.calculations_and_charts import Artifact
from contracts.company.figures import CompanyFacts, FactsRequest, Fundamentals
from contracts.company.news import Repeats, RepeatsRequest
from contracts.company.valuation import Closes, PastPrice, PastPrices
from contracts.documents import UnreadPart
from contracts.errors import ErrorInfo, GreenlightError, NoFacts, PriceFailed
from contracts.evidence.sources import Source
from contracts.notices import Notice
from contracts.runs.lost_inputs import LostInput
from domain.company.figures.computation import compute_fundamentals
from domain.company.figures.dates import name_company
from domain.company.figures.tables.page_lines import name_facts, name_source
from domain.company.figures.translation import find_translated
from domain.company.figures.unread_results import find_unread
from domain.company.figures.valuation.unused_price import explain_no_value
from domain.company.figures.valuation.valuation import value_shares
from domain.company.filings.cover import (
    add_count,
    explain_classes,
    find_ads_ratio,
    find_count,
    is_ads_ticker,
    lists_ads,
)
from domain.company.news import find_repeats

if TYPE_CHECKING:
    from activities.calculations_and_charts import Draw
    from activities.calls.tool_calls import ToolCalls
    from activities.company.edgar import Edgar, Filed
    from activities.company.share_prices import PriceSource
    from activities.parsing.page_parser import PageParser
    from store.blobs import BlobStore


class CompanyActivities:
    """Reads a company's filings; journaled, so that a retry returns what the first call read."""

    def __init__(  # noqa: PLR0913 - each a client or a store of its own
        self,
        edgar: "Edgar",
        prices: "PriceSource",
        parser: "PageParser",
        blobs: "BlobStore",
        tool_calls: "ToolCalls",
        draw: "Draw",
        run: Runner = run_in_thread,
    ) -> None:
        self._edgar = edgar
        self._reader = FilingReader(edgar, parser, blobs)
        self._prices = prices
        self._blobs = blobs
        self._tool_calls = tool_calls
        self._run = run
        self._draw = draw

    @activity.defn(name="company.facts")
    async def facts(self, request: FactsRequest) -> CompanyFacts:
        """Return a company's fundamentals, the sources that state them, and their charts and tables.

        Peers are read concurrently. One that cannot be read is omitted with a note; if that is the first
        company, the next one takes its place. So is one whose pages or exhibits cannot be made.

        Raises:
            UnknownTicker, NoFacts, FactsRefused: Not retried.
            FactsFailed: EDGAR did not answer; retried.
        """

        async def read() -> CompanyFacts:
            outcomes = await asyncio.gather(*map(self._read, request.each))
            failures = [each for each in outcomes if isinstance(each, GreenlightError)]
            for error in failures:
                if not settles(error):
                    raise error
            every, twice = _merge_tickers(
                [each for each in outcomes if isinstance(each, ReadCompany)]
            )
            if not every:
                raise failures[0]
            left = [("", notice) for notice in twice]
            for one, outcome in zip(request.each, outcomes, strict=True):
                if isinstance(outcome, GreenlightError):
                    is_named = outcome.notice.params.keys() & {"ticker", "company"}
                    left.append(("" if is_named else one.ticker, outcome.notice))
            uncompared = [
                Notice.of("company-not-compared", company=company or None, why=why)
                for company, why in left
            ]
            shown = await asyncio.to_thread(present, every, request, uncompared)
            first, *rest = [
                CompanyFacts(
                    fundamentals=await self._store_facts(each, request),
                    source=await self._store_figures(each, request),
                    documents=each.company.documents,
                    lost=each.company.lost,
                )
                for each in shown.pages
            ]
            terms = self._draw, self._run, self._blobs, request.scope
            made = await asyncio.gather(*(store_exhibit(each, *terms) for each in shown.exhibits))
            unmade = [each for each in made if isinstance(each, LostInput)]
            artifacts = {each.id: each for each in made if isinstance(each, Artifact)}
            unread = [  # an unknown company is a note instead
                _lose(one.ticker, "figures", error)
                for one, error in zip(request.each, outcomes, strict=True)
                if isinstance(error, GreenlightError) and error.passing
            ]
            lost = [*first.lost, *unread, *unmade]
            added = {"others": rest, "lost": lost, "artifacts": [*artifacts.values()]}
            return first.model_copy(update=added)

        return await self._tool_calls.run(
            request.scope, "company_facts", request, read, CompanyFacts
        )

    @activity.defn(name="company.repeats")
    async def repeats(self, request: RepeatsRequest) -> Repeats:
        """Return which articles repeat filings, by their whole texts.

        Raises:
            StoreUnavailable: Waited out.
        """
        tenant, count = request.scope.tenant_id, len(request.articles)
        keys = [*request.articles, *request.filings]
        bodies = await asyncio.gather(*(self._blobs.get(tenant, key) for key in keys))
        texts = [body.decode() for body in bodies]
        given, task = (texts[:count], texts[count:]), "comparing articles with filings"
        return Repeats(repeated=await self._run(find_repeats, *given, task=task, tenant=tenant))

    @activity.defn(name="company.past_prices")
    async def past_prices(self, request: FactsRequest) -> PastPrices:
        """Return the last close of each company's share up to the day of `as_of`, or why none is known."""

        async def find(one: FactsRequest) -> PastPrice:
            why = Notice.of("price-unset")
            closes = Closes()
            try:
                closes = await self._prices.list_closes(one.ticker, one.as_of)
            except PriceFailed as error:
                why = ErrorInfo.of(error).words
            reason, left = None if closes.last else why, closes.unreadable
            return PastPrice(ticker=one.ticker, price=closes.last, why=reason, unreadable=left)

        async def read() -> PastPrices:
            return PastPrices(prices=await asyncio.gather(*map(find, request.each)))

        return await self._tool_calls.run(request.scope, "past_prices", request, read, PastPrices)

    async def _read(self, request: FactsRequest) -> ReadCompany | GreenlightError:
        """Return EDGAR's data on one company, or the error, so that others are read nevertheless.

        The company keeps the ticker that was asked for, because its news may be read before EDGAR's name
        for it is known.
        """
        try:
            filed = await self._edgar.filed(request.ticker, request.as_of)
            company = filed.company.model_copy(update={"ticker": request.ticker})
            found = await asyncio.to_thread(
                compute_fundamentals, filed.facts, company, request.as_of, request.today
            )
            if not found.figures:
                named = {"company": name_company(found), "day": found.as_of or None}
                raise NoFacts(Notice.of("edgar-no-figures", **named))
            said, documents, unread, covers = await self._reader.read(
                company.name, filed, found, request
            )
            if count := find_count(found, covers):
                filed = replace(filed, facts=add_count(filed.facts, count))
                found = await asyncio.to_thread(
                    compute_fundamentals, filed.facts, company, request.as_of, request.today
                )
            classes = explain_classes(count) if count else None
            said["notes"] = [*found.notes, *([classes] if classes else []), *said["notes"]]
            named_ads = request.is_ads or is_ads_ticker(request.ticker)
            may_be_ads = found.is_foreign or named_ads
            pages = [cover for _, cover in covers]
            ratio = find_ads_ratio(pages) if may_be_ads else None
            is_ads = named_ads or (found.is_foreign and lists_ads(pages))
            priced = {"ads_ratio": ratio, "is_ads": is_ads}
            found = found.model_copy(update={**said, **priced})
            found, lost = await self._value(found, request, filed)
            return ReadCompany(filed, found, documents, [*unread, *lost])
        except GreenlightError as error:
            return error
        except ODD as error:  # foreign files of one company never take the others with it
            activity.logger.exception("cannot read the filings of %s", request.ticker)
            named = {"ticker": request.ticker, "error": type(error).__name__}
            return NoFacts(Notice.of("edgar-unreadable", **named))

    async def _store_figures(self, pages: CompanyPages, request: FactsRequest) -> Source:
        """Return the source that states a company's figures, including its comparison with peers.

        The index of its rows is stored with its text.
        """
        one, found, name = pages.company, pages.company.found, pages.company.found.company.name
        unread = find_unread(found, request.as_of or request.today)
        parts = [UnreadPart(code="results", count=unread.periods)] if unread else []
        parsed = Parsed(pages.text, "application/json", unread=tuple(parts))
        index = pages.rows.model_dump_json(exclude_defaults=True).encode()
        return await store_page(
            *(self._blobs, request.scope, one.filed.body, parsed),
            rows_key=await self._blobs.put(request.scope.tenant_id, request.scope.run_id, index),
            url=self._choose_address(one),
            title=name_source(found),
            author=name,
            publisher=PUBLISHER,
            published=found.filed,
        )

    async def _store_facts(self, pages: CompanyPages, request: FactsRequest) -> Fundamentals:
        """Return a company's fundamentals with the page of all facts of its newest filings."""
        one, text = pages.company, pages.facts
        page = await store_page(
            *(self._blobs, request.scope, text.encode(), Parsed(text, "text/plain")),
            url=f"{one.filed.url}#facts",
            title=name_facts(one.found),
            author=one.found.company.name,
            publisher=PUBLISHER,
            published=one.found.filed,
        )
        return one.found.model_copy(
            update={"filed_facts": page, "filed_notions": dict(pages.notions)}
        )

    def _choose_address(self, one: ReadCompany) -> str:
        """Return the URL where people can read the latest figures: the report, else the facts.

        If the report is a source itself, return the index of its documents.
        """
        filed, found = one.filed, one.found
        newest = {a for f in found.figures if f.end == found.newest_end for a in f.accessions}
        listed = [each for each in filed.filings if each.accession in newest and each.document]
        if not listed:
            return filed.url
        report = max(listed, key=lambda filing: filing.filed)
        url = self._edgar.locate(report)
        is_source = any(document.url == url for document in one.documents)
        return self._edgar.locate_index(report) if is_source else url

    async def _value(
        self, found: Fundamentals, request: FactsRequest, filed: "Filed"
    ) -> tuple[Fundamentals, list[LostInput]]:
        """Add closes and a valuation to a company, or a note on why there is none.

        An unreachable price source is a lost input; an unknown price is not.
        """
        closes, lost, listed_as = Closes(), list[LostInput](), filed.company.ticker
        notes, given = [*found.notes], next(iter(request.prices), None)
        try:
            closes = await self._prices.list_closes(listed_as, request.as_of)
        except PriceFailed as error:
            notes += [] if given else [ErrorInfo.of(error).words]
            lost = [_lose(listed_as, "price", error)] if error.passing else []
        if closes.unreadable:
            notes.append(Notice.of("price-rows-unread", ticker=listed_as, n=closes.unreadable))
        price = given or closes.last
        ratio = next(iter(request.ads_ratios), None) or found.ads_ratio
        price = price.divide(ratio) if price and ratio else price
        if price:
            named = filed.facts, found, price.currency, request.today
            translated = await asyncio.to_thread(find_translated, *named)
            found = found.model_copy(update={"translated": translated})
        valuation = value_shares(found, price, request.terms) if price else None
        unvalued = explain_no_value(found, price) if price else None
        added = {
            "valuation": valuation,
            "closes": {close.day: close.value for close in closes.prices},
            "unused_price": price if unvalued else None,
            "head_notes": [unvalued] if unvalued else [],
            "notes": notes,
        }
        return found.model_copy(update=added), lost


def _lose(name: str, kind: Literal["price", "figures"], error: GreenlightError) -> LostInput:
    return LostInput(
        kind=kind, name=name, causes=[error.loss_cause], told=ErrorInfo.of(error).words
    )


def _merge_tickers(read: Sequence[ReadCompany]) -> tuple[list[ReadCompany], list[Notice]]:
    """Return each company once, with a notice for each further ticker, since share classes file together.

    The company lists its other tickers, so that articles found under them count for it.
    """
    apart: dict[int, ReadCompany] = {}
    twice = list[Notice]()
    for one in read:
        company = one.found.company
        first = apart.setdefault(company.cik, one)
        if first is not one:
            named = first.found.company
            told = {"ticker": company.ticker, "company": named.name, "other": named.ticker}
            twice.append(Notice.of("company-twice", **told))
            also = named.model_copy(update={"also": (*named.also, company.ticker)})
            found = first.found.model_copy(update={"company": also})
            apart[company.cik] = replace(first, found=found)
    return [*apart.values()], twice
