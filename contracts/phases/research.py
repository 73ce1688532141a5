"""`retrieval`: a company's filings and news; `research`: an agent that searches and reads the web."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract
from contracts.company.figures import Fundamentals
from contracts.company.news import Article
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.models.model_drafts import ShortAnswer
from contracts.phases.base import (
    ROLE_MODELS,
    PhaseBase,
    PhaseInput,
    SearchConfig,
    ToolsConfig,
    build_long_limit,
)
from contracts.planning.brief import Brief
from contracts.planning.plan import Plan
from contracts.report.additions import ReportAdditions
from contracts.report.patches import Patch
from contracts.report.report import Search


class RetrievalConfig(SearchConfig):
    """`retrieval`: the filings of a listed company and the news on it."""

    gather: list[Literal["fundamentals", "news"]] = Field(
        default=["fundamentals", "news"], min_length=1, max_length=2
    )
    news_limit: int = Field(
        default=8, ge=0, le=20, description="articles on each company; a start may set it"
    )


class RetrievalPhase(PhaseBase):
    """A node of kind `retrieval`."""

    kind: Literal["retrieval"] = "retrieval"
    config: RetrievalConfig = RetrievalConfig()


class RetrievalInput(PhaseInput):
    """`retrieval` takes the plan whose approval unlocks the web, if the run has one."""

    plan: Plan | None = None


class RetrievalOutput(Contract):
    """`retrieval` provides `fundamentals`, `news` and `sources`; null if it failed."""

    fundamentals: Fundamentals | None = None
    news: list[Article] | None = None
    sources: list[Source] = []
    searches: list[Search] = []
    artifacts: list[Artifact] = []
    additions: ReportAdditions | None = Field(
        default=None, description="to the report; null without figures"
    )


class ResearchSettings(Contract):
    """An installation's defaults for `research` phases."""

    max_sources: PositiveInt = Field(
        default=20,
        le=200,
        description="pages to read in the run; agents of a living report may ask for half as many more while"
        " the approved price pays for them",
    )
    max_search_results_per_query: PositiveInt = Field(default=5, le=20, description="of a search")
    max_turns: PositiveInt = Field(default=12, le=200, description="calls of each agent's model")
    max_agents: PositiveInt = Field(
        default=5, le=8, description="agents at once, each with independent steps of the plan"
    )
    max_report_update_size: PositiveInt = Field(
        default=800, le=10_000, description="characters that one update of the report may write"
    )


class ResearchConfig(ResearchSettings, SearchConfig, ToolsConfig):
    """`research`: an agent that searches and reads the web."""

    living: bool = Field(default=False, description="write the report along the way, by section")
    answers: bool = Field(
        default=False, description="answer the question itself, for a `synthesis` of form `answer`"
    )
    models: dict[Literal["researcher"], str] = ROLE_MODELS


class ResearchPhase(PhaseBase):
    """A node of kind `research`."""

    kind: Literal["research"] = "research"
    timeout_seconds: float = build_long_limit(600)
    config: ResearchConfig = ResearchConfig()


class ResearchInput(PhaseInput):
    """`research` takes the plan, and the clarified question."""

    plan: Plan
    brief: Brief | None = None


class ResearchOutput(Contract):
    """`research` provides `sources`, `findings` and `searches`."""

    sources: list[Source]
    findings: list[Claim]
    searches: list[Search]
    gaps: list[str] = []
    answer: ShortAnswer | None = Field(default=None, description="of a phase that `answers`")
    end_reason: str = ""
    patches: list[Patch] = Field(default=[], description="of the living report, so far")
