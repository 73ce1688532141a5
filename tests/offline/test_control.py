"""Failures on request, and the log of requests."""

import asyncio
import time
from typing import Any

import anthropic
import httpx
import pytest

from tests.offline.conftest import Services
from tests.offline.model_requests import body, fence
from tests.offline.test_messages_api import INPUTS, QUESTIONS, REQUEST, client_of

PLAIN = body(fence(INPUTS))


async def fail(services: Services, *failures: dict[str, Any], **switches: float) -> None:
    response = await services.http.post("/control", json={"failures": failures, **switches})
    assert response.status_code == 200, response.text


async def statuses(services: Services, request: dict[str, Any], count: int) -> list[int]:
    return [
        (await services.http.post("/v1/messages", json=request)).status_code for _ in range(count)
    ]


async def test_429_comes_with_retry_after_as_often_as_told(services: Services) -> None:
    await fail(services, {"status": 429, "retry_after": 1.5, "times": 2})
    async with client_of(services) as client:
        with pytest.raises(anthropic.RateLimitError) as error:
            await client.messages.create(**REQUEST)
    assert error.value.response.headers["retry-after"] == "1.5"
    assert await statuses(services, REQUEST, 2) == [429, 200]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, anthropic.AuthenticationError),
        (500, anthropic.InternalServerError),
        (529, anthropic.InternalServerError),
    ],
)
async def test_an_error_status_is_the_providers_own(
    services: Services, status: int, kind: type[Exception]
) -> None:
    await fail(services, {"status": status})
    async with client_of(services) as client:
        with pytest.raises(kind):
            await client.messages.create(**REQUEST)


async def test_a_failure_strikes_only_what_it_matches(services: Services) -> None:
    await fail(services, {"status": 529, "match": {"schema_property": "questions", "nth": 2}})
    assert await statuses(services, PLAIN, 3) == [200, 200, 200]
    assert await statuses(services, REQUEST, 3) == [200, 529, 200]
    await fail(services, {"status": 529, "match": {"tools": True}})
    assert await statuses(services, PLAIN, 1) == [200]


async def test_a_hang_lasts_until_the_client_goes(services: Services) -> None:
    await fail(services, {"mode": "hang"})
    with pytest.raises(httpx.ReadTimeout):
        await services.http.post("/v1/messages", json=REQUEST, timeout=0.3)
    await asyncio.sleep(0.1)
    [entry] = await services.log("model")
    assert entry["disconnected"]
    assert not entry["finished"]


async def test_what_is_held_is_answered_once_the_switches_are_replaced(services: Services) -> None:
    called = {"type": "tool_use", "id": "t", "name": "update_report", "input": {}}
    after = PLAIN | {"messages": [{"role": "assistant", "content": [called]}, *PLAIN["messages"]]}
    await fail(services, {"mode": "hold", "match": {"used": "update_report"}})
    assert await statuses(services, PLAIN, 1) == [200]
    held = asyncio.ensure_future(services.http.post("/v1/messages", json=after))
    done, _ = await asyncio.wait({held}, timeout=0.3)
    assert not done
    await fail(services)
    assert (await held).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_is_cut_off_within_its_body(services: Services, stream: bool) -> None:
    await fail(services, {"mode": "cut"})
    with pytest.raises(httpx.RemoteProtocolError):
        await services.http.post("/v1/messages", json=REQUEST | {"stream": stream})
    [entry] = await services.log("model")
    assert not entry["finished"]


async def test_a_stream_breaks_off_with_an_error_event(services: Services) -> None:
    await fail(services, {"mode": "stream_error"})
    response = await services.http.post("/v1/messages", json=REQUEST | {"stream": True})
    assert response.text.rstrip().splitlines()[-2] == "event: error"


@pytest.mark.parametrize(
    ("mode", "stop_reason"),
    [("refuse", "refusal"), ("truncate", "max_tokens"), ("bad_json", "end_turn")],
)
async def test_an_answer_can_be_of_no_use(services: Services, mode: str, stop_reason: str) -> None:
    await fail(services, {"mode": mode})
    message = (await services.http.post("/v1/messages", json=REQUEST)).json()
    assert message["stop_reason"] == stop_reason
    with pytest.raises(ValueError):
        httpx.Response(200, text=message["content"][0]["text"]).json()


async def test_html_may_come_instead_of_json(services: Services) -> None:
    await fail(services, {"mode": "html"})
    response = await services.http.post("/v1/messages", json=REQUEST)
    assert response.headers["content-type"].startswith("text/html")


async def test_search_and_pages_fail_too(services: Services) -> None:
    await fail(
        services,
        {"status": 429, "match": {"service": "search"}},
        {"status": 503, "match": {"service": "pages", "path": "kenya"}},
    )
    search = await services.http.get("/res/v1/web/search", params={"q": "Kenya"})
    assert (search.status_code, search.json()["type"]) == (429, "ErrorResponse")
    assert (await services.http.get("/pages/chad-economy")).status_code == 200
    assert (await services.http.get("/pages/kenya-economy")).status_code == 503


async def test_latency_and_pace_take_their_time(services: Services) -> None:
    await fail(services, latency=0.2, pace=0.3)
    started = time.monotonic()
    await services.http.post("/v1/messages", json=REQUEST)
    assert time.monotonic() - started >= 0.2
    started = time.monotonic()
    await services.http.post("/v1/messages", json=REQUEST | {"stream": True})
    assert time.monotonic() - started >= 0.4


async def test_a_switch_out_of_form_is_refused(services: Services) -> None:
    assert (await services.http.post("/control", json={"failure": []})).status_code == 422


async def test_reset_ends_every_failure(services: Services) -> None:
    await fail(services, {"status": 500, "times": 9})
    await services.http.delete("/control")
    assert await statuses(services, REQUEST, 1) == [200]


async def test_the_log_tells_each_request(services: Services) -> None:
    await services.http.post("/v1/messages", json=REQUEST)
    await services.http.post("/v1/messages", json=REQUEST)
    await services.http.post(
        "/v1/messages", json=body(fence(INPUTS), schema=QUESTIONS, stream=True)
    )
    await services.http.get("/pages/kenya-economy")
    first, second, third = await services.log("model")
    assert first["body_sha256"] == second["body_sha256"] != third["body_sha256"]
    assert {entry["status"] for entry in (first, second, third)} == {200}
    assert all(entry["finished"] and not entry["disconnected"] for entry in (first, second, third))
    assert [entry["path"] for entry in await services.log("pages")] == ["/pages/kenya-economy"]
    await services.http.delete("/requests")
    assert await services.log("model") == []
