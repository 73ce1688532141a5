"""A phase's own time: what it can do without yields to it, and a hung call ends at it."""

import asyncio
import time
from typing import Any

import pytest
from temporalio.client import Client

from contracts.definitions import Definition
from contracts.phases.base import PHASE_SECONDS
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchSettings
from contracts.preset_definitions import PRESETS
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import harness

CONVERSATIONS = {"research", "crew", "control", "one_shot", "idea_generation"}
ONE = Definition(id="one", phases=[PlanningPhase(timeout_seconds=5)])
"""Its time is longer than a call's heartbeat timeout and the pause before another attempt of it."""


def hang_in(fakes: Fakes, call: str) -> list[Any]:
    """Have each attempt of a call hang; return the list that they are noted in."""
    hung: list[Any] = []

    async def before(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.name == call:
            hung.append(request)
            await asyncio.sleep(60)

    fakes.before = before
    return hung


async def test_hung_reviewer_is_left_out_and_said(temporal: Client) -> None:
    fakes = Fakes(ONE)
    hang_in(fakes, "review-1")
    async with harness(temporal, fakes) as made:
        handle = await made.start(definition_id="one")
        result = await asyncio.wait_for(handle.result(), 20)
        [phase] = (await made.state(handle)).phases
    assert (result.status, phase.status) == ("completed", "completed")
    [lost] = phase.lost_inputs
    assert (lost.kind, lost.optional, lost.causes[0].reason) == ("check", True, "out-of-time")
    assert lost.told
    assert lost.told.text in phase.warnings


async def test_hung_call_fails_its_phase_at_the_limit(temporal: Client) -> None:
    fakes = Fakes(ONE)
    hung = hang_in(fakes, "draft")
    began = time.monotonic()
    async with harness(temporal, fakes) as made:
        handle = await made.start(definition_id="one")
        await asyncio.wait_for(handle.result(), 20)
        [phase] = (await made.state(handle)).phases
    assert phase.error
    assert phase.error.type == "phase-timeout"
    assert len(hung) == 1  # a call that hangs is alive: it is cancelled, not tried again
    assert time.monotonic() - began < 12


async def test_calls_are_told_how_much_time_is_left(temporal: Client) -> None:
    fakes = Fakes(ONE)
    async with harness(temporal, fakes) as made:
        handle = await made.start(definition_id="one")
        await asyncio.wait_for(handle.result(), 20)
    left = [request.seconds_left or 0 for request in fakes.requests]
    assert 0 < left[1] <= left[0] <= ONE.phases[0].timeout_seconds


@pytest.mark.parametrize("preset", PRESETS)
def test_stages_have_a_minute_unless_they_are_conversations(preset: str) -> None:
    for phase in PRESETS[preset].phases:
        is_long = phase.kind in CONVERSATIONS or getattr(phase.config, "living", False)
        assert (phase.timeout_seconds > PHASE_SECONDS) == is_long, phase.id
        assert is_long or phase.timeout_seconds == PHASE_SECONDS


def test_installation_sets_the_time_of_those_that_state_none() -> None:
    filled = PRESETS["deep_research"].fill_in(ResearchSettings(), 90)
    times = {phase.kind: phase.timeout_seconds for phase in filled.phases}
    assert (times["planning"], times["research"], times["synthesis"]) == (90, 600, 600)
    assert ONE.fill_in(ResearchSettings(), 90).phases[0].timeout_seconds == 5
