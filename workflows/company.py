"""Collecting a listed company's filings and news, by code: no agent chooses what is read."""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.company import CompanyActivities
from activities.web import WebActivities
from activities.workbench import WorkbenchActivities
from contracts.agents.tools import ChartArgs, TableArgs
from contracts.agents.workbench import Artifact, WorkbenchRequest
from contracts.evidence.company import (
    Article,
    CompanyInputs,
    FactsRequest,
    Fundamentals,
    SharePrice,
    ValuationTerms,
)
from contracts.evidence.sources import FetchRequest, SearchHit, SearchRequest, Source
from contracts.report.research import Search
from domain.filings.parts import build_parts_table
from domain.fundamentals.charts import build_charts, build_table
from domain.fundamentals.notes import warn_of_age
from domain.fundamentals.peers import build_peer_table
from domain.fundamentals.valuation import build_valuation_table
from domain.news import names_company, select_articles
from domain.source_registry import number_source
from workflows.checkpoints.approval import find_output_as
from workflows.runtime.context import PhaseContext

T = TypeVar("T")
Exhibit = ChartArgs | TableArgs

PAGE_WAIT_SECONDS = 20
"""How long to wait for the next page before going on without the pages still missing."""


async def collect_fundamentals(run: PhaseContext) -> Fundamentals:
    """Return the company's figures; charts and a table of them join the run's artifacts.

    Raises the activity's failure: unknown ticker, no figures, EDGAR unreachable.
    """
    company = run.inputs(CompanyInputs)
    request = FactsRequest(
        scope=run.scope("facts"),
        ticker=company.ticker,
        as_of=company.as_of,
        peers=company.peers,
        price=_read_price(company, run.now()[:10]),
        terms=run.inputs(ValuationTerms),
        plan_hash=run.require_web_approval(),
    )
    facts = await run.execute_activity(
        "facts", CompanyActivities.facts, request, summary=f"filings: {company.ticker}"
    )
    number = number_source(facts.source, run.state.sources)
    numbers = [number_source(document, run.state.sources) for document in facts.documents]
    passages = [
        passage.model_copy(update={"source": numbers[passage.source - 1]})
        for passage in facts.fundamentals.passages
    ]
    others = [number_source(other.source, run.state.sources) for other in facts.others]
    peers = [
        peer.model_copy(update={"source": n})
        for peer, n in zip(facts.fundamentals.peers, [number, *others], strict=False)
    ]
    update = {"source": number, "passages": passages, "peers": peers}
    fundamentals = facts.fundamentals.model_copy(update=update)
    for note in (*warn_of_age(fundamentals, run.now()[:10]), *fundamentals.notes):
        run.note(note)
    drawn = {"": fundamentals}
    drawn |= {f"{other.fundamentals.company.ticker}-": other.fundamentals for other in facts.others}
    exhibits: dict[str, Exhibit] = {
        f"{prefix}chart-{n}": chart
        for prefix, of in drawn.items()
        for n, chart in enumerate(build_charts(of), start=1)
    }
    exhibits["table"] = build_table(fundamentals)
    for prefix, of in drawn.items():
        if of.valuation:
            exhibits[f"{prefix}valuation"] = build_valuation_table(of, of.valuation)
    if fundamentals.parts:
        name = fundamentals.company.name
        exhibits["parts"] = build_parts_table(fundamentals.parts, name)
    if len(fundamentals.peers) > 1:
        exhibits["peers"] = build_peer_table(fundamentals.peers)
    await add_exhibits(run, exhibits)
    return fundamentals


def _read_price(company: CompanyInputs, today: str) -> SharePrice | None:
    """Return the price that the start gave, as of its day."""
    if company.price is None:
        return None
    return SharePrice(value=company.price, day=company.as_of or today, origin="given at the start")


def find_figures(run: PhaseContext) -> Fundamentals | None:
    """Return the company's figures that the run gathered."""
    return find_output_as(run.state, "fundamentals", Fundamentals)


async def add_exhibits(run: PhaseContext, exhibits: Mapping[str, Exhibit]) -> None:
    """Make charts and tables, by the names of their calls, and add them to the run's artifacts."""
    for made in await asyncio.gather(*(_make(run, *exhibit) for exhibit in exhibits.items())):
        if all(known.id != made.id for known in run.state.artifacts):
            run.state.artifacts.append(made)


async def _make(run: PhaseContext, name: str, args: Exhibit) -> Artifact:
    request: Any = WorkbenchRequest(scope=run.scope(name), args=args)
    is_chart = isinstance(args, ChartArgs)
    make = WorkbenchActivities.chart if is_chart else WorkbenchActivities.table
    return await run.execute_activity(name, make, request, summary=args.title)


async def collect_news(
    run: PhaseContext, limit: int, name: str = ""
) -> tuple[list[Article], list[Search]]:
    """Return the articles that could be read, newest first, each story once, and their search.

    `name` is the company's own where that is known. Raises the search's failure; a page that cannot
    be read is left out with a warning.
    """
    company = run.inputs(CompanyInputs)
    limit = limit if company.news_limit is None else company.news_limit
    if not limit:
        return [], []
    name = company.company_name or name
    query = f"{name} {company.ticker}".strip()
    request = SearchRequest(
        scope=run.scope("news"),
        query=query,
        kind="news",
        max_results=limit,
        plan_hash=run.require_web_approval(),
    )
    hits = (
        await run.execute_activity("news", WebActivities.search, request, summary=f"news: {query}")
    ).hits
    relevant = [hit for hit in hits if names_company(hit, name, company.ticker)]
    if len(relevant) < len(hits):
        run.note(f"{len(hits) - len(relevant)} articles do not name the company: not read")
    pages = await _read_pages(run, relevant)
    stories, reasons = select_articles(pages, as_of=company.as_of, now=run.now())
    for reason in reasons:
        run.note(reason)
    if not stories:
        run.note(f"no news on {name or company.ticker} was found")
    articles = [
        Article(
            source=number_source(page, run.state.sources),
            **page.model_dump(include={"url", "title", "publisher", "published"}),
        )
        for page in stories
    ]
    return articles, [Search(query=query, hits=len(hits))]


async def _read_pages(run: PhaseContext, hits: list[SearchHit]) -> list[Source]:
    """Return the pages of the hits that answer in time."""
    tasks = [asyncio.create_task(_read_page(run, n, hit)) for n, hit in enumerate(hits, start=1)]
    late: Collection[asyncio.Task[Source | None]] = tasks
    while late:
        done, late = await wait(late, PAGE_WAIT_SECONDS, asyncio.FIRST_COMPLETED)
        if not done and not run.state.paused:
            break
    for task in late:
        task.cancel()
    if late:
        await workflow.wait(late)
        run.note(f"{len(late)} of {len(tasks)} pages of news did not answer in time")
        run.disable_caching()
    return [page for task in tasks if task not in late and (page := task.result())]


async def _read_page(run: PhaseContext, n: int, hit: SearchHit) -> Source | None:
    """Return a page, dated by the search where it bears no date; None if it cannot be read."""
    name = f"article-{n}"
    request = FetchRequest(scope=run.scope(name), url=hit.url, plan_hash=run.require_web_approval())
    try:
        page = await run.execute_activity(
            name, WebActivities.fetch, request, summary=f"read: {hit.url}"
        )
    except ActivityError as error:
        run.note(f"{hit.url} could not be read: {run.describe_failure(error).message}")
        return None
    published = page.published or (hit.published or "")[:10] or None
    return page.model_copy(update={"published": published})


async def wait(
    tasks: Collection[asyncio.Task[T]], seconds: float, until: str = asyncio.ALL_COMPLETED
) -> tuple[list[asyncio.Task[T]], list[asyncio.Task[T]]]:
    """Return the tasks done within a time and those pending; a cancellation cancels them all."""
    try:
        return await workflow.wait(tasks, timeout=seconds, return_when=until)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        raise
