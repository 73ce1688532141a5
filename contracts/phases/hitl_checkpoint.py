"""`hitl_checkpoint`: a decision by a human."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from contracts.base import Contract, Json, Note
from contracts.human.approvers import Approvers
from contracts.phase import DAY, Config, PhaseBase

MOST_REMINDERS = 100


class HitlCheckpointConfig(Config):
    """`hitl_checkpoint`: a decision by a human."""

    checkpoint_type: Literal["after_planning", "before_execution", "after_execution", "custom"] = (
        "after_planning"
    )
    require_approval: bool = Field(
        default=True, description="off: nobody is asked, nothing is unlocked"
    )
    wait_seconds: float = Field(
        default=7 * DAY, gt=0, le=365 * DAY, description="how long a human may take"
    )
    default_on_timeout: Literal["approve", "reject"] = Field(
        default="reject", description="an approval by timeout unlocks nothing"
    )
    show_plan: bool = Field(default=True, description="show the plan; its hash is then required")
    show_context: bool = Field(
        default=False, description="show all outputs so far, beside the plan if that is shown"
    )
    custom_message: Note = Field(default="", description="what the human is asked")
    options: list[Annotated[str, Field(min_length=1, max_length=100)]] = Field(
        default=["approve", "reject", "modify"],
        min_length=1,
        max_length=20,
        description="actions, or choices of your own; `revise` is added where a plan is shown, and "
        "with `custom` the ideas of an `idea_generation` ahead of it, unless a plan is shown",
    )
    approvers: Approvers | None = Field(
        default=None,
        description="who must decide, by API key (docs/approvals.md); left out: anybody",
    )

    @model_validator(mode="after")
    def _fits_its_approvers(self) -> Self:
        if (asked := self.approvers) is None:
            return self
        if not self.require_approval:
            raise ValueError("require_approval: must be on where approvers are named")
        if (asked.escalate_after_seconds or 0) >= self.wait_seconds:
            raise ValueError("approvers.escalate_after_seconds: must be under wait_seconds")
        if self.wait_seconds / (asked.remind_every_seconds or self.wait_seconds) > MOST_REMINDERS:
            raise ValueError(
                f"approvers.remind_every_seconds: at most {MOST_REMINDERS} fit into wait_seconds"
            )
        return self

    @field_validator("checkpoint_type", mode="before")
    @classmethod
    def _has_a_place(cls, value: Any) -> Any:
        if value in ("before_step", "after_step"):
            raise ValueError(
                f"{value} belongs to a plan's steps: set checkpoint_{value} of a `control` instead"
            )
        return value


class HitlCheckpointPhase(PhaseBase):
    """A node of kind `hitl_checkpoint`."""

    kind: Literal["hitl_checkpoint"] = "hitl_checkpoint"
    config: HitlCheckpointConfig = HitlCheckpointConfig()


class CheckpointOutput(Contract):
    """`hitl_checkpoint` provides `approval`."""

    approval: Json = Field(description="the decision: action, plan_hash, feedback, choice, by")
