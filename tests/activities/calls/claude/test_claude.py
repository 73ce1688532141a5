"""Every failure of a call over real HTTP: one request, one error of ours, and no streamed text."""

import asyncio
from typing import Any

import pytest

from activities.integrations.models.claude import ClaudeClient
from contracts.errors import (
    GreenlightError,
    KeyRejected,
    ModelBusy,
    ModelRejected,
    ModelUnreachable,
    Permanent,
    Transient,
)
from contracts.models.call import Reply
from contracts.models.prices import Price
from tests.activities.calls.provider import Answer, Provider, breaks_off, fails, page, says, uses
from tests.support.refusals import refused
from tests.support.words import pattern, phrase

BODY: dict[str, Any] = {
    "model": "m",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "SECRET words of a prompt"}],
}


async def ask(
    url: str,
    body: dict[str, Any] = BODY,
    key: str = "SECRET-key",
    limit_seconds: float = 60.0,
    silence_seconds: float = 30.0,
) -> Reply:
    client = ClaudeClient(url, key, limit_seconds=limit_seconds, silence_seconds=silence_seconds)
    try:
        return await client.stream(body, lambda _: None)
    finally:
        await client.close()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        *[(fails(status), ModelRejected) for status in (400, 402, 404, 413, 422)],
        *[(fails(status), KeyRejected) for status in (401, 403)],
        *[(fails(status), ModelBusy) for status in (408, 409, 429, 500, 502, 503, 504, 529)],
        (fails(429, "enforced_spend_limit_reached"), ModelRejected),
        (fails(429, "contract_spend_limit_reached"), ModelRejected),
        (fails(429, "ramp_limit_exceeded"), ModelBusy),
        (breaks_off("overloaded_error"), ModelBusy),
        (breaks_off("api_error"), ModelBusy),
        (breaks_off("rate_limit_error"), ModelBusy),
        (breaks_off("invalid_request_error"), ModelRejected),
        (breaks_off("authentication_error"), ModelRejected),
        (breaks_off("drop"), ModelUnreachable),
        (breaks_off("end"), ModelUnreachable),
        (page, ModelUnreachable),
    ],
)
async def test_each_failure_is_one_request_and_one_error(
    provider: Provider, answer: Answer, error: type[GreenlightError]
) -> None:
    provider.answers(answer)
    with pytest.raises(GreenlightError) as failed:
        await ask(provider.url)
    assert type(failed.value) is error
    assert isinstance(failed.value, Permanent if issubclass(error, ModelRejected) else Transient)
    assert "SECRET" not in str(failed.value)
    assert (failed.value.__cause__, failed.value.__context__) == (None, None)
    assert len(provider.exchanges) == 1


async def test_refused_connection_is_model_unreachable() -> None:
    with pytest.raises(ModelUnreachable):
        await ask("http://127.0.0.1:1")


async def test_silent_stream_is_given_up_as_unreachable(provider: Provider) -> None:
    provider.answers(says("Too late.", held=True))
    with pytest.raises(ModelUnreachable):
        await ask(provider.url, silence_seconds=0.3)


async def test_slow_stream_ends_at_the_timeout(provider: Provider) -> None:
    provider.answers(says("drip " * 200, pace=0.05))
    with pytest.raises(ModelUnreachable, match=pattern("model-incomplete")):
        await ask(provider.url, limit_seconds=0.5)


async def test_missing_key_is_rejected_by_the_provider(provider: Provider) -> None:
    provider.answers(fails(401))
    with pytest.raises(ModelRejected, match="401 .*: " + pattern("model-hint-key")):
        await ask(provider.url, key="")


async def test_error_contains_the_request_id(provider: Provider) -> None:
    provider.answers(fails(401))
    about = {"status": 401, "name": "authentication_error", "request": "req_offline"}
    with refused(ModelRejected, "model-status", **about):
        await ask(provider.url)


@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 208310 tokens > 200000 maximum",
        "request (18031 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
    ],
)
async def test_request_too_long_for_the_model_says_what_to_do(
    provider: Provider, message: str
) -> None:
    provider.answers(fails(400, message=message))
    with pytest.raises(ModelRejected, match=pattern("model-hint-window")) as failed:
        await ask(provider.url)
    assert not failed.value.may_be_form


@pytest.mark.parametrize(
    ("message", "is_told"),
    [
        ("registry.ollama.ai/library/gemma:2b does not support tools", True),
        ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser', True),
        ("tools and structured output are not supported by this model", True),
        ("tools param requires --jinja flag", True),
        ("This model doesn't support tool use.", True),
        ("No endpoints found that support tool use.", True),
        (
            "tools.3.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
            False,
        ),
        ("tool_choice: Tool 'x' not found in provided tools", False),
        ("max_tokens: unknown field next to tools", False),
        ("messages.1: tool_use ids must be unique", False),
    ],
)
async def test_server_without_tools_says_what_to_do(
    provider: Provider, message: str, is_told: bool
) -> None:
    provider.answers(fails(400, message=message))
    with pytest.raises(ModelRejected) as failed:
        await ask(provider.url)
    assert (phrase("model-hint-tools") in str(failed.value)) is is_told
    assert failed.value.may_be_form


@pytest.mark.parametrize(("asked", "seconds"), [("2.5", 2.5), ("86400", 300), ("soon", None)])
async def test_busy_provider_sets_retry_after_up_to_five_minutes(
    provider: Provider, asked: str, seconds: float | None
) -> None:
    provider.answers(fails(429, retry_after=asked))
    with pytest.raises(ModelBusy) as failed:
        await ask(provider.url)
    assert failed.value.retry_after == seconds


async def test_cancel_closes_the_connection(provider: Provider) -> None:
    provider.answers(says("Never.", held=True))
    call = asyncio.create_task(ask(provider.url))
    await provider.until_asked(1)
    call.cancel()
    await asyncio.wait({call})
    await asyncio.sleep(0.1)
    provider.gate.set()
    await asyncio.sleep(0.1)
    assert not provider.exchanges[0].finished


async def test_reply_has_text_tool_calls_and_tokens(provider: Provider) -> None:
    provider.answers(uses("web_search", query="pumps"))
    reply = await ask(provider.url)
    assert [block.type for block in reply.content] == ["text", "tool_use"]
    assert (reply.content[1].id, reply.content[1].name) == ("toolu_1", "web_search")
    assert reply.content[1].input == {"query": "pumps"}
    assert (reply.input_tokens, reply.stop_reason) == (1000, "tool_use")


async def test_cached_tokens_are_counted_at_their_price(provider: Provider) -> None:
    """100 plain, 40 written and 1000 read, at the factors of the model's own price."""
    usage = {
        "input_tokens": 100,
        "cache_creation_input_tokens": 40,
        "cache_read_input_tokens": 1000,
    }
    provider.answers(says("Twelve.", usage=usage))
    reply = await ask(provider.url)
    assert reply.input_tokens == 1140
    usual, newer = (
        Price(input_usd=1, output_usd=0),
        Price(input_usd=1, output_usd=0, cache_read=0.05),
    )
    assert usual.compute_call_usd(reply) == pytest.approx((100 + 50 + 100) / 1e6)
    assert newer.compute_call_usd(reply) == pytest.approx((100 + 50 + 50) / 1e6)


async def test_unsupported_schema_is_not_sent(provider: Provider) -> None:
    odd = {"format": {"type": "json_schema", "schema": {"type": "object", "properties": {"a": {}}}}}
    with pytest.raises(ModelRejected, match=pattern("model-schema")):
        await ask(provider.url, BODY | {"output_config": odd})
    assert not provider.exchanges


async def test_model_with_a_server_of_its_own_is_asked_there_with_its_key(
    provider: Provider,
) -> None:
    client = ClaudeClient("http://127.0.0.1:9", "SECRET-key", servers={"m": (provider.url, "own")})
    await client.stream(BODY, lambda _: None)
    with pytest.raises(ModelUnreachable):
        await client.stream(BODY | {"model": "another"}, lambda _: None)
    await client.close()
    assert [e.headers["authorization"] for e in provider.exchanges] == ["Bearer own"]
