"""A market analysis on the real stack: its log tells of agents, tools and tokens in their order."""

import re
from itertools import pairwise
from typing import Any

import pytest

from contracts.agents.market_crew import TASKS
from contracts.runs.records import LoggedEvent
from tests.stack import Undisturbed

LETTERS = {
    "AgentInput": "i",
    "AgentStream": "s",
    "AgentOutput": "o",
    "ToolCall": "c",
    "ToolCallResult": "r",
    "StopEvent": "E",
}
TOLD = r"(is*o[cr]*)*is+oE"
"""How a task is told: turns that may stream and call tools, then the answer, then the end."""


@pytest.fixture
def tasks(market: Undisturbed) -> list[list[LoggedEvent]]:
    """The events of the crew's agents, tools and tokens, task by task.

    The end of a task is told by its run, what happens in it by its calls: the next one may be
    told to have begun first.
    """
    told = [e for e in market.watched if e.phase_id == "crew" and e.type in LETTERS]
    ends = [event for event in told if event.type == "StopEvent"]
    return [
        sorted([*(e for e in told if e.plan_step == task.id), end], key=lambda event: event.seq)
        for task, end in zip(TASKS, ends, strict=True)
    ]


def test_tasks_are_told_one_after_the_other(tasks: list[list[LoggedEvent]]) -> None:
    for task, events in zip(TASKS, tasks, strict=True):
        assert events[-1].payload["agent"] == task.agent
        letters = "".join(LETTERS[event.type] for event in events)
        assert re.fullmatch(TOLD, letters), letters
    for events, later in pairwise(tasks):
        assert events[-2].seq < later[0].seq


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
