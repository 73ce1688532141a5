"""What `bench peers` counts of the calls of a run, and how the simulated provider paces them."""

import json
import time
from datetime import UTC, datetime
from typing import Any

from bench.peers.calls import (
    Call,
    count_at_once,
    count_in_sequence,
    count_prefixes,
    count_repeated,
)
from bench.peers.measurement import list_timeline, measure_checking, share_cached_turns
from bench.peers.provider import PAGE_WORDS, StandIn, list_pages
from bench.peers.systems import REPORT_WORDS, answer, choose_calls, write_text
from bench.replay import Exchange, Pace, serve
from offline import wire
from tests.bench.test_replay import ask, post


def make_calls(*spans: tuple[float, float]) -> list[Call]:
    return [Call("", 0, *span) for span in spans]


def test_depth_is_the_most_calls_that_follow_one_another() -> None:
    side_by_side = make_calls((0, 4), (1, 2), (2, 3), (3, 9), (4, 5))
    assert count_in_sequence(side_by_side) == 3
    assert count_at_once(side_by_side) == 2
    assert (count_in_sequence([]), count_at_once([])) == (0, 0)


def test_what_an_earlier_request_had_counts_as_sent_before() -> None:
    sentence = "Olives have been grown in the valleys of Peru for long."
    texts = (f"Ask. {sentence}", f"Answer. {sentence} Short.", f"Ask. {sentence} And again.")
    calls = [Call(text, 0, 0, 1) for text in texts]
    assert [*count_repeated(calls)] == [0, len(sentence), len(sentence)]
    assert [*count_prefixes(calls)] == [0, 1, len(texts[0])]


def test_judges_reviews_and_mends_are_calls_that_check() -> None:
    roles = {"judge": "x-judge-1", "plan_reviewer": "review-1", "writer": "turn-1-mend-1"}
    called = [*roles.items(), ("researcher", "turn-1")]
    usage = {"input_tokens": 90, "output_tokens": 10}
    events = [
        {
            "type": "AgentOutput",
            "payload": {"current_agent_name": role, "call": call, "usage": usage},
        }
        for role, call in called
    ]
    assert measure_checking(events) == {"checking_calls": 0.75, "checking_tokens": 0.75}


def test_cached_share_of_later_turns_leaves_out_turns_that_begin_a_conversation() -> None:
    def take_turn(*calls: str, read: int) -> Exchange:
        said = [
            {"role": "assistant", "content": [{"type": "tool_use", "id": call}]} for call in calls
        ]
        usage = {
            "input_tokens": 50 - read,
            "cache_creation_input_tokens": 50,
            "cache_read_input_tokens": read,
        }
        return Exchange({"messages": [{"role": "user", "content": []}, *said]}, {"usage": usage})

    first, second = take_turn("planned-1", read=0), take_turn("planned-1", "toolu_1", read=40)
    assert share_cached_turns([first, second]) == 0.4
    assert share_cached_turns([first]) is None


def test_a_timeline_has_each_call_and_the_time_in_which_none_was_in_flight() -> None:
    usage = {"input_tokens": 90, "output_tokens": 10}
    times = [("plan", 1.0, 3.0), ("part-1", 4.0, 6.0), ("part-2", 5.0, 7.0)]
    events: list[dict[str, Any]] = [
        {
            "type": kind,
            "phase_id": "p",
            "at": datetime.fromtimestamp(at, UTC).isoformat(),
            "payload": {"call": call, "usage": usage},
        }
        for call, began, ended in times
        for kind, at in (("AgentInput", began), ("AgentOutput", ended))
    ]
    found = [*list_timeline(sorted(events, key=lambda event: event["at"]), started=0.0)]
    told = [(call["call"], call["began"], call["ended"], call["idle_before"]) for call in found]
    assert told == [("p/plan", 1, 3, 1), ("p/part-1", 4, 6, 1), ("p/part-2", 5, 7, 0)]


async def test_the_provider_waits_for_the_first_token_and_then_sends_at_its_rate() -> None:
    model = StandIn(Pace(first_seconds=0.2, tokens_per_second=200))
    began = time.monotonic()
    async with serve(model) as url:
        await post(url, ask("How much irrigated land does Kenya have?", tools=[]))
    [exchange] = model.exchanges
    due = 0.2 + exchange.message["usage"]["output_tokens"] / 200
    assert due - 0.02 < exchange.ended - exchange.began < time.monotonic() - began + 0.02


def test_the_pace_counts_characters_of_output_alone() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "Kenya. " * 40},
        {"type": "tool_use", "input": {"a": "b" * 300}},
    ]
    for block in blocks:
        events = [data for name, data in wire.list_block_events(0, block) if name.endswith("delta")]
        assert len(events) > 1
        assert sum(map(wire.count_piece, events)) == len(wire.get_output(block))


def test_the_corpus_is_sixty_pages_of_bounded_length() -> None:
    pages = [page for page in list_pages() if not page.slug.startswith("notices/")]
    lengths = [len(page.text.split()) for page in pages]
    assert len({page.slug for page in pages}) == 60
    assert 900 < sum(lengths) / 60 < max(lengths) <= PAGE_WORDS


def test_a_peer_delegates_at_most_five_units_at_once_and_then_completes() -> None:
    tools = {"ConductResearch", "ResearchComplete", "think_tool"}
    six = [f"topic {n}" for n in range(6)]
    turns = [choose_calls(tools, turn, six) for turn in range(7)]
    assert [len(calls) for calls in turns] == [1, 5, 1, 1, 1, 1, 0]
    assert [calls[0][0] for calls in turns[:6]] == [
        *("think_tool", "ConductResearch", "think_tool", "ConductResearch"),
        *("think_tool", "ResearchComplete"),
    ]


def test_a_peer_gets_its_schema_filled_and_its_report_longest() -> None:
    fields = {"need_clarification": {"type": "boolean"}, "brief": {"type": "string"}}
    form = {"json_schema": {"schema": {"properties": fields}}}
    asked = {"messages": [{"role": "user", "content": "Is it clear?"}], "response_format": form}
    assert json.loads(answer(asked, ["Kenya"])["content"])["need_clarification"] is False
    assert len(write_text("Write the report now.", []).split()) == REPORT_WORDS
    assert json.loads(write_text("You must answer with a list of strings", ["Kenya"]))[0]
