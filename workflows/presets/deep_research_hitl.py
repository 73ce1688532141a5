"""`deep_research_hitl`: plan, approve, do the steps."""

from contracts.definitions import Definition
from contracts.phases.control import ControlPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase

DEEP_RESEARCH_HITL = Definition(
    id="deep_research_hitl",
    title="Deep research, step by step",
    description="Plans, asks you, does the plan step by step.",
    is_preset=True,
    phases=[
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ControlPhase(),
    ],
)
