"""CrewAI with a real gateway, journal, log and web, and a scripted provider.

It takes seconds to load and 290 MB: the tests that ask for `crewai` share one process, whose home
is CrewAI's only while one of them runs.
"""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from temporalio.testing import ActivityEnvironment

from activities.calls.tool_calls import ToolCalls
from activities.crew.crew_task import CrewActivities, Kickoff
from activities.integrations.crewai_env import disable_side_effects
from activities.integrations.http.page_fetcher import PageFetcher
from activities.integrations.search.brave import BraveSearch
from activities.parsing.page_parser import PageParser
from activities.temporal_failures import settles
from activities.web.search_calls import SearchCalls, SearchServices
from activities.web.web_activities import WebActivities
from contracts.agents.crews import CrewAgent, CrewTask, CrewTaskRequest, CrewTaskResult
from contracts.base import Json
from contracts.models.call import Input, Scope
from store.blobs import BlobStore
from store.run_records.listed_urls import ListedUrlRepository
from tests.activities.calls.conftest import NUMBER, House, environment, insert_run, opened
from tests.activities.calls.provider import Answer, Body, Provider, Says, says, serving
from tests.activities.collections.run_documents import open_run_documents
from tests.activities.web.site import Site
from tests.activities.web.site import site as site_serving

SEARCH = "/res/v1/web/search"
RESEARCHER = CrewAgent(id="ann", role="Analyst", goal="Count pumps", backstory="You count twice.")
STRATEGIST = CrewAgent(id="sam", works_as="strategist", role="Strategist", goal="Weigh")
DONE = says('{"number": 12}')


def uses(turn: int, *calls: tuple[str, Json], **how: Any) -> Answer:
    """Use tools, each call with an id of its own, after a word about it."""
    return Says(
        [
            {"type": "text", "text": f"Let me look, {turn}."},
            *(
                {"type": "tool_use", "id": f"toolu_{turn}_{n}", "name": name, "input": arguments}
                for n, (name, arguments) in enumerate(calls, start=1)
            ),
        ],
        "tool_use",
        **how,
    )


def search(query: str) -> tuple[str, Json]:
    return "web_search", {"query": query}


def fetch(url: str) -> tuple[str, Json]:
    return "fetch_url", {"url": url}


@dataclass
class Bureau:
    """A run's crew, the web it reads and the provider it asks."""

    house: House
    site: Site
    crews: CrewActivities
    threads: ThreadPoolExecutor

    def task(self, agent: CrewAgent = RESEARCHER, **changes: object) -> CrewTaskRequest:
        request = CrewTaskRequest(
            scope=Scope(run_id=self.house.run_id, phase_id="crew", attempt=1, name="count"),
            agent=agent,
            task=CrewTask(
                id="count", agent=agent.id, description="Count the pumps.", expected_output="One."
            ),
            system="You are Analyst. You count twice.",
            model="m",
            output_schema=NUMBER,
            inputs=[Input(name="question", text="How many?")],
            may_read=5,
            max_results=3,
            max_turns=6,
            max_tokens=500,
            cap_usd=1.0,
            named=[self.site.url(path) for path in self.site.answers],
            plan_hash="abc",
        )
        return request.model_copy(update=changes)

    async def work(
        self, request: CrewTaskRequest, attempt: int | ActivityEnvironment = 1
    ) -> CrewTaskResult:
        at = environment(attempt) if isinstance(attempt, int) else attempt
        return await at.run(self.crews.work, request)

    @property
    def asked(self) -> list[Body]:
        """The bodies the provider was sent."""
        return [exchange.body for exchange in self.house.provider.exchanges]

    def finds(self, *paths: str) -> None:
        """Have every search find these pages."""
        results = [{"url": self.site.url(path), "title": path} for path in paths]
        self.site.does(SEARCH, lambda _: JSONResponse({"web": {"results": results}}))

    def puts(self, path: str) -> str:
        """Serve a page that says its own name."""
        text = f"<html><title>{path}</title><p>The page {path} counts twelve pumps.</p></html>"
        return self.site.puts(path, text)

    def hangs(self, path: str) -> str:
        """Never answer for a page, until the provider's gate opens."""

        async def wait(_: Request) -> Response:
            await self.house.provider.gate.wait()
            return Response("late")

        return self.site.does(path, wait)

    def delays(self, path: str) -> str:
        """Answer for a page a moment later than for the others."""
        page = self.site.answers[path]

        async def wait(request: Request) -> Response:
            await asyncio.sleep(0.2)
            made = page(request)
            assert isinstance(made, Response)
            return made

        return self.site.does(path, wait)


@contextlib.asynccontextmanager
async def web_over(
    house: House, host: str, folder: Path, parser: PageParser
) -> AsyncIterator[WebActivities]:
    """A web that is one site, searched and read."""
    brave = BraveSearch(f"http://{host}", "the-key")
    search_client = SearchCalls(house.calls, SearchServices({"brave": brave}, ["brave"]))
    fetcher = PageFetcher(allow=[host], timeout_seconds=3)
    tools = ToolCalls(house.calls, house.events, settles)
    blobs, listed = BlobStore(folder.as_uri()), ListedUrlRepository(house.pool)
    yield WebActivities(
        search_client, fetcher, parser, blobs, tools, listed, open_run_documents(house.pool)
    )
    await house.calls.drain()
    await brave.aclose()


@contextlib.contextmanager
def quiet(scratch: Path) -> Iterator[None]:
    """Let CrewAI have its environment, and nobody after it."""
    before = dict(os.environ)
    disable_side_effects(scratch)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        tempfile.tempdir = None


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("crew")


@pytest.fixture(scope="session")
def loaded(scratch: Path) -> Kickoff:
    with quiet(scratch):
        from activities.integrations.crewai_adapter import kickoff
    return kickoff


@pytest.fixture
def crewai(loaded: Kickoff, scratch: Path) -> Iterator[Kickoff]:
    """CrewAI, in a home of its own."""
    with quiet(scratch):
        yield loaded


@pytest.fixture(scope="session")
async def _services() -> AsyncIterator[tuple[Provider, Site]]:
    async with serving() as provider, site_serving() as site:
        yield provider, site


@pytest.fixture
async def bureau(
    crewai: Kickoff,
    database: str,
    _services: tuple[Provider, Site],
    parser: PageParser,
    tmp_path: Path,
) -> AsyncIterator[Bureau]:
    provider, site = _services
    with ThreadPoolExecutor(4) as threads:
        async with (
            opened(database, provider, tmp_path) as house,
            web_over(house, site.reset().host, tmp_path, parser) as web,
        ):
            await insert_run(house.pool, house.run_id)
            crews = CrewActivities(crewai, threads, house.gateway, web)
            yield Bureau(house, site, crews, threads)
            provider.reset()
            await house.calls.drain()
