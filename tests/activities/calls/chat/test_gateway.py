"""A chat-completions model behind the gateway: the same request forms, journal, prices and events as others."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.responses import JSONResponse

from activities.calls.model_gateway import ModelGateway
from activities.integrations.models.chat_completions import ChatClient
from activities.integrations.models.model_clients import ModelClients
from contracts.errors import OutputInvalid
from contracts.models.prices import Price
from contracts.runs.events import Status
from settings import Settings
from tests.activities.calls.chat.test_chat_completions import event, fails, streams
from tests.activities.calls.conftest import NUMBER, House, opened, tool
from tests.activities.calls.provider import Answer, Body, Provider

COUNTED = {"usage": {"prompt_tokens": 1_000, "completion_tokens": 200}}
PRICES = {"m": Price(input_usd=1, output_usd=5, cache_read=0.5)}


@pytest.fixture
async def chatting(database: str, provider: Provider, tmp_path: Path) -> AsyncIterator[House]:
    """A gateway whose model `m` is on a chat-completions server."""
    async with opened(database, provider, tmp_path) as house:
        chat = ChatClient(provider.url, "k")
        models = ModelClients(house.client, {"m": chat})
        house.gateway = ModelGateway(models, house.calls, house.events, house.blobs, PRICES)
        yield house
        await chat.close()


def says(text: str, **more: object) -> Answer:
    return streams(event({"content": text}) + event({}, "stop", **(more or COUNTED)))


def uses(name: str, **arguments: object) -> Answer:
    call = {"index": 0, "id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return streams(event({"tool_calls": [call]}, "tool_calls", **COUNTED))


def name_form(body: Body) -> str:
    if "response_format" in body:
        return "enforced"
    if body.get("tool_choice") == "required":
        return "tool"
    return "text" if "JSON Schema" in body["messages"][-1]["content"] else "none"


def forms(house: House) -> list[str]:
    return [name_form(exchange.body) for exchange in house.provider.exchanges]


async def test_schema_then_tool_then_words_and_what_worked_is_kept(chatting: House) -> None:
    """As llama-cpp-python: 500 for both, then JSON in words."""
    unknown = fails(500, message="1 validation error: Input should be 'text' or 'json_object'")
    chatting.provider.answers(unknown, unknown, says('{"number": 12}'), says('{"number": 13}'))
    for number in (12, 13):
        result = await chatting.call(chatting.request(f"Is it {number}?", output_schema=NUMBER))
        assert result.output == {"number": number}
        assert result.usage.calls == 1
    assert forms(chatting) == ["enforced", "tool", "text", "text"]


async def test_schema_that_is_not_heeded_leads_to_a_required_tool(chatting: House) -> None:
    chatting.provider.answers(says("Twelve, I think."), uses("give_answer", number=12))
    result = await chatting.call(chatting.request(output_schema=NUMBER))
    assert (result.output, result.usage.calls) == ({"number": 12}, 2)
    assert forms(chatting) == ["enforced", "tool"]


async def test_agent_that_may_call_gives_its_answer_by_a_tool(chatting: House) -> None:
    """A server that enforces a schema does so from the first token on, and calls no tool."""
    chatting.provider.answers(uses("web_search", query="pumps"), uses("give_answer", number=12))
    chatting.provider.answers(says('{"number": 13}'))
    request = chatting.request(tools=[tool("web_search")], output_schema=NUMBER)
    searching = await chatting.call(request)
    assert [block.name for block in searching.content] == ["web_search"]
    answered = await chatting.call(request.model_copy(update={"system": "Go on."}))
    assert answered.output == {"number": 12}
    last = await chatting.call(request.model_copy(update={"may_call": False}))
    assert last.output == {"number": 13}
    sent = [exchange.body for exchange in chatting.provider.exchanges]
    assert [[t["function"]["name"] for t in body["tools"]] for body in sent] == [
        *[["web_search", "give_answer"]] * 2,
        ["web_search"],
    ]
    assert [body["tool_choice"] for body in sent] == ["required", "required", "none"]
    assert ["response_format" in body for body in sent] == [False, False, True]


async def test_what_a_server_takes_beside_tools_is_found_out_apart(chatting: House) -> None:
    """As dasLLAMA: a schema is enforced, a required tool refused."""
    forced = fails(400, message="a forced 'tool_choice' is not served for this format")
    chatting.provider.answers(says('{"number": 1}'), forced, forced, says('{"number": 2}'))
    chatting.provider.answers(says('{"number": 3}'), says('{"number": 4}'))
    numbers = []
    for question in ("How many?", "And now?"):
        plain = chatting.request(question, output_schema=NUMBER)
        agent = plain.model_copy(update={"tools": [tool("web_search")]})
        numbers += [(await chatting.call(request)).output for request in (plain, agent)]
    assert numbers == [{"number": n} for n in (1, 2, 3, 4)]
    assert forms(chatting) == ["enforced", "tool", "tool", "text", "enforced", "text"]


async def test_model_that_calls_no_tool_is_asked_in_its_schema_without_tools(
    chatting: House,
) -> None:
    """As SmolLM2 at llama.cpp: it heeds no required tool, and its server enforces a schema."""
    chatting.provider.answers(*[says("Namaste!")] * 4, says('{"number": 1}'))
    agent = chatting.request(tools=[tool("web_search")], output_schema=NUMBER)
    with pytest.raises(OutputInvalid):
        await chatting.call(agent)
    plain = await chatting.call(chatting.request("And now?", output_schema=NUMBER))
    assert plain.output == {"number": 1}
    assert forms(chatting)[-1] == "enforced"


async def test_call_is_journaled_priced_and_paid_once(chatting: House) -> None:
    cached = {"prompt_tokens_details": {"cached_tokens": 400}}
    chatting.provider.answers(says("Twelve.", usage=COUNTED["usage"] | cached))
    request = chatting.request(tools=[tool("web_search")])
    made = await chatting.call(request)
    assert made.usage.usd == pytest.approx((600 + 0.5 * 400 + 5 * 200) / 1_000_000)
    again = await chatting.call(request)
    assert (again.reused, again.content) == (True, made.content)
    assert len(chatting.provider.exchanges) == 1
    told = [
        entry.payload.get("delta") for entry in await chatting.log() if entry.type == "AgentStream"
    ]
    assert told == ["Twelve."]


async def test_estimated_tokens_are_said_once_in_a_run(chatting: House) -> None:
    chatting.provider.answers(says("Twelve.", x=1), says("Thirteen.", x=1))
    for question in ("How many?", "And now?"):
        result = await chatting.call(chatting.request(question, name=question[:3].lower()))
        assert result.usage.usd > 0
    told = [entry.payload for entry in await chatting.log() if entry.type == Status.__name__]
    assert [payload["notice"]["code"] for payload in told] == ["model-uncounted"]  # type: ignore[call-overload, index]


async def test_other_models_are_asked_at_the_usual_server(chatting: House) -> None:
    models = ModelClients(chatting.client, {"m": ChatClient("http://127.0.0.1:1/v1", "k")})
    assert models.find_url("other").rstrip("/") == chatting.provider.url
    assert models.find_url("m") == "http://127.0.0.1:1/v1"
    assert await models.open_batch({"model": "m"}) is None
    assert await models.read_batch("m", "b1") == "expired"
    assert await models.count_tokens({"model": "m"}) is None


def test_cached_tokens_are_charged_in_full_unless_their_price_is_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    servers = {
        m: {"url": "http://h/v1", "api": api}
        for m, api in (("a", "chat"), ("b", "chat"), ("c", "messages"))
    }
    usual = {"input_usd": 1, "output_usd": 5}
    monkeypatch.setenv("GREENLIGHT_SERVERS", json.dumps(servers))
    monkeypatch.setenv(
        "GREENLIGHT_PRICES", json.dumps({"a": usual, "b": usual | {"cache_read": 0.25}, "c": usual})
    )
    prices = Settings().terms().prices
    assert [prices[model].cache_read for model in "abc"] == [1.0, 0.25, 0.1]
    assert Settings().model_copy().servers()["a"].api == "chat"


async def test_whole_completion_without_a_stream_is_an_answer(chatting: House) -> None:
    whole = {
        "choices": [{"index": 0, "message": {"content": "Twelve."}, "finish_reason": "stop"}],
        **COUNTED,
    }
    chatting.provider.answers(lambda _: JSONResponse(whole))
    result = await chatting.call(chatting.request())
    assert result.content[0].text == "Twelve."
