"""A definition: a named, versioned composition of phases."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from contracts.base import Contract, ExternalJson, Name, Wrong
from contracts.phases import Phase
from contracts.phases.base import PHASE_SECONDS
from contracts.phases.research import ResearchPhase, ResearchSettings
from contracts.tool_servers import ToolServers

DEFAULT = "default"
"""Alias of the tenant's default definition, accepted in place of an id."""

RESERVED = (DEFAULT, "import", "validate")
"""Path segments that no definition may have as its id."""

Format = Literal["greenlight.definition/1"]
FORMAT: Format = "greenlight.definition/1"
"""Format tag of an exported definition."""


_OF_THE_SERVER = ("is_system", "is_default", "version", "created_at", "updated_at")
_PHASE_NAMES = {"type": "kind", "name": "title"}
_OF_THE_PHASE = ("enabled", "timeout_seconds", "max_retries")
"""Fields of the phase itself that foreign documents have in its config."""


def _require_unreserved(name: str) -> str:
    if name in RESERVED:
        raise Wrong("id-reserved", name=name, reserved=list(RESERVED))
    return name


DefinitionId = Annotated[
    Name,
    AfterValidator(_require_unreserved),
    Field(json_schema_extra={"not": {"enum": list(RESERVED)}}),
]
"""An id that a user's definition may have."""


class DefinitionChange(Contract):
    """Body of a change to a definition."""

    id: Name | None = Field(default=None, description="the path's id, or left out")
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=5_000)
    phases: list[Phase] = Field(min_length=1, max_length=1_000)
    report_phase: Name | None = Field(
        default=None,
        description="whose report is the run's; left out: the last one with something to say",
    )
    mcp: ToolServers | None = Field(
        default=None,
        exclude_if=lambda servers: servers is None,
        description="servers of tools (MCP); a phase's `servers` grant them",
    )

    @model_validator(mode="after")
    def _grants_named_servers(self) -> Self:
        known = [server.name for server in self.mcp.servers] if self.mcp else []
        for n, phase in enumerate(self.phases):
            if unknown := [name for name in phase.servers if name not in known]:
                place = f"phases[{n}].config.servers"
                told = {"names": unknown} | ({"known": known} if known else {})
                raise Wrong("tool-server-unknown", at=place, **told)
        return self


class DefinitionBody(DefinitionChange):
    """Body of a new definition."""

    id: DefinitionId


class _Formatted(Contract):
    format: Format = Field(description="format and version of this document")


class DefinitionFile(DefinitionBody, _Formatted):
    """An exported definition: only the fields that its user wrote."""

    @model_validator(mode="before")
    @classmethod
    def _read_other_names(cls, document: Any) -> Any:
        """Translate a foreign document, without format and with `type` instead of `kind` in its phases."""
        phases = document.get("phases") if isinstance(document, dict) else None
        if not isinstance(phases, list) or "format" in document:
            return document
        if not all(map(_has_other_names, phases)):
            return document
        told = {n: v for n, v in document.items() if n not in _OF_THE_SERVER and n != "name"}
        renamed = [_rename_phase(phase) for phase in phases]
        kinds = [phase["kind"] for phase in renamed]
        for i, phase in enumerate(renamed):
            if before := kinds[:i].count(phase["kind"]):
                phase.setdefault("id", f"{phase['kind']}-{before + 1}")
        title = {"title": document["name"]} if "name" in document else {}
        return {**told, **title, "format": FORMAT, "phases": renamed}


def _has_other_names(phase: Any) -> bool:
    """Return whether a value is a phase with a `type` whose parts can be renamed."""
    if not isinstance(phase, dict) or not isinstance(config := phase.get("config") or {}, dict):
        return False
    texts = (phase.get("type"), config.get("agent", ""))
    models = config.get("model_overrides", {})
    return all(isinstance(text, str) for text in texts) and isinstance(models, dict)


def _rename_phase(phase: dict[str, Any]) -> dict[str, Any]:
    """Return a phase in our words for `type`, `name`, `hitl_*`, `*_model` and what config holds."""
    config = dict(phase.get("config") or {})
    renamed = {_PHASE_NAMES.get(name, name): value for name, value in phase.items()}
    renamed |= {name: config.pop(name) for name in _OF_THE_PHASE if name in config}
    models = dict(config.pop("model_overrides", {}))
    if model := config.pop("model", None):
        models = {config.get("agent", "engineer"): model}
    for name in [name for name in config if name.endswith("_model")]:
        models[name.removesuffix("_model")] = config.pop(name)
    if config.pop("hitl_enabled", True) and config.pop("hitl_after_each_step", False):
        config["checkpoint_after_step"] = True
    config.pop("hitl_after_each_step", None)
    if renamed["kind"] == "hitl_checkpoint" and "timeout_seconds" in renamed:
        config["wait_seconds"] = renamed.pop("timeout_seconds")
    return {**renamed, "config": config | ({"models": models} if models else {})}


class Definition(DefinitionBody):
    """A stored definition; the server sets version, owner and is_preset."""

    id: Name
    version: int = Field(default=1, ge=1)
    owner: str = "system"
    is_preset: bool = False
    consent: str = Field(
        default="",
        description="what starting a run allows it to reach; empty: only an approved plan does",
    )

    def fill_in(self, settings: ResearchSettings, phase_seconds: float = PHASE_SECONDS) -> Self:
        """Return the definition with an installation's settings as defaults.

        `settings` apply to `research` phases, `phase_seconds` to kinds without their own time limit.
        """
        phases = [_fill_in(phase, settings, phase_seconds) for phase in self.phases]
        return self.model_copy(update={"phases": phases})

    @property
    def asks_report(self) -> bool:
        """True if it answers a question from the finished report of another run, or edits a sentence of it."""
        is_asked = (
            getattr(p.config, "form", "") == "from_report" and p.enabled for p in self.phases
        )
        return self.edits_report or any(is_asked)

    @property
    def edits_report(self) -> bool:
        """True if it edits a sentence of the finished report of another run."""
        return any(p.kind == "edit" and p.enabled for p in self.phases)

    @property
    def is_living(self) -> bool:
        """True if its report is a living one, which a follow-up run can extend."""
        return any(getattr(p.config, "living", False) and p.enabled for p in self.phases)


def _fill_in(phase: Phase, settings: ResearchSettings, phase_seconds: float) -> Phase:
    if phase.has_usual_time() and "timeout_seconds" not in phase.model_fields_set:
        phase = phase.model_copy(update={"timeout_seconds": phase_seconds})
    if not isinstance(phase, ResearchPhase):
        return phase
    said = phase.config.model_fields_set
    unsaid = {name: value for name, value in settings if name not in said}
    return phase.model_copy(update={"config": phase.config.model_copy(update=unsaid)})


class PhaseOverride(Contract):
    """Changes of one run to one phase."""

    enabled: bool | None = None
    timeout_seconds: float | None = Field(default=None, gt=0)
    config: ExternalJson = {}
