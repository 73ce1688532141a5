"""A provider is asked once, and its answer says what is wrong with the installation."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.responses import JSONResponse

from activities.integrations.claude import ClaudeClient
from activities.integrations.search.brave import BraveSearch
from activities.provider_test import QUERY, ProviderTestActivities
from activities.search_calls import SearchServices
from contracts.models.prices import Price
from contracts.notices import Notice
from contracts.provider_test import ProviderTest
from tests.activities.calls.provider import Provider, fails, serving
from tests.activities.web.site import Site

PRICES = {"m": Price(input_usd=1, output_usd=5)}
MODEL, SEARCH = ProviderTest(provider="model", model="m"), ProviderTest(provider="search")
PATH = "/res/v1/web/search"


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with serving() as made:
        yield made


@asynccontextmanager
async def opened(model: str, search: str) -> AsyncIterator[ProviderTestActivities]:
    claude, brave = ClaudeClient(model, "a-key"), BraveSearch(search, "a-key", timeout_seconds=2)
    yield ProviderTestActivities(claude, SearchServices({"brave": brave}, ["brave"]), PRICES)
    await claude.close()
    await brave.aclose()


async def test_model_that_answers_works_and_is_priced(provider: Provider) -> None:
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
    provider: Provider, status: int, code: str | None, state: str
) -> None:
    provider.otherwise = fails(status, code)
    async with opened(provider.url, "http://127.0.0.1:9") as providers:
        answer = await providers.test(MODEL)
    assert len(provider.exchanges) == 1
    assert (answer.state, answer.usd) == (state, 0)
    assert answer.told
    assert answer.told.params["status"] == status
    assert "SECRET" not in answer.model_dump_json()


async def test_unknown_model_costs_no_request(provider: Provider) -> None:
    provider.listed = [{"id": "one"}, {"id": "two"}]
    async with opened(provider.url, "http://127.0.0.1:9") as providers:
        answer = await providers.test(MODEL)
    assert answer.state == "rejected"
    assert answer.told == Notice.of("model-unknown", model="m")
    assert provider.exchanges == []


async def test_search_that_answers_works(site: Site) -> None:
    site.does(PATH, lambda _: JSONResponse({"web": {"results": []}}))
    async with opened("http://127.0.0.1:9", site.url("").rstrip("/")) as providers:
        answer = await providers.test(SEARCH)
    assert (answer.state, answer.usd, answer.model) == ("works", 0, "")
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
async def test_refusal_of_a_search_is_told_apart(site: Site, status: int, state: str) -> None:
    error = {"error": {"detail": "The plan is used up."}}
    site.does(PATH, lambda _: JSONResponse(error, status))
    async with opened("http://127.0.0.1:9", site.url("").rstrip("/")) as providers:
        answer = await providers.test(SEARCH)
    assert answer.state == state
    assert answer.told
    assert answer.told.params["detail"] == "The plan is used up"
    assert len(site.requests) == 1


@pytest.mark.parametrize("asked", [MODEL, SEARCH])
async def test_provider_that_is_away_is_unreachable(asked: ProviderTest) -> None:
    async with opened("http://127.0.0.1:9", "http://127.0.0.1:9") as providers:
        answer = await providers.test(asked)
    assert (answer.state, answer.host) == ("unreachable", "127.0.0.1:9")
    assert answer.told
