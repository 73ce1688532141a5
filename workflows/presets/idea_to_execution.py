"""`idea_to_execution`: choose an idea, approve its plan, have it done."""

from contracts.definitions import Definition
from contracts.phases.control import ControlPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointConfig, HitlCheckpointPhase
from contracts.phases.idea_generation import IdeaGenerationPhase
from contracts.phases.planning import PlanningConfig, PlanningPhase

IDEA_TO_EXECUTION = Definition(
    id="idea_to_execution",
    title="From idea to execution",
    description="Finds ideas, plans the one you choose, asks you, does the plan step by step.",
    is_preset=True,
    phases=[
        IdeaGenerationPhase(),
        HitlCheckpointPhase(
            id="choice",
            title="Select an idea",
            config=HitlCheckpointConfig(checkpoint_type="custom", custom_message="Select an idea"),
        ),
        PlanningPhase(config=PlanningConfig(max_plan_steps=5)),
        HitlCheckpointPhase(id="checkpoint"),
        ControlPhase(),
    ],
)
