"""Several humans at one checkpoint: who is asked, what they said, and the gateway's seal on it."""

from typing import Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from contracts.base import Contract, Json, Name
from contracts.human.messages import Decide, Said

MOST = 50
DAY = 86_400.0


class Audience(Contract):
    """Users by name, or whoever holds a key with a role, or both."""

    of: list[Name] = Field(
        default=[], max_length=MOST, description="users, as their keys name them"
    )
    role: Name | None = Field(default=None, description="also every user whose key has this role")

    @model_validator(mode="after")
    def _is_somebody(self) -> Self:
        if not self.of and self.role is None:
            raise ValueError("name somebody: users in `of`, or a `role`")
        if len(set(self.of)) < len(self.of):
            raise ValueError("of: one person counts once; a name stands there twice")
        return self


class Approvers(Audience):
    """Whose decision a checkpoint takes; they decide through the gateway alone, each with a key."""

    needed: int = Field(default=1, ge=1, le=MOST, description="how many must approve the same")
    rejects_needed: int = Field(default=1, ge=1, le=MOST, description="how many must reject")
    forbid_requester: bool = Field(default=False, description="who started the run has no say")
    remind_every_seconds: float | None = Field(default=None, gt=0, le=365 * DAY)
    escalate_after_seconds: float | None = Field(default=None, gt=0, le=365 * DAY)
    escalate_to: Audience | None = Field(default=None, description="are asked as well from then on")

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.role is None:
            for name in ("needed", "rejects_needed"):
                if getattr(self, name) > len(self.of):
                    raise ValueError(f"{name}: at most {len(self.of)}, since so many are asked")
        if (self.escalate_after_seconds is None) != (self.escalate_to is None):
            raise ValueError("escalate_after_seconds and escalate_to go together")
        return self


class Vote(Contract):
    """What one of those asked said; a newer one of theirs takes its place."""

    by: str
    action: Literal["approve", "reject"]
    choice: str | None = None
    feedback: str = ""
    at: str


class Poll(Contract):
    """How a checkpoint with approvers stands."""

    asked: list[str] = Field(description="users asked by name now")
    roles: list[str] = Field(description="and whoever holds one of these")
    needed: int
    rejects_needed: int
    missing: int = Field(description="approvals that are still missing")
    votes: list[Vote] = []
    requester: str | None = Field(default=None, description="who has no say: who started the run")
    handed_over: dict[str, str] = Field(default={}, description="who gave their say to whom")
    heard: dict[str, AwareDatetime] = Field(default={}, description="each user's newest message")
    modifications: Json = Field(default={}, description="plan fields changed in the vote so far")
    remind_every_seconds: float | None = None
    reminds_at: str | None = None
    escalates_at: str | None = None
    escalate_to: Audience | None = None


class Seal(Contract):
    """The gateway's word for who said something, when, and in which run."""

    key_id: str = Field(max_length=200)
    at: AwareDatetime
    mac: str = Field(max_length=200, description="HMAC-SHA256, hex")


class SealedDecide(Decide):
    """A decision as a run takes it; `seal` is the gateway's to add."""

    seal: Seal | None = None


class Delegate(Said):
    """Gives one's say at a checkpoint to somebody else."""

    to: Name
    checkpoint_id: Name | None = None
    plan_hash: str | None = Field(default=None, max_length=64)


class SealedDelegate(Delegate):
    """A delegation as a run takes it."""

    seal: Seal | None = None


Sealed = SealedDecide | SealedDelegate
