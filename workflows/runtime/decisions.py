"""Putting a decision to a human, and what its deadline decides."""

from typing import Literal

from contracts.runs.state import Checkpoint, Decision
from workflows.checkpoints.rules import modified
from workflows.runtime.context import PhaseContext
from workflows.runtime.control_flow import Rejected


async def decided(
    run: PhaseContext, checkpoint: Checkpoint, default: Literal["approve", "reject"]
) -> Decision:
    """Return the decision, or the default that the deadline takes; a changed plan is in place then.

    Raises Rejected.
    """
    if not await run.ask_human(checkpoint):
        _take(run, checkpoint, default)
    name = checkpoint.checkpoint_id
    decision = next(d for d in run.state.decisions if d.checkpoint_id == name)
    if decision.action == "reject":
        raise Rejected
    source = run.provider("plan")
    if decision.action == "modify" and source:
        plan = modified(checkpoint, decision)
        run.replace_output(source, {"plan": plan.model_dump(mode="json"), "plan_hash": plan.hash})
    return decision


def _take(run: PhaseContext, checkpoint: Checkpoint, action: Literal["approve", "reject"]) -> None:
    """Take the decision that the deadline takes; an approval of this kind unlocks nothing."""
    run.warn(f"nobody decided in time; taken as {action}, which unlocks nothing")
    decision = Decision(
        checkpoint_id=checkpoint.checkpoint_id,
        phase_id=run.me.id,
        action=action,
        plan_hash=checkpoint.plan_hash,
        by="timeout",
        at=run.now(),
        default=True,
    )
    run.state.decisions.append(decision)
