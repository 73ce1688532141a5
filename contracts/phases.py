"""One config per phase kind, and the union a definition is made of."""

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, field_validator, model_validator

from contracts.base import Contract, Name, Note
from contracts.crews import CrewAgent, CrewTask
from contracts.market import AGENTS, TASKS

DAY = 86_400.0


class Config(Contract):
    """What a kind lets its user set; every field has a default."""


class PhaseBase(Contract):
    """What every phase has, whatever its kind."""

    id: Name = Field(default="", validate_default=False, description="default: the kind")
    title: str = Field(default="", max_length=200)
    after: list[Name] | None = Field(
        default=None, description="phases to wait for; left out: the one before in the list"
    )
    bind: dict[str, Name] = Field(default={}, description="need -> the phase that provides it")
    enabled: bool = True
    timeout_seconds: float = Field(default=3600, gt=0, le=30 * DAY)
    max_retries: int = Field(default=0, ge=0, le=10, description="whole new attempts")

    @model_validator(mode="before")
    @classmethod
    def _name_after_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.get("id") and "kind" in cls.model_fields:
            return {**data, "id": cls.model_fields["kind"].default}
        return data


class RecallConfig(Config):
    """`recall`: what the user has told us before."""

    max_startups: PositiveInt = Field(
        default=5, le=50, description="at most so many to choose from"
    )
    save_startup: bool = Field(
        default=False,
        description="once a plan is approved, keep a startup made from it, unless the run has "
        "one; a start may say otherwise",
    )


class ClarificationConfig(Config):
    """`clarification`: two or three questions, each with its reason."""

    mode: Literal["always", "when_ambiguous"] = Field(
        default="always", description="one round, or only while something is unclear"
    )
    max_questions: int = Field(default=3, ge=1, le=5, description="in a round")
    max_rounds: PositiveInt = Field(default=3, le=10, description="of `when_ambiguous`")
    wait_seconds: float = Field(
        default=7 * DAY, gt=0, le=365 * DAY, description="how long a human may take"
    )
    models: dict[Literal["clarifier"], str] = Field(default={}, description="role -> model id")


class PlanningConfig(Config):
    """`planning`: the plan a human approves."""

    max_plan_steps: PositiveInt = Field(default=3, le=20, description="more are cut off")
    n_plan_reviews: int = Field(
        default=1, ge=0, le=5, description="by a second reader, before a human"
    )
    plan_instructions: Note = Field(default="", description="standing wishes for every plan")
    models: dict[Literal["planner", "plan_reviewer"], str] = Field(
        default={}, description="role -> model id"
    )


class HitlCheckpointConfig(Config):
    """`hitl_checkpoint`: a decision by a human."""

    checkpoint_type: Literal["after_planning", "before_execution", "after_execution", "custom"] = (
        "after_planning"
    )
    require_approval: bool = Field(
        default=True, description="off: nobody is asked, nothing is unlocked"
    )
    wait_seconds: float = Field(
        default=7 * DAY, gt=0, le=365 * DAY, description="how long a human may take"
    )
    default_on_timeout: Literal["approve", "reject"] = Field(
        default="reject", description="an approval by timeout unlocks nothing"
    )
    show_plan: bool = Field(default=True, description="show the plan; its hash is then required")
    show_context: bool = Field(default=False, description="show all outputs so far")
    custom_message: Note = Field(default="", description="what the human is asked")
    options: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default=["approve", "reject", "modify"],
        min_length=1,
        max_length=20,
        description="actions, or choices of your own; `revise` is added where a plan is shown",
    )


class ResearchConfig(Config):
    """`research`: the function agent that searches and reads."""

    max_sources: PositiveInt = Field(default=20, le=200, description="pages read, in the whole run")
    max_search_results_per_query: PositiveInt = Field(default=5, le=20, description="hits a search")
    max_turns: PositiveInt = Field(default=12, le=200, description="calls of the agent's model")
    models: dict[Literal["researcher"], str] = Field(default={}, description="role -> model id")


class SynthesisConfig(Config):
    """`synthesis`: the report, every claim with its quote."""

    instructions: Note = Field(default="", description="standing wishes for every report")
    max_report_tokens: int = Field(
        default=6_000, ge=500, le=16_000, description="the report's length"
    )
    models: dict[Literal["synthesizer"], str] = Field(default={}, description="role -> model id")


class CrewConfig(Config):
    """`crew`: agents of CrewAI, one task after another; left out, the market crew."""

    agents: list[CrewAgent] = Field(
        default=AGENTS, min_length=1, max_length=12, description="who works"
    )
    tasks: list[CrewTask] = Field(
        default=TASKS, min_length=1, max_length=20, description="what they do, in order"
    )
    max_sources: PositiveInt = Field(default=20, le=200, description="pages read, by all together")
    max_search_results_per_query: PositiveInt = Field(default=5, le=20, description="hits a search")
    max_turns: PositiveInt = Field(
        default=8, le=50, description="calls of the model, for each task"
    )
    max_answer_tokens: int = Field(default=4_000, ge=500, le=16_000, description="of each task")
    models: dict[Name, str] = Field(default={}, description="an agent's id -> model id")

    @field_validator("agents", "tasks")
    @classmethod
    def _each_once(cls, items: list[Any]) -> list[Any]:
        ids = [item.id for item in items]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"{twice} named twice")
        return items

    @model_validator(mode="after")
    def _hold_together(self) -> "CrewConfig":
        agents = [agent.id for agent in self.agents]
        for i, task in enumerate(self.tasks):
            if task.agent not in agents:
                raise ValueError(f"tasks[{i}].agent: {task.agent!r} is none of {agents}")
            earlier = [before.id for before in self.tasks[:i]]
            if unknown := [name for name in task.context or () if name not in earlier]:
                raise ValueError(f"tasks[{i}].context: {unknown} come not before it: {earlier}")
        if strangers := sorted(set(self.models) - set(agents)):
            raise ValueError(f"models: {strangers} are none of {agents}")
        if idle := [name for name in agents if name not in {task.agent for task in self.tasks}]:
            raise ValueError(f"agents: {idle} have no task")
        return self

    def agent(self, task: CrewTask) -> CrewAgent:
        """Return who does a task."""
        return next(agent for agent in self.agents if agent.id == task.agent)

    @property
    def web(self) -> bool:
        """Whether any agent reaches the web."""
        return any(agent.toolset for agent in self.agents)


class RecallPhase(PhaseBase):
    kind: Literal["recall"] = "recall"
    config: RecallConfig = RecallConfig()


class ClarificationPhase(PhaseBase):
    kind: Literal["clarification"] = "clarification"
    config: ClarificationConfig = ClarificationConfig()


class PlanningPhase(PhaseBase):
    kind: Literal["planning"] = "planning"
    config: PlanningConfig = PlanningConfig()


class HitlCheckpointPhase(PhaseBase):
    kind: Literal["hitl_checkpoint"] = "hitl_checkpoint"
    config: HitlCheckpointConfig = HitlCheckpointConfig()


class ResearchPhase(PhaseBase):
    kind: Literal["research"] = "research"
    timeout_seconds: float = Field(default=600, gt=0, le=30 * DAY)
    config: ResearchConfig = ResearchConfig()


class SynthesisPhase(PhaseBase):
    kind: Literal["synthesis"] = "synthesis"
    config: SynthesisConfig = SynthesisConfig()


class CrewPhase(PhaseBase):
    kind: Literal["crew"] = "crew"
    config: CrewConfig = CrewConfig()


Phase = Annotated[
    RecallPhase
    | ClarificationPhase
    | PlanningPhase
    | HitlCheckpointPhase
    | ResearchPhase
    | SynthesisPhase
    | CrewPhase,
    Field(discriminator="kind"),
]
"""One node of a definition."""
