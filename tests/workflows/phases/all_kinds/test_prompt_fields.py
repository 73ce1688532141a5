"""The fields that a prompt's rules name in backticks are asked for, shown, or come back from a tool in that same request."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.phases import Phase
from contracts.phases.clarification import ClarificationPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.phase_harness import work

LATER = {
    *("repeated", "shown_above", "left_out", "heading", "source", "done"),
    *("pages_read", "searched", "found", "in_part", "measures_left", "pages_left", "assignment"),
}
"""What later turns of a conversation show: results of tools, and what is left to an agent."""
OPTIONAL = {
    *("answers", "feedback", "as_of", "gaps", "measures", "measure", "missing", "findings"),
    *("columns", "rows", "passages", "quick", "standard", "thorough"),
}
"""Inputs and their parts that a request has where there are any, and the depths of a plan."""


def list_names(value: Any) -> Iterator[str]:
    """Yield the keys, enum values and tool names of a request's parts."""
    if isinstance(value, dict):
        yield from value
        for part in value.values():
            yield from list_names(part)
    elif isinstance(value, list):
        for part in value:
            yield from list_names(part)
    elif isinstance(value, str):
        yield value
        if value[:1] in "[{":
            try:
                yield from list_names(json.loads(value))
            except ValueError:
                return


PHASES: list[Phase] = [
    ClarificationPhase(id="asked"),
    PlanningPhase(id="again", config=PlanningConfig(n_plan_reviews=1)),
    ResearchPhase(id="read", config=ResearchConfig()),
    ResearchPhase(id="read", config=ResearchConfig(living=True)),
    SynthesisPhase(id="write"),
    SynthesisPhase(id="write", config=SynthesisConfig(living=True)),
]


@pytest.mark.parametrize("library", [[], ["Churn, 2024"]], ids=["web", "library"])
@pytest.mark.parametrize(
    "phase", PHASES, ids=lambda p: f"{p.kind}-{getattr(p.config, 'living', '')}"
)
async def test_rules_name_only_fields_in_play(phase: Phase, library: list[str]) -> None:
    done = await work(Fakes(), phase, library=library)
    requests = done.of_models()
    assert requests
    for request in requests:
        named = {*re.findall(r"`([a-z][a-z_]+)`", str(request["system"]))}
        asked = {key: part for key, part in request.items() if key != "system"}
        assert named - {*list_names(asked)} - LATER - OPTIONAL == set(), request["role"]


async def test_rules_of_fields_that_are_not_asked_for_are_left_out_and_the_rest_numbered() -> None:
    for library in ([], ["Churn, 2024"]):
        done = await work(Fakes(), PlanningPhase(id="again"), library=library)
        for request in done.of_models():
            rules = str(request["system"])
            numbers = [*map(int, re.findall(r"^(\d+)\. ", rules, re.MULTILINE))]
            assert numbers == [*range(1, len(numbers) + 1)]
            assert ("`not_held`" in rules) is bool(library)
            assert "`decided`" not in rules
            assert "`steps`" in rules
