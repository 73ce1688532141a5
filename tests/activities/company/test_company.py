"""A company's facts as a run gets them: over HTTP, computed, journaled, kept in blobs."""

import hashlib
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.calls.journaled_call import JournaledCalls
from activities.calls.tool_calls import ToolCalls
from activities.company import CompanyActivities
from activities.integrations.edgar import Edgar
from activities.integrations.prices import PriceSource
from contracts.errors import FactsFailed, FactsRefused, GreenlightError, NoFacts, UnknownTicker
from contracts.evidence.company import CompanyFacts, FactsRequest, SharePrice
from contracts.models.call import Scope
from contracts.principal import Principal
from domain.evidence.quotes import Snapshot
from store.blobs import BlobStore
from store.events import EventRepository
from store.journal import Journal
from store.postgres.connection import Lease
from store.postgres.pool import Pool
from tests.offline.conftest import Services, serving


@pytest.fixture(scope="module")
async def _services() -> AsyncIterator[Services]:
    async with serving() as made:
        yield made


@dataclass
class Desk:
    """A run's company activity, and what it leaves behind."""

    company: CompanyActivities
    services: Services
    blobs: BlobStore
    events: EventRepository
    run_id: str

    async def facts(self, ticker: str, as_of: str | None = None, **more: Any) -> CompanyFacts:
        scope = Scope(run_id=self.run_id, phase_id="retrieval", attempt=1, name="facts")
        request = FactsRequest(scope=scope, ticker=ticker, as_of=as_of, **more)
        return await ActivityEnvironment().run(self.company.facts, request)

    async def fails(self, **how: object) -> None:
        failure = {"match": {"service": "edgar", "path": "companyfacts"}, **how}
        told = await self.services.http.post("/control", json={"failures": [failure]})
        told.raise_for_status()

    async def told(self) -> list[tuple[str, str]]:
        found = await self.events.read(Principal(), self.run_id)
        return [(event.type, str(event.payload["tool_name"])) for event in found]


@pytest.fixture
async def desk(database: str, _services: Services, tmp_path: Path) -> AsyncIterator[Desk]:
    await _services.http.delete("/control")
    await _services.http.delete("/requests")
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        base, blobs, events = _services.base, BlobStore(tmp_path.as_uri()), EventRepository(pool)
        edgar = Edgar(base, base, "Test test@example.org", timeout_seconds=1, pause_seconds=0)
        prices = PriceSource(f"{base}/closes/{{ticker}}.csv")
        company = CompanyActivities(
            edgar, prices, blobs, ToolCalls(JournaledCalls(Journal(pool, lease)), events)
        )
        yield Desk(company, _services, blobs, events, f"run-{uuid.uuid4()}")
        await edgar.aclose()


async def test_figures_have_a_source_that_states_them(desk: Desk) -> None:
    found = await desk.facts("aapl", "2025-08-15")
    source, figures = found.source, found.fundamentals.figures
    assert source.url == f"{desk.services.base}/api/xbrl/companyfacts/CIK0000320193.json"
    assert (source.publisher, source.published) == ("SEC EDGAR", "2025-08-01")
    assert source.title == "Apple Inc. (AAPL): figures from its SEC filings (EDGAR)"
    raw = await desk.blobs.get(source.raw_key)
    assert source.content_hash == hashlib.sha256(raw).hexdigest()
    assert json.loads(raw)["entityName"] == "Apple Inc."
    text = (await desk.blobs.get(source.text_key)).decode()
    assert source.chars == len(text) <= 12_000
    [revenue] = [f for f in figures if (f.metric, f.period) == ("revenue", "ttm")]
    assert revenue.value == 408_625_000_000
    assert Snapshot(text).find("408.6 billion USD (408,625,000,000 USD)")
    assert found.fundamentals.company.fiscal_year_end == "09-27"


async def test_retry_sends_no_request(desk: Desk) -> None:
    first = await desk.facts("SNOW")
    assert await desk.facts("SNOW") == first
    asked = [str(entry["path"]).rpartition("/")[2] for entry in await desk.services.log("edgar")]
    assert asked == [*("company_tickers_exchange.json", "CIK0001640147.json", "CIK0001640147.json")]
    assert await desk.told() == [
        ("ToolCall", "company_facts"),
        ("ToolCallResult", "company_facts"),
    ]


@pytest.mark.parametrize(
    ("how", "kind", "wait"),
    [
        ({"status": 403}, FactsRefused, None),
        ({"status": 404}, NoFacts, None),
        ({"status": 429, "retry_after": 2.5}, FactsFailed, 2.5),
        ({"status": 503}, FactsFailed, None),
        ({"mode": "html"}, FactsFailed, None),
        ({"mode": "cut"}, FactsFailed, None),
        ({"mode": "hang"}, FactsFailed, None),
    ],
)
async def test_transient_failure_is_raised_and_not_journaled(
    desk: Desk, how: dict[str, object], kind: type[GreenlightError], wait: float | None
) -> None:
    await desk.fails(**how)
    with pytest.raises(kind) as raised:
        await desk.facts("SNOW")
    assert raised.value.retry_after == wait
    assert [kind for kind, _ in await desk.told()] == ["ToolCall", "ToolCallResult"]
    await desk.services.http.delete("/control")
    assert (await desk.facts("SNOW")).fundamentals.figures


@pytest.mark.parametrize(
    ("ticker", "as_of", "kind", "said"),
    [
        ("ZZZZ", None, UnknownTicker, "`ticker`: EDGAR lists no company under 'ZZZZ'"),
        ("SNOW", "2019-12-31", NoFacts, r"Snowflake Inc. \(SNOW\) that were filed by 2019-12-31"),
    ],
)
async def test_unavailable_facts_name_the_field(
    desk: Desk, ticker: str, as_of: str | None, kind: type[GreenlightError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        await desk.facts(ticker, as_of)


async def test_price_given_or_found_values_the_shares(desk: Desk) -> None:
    found = await desk.facts("SNOW", as_of="2025-06-30")
    valuation = found.fundamentals.valuation
    assert valuation
    assert (valuation.price.value, valuation.price.day) == (223.77, "2025-06-30")
    text = (await desk.blobs.get(found.source.text_key)).decode()
    assert "Price to sales (P/S), twelve months (TTM): 19.4" in text


async def test_closes_of_the_year_stand_beside_a_price_that_was_given(desk: Desk) -> None:
    given = SharePrice(value=250, day="2025-12-31", origin="given at the start")
    found = (await desk.facts("AAPL", price=given)).fundamentals
    assert found.valuation
    assert found.valuation.price == given
    assert found.closes == {"2025-08-29": 232.14, "2025-12-31": 271.86}
    earlier = (await desk.facts("AAPL", as_of="2025-09-30")).fundamentals
    assert earlier.closes == {"2025-08-29": 232.14}


async def test_company_without_a_price_is_read_all_the_same(desk: Desk) -> None:
    found = await desk.facts("SNOW", as_of="2024-06-30")
    assert found.fundamentals.valuation is None
    assert "no price of SNOW: the service knows none." in found.fundamentals.notes
    assert found.fundamentals.figures


async def test_peers_stand_beside_the_company_and_an_unknown_one_is_noted(desk: Desk) -> None:
    found = await desk.facts("SNOW", as_of="2025-06-30", peers=["AAPL", "NOBODY"])
    assert [peer.company.ticker for peer in found.fundamentals.peers] == ["SNOW", "AAPL"]
    assert any("NOBODY" in note for note in found.fundamentals.notes)
    text = (await desk.blobs.get(found.source.text_key)).decode()
    assert "| Net cash" in text.split("Companies side by side")[1]
