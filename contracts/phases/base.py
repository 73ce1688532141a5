"""Fields shared by the phases of all kinds."""

from typing import Any

from pydantic import Field, model_validator

from contracts.base import DAY, Contract, Name
from contracts.human.approvers import Approvers


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

    @property
    def approvers(self) -> Approvers | None:
        """Those who are named to decide here."""
        return None

    @property
    def unlocks(self) -> bool:
        """Tell whether a human's approval here lets later phases reach the web."""
        return False

    @property
    def recalls(self) -> bool:
        """Tell whether it looks up the user's startups."""
        return False

    @property
    def saves_startup(self) -> bool:
        """Tell whether a startup is to be saved once a plan is approved."""
        return False

    @model_validator(mode="before")
    @classmethod
    def _name_after_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.get("id") and "kind" in cls.model_fields:
            return {**data, "id": cls.model_fields["kind"].default}
        return data
