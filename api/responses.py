"""What responses look like, where no contract says it already."""

from typing import Generic, TypeVar

from pydantic import Field

from contracts.base import Contract, Json
from contracts.definitions import DefinitionId
from contracts.errors import Problem
from contracts.runs.state import PhaseView, Stage
from store.ledger import ModelUse
from store.runs import RunSummary

Item = TypeVar("Item")


class Page(Contract, Generic[Item]):
    """A part of a list; `next_cursor` leads to the next one."""

    items: list[Item]
    next_cursor: str | None = None


class NeedView(Contract):
    """A value that a kind of phase takes from an earlier one."""

    name: str
    required: bool
    many: bool
    at_least: int
    anything: bool = Field(description="any output meets it: the nearest one's, whatever its kind")


class KindView(Contract):
    """A kind of phase, as the registry has it."""

    kind: str
    title: str
    description: str
    category: str
    icon: str
    default_config: Json
    config_schema: Json
    output_schema: Json
    needs: list[NeedView]
    provides: list[str]
    reads: list[str] = Field(description="inputs of a run that it looks at")
    required_agents: list[str]
    web: bool
    waits: bool


class MetadataView(Contract):
    """What an interface needs to know before anybody asks."""

    research_collection: str
    research_settings_schema: Json = Field(
        description="JSON Schema of what a form may set: `timeout_seconds` goes to a start's "
        "`config_overrides.<phase id>`, all else to `config_overrides.<phase id>.config`"
    )


class RunStarted(Contract):
    """A run that goes on by itself from here."""

    run_id: str
    status: str
    links: dict[str, str]


class Timing(Contract):
    """When a phase ran; what is not active was waiting: for a human, a pause, earlier attempts."""

    started_at: str | None
    ended_at: str | None
    total_seconds: float | None
    active_seconds: float


class Effort(Contract):
    """What a phase took."""

    timing: Timing
    models: list[ModelUse]


class RunView(RunSummary):
    """A run's record."""

    stage: Stage
    children: list[str] = Field(
        description="runs that were started from this one, the newest 100 first; "
        "`GET /v1/runs?parent=` lists them all"
    )
    phases: list[PhaseView]
    warnings: list[str]
    outputs: dict[str, Json] | None = Field(description="by phase id, if asked for")
    effort: dict[str, Effort] | None = Field(
        description="by phase id, with the outputs: time, and each model's tokens, latency, price"
    )
    links: dict[str, str]


class DefinitionChoice(Contract):
    """Names a definition."""

    id: DefinitionId


class Validity(Contract):
    """What a definition that holds together is bound to."""

    valid: bool
    problems: list[Problem] = []
    bindings: dict[str, dict[str, list[str]]] = Field(
        default={}, description="phase id -> need -> the phases that provide it"
    )
    inputs_schema: Json = Field(
        default={}, description="JSON Schema of what a start says in `inputs`"
    )
