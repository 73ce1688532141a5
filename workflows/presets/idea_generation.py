"""`idea_generation`: ideas, taken apart and mended, and a human who chooses one."""

from contracts.definitions import Definition
from contracts.phases.hitl_checkpoint import HitlCheckpointConfig, HitlCheckpointPhase
from contracts.phases.idea_generation import IdeaGenerationPhase

IDEA_GENERATION = Definition(
    id="idea_generation",
    title="Idea generation",
    description="Writes ideas, has a critic take them apart, and lets you choose one to pursue.",
    is_preset=True,
    phases=[
        IdeaGenerationPhase(),
        HitlCheckpointPhase(
            id="checkpoint",
            title="Select an idea",
            config=HitlCheckpointConfig(
                checkpoint_type="custom", custom_message="Select an idea to pursue"
            ),
        ),
    ],
)
