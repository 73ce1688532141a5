"""`hitl_checkpoint`: a decision by a human."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from contracts.base import DAY, Contract, Json, Note, Wrong
from contracts.human.approvers import Approvers
from contracts.human.messages import ACTIONS, Choice, Label
from contracts.phases.base import Config, Need, PhaseBase, PhaseInput, WaitSeconds
from contracts.planning.brief import Idea
from contracts.planning.plan import Plan

MAX_REMINDERS = 100

CheckpointType = Literal["after_planning", "before_execution", "after_execution", "custom"]


class HitlCheckpointConfig(Config):
    """`hitl_checkpoint`: a decision by a human."""

    checkpoint_type: CheckpointType = "after_planning"
    require_approval: bool = Field(default=True, description="off: asks no human, unlocks nothing")
    wait_seconds: WaitSeconds = 7 * DAY
    default_on_timeout: Literal["approve", "reject"] = Field(
        default="reject", description="an approval by timeout unlocks nothing"
    )
    show_plan: bool = Field(
        default=True,
        description="show the plan, whose hash is then required; not with `after_execution`, "
        "which shows the results",
    )
    show_context: bool = Field(default=False, description="show all outputs so far beside any plan")
    custom_message: Note = Field(default="", description="the question to the human")
    options: list[Label | Choice] = Field(
        default=["approve", "reject", "modify"],
        min_length=1,
        max_length=20,
        description="actions, or options of your own, each `{label, action}` (docs/approvals.md); "
        "added are `revise` where a plan, ideas or results are shown, `reject` where a plan is, and "
        "with `custom` the ideas of an earlier `idea_generation`, unless a plan is shown",
    )
    approvers: Approvers | None = Field(
        default=None,
        description="users who must decide, by API key (docs/approvals.md); left out: anyone",
    )

    @model_validator(mode="after")
    def _match_approvers(self) -> Self:
        if (approvers := self.approvers) is None:
            return self
        if not self.require_approval:
            raise Wrong("approval-not-required-here", at="require_approval")
        if (approvers.escalate_after_seconds or 0) >= self.wait_seconds:
            raise Wrong("escalation-late", at="approvers.escalate_after_seconds")
        if (
            approvers.remind_every_seconds or self.wait_seconds
        ) * MAX_REMINDERS < self.wait_seconds:
            raise Wrong("reminders-many", at="approvers.remind_every_seconds", n=MAX_REMINDERS)
        return self

    @field_validator("options")
    @classmethod
    def _require_distinct_labels(cls, options: list[Label | Choice]) -> list[Label | Choice]:
        labels = [o if isinstance(o, str) else o.label for o in options]
        if len({label.casefold() for label in labels}) < len(labels):
            raise Wrong("options-twice")
        for option in options:
            if isinstance(option, Choice) and option.label.casefold() in ACTIONS:
                raise Wrong("option-is-action", label=option.label)
        return options

    @field_validator("checkpoint_type", mode="before")
    @classmethod
    def _require_phase_checkpoint(cls, value: Any) -> Any:
        if value in ("before_step", "after_step"):
            raise Wrong("checkpoint-of-steps", value=value)
        return value


class HitlCheckpointPhase(PhaseBase):
    """A node of kind `hitl_checkpoint`."""

    kind: Literal["hitl_checkpoint"] = "hitl_checkpoint"
    config: HitlCheckpointConfig = HitlCheckpointConfig()

    @property
    def unlocks(self) -> bool:
        """Return whether a human's approval here lets later phases reach the web."""
        return self.config.require_approval and self.shows_plan

    @property
    def shows_plan(self) -> bool:
        """Whether the checkpoint is about a plan, if there is one."""
        return self.config.show_plan and self.config.checkpoint_type != "after_execution"


class CheckpointInput(PhaseInput):
    """`hitl_checkpoint` takes the subject of the decision: the plan, ideas to choose from, or results."""

    plan: Plan | None = None
    ideas: Annotated[list[Idea], Need(required_if_bound=True)] = []
    results: Annotated[dict[str, Json], Need(for_review=True)] = {}


class CheckpointOutput(Contract):
    """`hitl_checkpoint` provides `approval`."""

    approval: Json = Field(description="the decision: action, plan_hash, feedback, choice, by")
