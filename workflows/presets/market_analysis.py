"""`market_analysis`: clarify, plan, approve, and four agents analyse a market."""

from contracts.definitions import Definition
from contracts.phases.clarification import ClarificationPhase
from contracts.phases.crew import CrewPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase
from contracts.phases.recall import RecallConfig, RecallPhase

MARKET_ANALYSIS = Definition(
    id="market_analysis",
    title="Market analysis",
    description="Size, competition, customers and strategy, by a crew that starts when you approve.",
    is_preset=True,
    phases=[
        RecallPhase(config=RecallConfig(save_startup=True)),
        ClarificationPhase(),
        PlanningPhase(config=PlanningConfig(max_plan_steps=4)),
        HitlCheckpointPhase(id="checkpoint"),
        CrewPhase(),
    ],
)
