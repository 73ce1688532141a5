"""Chat completions over real HTTP: what two servers answer is the same reply, and every failure one error of ours."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from activities.integrations.models.chat_completions import MAX_STREAM_BYTES, ChatClient
from contracts.errors import (
    GreenlightError,
    KeyRejected,
    ModelBusy,
    ModelRejected,
    ModelUnreachable,
)
from contracts.models.call import Reply
from contracts.models.prices import Limits, TokenCount
from tests.activities.calls.provider import Answer, Provider, hangs, page
from tests.conftest import ROOT
from tests.support.generators import dropped_generators
from tests.support.refusals import refused
from tests.support.words import pattern

FOLDER = ROOT / "tests/fixtures/chat_completions"
SERVERS = ("llama.cpp", "openai")
TOOL = {"name": "web_search", "description": "Searches.", "input_schema": {"type": "object"}}
NUMBER = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}
TYPED = {"output_config": {"format": {"type": "json_schema", "schema": NUMBER}}}
BODY: dict[str, Any] = {
    "model": "m",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "You count.", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "SECRET words"}]}],
}


async def ask(provider: Provider, body: dict[str, Any] | None = None, **how: Any) -> Reply:
    on_text = how.pop("on_text", lambda _: None)
    on_tokens = how.pop("on_tokens", lambda _: None)
    client = ChatClient(how.pop("url", provider.url), "SECRET-key", **how)
    try:
        return await client.stream(BODY if body is None else body, on_text, on_tokens)
    finally:
        await client.close()


def streams(data: str | bytes, media_type: str = "text/event-stream") -> Answer:
    return lambda _: Response(data, media_type=media_type)


def replays(server: str, name: str) -> Answer:
    """Answer with the bytes of a server."""
    path = FOLDER / server / name
    kind = "text/event-stream; charset=utf-8" if name.endswith("sse") else "application/json"
    status = 400 if name == "too_long.json" else 200
    return lambda _: Response(path.read_bytes(), status, media_type=kind)


def event(delta: object, finish: str | None = None, **more: Any) -> str:
    chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}
    return f"data: {json.dumps(chunk)}\n\n"


def fails(status: int, code: object = None, message: str = "SECRET words", **more: Any) -> Answer:
    error = {"message": message, "type": "an_error", "param": None, "code": code} | more
    return lambda _: JSONResponse({"error": error}, status)


@pytest.mark.parametrize("maker", SERVERS)
@pytest.mark.parametrize(("name", "cached"), [("text.sse", 5), ("whole.json", 24)])
async def test_text_is_handed_out_and_counted(
    provider: Provider, maker: str, name: str, cached: int
) -> None:
    provider.answers(replays(maker, name))
    heard: list[str] = []
    counted: list[TokenCount] = []
    reply = await ask(provider, on_text=heard.append, on_tokens=counted.append)
    assert reply.content[0].text == "".join(heard) == "I'm sorry for any misglamour. I'm"
    assert (reply.stop_reason, reply.is_estimated) == ("max_tokens", False)
    expected = TokenCount(input_tokens=34, cache_read_tokens=cached, output_tokens=12)
    assert counted[-1] == expected
    assert (
        TokenCount(**{name: getattr(reply, name) for name in TokenCount.model_fields}) == expected
    )


@pytest.mark.parametrize("maker", SERVERS)
async def test_typed_answer_is_asked_for_by_its_schema(provider: Provider, maker: str) -> None:
    provider.answers(replays(maker, "typed.sse"))
    reply = await ask(provider, BODY | TYPED)
    assert json.loads(reply.content[0].text) == {"number": 1}
    assert reply.stop_reason == "end_turn"
    sent = provider.exchanges[0].body["response_format"]["json_schema"]
    assert (sent["schema"], sent["strict"]) == (NUMBER, True)


@pytest.mark.parametrize("maker", SERVERS)
async def test_several_calls_of_tools_in_one_turn_are_read(provider: Provider, maker: str) -> None:
    provider.answers(replays(maker, "tools.sse"))
    reply = await ask(provider, BODY | {"tools": [TOOL]})
    assert [(block.name, block.input) for block in reply.content] == [
        ("web_search", {"query": "pumps"}),
        ("web_search", {"query": "wells"}),
    ]
    assert len({block.id for block in reply.content}) == 2
    assert reply.stop_reason == "tool_use"


@pytest.mark.parametrize("maker", SERVERS)
async def test_request_too_long_is_no_matter_of_form(provider: Provider, maker: str) -> None:
    provider.answers(replays(maker, "too_long.json"))
    with pytest.raises(ModelRejected, match=pattern("model-hint-window")) as failed:
        await ask(provider)
    assert (failed.value.is_too_long, failed.value.may_be_form) == (True, False)


async def test_request_has_text_alone_and_words_for_choices(provider: Provider) -> None:
    """Servers refuse parts, null and objects where OpenAI takes them."""
    use = {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "pümps"}}
    failed = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "is_error": True,
        "content": [{"type": "text", "text": "down"}],
    }
    more = {"type": "text", "text": "Go on."}
    turns = [
        *BODY["messages"],
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [failed, more]},
    ]
    answer_tool = {"name": "give_answer", "description": "Gives.", "input_schema": NUMBER}
    choice = {"type": "tool", "name": "give_answer"}
    provider.answers(streams(event({"content": "1"}, "stop")))
    await ask(
        provider, BODY | {"messages": turns, "tools": [TOOL, answer_tool], "tool_choice": choice}
    )
    sent = provider.exchanges[0].body
    assert sent["messages"] == [
        {"role": "system", "content": "You count."},
        {"role": "user", "content": "SECRET words"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "t1",
                    "type": "function",
                    "function": {"name": "web_search", "arguments": '{"query": "pümps"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "Error:\ndown"},
        {"role": "user", "content": "Go on."},
    ]
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["give_answer"]
    assert (sent["tool_choice"], sent["max_tokens"]) == ("required", 100)
    assert provider.exchanges[0].headers["authorization"] == "Bearer SECRET-key"


async def test_optional_field_is_not_asked_for_in_strict_mode(provider: Provider) -> None:
    provider.answers(streams(event({"content": "{}"}, "stop")))
    free = {"format": {"type": "json_schema", "schema": NUMBER | {"required": []}}}
    await ask(provider, BODY | {"output_config": free})
    assert provider.exchanges[0].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("answer", "error", "may_be_form"),
    [
        *[(fails(status), ModelRejected, True) for status in (400, 422)],
        *[(fails(status), ModelRejected, False) for status in (402, 404, 413)],
        *[(fails(status), KeyRejected, False) for status in (401, 403)],
        *[(fails(status), ModelBusy, False) for status in (408, 409, 429, 500, 502, 503, 529)],
        (fails(429, "insufficient_quota"), ModelRejected, False),
        (fails(500, message="1 validation error for Body"), ModelRejected, True),
        (fails(503, 503, "Loading model"), ModelBusy, False),
        (lambda _: JSONResponse({"detail": "SECRET words"}, 422), ModelRejected, True),
        (lambda _: JSONResponse(["SECRET"], 502), ModelBusy, False),
        (lambda _: Response("<html>SECRET</html>", 502), ModelBusy, False),
        (lambda _: RedirectResponse("http://127.0.0.1:9/v1"), ModelRejected, False),
        (page, ModelUnreachable, False),
    ],
)  # fmt: skip
async def test_each_refusal_is_one_request_and_one_error(
    provider: Provider, answer: Answer, error: type[GreenlightError], may_be_form: bool
) -> None:
    provider.answers(answer)
    with pytest.raises(GreenlightError) as failed:
        await ask(provider)
    assert type(failed.value) is error
    assert getattr(failed.value, "may_be_form", False) is may_be_form
    assert "SECRET" not in str(failed.value)
    assert (failed.value.__cause__, failed.value.__context__) == (None, None)
    assert len(provider.exchanges) == 1


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ("", ModelUnreachable),
        ("data: [DONE]\n\n", ModelUnreachable),
        ("data: {}\n\n", ModelUnreachable),
        ("data: [1]\n\n", ModelUnreachable),
        ("data: {\n\n", ModelUnreachable),
        ("data: " + "[" * 100_000 + "\n\n", ModelUnreachable),
        (event({"content": "half"}), ModelUnreachable),
        (event({"content": "half"}) + "data: [DONE]\n\n", ModelUnreachable),
        (event({"content": 7}, "stop"), ModelUnreachable),
        (event({"tool_calls": [{"index": 0, "function": {"name": "x", "arguments": "{'a"}}]}, "stop"), ModelUnreachable),
        (event({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, "stop"), ModelUnreachable),
        (event({"tool_calls": [{"index": -1}]}, "stop"), ModelUnreachable),
        (event({}, "stop", usage={"prompt_tokens": -4}), ModelUnreachable),
        (event({"content": "a"}) + 'data: {"error": {"message": "SECRET", "type": "server_error"}}\n\n', ModelBusy),
        ('data: {"error": {"message": "SECRET", "code": 429}}\n\n', ModelBusy),
        ('data: {"error": {"message": "SECRET", "code": 402}}\n\n', ModelRejected),
        ('data: {"error": {"message": "SECRET", "type": "invalid_request_error"}}\n\n', ModelRejected),
        ('data: {"error": "SECRET"}\n\n', ModelBusy),
    ],
)  # fmt: skip
async def test_stream_without_a_whole_answer_is_an_error(
    provider: Provider, data: str, error: type[GreenlightError]
) -> None:
    provider.answers(streams(data))
    with pytest.raises(error) as failed:
        await ask(provider)
    assert type(failed.value) is error
    assert "SECRET" not in str(failed.value)
    assert (failed.value.__cause__, failed.value.__context__) == (None, None)


@pytest.mark.parametrize(
    "said", ["null", "{}", "[]", '"x"', '{"choices": []}', '{"choices": null}']
)
async def test_json_that_is_no_completion_is_an_error(provider: Provider, said: str) -> None:
    provider.answers(streams(said, "application/json"))
    with pytest.raises(ModelUnreachable, match=pattern("model-odd")):
        await ask(provider)


async def test_what_a_half_stream_cost_is_estimated(provider: Provider) -> None:
    """Nobody counts what was streamed before the line broke."""
    provider.answers(streams(event({"content": "word " * 60})))
    counted: list[TokenCount] = []
    with pytest.raises(ModelUnreachable):
        await ask(provider, on_tokens=counted.append)
    assert counted[-1].output_tokens == 100
    assert counted[-1].input_tokens > 30


async def test_tokens_that_nobody_counts_are_estimated_and_said_to_be(provider: Provider) -> None:
    provider.answers(streams(event({"content": "word " * 60}, "stop")))
    reply = await ask(provider)
    assert (reply.output_tokens, reply.is_estimated) == (100, True)


async def test_comments_thinking_and_inventions_are_left_alone(provider: Provider) -> None:
    said = ": PROCESSING\n\nevent: message\nretry: 3\n"
    said += event({"reasoning_content": "SECRET", "content": None, "mood": "fair"}, None, x=1)
    said += event({"content": "Twelve."}, None) + event({"content": ""}, "stop")
    said += event({"content": "No."}).replace('"index": 0', '"index": 1')
    provider.answers(streams(said.replace("\n", "\r\n")))
    reply = await ask(provider)
    assert [block.text for block in reply.content] == ["Twelve."]


async def test_call_without_id_or_index_gets_its_own_id(provider: Provider) -> None:
    call = {"id": "", "function": {"name": "web_search", "arguments": {"query": "pumps"}}}
    provider.answers(streams(event({"tool_calls": [call, call]}, "stop")))
    first, second = (await ask(provider, BODY | {"tools": [TOOL]})).content
    assert first.id
    assert first.id != second.id
    assert first.input == {"query": "pumps"}


async def test_call_that_was_cut_off_is_dropped(provider: Provider) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "web_search", "arguments": '{"query": "so'}}
    provider.answers(
        streams(event({"content": "Let me."}) + event({"tool_calls": [call]}, "length"))
    )
    reply = await ask(provider)
    assert ([b.type for b in reply.content], reply.stop_reason) == (["text"], "max_tokens")


async def test_model_that_declines_is_a_refusal(provider: Provider) -> None:
    provider.answers(replays("openai", "refusal.sse"), streams(event({}, "content_filter")))
    assert {(await ask(provider)).stop_reason for _ in range(2)} == {"refusal"}


async def test_refused_parameters_are_sent_otherwise_from_then_on(provider: Provider) -> None:
    renamed = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    done = streams(event({"content": "1"}, "stop"))
    provider.answers(fails(400, "unsupported_parameter", renamed))
    provider.answers(fails(422, None, "Unrecognized request argument: stream_options"), done, done)
    client = ChatClient(provider.url, "k")
    for _ in range(2):
        await client.stream(BODY, lambda _: None)
    await client.close()
    sent = [
        sorted({"max_tokens", "max_completion_tokens", "stream_options"} & {*e.body})
        for e in provider.exchanges
    ]
    assert sent[0] == ["max_tokens", "stream_options"]
    assert sent[1] == ["max_completion_tokens", "stream_options"]
    assert sent[2:] == [["max_completion_tokens"]] * 2


async def test_parameter_that_stays_refused_ends_the_call(provider: Provider) -> None:
    stubborn = fails(400, None, "max_completion_tokens, stream_options: no")
    provider.answers(*[stubborn] * 9)
    with pytest.raises(ModelRejected):
        await ask(provider)
    assert len(provider.exchanges) == 3


@pytest.mark.parametrize(("said", "seconds"), [("7", 7.0), ("99999", 300.0), ("soon", None)])
async def test_wait_that_a_server_asks_for_is_kept(
    provider: Provider, said: str, seconds: float | None
) -> None:
    provider.answers(lambda _: JSONResponse({}, 429, {"retry-after": said}))
    with pytest.raises(ModelBusy) as failed:
        await ask(provider)
    assert failed.value.retry_after == seconds


async def test_silence_and_slowness_end_a_call(provider: Provider) -> None:
    async def drip() -> AsyncIterator[str]:
        while True:
            yield event({"content": "."})
            await asyncio.sleep(0.05)

    provider.answers(hangs, lambda _: StreamingResponse(drip(), media_type="text/event-stream"))
    with refused(ModelUnreachable, "model-stalled"):
        await ask(provider, silence_seconds=0.3)
    with refused(ModelUnreachable, "model-incomplete"):
        await ask(provider, limit_seconds=0.5)
    with refused(ModelUnreachable, "model-no-connection"):
        await ask(provider, url="http://127.0.0.1:1")


async def test_endless_line_is_bounded_in_bytes_and_time(provider: Provider) -> None:
    def flood() -> Iterator[bytes]:
        for _ in range(MAX_STREAM_BYTES // 65_536 + 2):
            yield b"x" * 65_536

    provider.answers(lambda _: StreamingResponse(flood(), media_type="text/event-stream"))
    started = time.monotonic()
    with pytest.raises(ModelUnreachable):
        await ask(provider)
    assert time.monotonic() - started < 20


async def test_cancel_closes_the_connection(provider: Provider) -> None:
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[str]:
        try:
            while True:
                yield event({"content": "."})
                await asyncio.sleep(0.01)
        finally:
            closed.set()

    provider.answers(lambda _: StreamingResponse(endless(), media_type="text/event-stream"))
    call = asyncio.create_task(ask(provider))
    await provider.until_asked(1)
    await asyncio.sleep(0.1)
    call.cancel()
    await asyncio.wait_for(closed.wait(), 5)


async def test_limits_come_from_the_list_of_models(provider: Provider) -> None:
    provider.listed = [
        {"id": "m", "context_length": 8_000, "top_provider": {"max_completion_tokens": 900}},
        {"id": "v", "max_model_len": 4_096},
    ]
    client = ChatClient(provider.url, "k")
    assert await client.find_limits("m") == Limits(window_tokens=8_000, answer_tokens=900)
    assert await client.find_limits("v") == Limits(window_tokens=4_096)
    assert await client.find_limits("nobody's") == Limits()
    await client.close()


async def test_model_that_is_not_listed_is_refused_before_it_is_asked(provider: Provider) -> None:
    client = ChatClient(provider.url, "k")
    await client.check("m")  # it lists nothing
    provider.listed = [{"id": "one"}]
    await client.check("m")  # a lone model has many names
    provider.listed = [{"id": "one"}, {"id": "two"}]
    await client.check("two")
    with refused(ModelRejected, "model-unknown", model="m"):
        await client.check("m")
    await client.close()
    nobody = ChatClient("http://127.0.0.1:1", "k")
    await nobody.check("m")  # an outage does not count as a refusal
    await nobody.close()


@pytest.mark.parametrize(
    ("given", "asked"),
    [("http://h:1", "http://h:1/v1"), ("http://h/", "http://h/v1"), ("http://h/api/v3/", "http://h/api/v3")],
)  # fmt: skip
async def test_address_without_a_path_means_v1(given: str, asked: str) -> None:
    client = ChatClient(given, "")
    assert client.find_url("m") == asked
    await client.close()


def test_fixtures_name_no_path_of_a_machine() -> None:
    texts = [path.read_text("utf-8") for path in Path(FOLDER).rglob("*.*") if path.is_file()]
    assert len(texts) > 8
    assert not any("/tmp/" in text or ".gguf" in text for text in texts)


@pytest.mark.parametrize("maker", SERVERS)
async def test_answer_leaves_its_connection_to_the_next_call(
    provider: Provider, maker: str
) -> None:
    provider.answers(*[replays(maker, "text.sse")] * 2)
    client = ChatClient(provider.url, "key")
    with dropped_generators() as dropped:
        for _ in range(2):
            await client.stream(BODY, lambda _: None, lambda _: None)
    await client.close()
    assert dropped == []
    assert len({exchange.connection for exchange in provider.exchanges}) == 1
