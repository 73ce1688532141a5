"""Collects listed companies' filings and news by code, without an agent's choices."""

import asyncio
import re
from collections.abc import Awaitable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.calculations_and_charts import WorkbenchActivities
from activities.company.company_figures import CompanyActivities
from activities.web.web_activities import WebActivities
from contracts.agents.calculations_and_charts import Artifact, WorkbenchRequest
from contracts.agents.tool_definitions import ChartArgs
from contracts.base import Contract
from contracts.company.figures import CompanyFacts, FactsRequest, Fundamentals
from contracts.company.filings import Passage
from contracts.company.inputs import CIK, CompanyInputs
from contracts.company.news import Article, RepeatsRequest
from contracts.company.valuation import PastPrice, PastPrices, SharePrice
from contracts.company.valuation_terms import ValuationTerms
from contracts.errors import InputLost
from contracts.evidence.sources import FetchRequest, SearchHit, SearchRequest, Source
from contracts.notices import Notice
from contracts.report.additions import LookupHint, ReportAdditions
from contracts.report.report import Search, Section
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.words import Language, say
from domain.company.company_names import names_company
from domain.company.exhibits import Exhibit
from domain.company.figures.dates import (
    call_company,
    describe_basis,
    list_remarks,
    name_company,
    warn_of_age,
)
from domain.company.figures.filed.notions import NOTIONS, list_touched
from domain.company.figures.notes.newest_quarter import list_beside
from domain.company.figures.numbers import round_up
from domain.company.figures.tables.changes import list_bases
from domain.company.figures.unread_results import find_unread
from domain.company.figures.valuation.absent_multiples import explain_untabled
from domain.company.filings.cover import names_ads
from domain.company.filings.passages import build_sections
from domain.company.news import name_few, select_articles
from domain.lost_inputs import count_causes, explain_loss
from domain.sources.source_registry import number_source
from workflows.phase_context.context import PhaseContext
from workflows.runtime.failures import describe_cause, describe_failure

T = TypeVar("T")
ISO_DAY = r"\d{4}-\d{2}-\d{2}"
LOST = (ActivityError, InputLost)
"""Failures that do not affect the rest of the work."""
LATE = LossCause(reason="late", passing=True)
"""The cause for pages that took too long."""
NOT_OF_OTHERS: dict[str, list[Any]] = {"figures": [], "translated": [], "parts": [], "past": []}
"""Fields of `Fundamentals` that are emptied for all companies but the first, because their sources contain them."""
MOST_ARTICLES = 20
"""Maximum number of articles on all companies together, as the start's consent says."""
PAGE_WAIT_SECONDS = 20
"""How long to wait for the next page before going on without the pages still missing."""


def reads_later(figures: Fundamentals, day: str) -> bool:
    """Return whether filings of after a day are among those that figures are of; of what is no ISO day it is taken to be so."""
    return not re.fullmatch(ISO_DAY, day) or any(each.filed > day for each in figures.every)


async def collect_fundamentals(run: PhaseContext) -> Fundamentals:
    """Return the company's figures; its charts and tables, and its peers', join the run's artifacts.

    Raises the activity's failure: unknown ticker, no figures, EDGAR unreachable.
    """
    company, today, as_of = run.inputs(CompanyInputs), run.today, run.as_of
    given = {"currency": company.price_currency, "day": as_of or today, "origin": "given"}
    prices = [SharePrice.model_validate(given | {"value": v}) if v else None for v in company.price]
    request = FactsRequest(
        scope=run.calls.scope("facts"),
        ticker=company.ticker,
        as_of=as_of,
        today=today,
        language=run.language,
        peers=company.peers,
        prices=prices,
        ads_ratios=company.ads_ratio,
        is_ads=names_ads(run.state.request.query),
        notions=list_touched(run.state.request.query),
        terms=run.inputs(ValuationTerms),
    )
    facts = await run.calls.execute_activity(
        "facts", CompanyActivities.facts, request, summary=f"filings: {company.ticker}"
    )
    first, *others = [_number_sources(each, run.state.sources) for each in (facts, *facts.others)]
    beside = [each.model_copy(update=NOT_OF_OTHERS) for each in others]
    fundamentals = first.model_copy(update={"others": beside})
    notes = [
        Notice.of("because", what=each.company.ticker, why=note)
        for each in others
        for note in each.every_note
    ]
    for note in (*warn_of_age(fundamentals, today), *first.every_note, *notes):
        run.log.note(note)
    for one in (facts, *facts.others):
        subject = one.fundamentals.company.ticker if facts.others else ""
        whose = {"value": "fundamentals", "subject": subject}
        for lost in one.lost:
            run.losses.record(lost if lost.kind == "exhibit" else lost.model_copy(update=whose))
    known = {artifact.id for artifact in run.state.artifacts}
    run.state.artifacts += [each for each in facts.artifacts if each.id not in known]
    return fundamentals


async def find_past_prices(run: PhaseContext, figures: Fundamentals, day: str) -> list[PastPrice]:
    """Return what the companies' shares cost on a day, each with its day or the reason why it is not known."""
    first, *others = [each.company.ticker for each in figures.every]
    why = Notice.of("past-day-unclear")
    if not re.fullmatch(ISO_DAY, day):
        return [PastPrice(ticker=ticker, why=why) for ticker in (first, *others)]
    request = FactsRequest(
        scope=run.calls.scope("past-prices"), ticker=first, as_of=day, peers=others
    )
    found = await catch_failure(
        run.calls.execute_activity(
            "past-prices", CompanyActivities.past_prices, request, summary=f"prices: {day}"
        )
    )
    if isinstance(found, PastPrices):
        return found.prices
    failed = describe_failure(found).words
    return [PastPrice(ticker=ticker, why=failed) for ticker in (first, *others)]


def _number_sources(facts: CompanyFacts, sources: list[Source]) -> Fundamentals:
    """Return fundamentals that name their source and their passages' documents as the run numbers them."""
    number = number_source(facts.source, sources)
    documents = [number_source(document, sources) for document in facts.documents]
    passages = [
        passage.model_copy(update={"source": documents[passage.source - 1]})
        for passage in facts.fundamentals.passages
    ]
    return facts.fundamentals.model_copy(update={"source": number, "passages": passages})


def begin_name(run: PhaseContext, ticker: str) -> str:
    """Return the prefix of a company's call names; empty for the first company, or none."""
    is_beside = ticker and ticker != run.inputs(CompanyInputs).ticker
    return f"{ticker}-" if is_beside else ""


def count_companies(inputs: Contract) -> int:
    """Return how many companies a start's `inputs` set side by side; 1 without any."""
    return 1 + len(inputs.peers) if isinstance(inputs, CompanyInputs) else 1


def build_additions(figures: Fundamentals, today: str, language: Language) -> ReportAdditions:
    """Return what a company's figures, and its peers', add to a report."""
    return ReportAdditions(
        subjects=[call_company(each) for each in figures.every],
        known=[
            f"{round_up(f.value, 4)} {f.unit} {f.end}"
            for f in (*figures.figures, *figures.translated)
        ],
        notes=[*describe_basis(figures, today)],
        unread={
            call_company(each): unread
            for each in figures.every
            if (unread := find_unread(each, figures.as_of or today))
        },
        price_tables={
            call_company(each): each.valuation.implied
            for each in figures.every
            if each.valuation and each.valuation.implied
        },
        untabled={
            call_company(each): explain_untabled(each)
            for each in figures.every
            if not (each.valuation and each.valuation.implied)
        },
        lookups=[each.filed_facts for each in figures.every if each.filed_facts],
        hints=_list_hints(figures),
        beside=[pair for each in figures.every for pair in (*list_beside(each), *list_bases(each))],
        sections=[
            section
            for each in figures.every
            for section in (
                *build_sections(each.passages, each.company.name, language),
                *_explain_figures(each, language, is_compared=bool(figures.others)),
            )
        ],
    )


def _list_hints(figures: Fundamentals) -> list[LookupHint]:
    """Return in which tags each thing that a line may call not found is filed, by the words of such a line."""
    spelled: dict[str, list[str]] = {}
    for each in figures.every:
        for name, tags in each.filed_notions.items():
            spelled.setdefault(name, []).extend(tags)
    return [
        LookupHint(asked=NOTIONS[name].asked, phrases=[*dict.fromkeys(tags)])
        for name, tags in spelled.items()
        if name in NOTIONS
    ]


def _explain_figures(
    found: Fundamentals, language: Language, *, is_compared: bool
) -> list[Section]:
    """Return how a company's figures are read, and why some are missing, as a section of a report."""
    remarks = [notice.say(language) for notice in list_remarks(found, is_compared=is_compared)]
    heading = say(language, "figures-explained", company=name_company(found))
    return [Section(heading=heading, remarks=remarks, is_note=True)] if remarks else []


def list_companies(run: PhaseContext, figures: Fundamentals | None) -> dict[str, str]:
    """Return the names of the companies that the run looks at, by ticker; empty where one is not known."""
    given = run.inputs(CompanyInputs)
    known = {each.company.ticker: each.company.name for each in figures.every} if figures else {}
    listed = {ticker: known.get(ticker, "") for ticker in known or (given.ticker, *given.peers)}
    first = next(iter(listed))
    is_named = given.company_name and first not in given.peers
    return listed | ({first: given.company_name} if is_named else {})


def list_nameless(companies: Mapping[str, str]) -> list[str]:
    """Return the companies known only by their CIK, for which no news search is possible."""
    return [t for t, name in companies.items() if not name and re.fullmatch(CIK, t)]


def group_articles(
    run: PhaseContext,
    articles: Iterable[Article],
    companies: Collection[str],
    figures: Fundamentals | None,
) -> dict[str, list[Article]]:
    """Group articles by company, without duplicates; articles about other companies are noted."""
    every = [each.company for each in figures.every] if figures else []
    known = {also: company.ticker for company in every for also in company.also}
    grouped: dict[str, dict[int, Article]] = {ticker: {} for ticker in companies}
    others: list[Article] = []
    for article in articles:
        ticker = known.get(article.ticker, article.ticker) or next(iter(companies))
        if ticker in grouped:
            grouped[ticker].setdefault(article.source, article)
        else:
            others.append(article)
    if others:
        told = [*dict.fromkeys(article.ticker for article in others)]
        run.log.note(Notice.of("news-unscored", n=len(others), companies=told))
    return {ticker: [*found.values()] for ticker, found in grouped.items()}


async def find_repeated(
    run: PhaseContext, ticker: str, articles: list[Article], passages: list[Passage]
) -> list[Article]:
    """Return a company's articles that repeat the filings with these passages."""
    filings = [run.page(number).text_key for number in sorted({p.source for p in passages})]
    if not filings:
        return []
    name = f"{begin_name(run, ticker)}repeats"
    texts = [run.page(article.source).text_key for article in articles]
    request = RepeatsRequest(scope=run.calls.scope(name), articles=texts, filings=filings)
    found = await run.calls.execute_activity(name, CompanyActivities.repeats, request)
    return [a for a, is_repeated in zip(articles, found.repeated, strict=True) if is_repeated]


async def add_exhibits(run: PhaseContext, exhibits: Mapping[str, Exhibit]) -> None:
    """Make charts and tables, by the names of their calls, and add them to the run's artifacts.

    One that cannot be made is a lost input; the others are kept.
    """
    making = (catch_failure(_make(run, *exhibit)) for exhibit in exhibits.items())
    outcomes = await asyncio.gather(*making)
    known = {artifact.id for artifact in run.state.artifacts}
    for args, made in zip(exhibits.values(), outcomes, strict=True):
        if isinstance(made, LOST):
            failure = describe_failure(made).words
            run.log.tell(Notice.of("because", "info", what=args.title, why=failure))
            lost = LostInput(kind="exhibit", name=args.title, causes=[describe_cause(made)])
            run.losses.record(lost)
        elif made.id not in known:
            run.state.artifacts.append(made)


async def _make(run: PhaseContext, name: str, args: Exhibit) -> Artifact:
    request: Any = WorkbenchRequest(scope=run.calls.scope(name), args=args)
    is_chart = isinstance(args, ChartArgs)
    make = WorkbenchActivities.chart if is_chart else WorkbenchActivities.table
    return await run.calls.execute_activity(name, make, request, summary=args.title)


async def collect_news(
    run: PhaseContext, limit: int, figures: Fundamentals | None = None
) -> list[Article]:
    """Return each company's articles that could be read, newest first, without duplicate stories.

    `figures` contains the companies' names. A failed search or page is a lost input. The phase's progress
    lists every search, even if all its articles were lost.

    Raises:
        ActivityError, InputLost: Every company failed; this is the first one's failure.
    """
    given = run.inputs(CompanyInputs)
    limit = limit if given.news_limit is None else given.news_limit
    if not limit:
        return []
    companies = list_companies(run, figures)
    for ticker in list_nameless(companies):
        run.log.note(Notice.of("news-nameless", company=ticker))
        del companies[ticker]
    if not companies:
        return []
    limit = min(limit, max(MOST_ARTICLES // len(companies), 1))
    found = await asyncio.gather(
        *(catch_failure(_collect_news_on(run, *each, limit)) for each in companies.items())
    )
    failures = [each for each in found if isinstance(each, LOST)]
    if len(failures) == len(found):
        raise failures[0]
    for ticker, failure in zip(companies, found, strict=True):
        if isinstance(failure, LOST):
            record_failure(run, "news", failure, ticker)
    return [article for each in found if not isinstance(each, LOST) for article in each]


def record_failure(
    run: PhaseContext, name: str, failure: ActivityError | InputLost, subject: str = ""
) -> None:
    """Record that a value of the phase's output, or of one company's, was lost."""
    if isinstance(failure, InputLost):
        run.losses.record(failure.lost)
    else:
        why = describe_failure(failure).words
        why = Notice.of("news-unsearched", why=why) if name == "news" else why
        run.losses.record_value(name, describe_cause(failure), why, value=name, subject=subject)


def find_lost_articles(run: PhaseContext, ticker: str) -> LostInput | None:
    """Return the loss of all news about a company, which must not be read as "no news"; else None."""
    losses = (lost for lost in run.me.lost_inputs if lost.subject in ("", ticker) and lost.is_whole)
    return next((n for n in losses if n.kind == "articles" or n.name.endswith(".news")), None)


async def wait_for_all(*work: Awaitable[T]) -> list[T]:
    """Await all work, then return the results or raise the first failure.

    Work that went on after the phase failed would be paid for and lost.
    """
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    if failures := [each for each in outcomes if isinstance(each, BaseException)]:
        raise failures[0]
    return [each for each in outcomes if not isinstance(each, BaseException)]


async def catch_failure(work: Awaitable[T]) -> T | ActivityError | InputLost:
    """Return the result of some work, or its failure, so that concurrent work is kept."""
    try:
        return await work
    except LOST as error:
        return error


async def _collect_news_on(run: PhaseContext, ticker: str, name: str, limit: int) -> list[Article]:
    prefix = begin_name(run, ticker)
    query = name if name and re.fullmatch(CIK, ticker) else f"{name} {ticker}".strip()
    scope = run.calls.scope(f"{prefix}news")
    request = SearchRequest(
        scope=scope,
        query=query,
        kind="news",
        max_results=limit,
        services=run.calls.choose_services(),
    )
    hits = await _search(run, f"{prefix}news", request)
    relevant = [hit for hit in hits if names_company(f"{hit.title} {hit.snippet}", name, ticker)]
    if len(relevant) < len(hits):
        left = len(hits) - len(relevant)
        run.log.note(Notice.of("news-unnamed", n=left, company=name or ticker))
    subject = ticker if len(list_companies(run, None)) > 1 else ""
    pages = await _read_pages(run, relevant, prefix, subject)
    stories, reasons = select_articles(pages, as_of=run.as_of, now=run.today)
    for reason in reasons:
        run.log.note(reason)
    if not (stories or find_lost_articles(run, ticker)):
        run.log.note(Notice.of("news-none", company=name or ticker))
    return [
        Article(
            ticker=ticker,
            source=number_source(page, run.state.sources),
            **page.model_dump(include={"url", "title", "publisher", "published"}),
        )
        for page in stories
    ]


async def _search(run: PhaseContext, name: str, request: SearchRequest) -> list[SearchHit]:
    """Return a search's hits; the phase's progress has its outcome, also if it fails or never ends."""
    progress, query = run.me.progress, request.query

    def record(search: Search) -> None:
        others = [each for each in progress.searches if each.query != query]
        progress.searches = [*others, search]

    record(Search(query=query, hits=0, error=Notice.of("search-unanswered")))
    try:
        found = await run.calls.execute_activity(
            name, WebActivities.search, request, summary=f"news: {query}"
        )
    except ActivityError as error:
        why, cause = describe_failure(error).words, describe_cause(error)
        record(Search(query=query, hits=0, error=why, cause=cause))
        raise
    record(Search(query=query, hits=len(found.hits), failures=found.failures))
    return found.hits


async def _read_pages(
    run: PhaseContext, hits: list[SearchHit], prefix: str, subject: str
) -> list[Source]:
    """Return the pages that answer in time; others are lost inputs.

    Raises:
        InputLost: No page could be read, some of them because of an outage.
    """
    tasks = [
        asyncio.create_task(catch_failure(_read_page(run, f"{prefix}article-{n}", hit)))
        for n, hit in enumerate(hits, start=1)
    ]
    late: Collection[asyncio.Task[Source | ActivityError | InputLost]] = tasks
    while late:
        done, late = await wait(late, PAGE_WAIT_SECONDS, asyncio.FIRST_COMPLETED)
        if not done and not run.state.paused:
            break
    for task in late:
        task.cancel()
    if late:
        await workflow.wait(late)
        run.log.note(Notice.of("news-late", n=len(late), of=len(tasks)))
    outcomes = [(hit, t.result()) for hit, t in zip(hits, tasks, strict=True) if t not in late]
    read = [each for _, each in outcomes if isinstance(each, Source)]
    unread = [(hit.url, each) for hit, each in outcomes if isinstance(each, LOST)]
    if unread:
        told = [(url, describe_failure(error).words) for url, error in unread]
        reasons = [Notice.of("page-unread", url=url, why=why) for url, why in told]
        run.log.note(Notice.of("news-unread", n=len(unread), names=name_few(reasons)))
    if causes := [*(describe_cause(error) for _, error in unread), *(LATE for _ in late)]:
        lost = LostInput(
            kind="articles",
            name="articles",
            phase_id=run.me.id,
            value="news",
            subject=subject,
            found=len(hits),
            lost=len(causes),
            causes=count_causes(causes),
        )
        if not read and lost.may_pass:
            raise InputLost(explain_loss(lost), lost)
        run.losses.record(lost)
    return read


async def _read_page(run: PhaseContext, name: str, hit: SearchHit) -> Source:
    """Return a page, with the search's date if it has none of its own."""
    request = FetchRequest(scope=run.calls.scope(name), url=hit.url)
    page = await run.calls.execute_activity(
        name, WebActivities.fetch, request, summary=f"read: {hit.url}"
    )
    published = page.published or (hit.published or "")[:10] or None
    return page.model_copy(update={"published": published})


async def wait(
    tasks: Collection[asyncio.Task[T]], seconds: float | None, until: str = asyncio.ALL_COMPLETED
) -> tuple[list[asyncio.Task[T]], list[asyncio.Task[T]]]:
    """Return the tasks done within a time, if there is one, and those pending; a cancellation cancels them all."""
    try:
        return await workflow.wait(tasks, timeout=seconds, return_when=until)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        raise
