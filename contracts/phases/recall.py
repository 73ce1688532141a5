"""`recall`: the user's startups and earlier reports."""

from typing import Literal

from pydantic import Field, PositiveInt

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract
from contracts.evidence.sources import Source
from contracts.models.call import Scope
from contracts.phases.base import ROLE_MODELS, Config, PhaseBase
from contracts.planning.startup_company import Startup
from contracts.report.report import Report


class RecallConfig(Config):
    """`recall`: the user's startups and earlier reports."""

    max_startups: PositiveInt = Field(default=5, le=50, description="startups to choose from")
    save_startup: bool = Field(
        default=False,
        description="offer to keep a startup derived from the plan once that is approved, unless "
        "the run has one; a start may override this",
    )
    reuse: Literal["never", "offer", "at_once"] = Field(
        default="never",
        description="a validated report on the same question: let the human accept it at "
        "clarification, or answer with it at once; a start with `fresh` prevents both",
    )
    reuse_hours: PositiveInt = Field(default=24, le=24 * 366, description="maximum age of a report")
    models: dict[Literal["judge"], str] = ROLE_MODELS


class RecallPhase(PhaseBase):
    """A node of kind `recall`."""

    kind: Literal["recall"] = "recall"
    config: RecallConfig = RecallConfig()


class FinishedReport(Contract):
    """A report of the user's earlier run on the same question, with its sources."""

    run_id: str
    query: str = Field(default="", description="the question that it answers")
    ended_at: str = Field(description="ISO 8601, UTC")
    report: Report
    sources: list[Source] = []
    artifacts: list[Artifact] = []


class SimilarRequest(Contract):
    """A request for an earlier report on a run's question."""

    scope: Scope
    query: str
    startup: Startup | None = None
    within_hours: int = Field(ge=1, description="how old a report may be")


class EarlierQuestion(Contract):
    """A question that an earlier run answered by a validated report."""

    run_id: str
    query: str


class SimilarResult(Contract):
    """The newest report on the question, or the questions that a model is to compare with it."""

    finished: FinishedReport | None = None
    candidates: list[EarlierQuestion] = Field(default=[], description="the most similar first")


class ReportRequest(Contract):
    """A request for the report of an earlier run."""

    tenant_id: str
    run_id: str
    reader: str = Field(description="the run that asks, which takes the pages over")


class SameQuestion(Contract):
    """Which earlier report answers a question in full."""

    difference: str = Field(description="what the nearest one would leave open or answer otherwise")
    number: int = Field(ge=0, description="the earlier question's number; 0 if no report will do")


class RecallOutput(Contract):
    """`recall` provides `startup` and a `finished` report; one used at once ends the run."""

    startup: Startup | None = None
    startups: list[Startup] = Field(default=[], description="to choose from, last used first")
    finished: FinishedReport | None = Field(default=None, description="offered by clarification")
