"""Common fields of all phases, and how a phase takes the outputs of earlier ones."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, model_validator

from contracts.base import DAY, Contract, Name, Wrong
from contracts.notices import OptionalCode
from contracts.search import SERVICES, Chosen
from contracts.tool_servers import GrantedServers

PHASE_SECONDS = 60.0
"""Default limit of a phase's own active time, if kind, definition and installation set none."""
CONVERSATION_SECONDS = 3600.0
"""Default for phases in which agents converse over many turns."""


WaitSeconds = Annotated[
    float, Field(gt=0, le=365 * DAY, description="how long to wait for a human")
]
ROLE_MODELS: Any = Field(default={}, description="role -> model id")
"""The default of a config's `models`."""


def require_once(names: list[str]) -> None:
    """Refuse a list that has a name twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise Wrong("value-twice", names=twice)


class Config(Contract):
    """Base class of a kind's settings; every field has a default."""


class SearchConfig(Config):
    """The settings of a kind that searches the web."""

    search: Chosen = Field(
        default=[],
        max_length=len(SERVICES),
        description="search services to ask, all at once; left out: the installation's",
    )


class ToolsConfig(Config):
    """Settings of a kind whose agents may call tools of servers."""

    servers: GrantedServers = Field(default=[], exclude_if=lambda servers: not servers)


class PhaseBase(Contract):
    """Fields shared by the phases of all kinds."""

    id: Name = Field(default="", validate_default=False, description="default: the kind")
    title: str = Field(default="", max_length=200)
    title_code: OptionalCode = Field(
        default="", description="of a title in the catalogues, where it has none of its own"
    )
    after: list[Name] | None = Field(default=None, description="left out: the one listed before")
    bind: dict[str, Name] = Field(default={}, description="need -> the phase that provides it")
    enabled: bool = True
    timeout_seconds: float = Field(
        default=PHASE_SECONDS,
        gt=0,
        le=30 * DAY,
        description="of its own active time: waits for a human, for a provider that asks for one and "
        "for the store are not counted",
    )
    max_retries: int = Field(default=0, ge=0, le=10, description="further attempts, if it fails")

    @model_validator(mode="before")
    @classmethod
    def _name_after_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.get("id") and "kind" in cls.model_fields:
            return {**data, "id": cls.model_fields["kind"].default}
        return data

    @property
    def models(self) -> dict[str, str]:
        """The models chosen by its config, by role; empty if its kind calls none."""
        chosen: dict[str, str] = getattr(getattr(self, "config", None), "models", {})
        return chosen

    @property
    def search(self) -> Chosen:
        """The search services chosen by its config; empty if it leaves them open, or does not search."""
        chosen: Chosen = getattr(getattr(self, "config", None), "search", [])
        return chosen

    @property
    def servers(self) -> list[str]:
        """The servers of tools that its config grants its agents."""
        granted: list[str] = getattr(getattr(self, "config", None), "servers", [])
        return granted

    @classmethod
    def has_usual_time(cls) -> bool:
        """Return whether the installation's default time applies, because the kind states none."""
        return bool(cls.model_fields["timeout_seconds"].default == PHASE_SECONDS)


def build_long_limit(seconds: float = CONVERSATION_SECONDS) -> Any:
    """Return the field `timeout_seconds` for a kind whose phases converse over many turns."""
    about = "of its own active time, as of any phase; longer, since it is a conversation"
    return Field(default=seconds, gt=0, le=30 * DAY, description=about)


@dataclass(frozen=True)
class Need:
    """A value that a phase takes from an earlier one, annotated on a field of its kind's input.

    Without `required` the phase also runs if no phase provides it; with `required_if_bound` only if no phase
    of the run was to provide it. With `many` it takes the concatenated lists of all providers (at least
    `at_least`), or only the `longest`. With `anything` it takes a whole output of any kind, and `name` is
    only a label; with `for_review` all equally near outputs that a human can send back. Whole outputs are
    keyed by phase id. A name `phase.value` takes the value from that phase only.
    """

    name: str = ""
    required: bool = False
    required_if_bound: bool = False
    many: bool = False
    longest: bool = False
    at_least: int = 1
    anything: bool = False
    for_review: bool = False
    absence: Literal["missed", "gathered", "harmless"] = "missed"
    """The effect of its loss: the phase ends `partial`, gathers a completely missing value itself, or does not need it."""
    path: str = ""
    """Path of the config field that asks for it, if no `bind` does."""

    @property
    def joins(self) -> bool:
        """True if each of several equally near providers is read; of other needs the author chooses one."""
        return self.anything or self.for_review or bool(self.path)

    @property
    def provider(self) -> str:
        """Id of the one phase that may provide it; empty: the nearest."""
        return self.name.rpartition(".")[0]

    @property
    def value(self) -> str:
        """Its name in its provider's output."""
        return self.name.rpartition(".")[2]

    def of(self, i: int) -> str:
        """Return the path in a definition at which this need can be fixed."""
        return f"phases[{i}].{self.path or f'bind.{self.name}'}"


Needs = dict[str, Need]
"""Needs by their names."""


class PhaseInput(Contract):
    """Base class of kinds' inputs: each field of a subclass is a need with that name.

    Fields without a default are required.
    """

    named: dict[str, JsonValue] = Field(
        default={}, description="the values that a definition's author names in the config"
    )

    @classmethod
    def list_needs(cls) -> Needs:
        """Return the needs that the fields state."""
        found: Needs = {}
        for name, field in cls.model_fields.items():
            if name in PhaseInput.model_fields:
                continue
            stated = next((each for each in field.metadata if isinstance(each, Need)), Need())
            found[name] = replace(stated, name=name, required=field.is_required())
        return found
