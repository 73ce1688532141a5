"""What a phase takes from earlier ones: the fields of its kind's input."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.reasons import Reason
from contracts.phases.base import Need, PhaseInput
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from contracts.phases.synthesis import SynthesisPhase
from contracts.phases.typed_answers import (
    AnalysisConfig,
    AnalysisPhase,
    SummaryConfig,
    SummaryPhase,
)
from contracts.runs.state import RunState
from tests.workflows.support.phase_harness import CLAIM, DONE, PAGE, context_of, opened
from workflows.interpreter.phase_walk import Interpreter
from workflows.phase_context.kind import AnyKind
from workflows.phases import PHASES
from workflows.phases.synthesis import build_inputs

SECOND: Json = {**CLAIM, "text": "Pumps are dear."}


def _read(state: RunState, phase_id: str) -> Any:
    phase = next(p for p in state.resolved.definition.phases if p.id == phase_id)
    kind = PHASES[phase.kind]
    attempt = context_of(Interpreter(state), phase)
    return attempt.read_inputs(kind.input, kind.needs(phase))


@pytest.mark.parametrize("kind", PHASES.values(), ids=list(PHASES))
def test_needs_of_a_kind_are_fields_of_its_input(kind: AnyKind) -> None:
    fields = kind.input.model_fields.keys() - PhaseInput.model_fields.keys()
    assert {need.name for need in kind.needs(kind.phase())} <= fields


def test_field_without_a_default_is_a_required_need() -> None:
    class Taken(PhaseInput):
        plan: int
        gaps: list[str] = []

    required, optional = Taken.list_needs().values()
    assert required == Need("plan", required=True)
    assert optional == Need("gaps")


async def test_writer_is_told_which_findings_hold_in_part_and_why() -> None:
    state = opened(SynthesisPhase(id="written"))
    half = Claim.model_validate(CLAIM).rule("partly", Reason(code="too-long"))
    state.phase("research").output = {"findings": [half.model_dump(mode="json")], "sources": [PAGE]}
    phase = state.resolved.definition.phases[-1]
    run = context_of(Interpreter(state), phase)
    [shown] = [
        item.text for item in build_inputs(_read(state, "written"), run) if item.name == "findings"
    ]
    assert [finding["in_part"] for finding in json.loads(shown)] == [half.reason]


async def test_lists_of_several_providers_are_joined_and_the_longest_sources_taken() -> None:
    state = opened(ResearchPhase(id="more", after=["research"]), SynthesisPhase(id="written"))
    second = state.phase("more")
    pages: Json = {"sources": [PAGE, {**PAGE, "url": "https://example.org/1"}]}
    second.output, second.status = pages | {"findings": [SECOND], "searches": []}, "completed"
    given = _read(state, "written")
    assert [claim.text for claim in given.findings] == ["Pumps sell.", "Pumps are dear."]
    assert [page.url for page in given.sources] == [
        "https://example.org/0",
        "https://example.org/1",
    ]
    assert given.plan.title == "Pumps"


async def test_values_that_a_config_names_come_by_these_names() -> None:
    config = AnalysisConfig(inputs=["research.findings", "report"])
    given = _read(opened(AnalysisPhase(config=config)), "analysis")
    assert [*given.named] == ["research.findings", "report"]
    assert given.named["research.findings"] == DONE["research"]["findings"]
    assert given.nearest == {}


async def test_output_of_the_nearest_phase_comes_whole() -> None:
    given = _read(opened(SummaryPhase(config=SummaryConfig())), "summary")
    assert given.nearest == DONE["synthesis"]
    assert given.named == {}


async def test_input_that_is_of_another_type_is_named_in_the_error() -> None:
    state = opened(SynthesisPhase(id="written"))
    found = state.phase("research")
    found.output = {**(found.output or {}), "findings": ["not a claim"]}
    with pytest.raises(ValidationError) as raised:
        _read(state, "written")
    assert [error["loc"][:2] for error in raised.value.errors()] == [("findings", 0)]


async def test_input_nobody_gave_has_its_default() -> None:
    state = opened(PlanningPhase(id="again"))
    assert _read(state, "again").ideas == []
    assert _read(state, "again").brief is None
