"""Answers as their events make them, over real HTTP: cut off, recounted, new to us, or odd."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.responses import JSONResponse, StreamingResponse

from activities.integrations.models.claude import ClaudeClient
from contracts.errors import ModelUnreachable
from offline import wire
from tests.activities.calls.claude.test_claude import BODY, ask
from tests.activities.calls.provider import Answer, Provider, streams_nothing
from tests.support.generators import dropped_generators
from tests.support.words import pattern

Event = tuple[str, dict[str, Any]]

WHOLE = wire.build_message("m", [], "end_turn", 9)
START: Event = ("message_start", {"message": wire.build_message("m", [], "", 9)})
USE = {"type": "tool_use", "id": "t1", "name": "web_search", "input": {}}
OPEN: Event = ("content_block_start", {"index": 0, "content_block": USE})
CLOSE: Event = ("content_block_stop", {"index": 0})
STOP: Event = ("message_stop", {})


def sends(*events: Event) -> Answer:
    async def stream() -> AsyncIterator[str]:
        for name, data in events:
            yield wire.format_event(name, data)

    return lambda _: StreamingResponse(stream(), media_type="text/event-stream")


def delta(kind: str, index: int = 0, **piece: Any) -> Event:
    return "content_block_delta", {"index": index, "delta": {"type": kind} | piece}


def ends(reason: str, **counted: Any) -> Event:
    usage = {"output_tokens": 7} | counted
    return "message_delta", {"delta": {"stop_reason": reason}, "usage": usage}


async def test_a_call_that_was_cut_off_is_dropped_and_the_text_kept(provider: Provider) -> None:
    pieces = ['{"query": "so', 'lar pumps", "limi', 't": 1', '2, "kind": "ne']
    written = [delta("input_json_delta", partial_json=piece) for piece in pieces]
    provider.answers(sends(START, OPEN, *written, CLOSE, ends("max_tokens"), STOP))
    reply = await ask(provider.url)
    assert (reply.content, reply.stop_reason) == ([], "max_tokens")


async def test_last_token_counts_win_and_missing_ones_remain(provider: Provider) -> None:
    start: Event = ("message_start", {"message": wire.build_message("m", [], "", 9)})
    start[1]["message"]["usage"] |= {"input_tokens": 100, "cache_read_input_tokens": 1000}
    provider.answers(sends(start, ends("end_turn", input_tokens=120, output_tokens=33), STOP))
    reply = await ask(provider.url)
    assert (reply.input_tokens, reply.output_tokens) == (1120, 33)
    assert (reply.cache_read_tokens, reply.cache_written_tokens) == (1000, 0)


async def test_unknown_events_are_ignored(provider: Provider) -> None:
    block = {"type": "hologram", "light": []}
    unknown: list[Event] = [("content_block_start", {"index": 0, "content_block": block})]
    unknown += [delta("hologram_delta", light=[1]), ("weather", {"sky": "clear"}), CLOSE]
    text: Event = (
        "content_block_start",
        {"index": 1, "content_block": {"type": "text", "text": "A"}},
    )
    said = delta("text_delta", 1, text=" word.")
    provider.answers(sends(START, *unknown, text, said, ends("end_turn"), STOP))
    reply = await ask(provider.url)
    assert [block.text for block in reply.content] == ["A word."]


@pytest.mark.parametrize(
    "events",
    [
        (),
        (STOP,),
        (START, ends("end_turn")),
        (ends("end_turn"), STOP),
        (("message_start", {"message": None}), STOP),
        (("message_start", {"message": []}), STOP),
        (START, delta("text_delta", text="lost"), STOP),
        (START, OPEN, delta("input_json_delta", 3, partial_json="{}"), STOP),
        (START, OPEN, delta("input_json_delta", partial_json=7), STOP),
        (START, OPEN, delta("input_json_delta", partial_json="{'a': 1}"), STOP),
        (START, OPEN, delta("input_json_delta", partial_json="[1, 2]"), STOP),
        (START, ("content_block_start", {"index": 0, "content_block": {"type": "text"}}), STOP),
        (START, OPEN, ends("end_turn", input_tokens="many"), STOP),
    ],
)
async def test_stream_without_an_answer_is_an_error(
    provider: Provider, events: tuple[Event, ...]
) -> None:
    provider.answers(sends(*events))
    with pytest.raises(ModelUnreachable, match=pattern("model-odd")):
        await ask(provider.url)


async def test_a_whole_message_is_read_where_nothing_is_streamed(provider: Provider) -> None:
    provider.answers(streams_nothing("Twelve."))
    heard: list[str] = []
    client = ClaudeClient(provider.url, "")
    reply = await client.stream(BODY, heard.append)
    await client.close()
    assert ([block.text for block in reply.content], heard) == (["Twelve."], ["Twelve."])
    assert (reply.input_tokens, reply.stop_reason) == (1_000, "end_turn")


async def test_what_a_whole_message_invents_is_left_alone(provider: Provider) -> None:
    content = [{"type": "pondering", "depth": 9}, {"type": "text", "text": "Twelve.", "font": 3}]
    usage = {"input_tokens": 1_000, "output_tokens": 2, "watts": {}}
    whole = WHOLE | {"content": content, "stop_reason": "satisfied", "mood": "fair", "usage": usage}
    provider.answers(lambda _: JSONResponse(whole))
    reply = await ask(provider.url)
    assert [block.text for block in reply.content] == ["Twelve."]
    assert (reply.input_tokens, reply.stop_reason) == (1_000, "satisfied")


@pytest.mark.parametrize(
    "whole",
    [
        *({}, [], {"content": "Twelve."}, {"type": "error"}, None),
        WHOLE | {"content": [{"type": "text"}]},
        WHOLE | {"content": [{"type": "text", "text": 7}]},
        WHOLE | {"content": [{"type": "tool_use", "id": "t", "name": "x"}]},
        WHOLE | {"usage": None},
    ],
)
async def test_json_that_is_no_message_is_an_error(provider: Provider, whole: Any) -> None:
    provider.answers(lambda _: JSONResponse(whole))
    with pytest.raises(ModelUnreachable, match=pattern("model-odd")):
        await ask(provider.url)


async def test_invented_fields_of_an_answer_are_left_alone(provider: Provider) -> None:
    start: Event = (
        "message_start",
        {"message": wire.build_message("m", [], "", 9), "mood": "fair"},
    )
    start[1]["message"] |= {
        "system_fingerprint": 7,
        "usage": {"input_tokens": 9, "output_tokens": 0, "watts": {}},
    }
    begin: Event = (
        "content_block_start",
        {"index": 0, "content_block": {"type": "text", "text": "", "logprobs": [1]}},
    )
    said = delta("text_delta", text="A word.", tone="soft")
    provider.answers(sends(start, begin, said, CLOSE, ends("eos", joules=3), STOP))
    reply = await ask(provider.url)
    assert ([block.text for block in reply.content], reply.stop_reason) == (["A word."], "eos")


async def test_answer_leaves_its_connection_to_the_next_call(provider: Provider) -> None:
    provider.answers(*[sends(START, OPEN, CLOSE, ends("end_turn"), STOP)] * 2)
    client = ClaudeClient(provider.url, "key")
    with dropped_generators() as dropped:
        for _ in range(2):
            await client.stream(BODY, lambda _: None)
    await client.close()
    assert dropped == []
    assert len({exchange.connection for exchange in provider.exchanges}) == 1
