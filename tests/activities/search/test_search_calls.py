"""Several search services at once: each journaled by itself, and one that fails leaves the others unharmed."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from temporalio.testing import ActivityEnvironment

from activities.calls.journaled_call import JournaledCalls
from activities.integrations.search.brave import BraveSearch
from activities.integrations.search.own_endpoint import EndpointSearch
from activities.integrations.search.tavily import TavilySearch
from activities.web.search_calls import FusedSearch, SearchCalls, SearchServices
from contracts.errors import BudgetExceeded, SearchFailed, SearchRefused
from contracts.evidence.sources import SearchRequest
from contracts.models.call import Scope
from contracts.search import KEYS
from store.calls.call_journal import Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from tests.activities.calls.conftest import insert_run
from tests.activities.web.site import Site
from tests.support.refusals import refused

BRAVE, TAVILY, OWN = "/res/v1/web/search", "/search", "/own"


def brave(*urls: str) -> Response:
    return JSONResponse({"web": {"results": [{"url": url} for url in urls]}})


def results(*urls: str) -> Response:
    return JSONResponse({"results": [{"url": url} for url in urls]})


@dataclass
class Desk:
    calls: SearchCalls
    journal: Journal
    site: Site
    run_id: str
    services: SearchServices
    journaled: JournaledCalls

    async def search(self, *names: Any, query: str = "pumps", **told: Any) -> FusedSearch:
        scope = Scope(run_id=self.run_id, phase_id="research", attempt=1, name="search-1")
        request = SearchRequest(
            scope=scope, query=query, services=list(names), plan_hash="abc", **told
        )
        return await ActivityEnvironment().run(self.calls.search, request)

    async def spent(self) -> float:
        return (await self.journal.sum_usage("default", self.run_id)).usd


@pytest.fixture
async def desk(database: str, site: Site) -> AsyncIterator[Desk]:
    async with Pool(database) as pool, Lease(database) as lease:
        await lease.held.wait()
        journal, run_id = Journal(pool, lease), f"run-{uuid.uuid4()}"
        await insert_run(pool, run_id)
        url = site.url("").rstrip("/")
        services = SearchServices(
            {
                "brave": BraveSearch(url, "k", usd=0.005),
                "tavily": TavilySearch(url, "k", usd=0.008),
                "endpoint": EndpointSearch(site.url(OWN), timeout_seconds=1),
            },
            ["brave"],
        )
        journaled = JournaledCalls(journal)
        yield Desk(SearchCalls(journaled, services), journal, site, run_id, services, journaled)
        await services.aclose()


async def test_services_are_asked_at_once_and_their_hits_are_one_list(desk: Desk) -> None:
    both, arrived = asyncio.Event(), list[str]()

    def wait_for_both(answer: Response) -> Any:
        async def serve(request: Request) -> Response:
            arrived.append(request.url.path)
            if len(arrived) == 2:
                both.set()
            async with asyncio.timeout(60):
                await both.wait()
            return answer

        return serve

    desk.site.does(BRAVE, wait_for_both(brave("https://a.test/", "https://b.test/#x")))
    desk.site.does(TAVILY, wait_for_both(results("https://c.test/", "https://b.test/")))
    found = await desk.search("brave", "tavily")
    assert [hit.url[8] for hit in found.hits] == ["b", "a", "c"]
    assert found.hits[0].services == ["brave", "tavily"]
    assert found.failures == []
    assert found.usage.usd == pytest.approx(0.013)
    assert await desk.spent() == pytest.approx(0.013)


async def test_the_usual_service_is_asked_where_none_is_named(desk: Desk) -> None:
    desk.site.does(BRAVE, lambda _: brave("https://a.test/"))
    [hit] = (await desk.search()).hits
    assert (hit.url, hit.services) == ("https://a.test/", [])


@pytest.mark.parametrize(
    "answer",
    [
        Response("<html>robots?</html>"),
        Response("busy", 429, {"Retry-After": "60"}),
        Response("", 500),
        Response("", 401),
        Response(b'{"results": [{"url"'),
    ],
    ids=["html", "limited", "down", "key", "half"],
)
async def test_one_that_fails_is_named_and_the_others_count(desk: Desk, answer: Response) -> None:
    desk.site.does(BRAVE, lambda _: answer)
    desk.site.does(TAVILY, lambda _: results("https://c.test/"))
    found = await desk.search("brave", "tavily")
    assert [hit.url for hit in found.hits] == ["https://c.test/"]
    [failure] = found.failures
    assert (failure.service, failure.has_hits) == ("brave", False)
    assert failure.words.params["service"]
    assert found.usage.usd == await desk.spent() == 0.008


async def test_one_that_hangs_does_not_hold_the_others_for_ever(desk: Desk) -> None:
    async def hang(_: Request) -> Response:
        await asyncio.sleep(30)
        return results()

    desk.site.does(OWN, hang)
    desk.site.does(BRAVE, lambda _: brave("https://a.test/"))
    begun = time.monotonic()
    found = await desk.search("brave", "endpoint")
    assert time.monotonic() - begun < 25
    assert [f.words.code for f in found.failures] == ["search-late"]


async def test_all_that_fail_are_asked_again_as_soon_as_one_wants(desk: Desk) -> None:
    desk.site.does(BRAVE, lambda _: Response("busy", 429, {"Retry-After": "9"}))
    desk.site.does(TAVILY, lambda _: Response("busy", 429, {"Retry-After": "4"}))
    with refused(SearchFailed, "search-status", status=429) as raised:
        await desk.search("brave", "tavily")
    assert raised.value.retry_after == 4


async def test_service_that_asked_for_a_pause_is_left_alone_until_then(desk: Desk) -> None:
    desk.site.does(BRAVE, lambda _: Response("busy", 429, {"Retry-After": "60"}))
    with pytest.raises(SearchFailed):
        await desk.search(query="one")
    with refused(SearchFailed, "search-rests") as raised:
        await desk.search(query="two")
    assert 50 < (raised.value.retry_after or 0) <= 60
    assert len(desk.site.requests) == 1


async def test_answered_service_is_not_paid_again_when_the_search_is_retried(desk: Desk) -> None:
    """The worker died, or the search failed, after one of two had answered."""
    desk.site.does(BRAVE, lambda _: brave("https://a.test/"))
    desk.site.does(TAVILY, lambda _: Response("", 500))
    await desk.search("brave", "tavily")
    desk.site.does(TAVILY, lambda _: results("https://c.test/"))
    again = SearchCalls(desk.journaled, desk.services)
    desk.calls = again
    found = await desk.search("brave", "tavily")
    assert [hit.url for hit in found.hits] == ["https://a.test/", "https://c.test/"]
    assert sorted(desk.site.paths) == sorted([BRAVE, TAVILY, TAVILY])
    assert await desk.spent() == pytest.approx(0.013)


async def test_search_that_would_pass_the_cap_is_not_made(desk: Desk) -> None:
    desk.site.does(BRAVE, lambda _: brave("https://a.test/"))
    with pytest.raises(BudgetExceeded):
        await desk.search(cap_usd=0.004)
    assert desk.site.requests == []
    assert (await desk.search(cap_usd=0.006)).hits
    with pytest.raises(BudgetExceeded):
        await desk.search(query="another", cap_usd=0.006)


async def test_service_that_is_not_configured_is_refused_with_those_that_are(desk: Desk) -> None:
    with refused(SearchRefused, "search-unconfigured", setting="EXA_API_KEY") as raised:
        await desk.search("exa")
    known: Any = raised.value.words.params["known"]
    assert [notice.code for notice in known] == [
        "service-brave",
        "service-tavily",
        "service-endpoint",
    ]


async def test_a_report_s_reader_is_not_told_of_settings_where_no_service_is_set_up(
    desk: Desk,
) -> None:
    desk.calls = SearchCalls(desk.journaled, SearchServices({}, []))
    with refused(SearchRefused, "search-none") as raised:
        await desk.search()
    assert not [name for name in KEYS.values() if name in raised.value.words.text]
