"""Fields shared by the phases of all kinds."""

from typing import Any

from pydantic import Field, model_validator

from contracts.base import DAY, Contract, Name


class Config(Contract):
    """Base class of a kind's settings; every field has a default."""


class PhaseBase(Contract):
    """Fields shared by the phases of all kinds."""

    id: Name = Field(default="", validate_default=False, description="default: the kind")
    title: str = Field(default="", max_length=200)
    after: list[Name] | None = Field(default=None, description="left out: the one listed before")
    bind: dict[str, Name] = Field(default={}, description="need -> the phase that provides it")
    enabled: bool = True
    timeout_seconds: float = Field(default=3600, gt=0, le=30 * DAY)
    max_retries: int = Field(default=0, ge=0, le=10, description="whole new attempts")

    @model_validator(mode="before")
    @classmethod
    def _name_after_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.get("id") and "kind" in cls.model_fields:
            return {**data, "id": cls.model_fields["kind"].default}
        return data
