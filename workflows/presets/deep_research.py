"""`deep_research`: clarify, plan, approve, research, write, validate, sum up."""

from contracts.definitions import Definition
from contracts.phases.clarification import ClarificationConfig, ClarificationPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase
from contracts.phases.recall import RecallConfig, RecallPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.summary import SummaryConfig, SummaryPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.phases.validation import ValidationPhase

DEEP_RESEARCH = Definition(
    id="deep_research",
    title="Deep research",
    description="Asks, plans and waits for approval before it reads; every claim shows its quote.",
    is_preset=True,
    phases=[
        RecallPhase(config=RecallConfig(reuse="offer")),
        ClarificationPhase(config=ClarificationConfig(decompose=True)),
        PlanningPhase(config=PlanningConfig(decompose=True)),
        HitlCheckpointPhase(id="checkpoint"),
        ResearchPhase(config=ResearchConfig(living=True)),
        SynthesisPhase(config=SynthesisConfig(living=True, judge=True)),
        ValidationPhase(),
        SummaryPhase(config=SummaryConfig(inputs=["report"])),
    ],
)
