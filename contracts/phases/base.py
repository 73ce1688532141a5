"""What the phases of all kinds share: fields of a node, and how a phase takes what earlier ones gave."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, model_validator

from contracts.base import DAY, Contract, Name, Wrong
from contracts.notices import OptionalCode
from contracts.search import SERVICES, Chosen
from contracts.tool_servers import GrantedServers

PHASE_SECONDS = 60.0
"""A phase's own active time, where neither its kind, its definition nor the installation names another."""
CONVERSATION_SECONDS = 3600.0
"""That of a phase in which agents talk for many turns."""


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
    """The settings of a kind whose agents may call tools of servers."""

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
    max_retries: int = Field(default=0, ge=0, le=10, description="whole new attempts")

    @model_validator(mode="before")
    @classmethod
    def _name_after_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.get("id") and "kind" in cls.model_fields:
            return {**data, "id": cls.model_fields["kind"].default}
        return data

    @property
    def models(self) -> dict[str, str]:
        """The models that its config chooses, by role; empty where its kind calls none."""
        chosen: dict[str, str] = getattr(getattr(self, "config", None), "models", {})
        return chosen

    @property
    def search(self) -> Chosen:
        """The search services that its config chooses; empty where it leaves that open, or searches nothing."""
        chosen: Chosen = getattr(getattr(self, "config", None), "search", [])
        return chosen

    @property
    def servers(self) -> list[str]:
        """The servers of tools that its config grants its agents."""
        granted: list[str] = getattr(getattr(self, "config", None), "servers", [])
        return granted

    @classmethod
    def has_usual_time(cls) -> bool:
        """Return whether an installation's default applies to the kind, which states no time of its own."""
        return bool(cls.model_fields["timeout_seconds"].default == PHASE_SECONDS)


def build_long_limit(seconds: float = CONVERSATION_SECONDS) -> Any:
    """Return the field `timeout_seconds` of a kind whose phases talk for longer than others."""
    about = "of its own active time, as of any phase; longer, since it is a conversation"
    return Field(default=seconds, gt=0, le=30 * DAY, description=about)


@dataclass(frozen=True)
class Need:
    """A value that a phase takes from an earlier one: a field of its kind's input, which it annotates.

    Without `required` the phase also runs when nobody provides it; with `required_if_bound` it
    runs then only if no phase of the run was to provide it.
    With `many` it takes the lists of every provider (of `at_least` this many), joined, or the `longest` alone.
    With `anything` it takes a whole output of any kind, and `name` is a mere label; with
    `for_review` those that a human can send back. Whole outputs come by the ids of their phases.
    A name `phase.value` takes the value from that phase alone.
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
    """What a loss of it means: the phase ends `partial`; or it gathers a value that is missing as a whole
    itself; or it can do as well without."""
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
        """Return where the need of a definition's phase is to be mended."""
        return f"phases[{i}].{self.path or f'bind.{self.name}'}"


Needs = dict[str, Need]
"""Needs by their names."""


class PhaseInput(Contract):
    """Base class of what a kind takes from earlier phases: each field of a kind's own is a need of that name.

    A field without a default is required.
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
