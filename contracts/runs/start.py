"""Start of a run: its input, what the first activity makes of it, its result."""

from pydantic import Field

from contracts.base import Contract, Json, Name, RunId
from contracts.collections import CollectionUse
from contracts.definitions import Definition
from contracts.evidence.sources import Source
from contracts.human.checkpoints import Decision
from contracts.phases.phase_cost import PhaseCost
from contracts.planning.depth import Settings
from contracts.planning.plan import Depth
from contracts.report.report import BaseReport
from contracts.runs.request import RunOpening, RunRequest, Seed
from contracts.runs.state import RunState


class RunInput(RunRequest):
    """Input of the workflow; the `query` alone is enough."""

    definition_id: Name = "deep_research"
    version: int | None = None
    tenant_id: Name = "default"
    key_id: Name | None = Field(
        default=None, description="of the key that starts it, whose budget pays"
    )
    state: RunState | None = Field(default=None, description="only of a run continued as new")


class ProvidersNeeded(Contract):
    """The providers that a run needs, according to its definition."""

    models: list[str] = Field(default=[], description="that its phases call, each once")
    filings: bool = Field(default=False, description="it reads a company's filings from EDGAR")


class Opened(RunOpening, Contract):
    """A run resolved and priced; none of this is looked up again."""

    decisions: list[Decision] = Field(default=[], description="taken over with their phases")
    resumed: dict[str, Seed] = Field(
        default={}, description="by phase id, the steps of a plan that a parent had done"
    )
    files: list[Source] = Field(
        default=[], description="the user's own documents, as they were read"
    )
    needed: ProvidersNeeded = ProvidersNeeded()


class OpenRequest(Contract):
    """Request to the first activity: resolve, validate and record a run."""

    run_id: RunId
    input: RunInput
    started_at: str


class ParentRun(Contract):
    """A run that another run starts from: its subject, its outputs, and its decisions."""

    run_id: str
    definition: Definition
    seeds: dict[str, Seed] = Field(description="outputs of completed phases")
    decisions: list[Decision] = []
    query: str
    inputs: Json = {}
    costs: dict[str, PhaseCost] = Field(default={}, description="by which its plan was priced")
    depth: Depth = Field(default="standard", description="of its definition")
    depths: dict[Depth, Settings] = {}
    cap_usd: float = Field(description="within which its plan was priced")
    base_report: BaseReport | None = Field(default=None, description="of a follow-up")
    files: list[Source] = []
    collections: list[CollectionUse] = []
    status: str = ""
    partial: dict[str, Json] = Field(default={}, description="outputs of partial phases")
    unfinished: dict[str, Json] = Field(
        default={}, description="what phases gave that have not completed"
    )


class RunResult(Contract):
    """Result of the workflow."""

    run_id: str
    status: str
    usage_usd: float
    report_title: str | None = None
