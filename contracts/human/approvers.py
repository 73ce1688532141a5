"""Named approvers of a checkpoint: their votes, and the gateway's seals on their messages."""

from typing import Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from contracts.base import DAY, Contract, Json, Name, Wrong
from contracts.human.messages import Decide, HumanMessage

MAX_APPROVERS = 50
MAX_CLIENT_CHARS = 60


class Audience(Contract):
    """Users by name, or all holders of a key with a role, or both."""

    of: list[Name] = Field(
        default=[], max_length=MAX_APPROVERS, description="users, as their keys name them"
    )
    role: Name | None = Field(default=None, description="also every user whose key has this role")

    @model_validator(mode="after")
    def _require_members(self) -> Self:
        if not self.of and self.role is None:
            raise Wrong("approvers-missing")
        if len(set(self.of)) < len(self.of):
            raise Wrong("approvers-twice", at="of")
        return self


class Approvers(Audience):
    """Users whose decision a checkpoint requires; each decides through the gateway with a key."""

    needed: int = Field(default=1, ge=1, le=MAX_APPROVERS, description="equal approvals needed")
    rejects_needed: int = Field(default=1, ge=1, le=MAX_APPROVERS, description="rejections needed")
    forbid_requester: bool = Field(default=False, description="whoever started the run has no vote")
    remind_every_seconds: float | None = Field(default=None, gt=0, le=365 * DAY)
    escalate_after_seconds: float | None = Field(default=None, gt=0, le=365 * DAY)
    escalate_to: Audience | None = Field(default=None, description="further approvers from then on")

    @model_validator(mode="after")
    def _require_enough_members(self) -> Self:
        if self.role is None:
            for name in ("needed", "rejects_needed"):
                if getattr(self, name) > len(self.of):
                    raise Wrong("approvers-few", at=name, n=len(self.of))
        if (self.escalate_after_seconds is None) != (self.escalate_to is None):
            raise Wrong("escalation-incomplete")
        return self


class Vote(Contract):
    """One approver's vote, replaced by the same approver's newer one."""

    by: str
    action: Literal["approve", "reject"]
    choice: str | None = None
    keep_startup: bool | None = None
    cap_usd: float | None = None
    feedback: str = ""
    by_link: bool = False
    client: str = ""
    at: str


class Poll(Contract):
    """State of the vote at a checkpoint with approvers."""

    asked: list[str] = Field(description="users who are approvers by name now")
    roles: list[str] = Field(description="roles whose holders are approvers too")
    needed: int
    rejects_needed: int
    missing: int = Field(description="approvals that are still missing")
    votes: list[Vote] = []
    requester: str | None = Field(default=None, description="starter of the run, without a vote")
    handed_over: dict[str, str] = Field(default={}, description="user -> delegate of the vote")
    heard: dict[str, AwareDatetime] = Field(default={}, description="each user's newest message")
    modifications: Json = Field(default={}, description="plan fields changed in the vote so far")
    remind_every_seconds: float | None = None
    reminds_at: str | None = None
    escalates_at: str | None = None
    escalate_to: Audience | None = None


class Seal(Contract):
    """The gateway's signature on a message: its key, its time, its run."""

    key_id: str = Field(max_length=200)
    at: AwareDatetime
    mac: str = Field(max_length=200, description="HMAC-SHA256, hex")


class LinkedDecide(Decide):
    """A decision with the way that it came, which the gateway alone says."""

    by_link: bool = Field(default=False, description="by a link: whoever had it decided as `by`")
    client: str = Field(
        default="",
        max_length=MAX_CLIENT_CHARS,
        description="the MCP client that asked for the link or decided, as it calls itself",
    )


class SealedDecide(LinkedDecide):
    """A decision as a run accepts it; the gateway adds the `seal`."""

    seal: Seal | None = None


class Delegate(HumanMessage):
    """Delegates the sender's vote at a checkpoint to another user."""

    to: Name
    checkpoint_id: Name | None = None
    plan_hash: str | None = Field(default=None, max_length=64)


class SealedDelegate(Delegate):
    """A delegation as a run accepts it."""

    seal: Seal | None = None


Sealed = SealedDecide | SealedDelegate
