"""`crew`: a crew of CrewAI agents; a task starts once the tasks of its context have ended."""

from itertools import takewhile
from typing import Any, Literal

from pydantic import Field, PositiveInt, field_validator, model_validator

from contracts.agents.crews import CrewAgent, CrewTask
from contracts.agents.market_crew import AGENTS, TASKS
from contracts.base import Contract, Json, Name, Wrong
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.phases.base import (
    PhaseBase,
    PhaseInput,
    SearchConfig,
    build_long_limit,
    require_once,
)
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup
from contracts.report.report import Report, Search


class CrewConfig(SearchConfig):
    """`crew`: a crew of CrewAI agents; a task starts once its context is there; left out: the market crew."""

    agents: list[CrewAgent] = Field(
        default=AGENTS, min_length=1, max_length=12, description="members of the crew"
    )
    tasks: list[CrewTask] = Field(
        default=TASKS, min_length=1, max_length=20, description="their tasks, in order"
    )
    max_sources: PositiveInt = Field(default=20, le=200, description="pages to read, by all agents")
    max_search_results_per_query: PositiveInt = Field(default=5, le=20, description="of a search")
    max_turns: PositiveInt = Field(default=8, le=50, description="model calls for each task")
    max_answer_tokens: int = Field(default=6_000, ge=500, le=16_000, description="of each task")
    models: dict[Name, str] = Field(default={}, description="an agent's id -> model id")

    @field_validator("agents", "tasks")
    @classmethod
    def _require_unique(cls, items: list[Any]) -> list[Any]:
        require_once([item.id for item in items])
        return items

    @model_validator(mode="after")
    def _check_references(self) -> "CrewConfig":
        agents = [agent.id for agent in self.agents]
        for i, task in enumerate(self.tasks):
            if task.agent not in agents:
                place = f"tasks[{i}].agent"
                raise Wrong("task-agent-unknown", at=place, agent=task.agent, known=agents)
            earlier = [before.id for before in self.tasks[:i]]
            if unknown := [name for name in task.context or () if name not in earlier]:
                told = {"names": unknown} | ({"known": earlier} if earlier else {})
                raise Wrong("task-context-unknown", at=f"tasks[{i}].context", **told)
        if unknown := sorted(set(self.models) - set(agents)):
            raise Wrong("crew-agents-unknown", at="models", names=unknown, known=agents)
        if idle := [name for name in agents if name not in {task.agent for task in self.tasks}]:
            raise Wrong("crew-agents-idle", at="agents", names=idle)
        return self

    def agent(self, task: CrewTask) -> CrewAgent:
        """Return the agent of a task."""
        return next(agent for agent in self.agents if agent.id == task.agent)

    def list_context(self, task: CrewTask) -> list[str]:
        """Return the ids of the tasks whose output a task receives, in the configured order."""
        earlier = takewhile(lambda name: name != task.id, (each.id for each in self.tasks))
        return [name for name in earlier if task.context is None or name in task.context]

    def list_dependents(self, task: CrewTask) -> list[CrewTask]:
        """Return the tasks that build on one, directly or through others."""
        ids, after = {task.id}, list[CrewTask]()
        for each in self.tasks:
            if ids.intersection(self.list_context(each)):
                ids.add(each.id)
                after.append(each)
        return after

    @property
    def web(self) -> bool:
        """True if any agent reaches the web."""
        return any(agent.reaches_out for agent in self.agents)

    @property
    def servers(self) -> list[str]:
        """The names of all servers that the crew's agents are granted, without duplicates."""
        return [*dict.fromkeys(name for agent in self.agents for name in agent.servers)]


class CrewPhase(PhaseBase):
    """A node of kind `crew`."""

    kind: Literal["crew"] = "crew"
    timeout_seconds: float = build_long_limit()
    config: CrewConfig = CrewConfig()


class CrewInput(PhaseInput):
    """`crew` takes the plan, which it needs to reach the web, the clarified question and the startup."""

    plan: Plan | None = None
    brief: Brief | None = None
    startup: Startup | None = None


class CrewOutput(Contract):
    """`crew` provides `sources`, `findings`, `searches`, `analysis` and `report`."""

    sources: list[Source]
    findings: list[Claim] = Field(description="every supported claim of the tasks")
    searches: list[Search]
    analysis: Json = Field(description="the fields of all tasks; lists of the same name are joined")
    report: Report
    gaps: list[str] = []
