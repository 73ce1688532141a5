"""Fields shared by the phases of all kinds."""

from typing import Any

from pydantic import Field, model_validator

from contracts.base import DAY, Contract, Name

PHASE_SECONDS = 60.0
"""A phase's own active time, where neither its kind, its definition nor the installation names another."""
CONVERSATION_SECONDS = 3600.0
"""That of a phase in which agents talk for many turns."""


class Config(Contract):
    """Base class of a kind's settings; every field has a default."""


class PhaseBase(Contract):
    """Fields shared by the phases of all kinds."""

    id: Name = Field(default="", validate_default=False, description="default: the kind")
    title: str = Field(default="", max_length=200)
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

    @classmethod
    def has_usual_time(cls) -> bool:
        """Tell whether an installation's default applies to the kind, which states no time of its own."""
        return bool(cls.model_fields["timeout_seconds"].default == PHASE_SECONDS)


def build_long_limit(seconds: float = CONVERSATION_SECONDS) -> Any:
    """Return the field `timeout_seconds` of a kind whose phases talk for longer than others."""
    about = "of its own active time, as of any phase; longer, since it is a conversation"
    return Field(default=seconds, gt=0, le=30 * DAY, description=about)
