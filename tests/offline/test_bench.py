"""An agent with tools for figures: each is used once, on figures that can be set side by side."""

import json
from typing import Any

import pytest

from contracts.agents.steps import StepDraft
from contracts.agents.tools import ARGS, CalculateArgs, ChartArgs, TableArgs, tools_of
from contracts.base import get_answer_schema
from greenlight.offline.model.conversation import Conversation
from greenlight.offline.model.reply import reply
from tests.offline.asking import Json, body, fence

LINES = {
    "Kenya": ["Internet users, total: 21.75 million (2023)", "Electricity access: 76.5% (2022)"],
    "Ethiopia": ["Internet users, total: 20.4 million (2022)", "Electricity access: 55% (2022)"],
}
FOUND = [
    {"text": f"{name}: {line}", "citations": [{"source": number, "quote": line}]}
    for number, (name, lines) in enumerate(LINES.items(), 1)
    for line in lines
]
INPUTS = {
    "question": "Should we sell solar phones in Kenya or Ethiopia first?",
    "plan": {"geographical_scope": "Kenya and Ethiopia", "outline": ["Energy: electricity access"]},
    "steps": [{"name": "Compare", "description": "Compare internet users."}],
    "findings": FOUND,
}
TOOLS = [tool.model_dump() for tool in tools_of("engineer")]


def request(inputs: Json, tools: list[Json] | None = None) -> Json:
    schema = get_answer_schema(StepDraft)
    return body(fence(inputs), schema=schema, tools=TOOLS if tools is None else tools)


def used(content: list[Json]) -> dict[str, Any]:
    """Return the calls by tool, their arguments as the tools take them."""
    calls = {block["name"]: block["input"] for block in content if block["type"] == "tool_use"}
    return {name: ARGS[name].model_validate(given) for name, given in calls.items()}


def test_figures_are_computed_tabulated_and_drawn() -> None:
    content, stop_reason = reply(Conversation.of(request(INPUTS)))
    made = used(content)
    assert (stop_reason, list(made)) == ("tool_use", ["calculate", "table", "chart"])
    assert made["calculate"] == CalculateArgs(
        expression="kenya_internet_users_total / ethiopia_internet_users_total",
        variables={
            "kenya_internet_users_total": 21.75e6,
            "ethiopia_internet_users_total": 20.4e6,
        },
    )
    table, chart = made["table"], made["chart"]
    assert isinstance(table, TableArgs)
    assert table.columns == ["Measure", "Kenya", "Ethiopia"]
    assert ["Electricity access", "76.5% (2022)", "55% (2022)"] in table.rows
    assert isinstance(chart, ChartArgs)
    assert (chart.kind, chart.x, chart.x_label) == ("bar", ["Kenya", "Ethiopia"], "Country")
    assert chart.series[0].values == [21.75e6, 20.4e6]


def test_shares_are_subtracted() -> None:
    shares = [found for found in FOUND if "%" in str(found["text"])]
    made = used(reply(Conversation.of(request(INPUTS | {"findings": shares})))[0])
    assert " - " in made["calculate"].expression


def test_the_answer_names_what_was_made_and_computed() -> None:
    asked = request(INPUTS)
    content, _ = reply(Conversation.of(asked))
    results: list[Json] = [
        {"result": {"expression": "a / b", "variables": {}, "value": 1.0662}},
        {"artifact": {"id": "7f3a", "name": "Side by side", "kind": "table", "rows": 2}},
        {"error": "x: too many"},
    ]
    blocks = [
        {
            "type": "tool_result",
            "tool_use_id": use["id"],
            "is_error": "error" in result,
            "content": [{"type": "text", "text": fence(result)}],
        }
        for use, result in zip(content, results, strict=True)
    ]
    asked["messages"] += [
        {"role": "assistant", "content": content},
        {"role": "user", "content": blocks},
    ]
    answer, stop_reason = reply(Conversation.of(asked))
    assert stop_reason == "end_turn", "each tool is used once, also one that failed"
    told = StepDraft.model_validate_json(answer[0]["text"])
    assert "a / b = 1.0662" in told.summary
    assert "Side by side [7f3a]" in told.summary
    found = [finding.as_written for finding in told.findings]
    assert found == FOUND, "what the figures rest on, with what they are about"


@pytest.mark.parametrize("findings", [[], FOUND[:2], [{"text": "Kenya is big.", "quote": "big"}]])
def test_without_figures_to_compare_nothing_is_made(findings: list[Json]) -> None:
    content, stop_reason = reply(Conversation.of(request(INPUTS | {"findings": findings})))
    assert stop_reason == "end_turn"
    StepDraft.model_validate(json.loads(content[0]["text"]))


def test_tools_are_known_by_what_they_take() -> None:
    """Other names, and other properties of the same shape, change nothing."""
    schema: Json = {
        "type": "object",
        "required": ["heading", "labels", "lines"],
        "properties": {
            "heading": {"type": "string"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "lines": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        },
    }
    other: Json = {"type": "object", "properties": {"city": {"type": "string"}}}
    tools = [
        {"name": "one", "description": "", "input_schema": other},
        {"name": "two", "description": "", "input_schema": schema},
    ]
    content, _ = reply(Conversation.of(request(INPUTS, tools)))
    assert [block["name"] for block in content] == ["two"]
    assert content[0]["input"]["labels"] == ["Measure", "Kenya", "Ethiopia"]
