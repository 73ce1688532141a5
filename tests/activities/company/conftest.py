"""A run's company activity over the offline services."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.common import RetryPolicy
from temporalio.testing import ActivityEnvironment

from activities.calculations_and_charts import Draw
from activities.calls.journaled_call import JournaledCalls
from activities.calls.tool_calls import ToolCalls
from activities.company.company_figures import CompanyActivities
from activities.company.edgar import Edgar
from activities.company.share_prices import PriceSource
from activities.integrations.charts import draw
from activities.parsing.page_parser import PageParser
from contracts.access.principal import Principal
from contracts.company.figures import CompanyFacts, FactsRequest
from contracts.models.call import Scope
from store.blobs import BlobStore
from store.calls.call_journal import Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from store.run_records.event_log import EventRepository
from tests.offline.conftest import Services, serving


@dataclass
class Desk:
    """A run's company activity with its stored results."""

    company: CompanyActivities
    services: Services
    blobs: BlobStore
    events: EventRepository
    run_id: str

    async def facts(
        self, ticker: str, as_of: str | None = None, attempt: int = 1, **more: Any
    ) -> CompanyFacts:
        """Return what the activity gives in one of its three attempts."""
        scope = Scope(run_id=self.run_id, phase_id="retrieval", attempt=1, name="facts")
        request = FactsRequest(scope=scope, ticker=ticker, as_of=as_of, **more)
        environment = ActivityEnvironment()
        policy = RetryPolicy(maximum_attempts=3)
        environment.info = replace(environment.info, attempt=attempt, retry_policy=policy)
        return await environment.run(self.company.facts, request)

    async def text(self, found: CompanyFacts) -> str:
        return (await self.blobs.get("default", found.source.text_key)).decode()

    async def fails(self, path: str = "companyfacts", **how: Any) -> None:
        failure = {"match": {"service": "edgar", "path": path}, **how}
        told = await self.services.http.post("/control", json={"failures": [failure]})
        told.raise_for_status()

    async def told(self) -> list[tuple[str, str]]:
        found = await self.events.read(Principal(), self.run_id)
        return [(event.type, str(event.payload["tool_name"])) for event in found]


@asynccontextmanager
async def open_desk(
    database: str,
    services: Services,
    parser: PageParser,
    folder: Path,
    timeout_seconds: float = 10,
    draw: Draw = draw,
    edgar_url: str = "",
) -> AsyncIterator[Desk]:
    """Return the activity over services, or over another EDGAR than theirs; `folder` keeps the blobs."""
    await services.http.delete("/control")
    await services.http.delete("/requests")
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        base, blobs, events = services.base, BlobStore(folder.as_uri()), EventRepository(pool)
        at = edgar_url or base
        edgar = Edgar(at, at, "Test test@example.org", timeout_seconds, pause_seconds=0)
        prices = PriceSource(f"{base}/closes/{{ticker}}.csv")
        tools = ToolCalls(JournaledCalls(Journal(pool, lease)), events)
        company = CompanyActivities(edgar, prices, parser, blobs, tools, draw)
        yield Desk(company, services, blobs, events, f"run-{uuid.uuid4()}")
        await edgar.aclose()


@pytest.fixture(scope="module")
async def filing_services() -> AsyncIterator[Services]:
    async with serving() as made:
        yield made


@pytest.fixture
async def desk(
    database: str, filing_services: Services, parser: PageParser, tmp_path: Path
) -> AsyncIterator[Desk]:
    """A run's activity over the sample."""
    async with open_desk(database, filing_services, parser, tmp_path) as made:
        yield made
