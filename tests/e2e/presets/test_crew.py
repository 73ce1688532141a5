"""A market analysis on the real stack: its log contains agents, tools and tokens in order."""

import re
from typing import Any

import pytest

from contracts.agents.market_crew import TASKS
from contracts.runs.records import LoggedEvent
from tests.support.stack import Undisturbed

LETTERS = {
    "AgentInput": "i",
    "AgentStream": "s",
    "AgentOutput": "o",
    "ToolCall": "c",
    "ToolCallResult": "r",
    "StopEvent": "E",
}
TOLD = r"(is*o[cr]*)*is+oE"
"""A task's events: turns that may stream and call tools, then the answer, then the end."""


@pytest.fixture
def tasks(market: Undisturbed) -> list[list[LoggedEvent]]:
    """The events of the crew's agents, tools and tokens, task by task."""
    told = [e for e in market.watched if e.phase_id == "crew" and e.type in LETTERS]
    ends = {e.payload["agent"]: e for e in told if e.type == "StopEvent"}
    return [[*(e for e in told if e.plan_step == task.id), ends[task.agent]] for task in TASKS]


def test_analysts_are_told_at_once_and_the_strategist_after_them(
    tasks: list[list[LoggedEvent]],
) -> None:
    for events in tasks:
        letters = "".join(LETTERS[event.type] for event in events)
        assert re.fullmatch(TOLD, letters), letters
    *analysts, strategist = tasks
    assert max(events[0].seq for events in analysts) < min(events[-2].seq for events in analysts)
    assert max(events[-2].seq for events in analysts) < strategist[0].seq


def test_what_is_streamed_is_what_was_answered(tasks: list[list[LoggedEvent]]) -> None:
    streamed: list[str] = []
    most = 0
    for event in (event for events in tasks for event in events):
        if event.type == "AgentInput":
            streamed = []
        elif event.type == "AgentStream":
            streamed.append(str(event.payload["delta"]))
        elif event.type == "AgentOutput":
            response: Any = event.payload["response"]
            assert "".join(streamed) == response["blocks"][0]["text"]
            most = max(most, len(streamed))
    assert most > 1


def test_each_tool_call_follows_its_turn_and_has_one_result(
    tasks: list[list[LoggedEvent]],
) -> None:
    asked: set[str] = set()
    told: dict[str, list[str]] = {}
    for event in (event for events in tasks for event in events):
        payload: Any = event.payload
        if event.type == "AgentOutput":
            asked |= {f"{event.plan_step}-{call['tool_id']}" for call in payload["tool_calls"]}
        elif event.type in {"ToolCall", "ToolCallResult"}:
            told.setdefault(payload["tool_id"], []).append(event.type)
            assert payload["tool_id"] in asked
    assert told
    assert all(types == ["ToolCall", "ToolCallResult"] for types in told.values())
