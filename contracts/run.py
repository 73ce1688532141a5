"""Starting a run."""

from pydantic import Field, JsonValue

from contracts.base import Contract, Json, Name, Question
from contracts.definitions import Definition, PhaseOverride, Resolved
from contracts.research import Startup
from contracts.state import Decision, RunState
from contracts.terms import Terms


class RunRequest(Contract):
    """What a caller may say when starting a run; the same over HTTP and from the CLI."""

    query: Question
    user_id: Name = "local"
    inputs: dict[str, JsonValue] = {}
    given: dict[str, Json] = Field(default={}, description="phase id -> output supplied")
    startup_id: Name | None = None
    config_overrides: dict[str, PhaseOverride] = {}
    model_overrides: dict[str, str] = Field(default={}, description="role -> model id")
    only: list[str] | None = Field(default=None, description="an ordered part of the phase ids")
    until: str | None = None
    from_run: Name | None = None
    redo: list[str] = []
    fresh: bool = False
    temp_workflow: bool = False
    save_startup: bool = True
    budget: float | None = Field(default=None, gt=0, description="US dollars")


class RunInput(RunRequest):
    """The workflow's one argument; from the CLI the `query` alone is enough."""

    definition_id: Name = "deep_research"
    version: int | None = None
    tenant_id: Name = "default"
    index: bool = Field(default=False, description="write search attributes")
    opened: "Opened | None" = Field(default=None, description="frozen by the gateway")
    state: RunState | None = Field(default=None, description="where to go on from")


class Opened(Contract):
    """A run made ready: resolved once, never looked up again."""

    resolved: Resolved
    terms: Terms
    startups: list[Startup] = []


class OpenRequest(Contract):
    """Asks the first activity to resolve (unless the gateway did), validate and record a run."""

    run_id: str
    input: RunInput
    started_at: str


class ParentRun(Contract):
    """What another run can give: its outputs and its approvals."""

    run_id: str
    definition: Definition
    outputs: dict[str, Json] = Field(description="of completed phases")
    decisions: list[Decision] = []


class RunResult(Contract):
    """How a run ended."""

    run_id: str
    status: str
    usage_usd: float
    report_title: str | None = None
