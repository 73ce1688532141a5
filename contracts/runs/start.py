"""Start of a run: its input, what the first activity makes of it, its result."""

from pydantic import Field

from contracts.base import Contract, Json, Name
from contracts.definitions import Definition
from contracts.report.research import Startup
from contracts.runs.request import Resolved, RunRequest
from contracts.runs.state import Decision, RunState
from contracts.terms import PhaseCost, Terms


class RunInput(RunRequest):
    """Input of the workflow; the `query` alone is enough."""

    definition_id: Name = "deep_research"
    version: int | None = None
    tenant_id: Name = "default"
    state: RunState | None = Field(default=None, description="only of a run continued as new")


class Opened(Contract):
    """A run resolved and priced, once: nothing of it is looked up again."""

    resolved: Resolved
    terms: Terms
    costs: dict[str, PhaseCost] = Field(default={}, description="by phase id, at these terms")
    index: bool = Field(default=False, description="the run writes search attributes")
    startup: Startup | None = Field(default=None, description="the one that the start names")


class OpenRequest(Contract):
    """Request to the first activity: resolve, validate and record a run."""

    run_id: Name
    input: RunInput
    started_at: str


class ParentRun(Contract):
    """A run that another one starts from: its outputs and its approvals."""

    run_id: str
    definition: Definition
    outputs: dict[str, Json] = Field(description="of completed phases")
    decisions: list[Decision] = []
    approved: list[str] = Field(default=[], description="hashes of plans approved in its parent")
    query: str = ""
    status: str = ""
    partial: dict[str, Json] = Field(default={}, description="outputs of partial phases")


class RunResult(Contract):
    """Result of the workflow."""

    run_id: str
    status: str
    usage_usd: float
    report_title: str | None = None
