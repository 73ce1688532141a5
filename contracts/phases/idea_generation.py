"""`idea_generation`: ideas that a critic reviews and their maker revises."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.phases.base import Config, PhaseBase
from contracts.report.research import Idea, IdeaReview


class IdeaGenerationConfig(Config):
    """`idea_generation`: ideas that a critic reviews and their maker revises."""

    n_ideas: int = Field(default=3, ge=1, le=10, description="further ones are dropped")
    n_reviews: int = Field(
        default=1, ge=0, le=5, description="each followed by a revision; the last review chooses"
    )
    max_rounds: int = Field(default=50, ge=2, le=100, description="calls of both models")
    models: dict[Literal["idea_maker", "idea_hater"], str] = Field(
        default={}, description="role -> model id"
    )


class IdeaGenerationPhase(PhaseBase):
    """A node of kind `idea_generation`."""

    kind: Literal["idea_generation"] = "idea_generation"
    config: IdeaGenerationConfig = IdeaGenerationConfig()


class IdeaGenerationOutput(Contract):
    """`idea_generation` provides `ideas`, `reviews` and `selected_idea`."""

    ideas: list[Idea]
    reviews: list[IdeaReview] = Field(description="of the final ideas")
    selected_idea: Idea = Field(description="the critic's best, or the human's choice")
