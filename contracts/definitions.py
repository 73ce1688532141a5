"""A definition: a named, versioned composition of phases."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from contracts.base import Contract, ExternalJson, Name
from contracts.phases import Phase

DEFAULT = "default"
"""Alias of the tenant's default definition, accepted in place of an id."""

RESERVED = (DEFAULT, "import", "validate")
"""Path segments that no definition may have as its id."""

Format = Literal["greenlight.definition/1"]
FORMAT: Format = "greenlight.definition/1"
"""Format tag of an exported definition."""


def _require_unreserved(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"{name!r} is reserved; reserved ids are {', '.join(RESERVED)}")
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


class DefinitionBody(DefinitionChange):
    """Body of a new definition."""

    id: DefinitionId


class _Formatted(Contract):
    format: Format = Field(description="format and version of this document")


class DefinitionFile(DefinitionBody, _Formatted):
    """An exported definition: only the fields that its user wrote."""


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

    @property
    def is_living(self) -> bool:
        """True if its report is a living one, which a follow-up run can extend."""
        return any(getattr(p.config, "living", False) and p.enabled for p in self.phases)


class PhaseOverride(Contract):
    """Changes of one run to one phase."""

    enabled: bool | None = None
    timeout_seconds: float | None = Field(default=None, gt=0)
    config: ExternalJson = {}
