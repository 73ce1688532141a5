"""The provider test calls a provider once, and reports errors of the installation."""

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response
from temporalio.testing import ActivityEnvironment

from activities.calls.journaled_call import JournaledCalls
from activities.integrations.mcp_client import McpClient
from activities.integrations.models.claude import ClaudeClient
from activities.integrations.search.brave import BraveSearch
from activities.providers.provider_test import QUERY, ProviderTestActivities
from activities.web.search_calls import SearchServices
from contracts.access.principal import Principal
from contracts.models.prices import Price
from contracts.models.provider_test import ProviderAnswer, ProviderTest
from contracts.notices import Notice
from contracts.tool_servers import InstalledServer
from store.calls.call_journal import Journal
from store.calls.spend import Spend, SpendQuery, SpendRepository
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from tests.activities.calls.provider import Provider, fails, serving
from tests.activities.tool_servers.server import speak
from tests.activities.web.site import Site
from tests.support.databases import fetch_as_owner

PRICES = {"m": Price(input_usd=1, output_usd=5)}
PRINCIPAL = Principal(user_id="ana")
MODEL = ProviderTest(provider="model", model="m", principal=PRINCIPAL)
SEARCH = ProviderTest(provider="search", principal=PRINCIPAL)
FEE = 0.005
PATH = "/res/v1/web/search"


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with serving() as made:
        yield made


Open = Callable[[str, str], AbstractAsyncContextManager["Desk"]]


@dataclass
class Desk:
    """The tests of a worker with a journal; each is of a workflow run of its own, unless one is named."""

    _activities: ProviderTestActivities
    spend: SpendRepository

    async def test(self, asked: ProviderTest, test_id: str = "") -> ProviderAnswer:
        named = asked.model_copy(update={"test_id": test_id or str(uuid.uuid4())})
        return await ActivityEnvironment().run(self._activities.test, named)

    async def list_spent(self) -> list[Spend]:
        return [
            one
            for one in await self.spend.list_spend(Principal(), SpendQuery())
            if not one.definition_id
        ]


@pytest.fixture
async def opened(database: str) -> AsyncIterator[Open]:
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        await fetch_as_owner(pool, "DELETE FROM calls WHERE phase_id = 'provider-test'")

        @asynccontextmanager
        async def open_desk(model: str, search: str) -> AsyncIterator[Desk]:
            claude = ClaudeClient(model, "a-key")
            brave = BraveSearch(search, "a-key", timeout_seconds=2, usd=FEE)
            services, calls = (
                SearchServices({"brave": brave}, ["brave"]),
                JournaledCalls(Journal(pool, lease)),
            )
            activities = ProviderTestActivities(claude, services, PRICES, calls)
            yield Desk(activities, SpendRepository(pool))
            await claude.close()
            await brave.aclose()

        yield open_desk


async def test_a_test_is_paid_once_and_counted_in_what_was_spent(
    opened: Open, provider: Provider, site: Site
) -> None:
    site.does(PATH, lambda _: JSONResponse({"web": {"results": []}}))
    async with opened(provider.url, site.url("").rstrip("/")) as providers:
        made = [
            await providers.test(asked, "of one workflow")
            for asked in (MODEL, SEARCH)
            for _ in range(2)
        ]
        spent = await providers.list_spent()
    assert (len(provider.exchanges), len(site.requests)) == (1, 1)
    assert [answer.usd for answer in made] == [made[0].usd] * 2 + [FEE] * 2
    assert {one.model: one.usd for one in spent} == {"m": pytest.approx(made[0].usd), "brave": FEE}
    assert {(one.runs, one.calls, one.offline) for one in spent} == {(1, 1, False)}


async def test_tests_make_no_run(opened: Open, provider: Provider, database: str) -> None:
    async with opened(provider.url, "http://127.0.0.1:9") as providers, Pool(database) as pool:
        await providers.test(MODEL, "of no run")
        await providers.test(SEARCH, "of no run")
        assert await fetch_as_owner(pool, "SELECT id FROM runs WHERE id = 'of no run'") == []
        assert [one.model for one in await providers.list_spent()] == [
            "m"
        ]  # what failed cost nothing


async def test_model_that_answers_works_and_is_priced(opened: Open, provider: Provider) -> None:
    async with opened(provider.url, "http://127.0.0.1:9") as providers:
        answer = await providers.test(MODEL)
    [exchange] = provider.exchanges
    assert exchange.body["max_tokens"] == 16
    assert (answer.state, answer.model, answer.told) == ("works", "m", None)
    assert answer.host == provider.url.partition("//")[2]
    assert answer.usd == pytest.approx(PRICES["m"].compute_usd(1_000, 3), rel=0.1)


@pytest.mark.parametrize(
    ("status", "code", "state"),
    [
        (401, None, "key_refused"),
        (403, None, "key_refused"),
        (402, None, "quota"),
        (429, None, "quota"),
        (403, "enforced_spend_limit_reached", "quota"),
        (400, None, "rejected"),
        (529, None, "unreachable"),
        (500, None, "unreachable"),
    ],
)
async def test_refusal_of_a_model_is_told_apart_and_not_retried(
    opened: Open, provider: Provider, status: int, code: str | None, state: str
) -> None:
    provider.otherwise = fails(status, code)
    async with opened(provider.url, "http://127.0.0.1:9") as providers:
        answer = await providers.test(MODEL)
    assert len(provider.exchanges) == 1
    assert (answer.state, answer.usd) == (state, 0)
    assert answer.told
    assert answer.told.params["status"] == status
    assert "SECRET" not in answer.model_dump_json()


async def test_unknown_model_costs_no_request(opened: Open, provider: Provider) -> None:
    provider.listed = [{"id": "one"}, {"id": "two"}]
    async with opened(provider.url, "http://127.0.0.1:9") as providers:
        answer = await providers.test(MODEL)
    assert answer.state == "rejected"
    assert answer.told == Notice.of("model-unknown", model="m")
    assert provider.exchanges == []


async def test_search_that_answers_works(opened: Open, site: Site) -> None:
    site.does(PATH, lambda _: JSONResponse({"web": {"results": []}}))
    async with opened("http://127.0.0.1:9", site.url("").rstrip("/")) as providers:
        answer = await providers.test(SEARCH)
    assert (answer.state, answer.usd, answer.model) == ("works", FEE, "")
    [request] = site.requests
    assert request.query_params["q"] == QUERY


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (401, "key_refused"),
        (403, "key_refused"),
        (422, "key_refused"),
        (402, "quota"),
        (429, "quota"),
        (404, "rejected"),
        (500, "unreachable"),
    ],
)
async def test_refusal_of_a_search_is_told_apart(
    opened: Open, site: Site, status: int, state: str
) -> None:
    error = {"error": {"detail": "The plan is used up."}}
    site.does(PATH, lambda _: JSONResponse(error, status))
    async with opened("http://127.0.0.1:9", site.url("").rstrip("/")) as providers:
        answer = await providers.test(SEARCH)
    assert answer.state == state
    assert answer.told
    assert answer.told.params["detail"] == "The plan is used up"
    assert len(site.requests) == 1


@pytest.mark.parametrize("asked", [MODEL, SEARCH])
async def test_provider_that_is_away_is_unreachable(opened: Open, asked: ProviderTest) -> None:
    async with opened("http://127.0.0.1:9", "http://127.0.0.1:9") as providers:
        answer = await providers.test(asked)
    assert (answer.state, answer.host) == ("unreachable", "127.0.0.1:9")
    assert answer.told


@pytest.mark.parametrize(
    ("answer", "state", "code"),
    [
        (lambda: {"tools": []}, "works", None),
        (lambda: Response(status_code=401), "key_refused", "tool-server-status"),
        (lambda: Response(status_code=500), "unreachable", "tool-server-status"),
        (lambda: {"tools": "many"}, "rejected", "tool-server-odd"),
    ],
)
async def test_server_of_tools_is_asked_for_its_list_alone(
    opened: Open, site: Site, answer: Callable[[], Any], state: str, code: str | None
) -> None:
    url = speak(site, {"tools/list": answer()})
    servers = McpClient({"stock": InstalledServer(url=url)}, seconds=2)
    async with opened("http://127.0.0.1:9", "http://127.0.0.1:9") as providers:
        providers._activities._servers = servers
        found = await providers.test(ProviderTest(provider="tools", server="stock"))
    assert (found.state, found.host, found.usd) == (state, "stock", 0)
    assert (found.told and found.told.code) == code
