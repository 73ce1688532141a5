"""`deep_research_full_hitl`: plan, approve, do the steps and ask after each."""

from contracts.definitions import Definition
from contracts.phases.control import ControlConfig, ControlPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase

DEEP_RESEARCH_FULL_HITL = Definition(
    id="deep_research_full_hitl",
    title="Deep research, with you at each step",
    description="Asks you after the plan and after every step.",
    is_preset=True,
    phases=[
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ControlPhase(config=ControlConfig(checkpoint_after_step=True)),
    ],
)
