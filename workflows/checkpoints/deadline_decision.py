"""The decision that is taken when a checkpoint's deadline passes; the action is the config's `default_on_timeout`. Pure."""

from typing import Literal

from contracts.human.checkpoint_subjects import CONTINUE, BudgetSubject
from contracts.human.checkpoints import Checkpoint, Decision
from contracts.notices import Notice
from workflows.checkpoints.decision_checks import find_cap


def take_default(
    checkpoint: Checkpoint,
    phase_id: str,
    action: Literal["approve", "reject"],
    choice: str | None,
    at: str,
) -> tuple[Decision, Notice | None]:
    """Return the decision taken at a deadline, and its notice; it never unlocks anything.

    There is no notice if the run continues because a budget has opened, since nothing is lost then.
    """
    about_budget = isinstance(checkpoint.subject, BudgetSubject)
    late = "timed-out-budget" if about_budget else "timed-out-decision"
    decision = Decision(
        checkpoint_id=checkpoint.checkpoint_id,
        phase_id=phase_id,
        action=action,
        plan_hash=checkpoint.plan_hash,
        choice=choice,
        cap_usd=find_cap(checkpoint, choice, None),
        by="timeout",
        at=at,
        default=True,
    )
    return decision, None if choice == CONTINUE else Notice.of(late, action=action)
