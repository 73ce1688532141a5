"""`idea_generation`: ideas that a critic reviews; `planning`: the plan for a human to approve."""

from typing import Literal

from pydantic import Field, PositiveInt, ValidationInfo, field_validator

from contracts.base import Contract, Note, Wrong
from contracts.evidence.claims import Claim
from contracts.phases.base import ROLE_MODELS, Config, PhaseBase, PhaseInput, build_long_limit
from contracts.planning.brief import Brief, Idea, IdeaReview
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup


class IdeaGenerationConfig(Config):
    """`idea_generation`: ideas that a critic reviews and their maker revises."""

    n_ideas: int = Field(default=3, ge=1, le=10, description="further ones are dropped and named")
    n_reviews: int = Field(default=1, ge=0, le=5, description="each revised; the last chooses")
    max_rounds: int = Field(default=50, ge=2, le=100, description="calls of both models")
    models: dict[Literal["idea_maker", "idea_hater"], str] = ROLE_MODELS


class IdeaGenerationPhase(PhaseBase):
    """A node of kind `idea_generation`."""

    kind: Literal["idea_generation"] = "idea_generation"
    timeout_seconds: float = build_long_limit(600)
    config: IdeaGenerationConfig = IdeaGenerationConfig()


class IdeaGenerationInput(PhaseInput):
    """`idea_generation` takes the clarified question, the run's startup, and earlier findings."""

    brief: Brief | None = None
    startup: Startup | None = None
    findings: list[Claim] = []


class IdeaGenerationOutput(Contract):
    """`idea_generation` provides `ideas`, `reviews` and `selected_idea`."""

    ideas: list[Idea]
    reviews: list[IdeaReview] = Field(description="of the final ideas")
    selected_idea: Idea = Field(description="the critic's best, or the human's choice")


class PlanningConfig(Config):
    """`planning`: the plan for a human to approve."""

    max_plan_steps: PositiveInt = Field(
        default=3, le=20, description="further ones are dropped and named to who approves"
    )
    max_searches: PositiveInt = Field(default=8, le=50, description="that the planner may plan")
    n_plan_reviews: int = Field(
        default=1, ge=0, le=5, description="by a model, of a draft that breaks a rule"
    )
    max_rounds: PositiveInt = Field(
        default=50,
        le=100,
        description="calls of both models; a reviewer who objects mends the plan itself",
    )
    plan_instructions: Note = Field(default="", description="standing instructions for every plan")
    hardware_constraints: Note = Field(default="", description="e.g. `4 cores, no GPU`")
    models: dict[Literal["planner", "plan_reviewer"], str] = ROLE_MODELS


class PlanningPhase(PhaseBase):
    """A node of kind `planning`."""

    kind: Literal["planning"] = "planning"
    config: PlanningConfig = PlanningConfig()


class IdeaInput(PhaseInput):
    """The clarified question, and the idea that the run pursues, with its critic's reviews."""

    brief: Brief | None = None
    selected_idea: Idea | None = None
    ideas: list[Idea] = []
    reviews: list[IdeaReview] = []


class PlanningInput(IdeaInput):
    """`planning` takes the clarified question, the run's startup, and the idea that it pursues."""

    startup: Startup | None = None


class PlanningOutput(Contract):
    """`planning` provides `plan`."""

    plan: Plan
    plan_hash: str = Field(default="", description="of the plan; need not be said of one given")

    @field_validator("plan_hash")
    @classmethod
    def _require_own(cls, said: str, read: ValidationInfo) -> str:
        plan = read.data.get("plan")
        if plan is not None and said != plan.hash:
            raise Wrong("plan-hash-differs", hash=plan.hash)
        return said
