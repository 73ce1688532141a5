"""Anthropic's web search: its request, its answers in the SDK's form, its price and its failures."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from activities.integrations.http.site_policy import SitePolicy
from activities.integrations.search.anthropic_fetch import AnthropicFetch
from activities.integrations.search.anthropic_web import MOST_IDLE_CALLS, AnthropicSearch
from contracts.errors import SearchFailed, SearchRefused
from contracts.models.prices import Price
from tests.activities.web.site import Site
from tests.offline.conftest import Services, serving
from tests.support.refusals import refused

PATH = "/v1/messages"
PRICE = Price(input_usd=1, output_usd=5)
FEE = 0.01
Json = dict[str, Any]


def result(url: str, title: str = "", age: str | None = None) -> Json:
    return {
        "type": "web_search_result",
        "url": url,
        "title": title,
        "page_age": age,
        "encrypted_content": "AAAA",
    }


def message(*blocks: Json, searches: int = 1, stop: str = "end_turn") -> Json:
    usage = {
        "input_tokens": 8_000,
        "output_tokens": 100,
        "server_tool_use": {"web_search_requests": searches, "web_fetch_requests": 0},
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [*blocks, {"type": "text", "text": "done"}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def used(content: Any, query: str = "solar pumps price") -> list[Json]:
    """Return the blocks of one search with this result."""
    return [
        {
            "type": "server_tool_use",
            "id": "srvtoolu_1",
            "name": "web_search",
            "input": {"query": query},
        },
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": content},
    ]


def fails(code: str) -> list[Json]:
    return used({"type": "web_search_tool_result_error", "error_code": code})


def open_search(site: Site, sites: SitePolicy | None = None) -> AnthropicSearch:
    url = site.url("").rstrip("/")
    return AnthropicSearch(
        url, "the-key", "claude-haiku-5-5", PRICE, fee_usd=FEE, sites=sites, timeout_seconds=2
    )


async def ask(site: Site, *bodies: Json, sites: SitePolicy | None = None) -> tuple[Any, list[Json]]:
    """Return what a search gives where the API answers so, one after the other, and the bodies sent."""
    sent: list[Json] = []

    async def answer(request: Request) -> Response:
        sent.append(await request.json())
        return JSONResponse(bodies[min(len(sent), len(bodies)) - 1])

    site.does(PATH, answer)
    return await open_search(site, sites).search("solar pumps", 5), sent


async def test_hits_have_rank_title_and_day_and_cost_fee_and_tokens(site: Site) -> None:
    hits = [
        result("https://a.test/", "Pumps", "April 30, 2025"),
        result("javascript:alert(1)"),
        result("https://b.test/", "Wells", "2 days ago"),
    ]
    found, [sent] = await ask(site, message(*used(hits)))
    assert [(h.rank, h.url, h.title, h.snippet, h.published) for h in found.hits] == [
        (1, "https://a.test/", "Pumps", "", "2025-04-30"),
        (2, "https://b.test/", "Wells", "", None),
    ]
    assert found.query == "solar pumps price", "as the model worded it"
    assert found.usage.usd == pytest.approx(FEE + (8_000 + 500) / 1e6)
    assert (found.usage.calls, found.usage.input_tokens) == (0, 8_000)
    assert sent["tools"] == [{"type": "web_search_20250305", "name": "web_search", "max_uses": 1}]
    assert sent["thinking"] == {"type": "disabled"}
    assert "tool_choice" not in sent
    assert sent["messages"][0]["content"].endswith("\n\nsolar pumps")
    assert site.requests[0].headers["authorization"] == "Bearer the-key"


async def test_allowed_or_denied_domains_are_sent_and_filtered_again(site: Site) -> None:
    hits = message(*used([result("https://a.test/"), result("https://x.bad.test/")]))
    found, [sent] = await ask(site, hits, sites=SitePolicy.of("", "bad.test"))
    assert sent["tools"][0]["blocked_domains"] == ["bad.test"]
    assert [hit.url for hit in found.hits] == ["https://a.test/"]
    _, [sent] = await ask(site, hits, sites=SitePolicy.of("a.test", "bad.test"))
    assert "blocked_domains" not in sent["tools"][0], "the API takes one of both"
    assert sent["tools"][0]["allowed_domains"] == ["a.test"]


async def test_paused_turn_is_sent_back_as_it_is(site: Site) -> None:
    paused = message(*used([result("https://a.test/")]), stop="pause_turn")
    found, [_, again] = await ask(site, paused, message(searches=0))
    assert [hit.url for hit in found.hits] == ["https://a.test/"]
    assert again["messages"][1]["role"] == "assistant"
    assert again["messages"][1]["content"][1]["content"][0]["encrypted_content"] == "AAAA"
    assert found.usage.usd == pytest.approx(FEE + 2 * (8_000 + 500) / 1e6)


async def test_turn_that_is_paused_for_ever_ends(site: Site) -> None:
    paused = message(*used([result("https://a.test/")]), stop="pause_turn")
    _, sent = await ask(site, paused)
    assert len(sent) == 3


async def test_no_search_is_a_failure_and_not_nothing_found(site: Site) -> None:
    """The model may answer from what it knows; what that cost is counted."""
    site.does(PATH, lambda _: JSONResponse(message(searches=0)))
    paid: list[float] = []
    with refused(SearchFailed, "search-not-run", model="claude-haiku-5-5"):
        await open_search(site).search("solar pumps", 5, "web", paid.append)
    assert paid == [pytest.approx((8_000 + 500) / 1e6)]


async def test_model_that_never_searches_is_refused_after_a_few_calls(site: Site) -> None:
    site.does(PATH, lambda _: JSONResponse(message(searches=0)))
    service = open_search(site)
    for error in [SearchFailed] * (MOST_IDLE_CALLS - 1) + [SearchRefused]:
        with refused(error, "search-not-run", model="claude-haiku-5-5"):
            await service.search("solar pumps price", 5)
    await service.aclose()


async def test_nothing_found_is_an_empty_list(site: Site) -> None:
    found, _ = await ask(site, message(*used([])))
    assert found.hits == []


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("too_many_requests", SearchFailed),
        ("unavailable", SearchFailed),
        ("query_too_long", SearchRefused),
        ("max_uses_exceeded", SearchRefused),
    ],
)
async def test_error_inside_a_good_answer_is_an_error(
    site: Site, code: str, error: type[SearchFailed | SearchRefused]
) -> None:
    site.does(PATH, lambda _: JSONResponse(message(*fails(code))))
    with refused(error, "search-tool-error", name=code):
        await open_search(site).search("solar pumps", 5)


@pytest.mark.parametrize(
    ("answer", "error", "code", "wait"),
    [
        (
            lambda: api_error(429, "rate_limit_error", {"retry-after": "7"}),
            SearchFailed,
            "search-status",
            7,
        ),
        (lambda: api_error(529, "overloaded_error"), SearchFailed, "search-status", None),
        (lambda: api_error(401, "authentication_error"), SearchRefused, "search-key", None),
        (
            lambda: api_error(400, "invalid_request_error"),
            SearchRefused,
            "search-tool-refused",
            None,
        ),
        (lambda: Response("<html>robots?</html>"), SearchFailed, "search-odd", None),
        (
            lambda: Response(b'{"id": "msg_1", "con', media_type="application/json"),
            SearchFailed,
            "search-odd",
            None,
        ),
        (lambda: JSONResponse({}), SearchFailed, "search-odd", None),
    ],
    ids=["limited", "busy", "key", "tool", "html", "half", "empty"],
)
async def test_failures_are_told_apart(
    site: Site,
    answer: Any,
    error: type[SearchFailed | SearchRefused],
    code: str,
    wait: float | None,
) -> None:
    site.does(PATH, lambda _: answer())
    with refused(error, code) as raised:
        await open_search(site).search("solar pumps", 5)
    assert getattr(raised.value, "retry_after", None) == wait
    assert "the-key" not in str(raised.value)


def api_error(status: int, kind: str, headers: dict[str, str] | None = None) -> Response:
    error = {"type": "error", "error": {"type": kind, "message": "no"}}
    return JSONResponse(error, status, headers)


async def test_service_that_is_away_is_a_failure() -> None:
    search = AnthropicSearch("http://127.0.0.1:9", "k", "m", PRICE)
    with refused(SearchFailed, "search-no-answer"):
        await search.search("solar pumps", 5)


@pytest.fixture(scope="module")
async def offline() -> AsyncIterator[Services]:
    async with serving() as services:
        yield services


async def test_offline_service_answers_the_tool_from_the_library(offline: Services) -> None:
    search = AnthropicSearch(offline.base, "any", "claude-haiku-5-5", PRICE, fee_usd=FEE)
    found = await search.search("Peru economy", 3)
    await search.aclose()
    titles = await offline.titles("Peru economy", 3)
    assert [hit.title for hit in found.hits] == titles
    assert found.query == "Peru economy"
    assert found.usage.usd > FEE


async def test_offline_service_reads_a_page_of_the_library(offline: Services) -> None:
    found = await offline.http.get("/res/v1/web/search", params={"q": "Peru economy", "count": 1})
    [hit] = found.json()["web"]["results"]
    fetch = AnthropicFetch(offline.base, "any", "claude-haiku-5-5", PRICE)
    page, usage = await fetch.read(hit["url"], lambda _: None)
    assert "Peru" in page.body.decode()
    assert (page.media_type, page.url) == ("text/plain", hit["url"])
    assert usage.usd > 0
    with refused(SearchRefused, "fetch-tool-error", name="url_not_accessible"):
        await fetch.read(f"{offline.base}/elsewhere", lambda _: None)
    await fetch.aclose()
