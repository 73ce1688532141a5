"""A definition: a named, versioned composition of phases."""

from pydantic import Field

from contracts.base import Contract, GivenJson, Json, Name
from contracts.phases import Phase


class DefinitionBody(Contract):
    """What a user writes."""

    id: Name
    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=5_000)
    phases: list[Phase] = Field(min_length=1, max_length=1_000)


class Definition(DefinitionBody):
    """A definition as kept: version, owner and is_preset are the server's."""

    version: int = Field(default=1, ge=1)
    owner: str = "system"
    is_preset: bool = False


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
    approved: list[str] = Field(default=[], description="plan hashes a parent run's human approved")
