"""Starting a run."""

from pydantic import Field

from contracts.base import Contract, Json, Name
from contracts.definitions import Definition, Resolved
from contracts.runs.request import RunRequest as RunRequest
from contracts.runs.state import Decision, RunState
from contracts.terms import PhaseCost, Terms


class RunInput(RunRequest):
    """The workflow's one argument; from the CLI the `query` alone is enough."""

    definition_id: Name = "deep_research"
    version: int | None = None
    tenant_id: Name = "default"
    state: RunState | None = Field(
        default=None, description="where to go on from; Temporal's continuation alone may carry it"
    )


class Opened(Contract):
    """A run made ready: resolved once, never looked up again."""

    resolved: Resolved
    terms: Terms
    costs: dict[str, PhaseCost] = Field(default={}, description="by phase id, at these terms")
    index: bool = Field(default=False, description="the run writes search attributes")


class OpenRequest(Contract):
    """Asks the first activity to resolve, validate and record a run."""

    run_id: Name
    input: RunInput
    started_at: str


class ParentRun(Contract):
    """What another run can give: its outputs and its approvals."""

    run_id: str
    definition: Definition
    outputs: dict[str, Json] = Field(description="of completed phases")
    decisions: list[Decision] = []
    approved: list[str] = Field(default=[], description="plan hashes it carried over itself")
    query: str = ""
    status: str = ""
    partial: dict[str, Json] = Field(default={}, description="outputs of partial phases")


class RunResult(Contract):
    """How a run ended."""

    run_id: str
    status: str
    usage_usd: float
    report_title: str | None = None
