"""A run as people see it: the answer to the `state` query."""

from pydantic import Field

from contracts.base import Contract, Json
from contracts.collections import CollectionState
from contracts.company.news import Sentiment
from contracts.documents import PartlyRead
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.models.usage import Usage
from contracts.notices import Notice
from contracts.phases.typed_answers import Analysis, Recommendation, Review, Summary
from contracts.planning.brief import Idea
from contracts.planning.cost_estimate import CostEstimate
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup
from contracts.runs.records import PhaseView
from contracts.runs.samples import Sample
from contracts.runs.statuses import RunStatus, Stage


class ReportFigures(Contract):
    """The title and counts of a report, whose text has a separate endpoint."""

    title: str
    claims_total: int
    claims_unsupported: int


class Results(Contract):
    """The results of a run so far; those of phases with their own schema conform to it."""

    report: ReportFigures | None = None
    sources: int = Field(default=0, description="pages read, once there is a report")
    cited: int | None = Field(
        default=None,
        description="pages that an ended run's report cites; null: it searched nothing, or there is none",
    )
    analysis: Analysis | Sentiment | Json | None = Field(
        default=None, union_mode="left_to_right", description="of a crew: the fields of its tasks"
    )
    summary: Summary | Json | None = Field(default=None, union_mode="left_to_right")
    decision: Recommendation | Json | None = Field(default=None, union_mode="left_to_right")
    review: Review | Json | None = Field(default=None, union_mode="left_to_right")
    selected_idea: Idea | None = None


class StateView(Contract):
    """The `state` query: a run as people see it."""

    run_id: str
    definition_id: str
    status: RunStatus
    stage: Stage
    query: str
    inputs: Json
    startup: Startup | None
    files: list[str] = Field(default=[], description="names of the user's own documents")
    collections: list[CollectionState] = Field(
        default=[], description="the user's collections, as the run last found them"
    )
    shortfalls: list[Notice] = Field(
        default=[], description="why the validation found the report insufficient"
    )
    unopened: list[str] = Field(
        default=[], description="of an ended run: names of the files that no agent opened"
    )
    partly_read: list[PartlyRead] = Field(
        default=[], description="documents given or read, and what their texts lack of them"
    )
    answers: dict[str, dict[str, str | None]]
    phases: list[PhaseView]
    pending: list[Checkpoint]
    plan: Plan | None
    plan_hash: str | None
    decisions: list[Decision]
    results: Results
    parent: str | None
    usage: Usage
    model: str = Field(default="", description="whose prices count, unless a role has its own")
    offline: bool
    recorded: Sample | None = Field(
        default=None, description="the recorded run whose answers it has; null: none"
    )
    searched: str = Field(default="", description="a library in place of the web; empty: the web")
    place: Notice | None = Field(
        default=None,
        description="what is searched, as a notice: that library, or the web by which services; null: not known",
    )
    cap_usd: float
    price: CostEstimate = Field(
        default=CostEstimate(), description="of the plan; before there is one, of the whole run"
    )
    notices: list[Notice] = Field(
        default=[], description="how the run ended and what is missing; empty: it completed"
    )
    warnings: list[str] = Field(default=[], description="the same in English")
    started_at: str
    ended_at: str | None
    seq: int = 0
    live: bool = True
