"""`control`: the plan, step by step, each by the agent of its role; `one_shot`: one step without a plan."""

from typing import Literal

from pydantic import Field, PositiveInt, model_validator

from contracts.agents.calculations_and_charts import Artifact
from contracts.agents.steps import StepResult
from contracts.base import DAY, Contract, Note, Wrong
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.phases.base import (
    ROLE_MODELS,
    Config,
    PhaseBase,
    PhaseInput,
    SearchConfig,
    ToolsConfig,
    WaitSeconds,
    build_long_limit,
)
from contracts.phases.planning import IdeaInput
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.report.report import Report, Search

WorkRole = Literal["engineer", "researcher"]


class WorkConfig(Config):
    """Limits of an agent's work and of its attempts."""

    max_rounds: PositiveInt = Field(default=100, le=500, description="model calls in each attempt")
    max_n_attempts: PositiveInt = Field(
        default=3, le=10, description="each knows the objections to those before"
    )
    evaluate_plots: bool = Field(default=False, description="have a critic review the charts")
    max_n_plot_evals: PositiveInt = Field(
        default=1,
        le=5,
        description="critic's reviews, per step; later charts are called unreviewed",
    )
    models: dict[Literal[WorkRole, "step_reviewer", "plot_critic"], str] = ROLE_MODELS

    @property
    def helpers(self) -> tuple[str, ...]:
        """The roles that review the work."""
        return ("step_reviewer", "plot_critic") if self.evaluate_plots else ("step_reviewer",)


class ControlConfig(WorkConfig, SearchConfig, ToolsConfig):
    """`control`: the plan, step by step."""

    execute_all_steps: bool = Field(default=True, description="off: `step_number` alone")
    step_number: PositiveInt | None = Field(default=None, le=50, description="the one step, from 1")
    web: bool = Field(default=True, description="researchers reach the web; requires an approval")
    max_sources: PositiveInt = Field(default=20, le=200, description="pages to read, in the phase")
    max_search_results_per_query: PositiveInt = Field(default=5, le=20, description="of a search")
    checkpoint_before_step: bool = Field(default=False, description="ask a human before each step")
    checkpoint_after_step: bool = Field(default=False, description="show each result to a human")
    on_step_failure: Literal["auto", "ask", "fail"] = Field(
        default="auto",
        description="after the last failed attempt at a step, ask a human to accept it, to have it "
        "done again or to stop, or fail; auto: ask if the definition has a checkpoint",
    )
    wait_seconds: WaitSeconds = 7 * DAY
    default_on_timeout: Literal["approve", "reject"] = "reject"
    engineer_instructions: Note = Field(default="", description="standing instructions")
    researcher_instructions: Note = Field(default="", description="standing instructions")

    @model_validator(mode="after")
    def _check_step_number(self) -> "ControlConfig":
        if self.execute_all_steps == (self.step_number is not None):
            raise Wrong("step-number-needed", at="step_number")
        return self


class ControlPhase(PhaseBase):
    """A node of kind `control`."""

    kind: Literal["control"] = "control"
    timeout_seconds: float = build_long_limit()
    config: ControlConfig = ControlConfig()


class ControlInput(IdeaInput):
    """`control` takes the plan, the clarified question, and the idea that the plan pursues."""

    plan: Plan


class ControlOutput(Contract):
    """`control` provides `sources`, `findings`, `searches`, `steps` and `report`."""

    sources: list[Source]
    findings: list[Claim] = Field(description="of all steps")
    searches: list[Search]
    steps: list[StepResult]
    report: Report
    gaps: list[str] = []
    artifacts: list[Artifact] = Field(default=[], description="the engineers' artifacts in the run")


class OneShotConfig(WorkConfig):
    """`one_shot`: one agent, no plan, no web."""

    max_rounds: PositiveInt = Field(default=50, le=500, description="model calls in each attempt")
    agent: WorkRole = Field(default="engineer", description="the role that does it")


class OneShotPhase(PhaseBase):
    """A node of kind `one_shot`."""

    kind: Literal["one_shot"] = "one_shot"
    timeout_seconds: float = build_long_limit()
    config: OneShotConfig = OneShotConfig()


class OneShotInput(PhaseInput):
    """`one_shot` takes the clarified question."""

    brief: Brief | None = None


class OneShotOutput(Contract):
    """`one_shot` provides `result` and `report`."""

    result: StepResult
    report: Report
    artifacts: list[Artifact] = Field(default=[], description="artifacts of the agent")
