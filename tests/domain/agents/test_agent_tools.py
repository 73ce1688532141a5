"""Requests of agents for parts of a document, and the refused ones."""

from typing import Any

import pytest

from contracts.agents.tool_definitions import ParseContentArgs
from contracts.models.call import Block, Scope
from domain.agents.agent_tools import (
    ToolError,
    ask_for_parts,
    parse_arguments,
)
from tests.support.sources import page_of

SCOPE = Scope(run_id="r", phase_id="p", attempt=1, name="n")


@pytest.mark.parametrize(
    ("args", "asked"),
    [
        ({"find": "prices"}, {"find": "prices", "about": ""}),
        ({"section": "Prices"}, {"section": "Prices"}),
        ({"page": 3}, {"page": 3}),
        ({"start": 0}, {"start": 0}),
    ],
)
def test_part_is_asked_for_in_one_way(args: Any, asked: dict[str, Any]) -> None:
    call = Block(type="tool_use", id="1", name="parse_content", input={"source": 1} | args)
    parsed = parse_arguments(call, ["parse_content"], "researcher")
    assert isinstance(parsed, ParseContentArgs)
    request = ask_for_parts(page_of(30_000), parsed, SCOPE)
    assert {name: getattr(request, name) for name in asked} == asked
    assert request.sections == page_of(30_000).sections


@pytest.mark.parametrize("args", [{}, {"find": "a", "page": 2}, {"section": "a", "start": 0}])
def test_none_or_several_ways_to_name_a_part_are_refused(args: Any) -> None:
    call = Block(type="tool_use", id="1", name="parse_content", input={"source": 1} | args)
    refused = parse_arguments(call, ["parse_content"], "researcher")
    assert isinstance(refused, ToolError)
    assert "give one of find, section, page and start" in refused
