"""Pages whose servers refuse us are read by the model's provider: stored, quoted and reported like others."""

import dataclasses
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from temporalio.testing import ActivityEnvironment

from activities.calls.journaled_call import JournaledCalls
from activities.integrations.search.anthropic_fetch import AnthropicFetch
from activities.web.search_calls import PageReads
from activities.web.web_activities import WebActivities
from contracts.errors import FetchRefused
from contracts.evidence.sources import FetchRequest, Source
from contracts.models.prices import Price
from store.calls.call_journal import Journal
from tests.activities.search.test_anthropic_search import message
from tests.activities.web.test_web import Desk, desk
from tests.support.databases import fetch_as_owner
from tests.support.refusals import refused

__all__ = ["desk"]
PRICE = Price(input_usd=1, output_usd=5)
USD = (8_000 + 500) / 1e6
TEXT = "Pumps in Kenya\n\nSolar pumps now cost $1,030 on average, which is 42 % less than in 2015."
Json = dict[str, Any]


def used(content: Json) -> list[Json]:
    return [
        {"type": "server_tool_use", "id": "s", "name": "web_fetch", "input": {"url": "u"}},
        {"type": "web_fetch_tool_result", "tool_use_id": "s", "content": content},
    ]


def page(text: str = TEXT) -> list[Json]:
    source = {"type": "text", "media_type": "text/plain", "data": text}
    document = {"type": "document", "source": source, "title": "Pumps in Kenya"}
    found = {"type": "web_fetch_result", "url": "u", "retrieved_at": None, "content": document}
    return used(found)


FAILED = used({"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"})


@dataclasses.dataclass
class Reading:
    """A desk whose provider reads pages that refuse us."""

    desk: Desk
    web: WebActivities
    journal: Journal

    async def read(self, url: str, step: str = "a", **told: Any) -> Source:
        scope = self.desk.scope.model_copy(update={"name": f"read-{url}", "plan_step": step})
        request = FetchRequest(scope=scope, url=url, plan_hash="abc", named=[url], **told)
        return await ActivityEnvironment().run(self.web.fetch, request)

    async def spent(self) -> float:
        return (await self.journal.sum_usage("default", self.desk.run_id)).usd


def open_reading(desk: Desk, *blocks: Json) -> Reading:
    """Serve the provider at the desk's site, which answers with these blocks."""
    desk.site.does("/v1/messages", lambda _: JSONResponse(message(*blocks, searches=0)))
    calls: JournaledCalls = desk.web._search._calls
    url = desk.site.url("").rstrip("/")
    reader = AnthropicFetch(url, "k", "claude-haiku-5-5", PRICE, timeout_seconds=2)
    reads = PageReads(calls, desk.blobs, reader)
    return Reading(desk, dataclasses.replace(desk.web, _reads=reads), calls.journal)


@pytest.mark.parametrize("status", [403, 406])
async def test_page_that_refuses_us_is_read_by_the_provider_and_says_so(
    desk: Desk, status: int
) -> None:
    url = desk.site.does("/closed", lambda _: Response("no robots", status))
    reading = open_reading(desk, *page())
    source = await reading.read(url)
    assert source.notes[0].code == "source-by-provider"
    text = (await desk.blobs.get("default", source.text_key)).decode()
    assert "Solar pumps now cost $1,030 on average" in text
    assert source.url == url
    assert source.usage.usd == await reading.spent() == pytest.approx(USD)


async def test_provider_is_sent_the_address_alone_and_bounded(desk: Desk) -> None:
    sent: list[Json] = []

    async def answer(request: Request) -> Response:
        sent.append(await request.json())
        return JSONResponse(message(*page(), searches=0))

    url = desk.site.does("/closed", lambda _: Response("", 403))
    reading = open_reading(desk)
    desk.site.does("/v1/messages", answer)
    await reading.read(url)
    [body] = sent
    [tool] = body["tools"]
    assert (tool["type"], tool["max_uses"]) == ("web_fetch_20250910", 1)
    assert tool["max_content_tokens"] == 25_000
    assert body["messages"][0]["content"].endswith(f"\n\n{url}")


@pytest.mark.parametrize("status", [401, 404, 410, 451])
async def test_other_refusals_stay_refusals(desk: Desk, status: int) -> None:
    url = desk.site.does("/gone", lambda _: Response("", status))
    reading = open_reading(desk, *page())
    with refused(FetchRefused, "fetch-status", status=status):
        await reading.read(url)
    assert "/v1/messages" not in desk.site.paths


async def test_private_address_is_never_handed_to_the_provider(desk: Desk) -> None:
    reading = open_reading(desk, *page())
    with refused(FetchRefused, "host-private"):
        await reading.read("http://127.0.0.1:1/secret")
    assert desk.site.paths == []


async def test_page_that_the_provider_cannot_read_keeps_its_refusal_and_its_bill(
    desk: Desk,
) -> None:
    url = desk.site.does("/closed", lambda _: Response("", 403))
    reading = open_reading(desk, *FAILED)
    with refused(FetchRefused, "fetch-status", status=403):
        await reading.read(url)
    [spent] = await fetch_as_owner(
        desk.listed._pool,
        "SELECT to_jsonb(sum(settled_usd)) FROM calls WHERE run_id = %(run)s",
        {"run": desk.run_id},
    )
    assert spent == pytest.approx(USD)


async def test_page_is_paid_once_for_all_agents_and_retries(desk: Desk) -> None:
    url = desk.site.does("/closed", lambda _: Response("", 403))
    reading = open_reading(desk, *page())
    first = await reading.read(url)
    other = await reading.read(url, step="b", pages_left=3)
    assert first.usage.usd == pytest.approx(USD)
    assert other.usage.usd == 0
    assert other.text_key == first.text_key
    assert desk.site.paths.count("/v1/messages") == 1
    assert await reading.spent() == pytest.approx(USD)


async def test_page_that_the_cap_does_not_pay_for_keeps_its_refusal(desk: Desk) -> None:
    url = desk.site.does("/closed", lambda _: Response("", 403))
    reading = open_reading(desk, *page())
    with refused(FetchRefused, "fetch-status", status=403):
        await reading.read(url, cap_usd=0.001)
    assert "/v1/messages" not in desk.site.paths
