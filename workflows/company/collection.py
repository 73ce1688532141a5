"""Gathering what a company filed and the news on it, by code: no agent chooses what is read."""

import asyncio
from collections.abc import Collection
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.company import CompanyActivities
from activities.web import WebActivities
from contracts.evidence.company import Article, CompanyInputs, FactsRequest, Fundamentals
from contracts.evidence.sources import FetchRequest, SearchHit, SearchRequest, Source
from contracts.report.research import Search
from domain.source_registry import numbered
from workflows.company.charts import draw_figures
from workflows.company.news_filter import kept, names
from workflows.runtime.context import PhaseContext

T = TypeVar("T")

READ_SECONDS = 20
"""How long to wait for one more page before going on without those that are late."""


async def gather_figures(run: PhaseContext) -> Fundamentals:
    """Return the company's figures, with charts of them among the run's artifacts.

    Raises the activity's failure: no such ticker, no figures, EDGAR away.
    """
    asked = run.inputs(CompanyInputs)
    request = FactsRequest(
        scope=run.scope("facts"), ticker=asked.ticker, as_of=asked.as_of, plan_hash=run.permit()
    )
    found = await run.call(
        "facts", CompanyActivities.facts, request, summary=f"filings: {asked.ticker}"
    )
    number = numbered(found.source, run.state.sources)
    figures = found.fundamentals.model_copy(update={"source": number})
    for note in figures.notes:
        run.note(note)
    await draw_figures(run, figures)
    return figures


async def gather_news(
    run: PhaseContext, limit: int, name: str = ""
) -> tuple[list[Article], list[Search]]:
    """Return the news that could be read, newest first, each story once, and the search for it.

    `name` is the company's as it files, where that is known.

    Raises the search's failure; a page that cannot be read is left out with a warning.
    """
    asked = run.inputs(CompanyInputs)
    limit = limit if asked.news_limit is None else asked.news_limit
    if not limit:
        return [], []
    name = asked.company_name or name
    query = f"{name} {asked.ticker}".strip()
    request = SearchRequest(
        scope=run.scope("news"),
        query=query,
        kind="news",
        max_results=limit,
        plan_hash=run.permit(),
    )
    hits = (await run.call("news", WebActivities.search, request, summary=f"news: {query}")).hits
    about = [hit for hit in hits if names(hit, name, asked.ticker)]
    if len(about) < len(hits):
        run.note(f"{len(hits) - len(about)} articles do not name the company: not read")
    stories, left_out = kept(await _read(run, about), as_of=asked.as_of, now=run.now())
    for why in left_out:
        run.note(why)
    if not stories:
        run.note(f"no news on {name or asked.ticker} was found")
    articles = [
        Article(
            source=numbered(page, run.state.sources),
            url=page.url,
            title=page.title,
            publisher=page.publisher,
            published=page.published,
        )
        for page in stories
    ]
    return articles, [Search(query=query, hits=len(hits))]


async def _read(run: PhaseContext, hits: list[SearchHit]) -> list[Source]:
    """Return the pages behind hits, dated by the search where they bear no date themselves."""
    tasks = [asyncio.create_task(_page(run, n, hit)) for n, hit in enumerate(hits, start=1)]
    late: Collection[asyncio.Task[Source | None]] = tasks
    while late:
        done, late = await wait(late, READ_SECONDS, asyncio.FIRST_COMPLETED)
        if not done and not run.state.paused:
            break
    for task in late:
        task.cancel()
    if late:
        await workflow.wait(late)
        run.note(f"{len(late)} of {len(tasks)} pages of news did not answer in time")
        run.keep_to_itself()
    return [page for task in tasks if task not in late and (page := task.result())]


async def wait(
    tasks: Collection[asyncio.Task[T]], seconds: float, until: str = asyncio.ALL_COMPLETED
) -> tuple[list[asyncio.Task[T]], list[asyncio.Task[T]]]:
    """Return what is done within a time, and what is not; a cancel of who waits reaches both."""
    try:
        return await workflow.wait(tasks, timeout=seconds, return_when=until)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        raise


async def _page(run: PhaseContext, n: int, hit: SearchHit) -> Source | None:
    name = f"article-{n}"
    request = FetchRequest(scope=run.scope(name), url=hit.url, plan_hash=run.permit())
    try:
        page = await run.call(name, WebActivities.fetch, request, summary=f"read: {hit.url}")
    except ActivityError as error:
        run.note(f"{hit.url} could not be read: {run.fail_info(error).message}")
        return None
    dated = page.published or (hit.published or "")[:10] or None
    return page.model_copy(update={"published": dated})
