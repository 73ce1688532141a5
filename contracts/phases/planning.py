"""`planning`: the plan for a human to approve."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.base import Contract, Note
from contracts.phases.base import Config, PhaseBase
from contracts.report.research import Plan


class PlanningConfig(Config):
    """`planning`: the plan for a human to approve."""

    max_plan_steps: PositiveInt = Field(default=3, le=20, description="further ones are dropped")
    n_plan_reviews: int = Field(
        default=1, ge=0, le=5, description="by a second model, before a human sees the plan"
    )
    max_rounds: PositiveInt = Field(
        default=50,
        le=100,
        description="calls of both models; a review needs one more for the revision",
    )
    plan_instructions: Note = Field(default="", description="standing instructions for every plan")
    hardware_constraints: Note = Field(
        default="", description="available hardware, e.g. `4 cores, no GPU`"
    )
    decompose: bool = Field(
        default=False,
        description="first decompose the clarified question: queries, outline, assumptions",
    )
    models: dict[Literal["planner", "plan_reviewer"], str] = Field(
        default={}, description="role -> model id"
    )


class PlanningPhase(PhaseBase):
    """A node of kind `planning`."""

    kind: Literal["planning"] = "planning"
    config: PlanningConfig = PlanningConfig()


class PlanningOutput(Contract):
    """`planning` provides `plan`."""

    plan: Plan
    plan_hash: str
