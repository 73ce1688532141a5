"""A definition: a named, versioned composition of phases."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from contracts.base import Contract, GivenJson, Json, Name
from contracts.phases import Phase
from contracts.report.patches import Carried
from contracts.step_cache import Reused

DEFAULT = "default"
"""Stands for the tenant's default definition wherever an id may stand."""

RESERVED = (DEFAULT, "import", "validate")
"""Words of paths that no definition can have as its id."""

Format = Literal["greenlight.definition/1"]
FORMAT: Format = "greenlight.definition/1"
"""Marks an exported definition, and the form that it has."""


def _free(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"{name!r} has a meaning of its own; taken are {', '.join(RESERVED)}")
    return name


DefinitionId = Annotated[
    Name, AfterValidator(_free), Field(json_schema_extra={"not": {"enum": list(RESERVED)}})
]
"""An id a definition may be given."""


class DefinitionChange(Contract):
    """What a user writes to change a definition."""

    id: Name | None = Field(default=None, description="the path's, or left out")
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=5_000)
    phases: list[Phase] = Field(min_length=1, max_length=1_000)


class DefinitionBody(DefinitionChange):
    """What a user writes."""

    id: DefinitionId


class _Marked(Contract):
    format: Format = Field(description="what this document is")


class DefinitionFile(DefinitionBody, _Marked):
    """A definition to be carried elsewhere: what its user wrote, and nothing of the server's."""


class Definition(DefinitionBody):
    """A definition as kept: version, owner and is_preset are the server's."""

    id: Name
    version: int = Field(default=1, ge=1)
    owner: str = "system"
    is_preset: bool = False
    consent: str = Field(
        default="",
        description="what starting a run allows it to reach; empty: only an approved plan does",
    )

    @property
    def is_living(self) -> bool:
        """Whether its report is a living one, which another run can go on with."""
        return any(getattr(p.config, "living", False) and p.enabled for p in self.phases)


class PhaseOverride(Contract):
    """What one run changes of one phase."""

    enabled: bool | None = None
    timeout_seconds: float | None = Field(default=None, gt=0)
    config: GivenJson = {}


class Resolved(Contract):
    """A definition made ready for one run: overrides applied, every need bound, parts chosen."""

    definition: Definition
    bindings: dict[str, dict[str, list[str]]] = Field(
        description="phase id -> need -> the phases that provide it, in the definition's order"
    )
    selected: list[str] = Field(description="ids of the phases that run")
    seeds: dict[str, Json] = Field(default={}, description="phase id -> output it already has")
    reused: dict[str, Reused] = Field(
        default={}, description="phase id -> the earlier run that the step cache had its seed from"
    )
    approved: list[str] = Field(default=[], description="plan hashes a parent run's human approved")
    carried: Carried | None = Field(default=None, description="what a follow-up goes on from")
