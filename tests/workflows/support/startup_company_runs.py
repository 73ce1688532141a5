"""Runs that keep a startup, and those that have one."""

import asyncio
from typing import Any

from contracts.definitions import Definition
from contracts.phases.clarification import ClarificationPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointConfig, HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.recall import RecallConfig, RecallPhase
from contracts.phases.research import ResearchPhase
from contracts.planning.startup_company import Startup
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Handle, Harness

KEEPS = RecallPhase(config=RecallConfig(save_startup=True))


def gate(id: str = "checkpoint", **config: Any) -> HitlCheckpointPhase:
    return HitlCheckpointPhase(id=id, config=HitlCheckpointConfig(**config))


IDEA = Definition(id="idea", phases=[KEEPS, ClarificationPhase(), PlanningPhase(), gate()])


PLAIN = Definition(id="plain", phases=[KEEPS, PlanningPhase(), gate()])


SILENT = Definition(
    id="silent", phases=[RecallPhase(), ClarificationPhase(), PlanningPhase(), gate()]
)


UNASKED = Definition(id="unasked", phases=[KEEPS, PlanningPhase(), gate(require_approval=False)])


UNSHOWN = Definition(id="unshown", phases=[KEEPS, PlanningPhase(), gate(show_plan=False)])


TWICE = Definition(
    id="twice",
    phases=[KEEPS, PlanningPhase(), gate(), ResearchPhase(), gate("second")],
)


def startup(name: str, user_id: str = "local") -> Startup:
    return Startup(id=name.lower(), user_id=user_id, name=name)


async def ended(handle: Handle) -> str:
    return (await asyncio.wait_for(handle.result(), 20)).status


async def approved(runs: Harness, definition_id: str = "plain", **options: Any) -> Handle:
    handle = await runs.start(definition_id=definition_id, **options)
    await runs.decide(handle, "approve")
    assert await ended(handle) == "completed"
    return handle


def keepers() -> Fakes:
    """Return fakes that know each of the definitions."""
    return Fakes(IDEA, PLAIN, SILENT, UNASKED, UNSHOWN, TWICE)
