"""Response models without a contract."""

from typing import Generic, TypeVar

from pydantic import Field

from contracts.base import Contract, Json
from contracts.definitions import DefinitionId
from contracts.errors import Problem
from contracts.runs.records import PhaseView
from contracts.runs.state import Stage, StateView
from store.runs import ModelUse, RunSummary
from temporal.run_client import Accepted

Item = TypeVar("Item")


class Page(Contract, Generic[Item]):
    """A page of a list; `next_cursor` leads to the next one."""

    items: list[Item]
    next_cursor: str | None = None


class RunStarted(Contract):
    """A run that was started."""

    run_id: str
    status: str
    links: dict[str, str]


def run_links(run_id: str) -> dict[str, str]:
    """Return the paths of a run."""
    parts = ("state", "stream", "events", "phases", "report", "sources")
    return {"self": f"/v1/runs/{run_id}"} | {p: f"/v1/runs/{run_id}/{p}" for p in parts}


class CommandView(StateView):
    """The state after a message, and how the message was taken."""

    accepted: Accepted


class Timing(Contract):
    """Times of a phase; `active_seconds` leaves out waits for a human, pauses and failed attempts."""

    started_at: str | None
    ended_at: str | None
    total_seconds: float | None
    active_seconds: float


class Effort(Contract):
    """Time and model usage of a phase."""

    timing: Timing
    models: list[ModelUse]


class RunView(RunSummary):
    """Record of a run."""

    stage: Stage
    children: list[str] = Field(
        description="the newest 100 runs started from this one, newest first; "
        "`GET /v1/runs?parent=` lists them all"
    )
    phases: list[PhaseView]
    warnings: list[str]
    outputs: dict[str, Json] | None = Field(description="by phase id, on request")
    effort: dict[str, Effort] | None = Field(
        description="by phase id, with the outputs: time, and each model's tokens, latency, price"
    )
    links: dict[str, str]


class DefinitionChoice(Contract):
    """Reference to a definition."""

    id: DefinitionId


class Validity(Contract):
    """Result of validating a definition."""

    valid: bool
    problems: list[Problem] = []
    bindings: dict[str, dict[str, list[str]]] = Field(
        default={}, description="phase id -> need -> the phases that provide it"
    )
    inputs_schema: Json = Field(default={}, description="JSON Schema of a start's `inputs`")
