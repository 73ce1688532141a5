"""`deep_research`: clarify, plan, approve, research, write."""

from contracts.definitions import Definition
from contracts.phases import (
    ClarificationPhase,
    HitlCheckpointPhase,
    PlanningPhase,
    RecallPhase,
    ResearchPhase,
    SynthesisPhase,
)

DEEP_RESEARCH = Definition(
    id="deep_research",
    title="Deep research",
    description="Asks, plans and waits for approval before it reads; every claim shows its quote.",
    is_preset=True,
    phases=[
        RecallPhase(),
        ClarificationPhase(),
        PlanningPhase(),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(),
        SynthesisPhase(),
    ],
)
