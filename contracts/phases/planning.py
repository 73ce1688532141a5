"""`planning`: the plan a human approves."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.base import Contract, Note
from contracts.phase import Config, PhaseBase
from contracts.report.research import Plan


class PlanningConfig(Config):
    """`planning`: the plan a human approves."""

    max_plan_steps: PositiveInt = Field(default=3, le=20, description="more are cut off")
    n_plan_reviews: int = Field(
        default=1, ge=0, le=5, description="by a second reader, before a human"
    )
    max_rounds: PositiveInt = Field(
        default=50, le=100, description="calls of both models; a review needs one more to mend"
    )
    plan_instructions: Note = Field(default="", description="standing wishes for every plan")
    hardware_constraints: Note = Field(
        default="", description="what there is to work with, e.g. `4 cores, no GPU`"
    )
    decompose: bool = Field(
        default=False,
        description="take the clarified question apart first: queries, outline, assumptions",
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
