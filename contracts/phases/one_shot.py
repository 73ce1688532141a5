"""`one_shot`: one agent of `control`'s kind, without a plan and without the web."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.agents.steps import StepResult
from contracts.agents.workbench import Artifact
from contracts.base import Contract
from contracts.phase import PhaseBase
from contracts.phases.control import WorkConfig, WorkRole
from contracts.report.research import Report


class OneShotConfig(WorkConfig):
    """`one_shot`: one agent, no plan, no web."""

    max_rounds: PositiveInt = Field(
        default=50, le=500, description="calls of the agent's model, in each attempt"
    )
    agent: WorkRole = Field(default="engineer", description="the role that does it")


class OneShotPhase(PhaseBase):
    """A node of kind `one_shot`."""

    kind: Literal["one_shot"] = "one_shot"
    config: OneShotConfig = OneShotConfig()


class OneShotOutput(Contract):
    """`one_shot` provides `result` and `report`."""

    result: StepResult
    report: Report
    artifacts: list[Artifact] = Field(default=[], description="what it made")
