"""Consent to reach the web: a human approved the current plan, or starting the run allowed it."""

from contracts.human.checkpoints import Decision
from contracts.planning.plan import Plan
from contracts.runs.state import RunState


def is_approval(decision: Decision) -> bool:
    """Return whether a human approved with this decision; a deadline's default never does."""
    return decision.action in ("approve", "modify") and not decision.default


def has_consent(state: RunState) -> bool:
    """Return whether starting the run allowed what it reaches, as its definition says."""
    return any(decision.scope for decision in state.decisions)


def is_unlocked(state: RunState, plan: Plan | None) -> bool:
    """Return whether the web may be reached for a plan, or without one: a human approved it, here or in a parent run."""
    approved = {decision.plan_hash for decision in state.decisions if is_approval(decision)}
    return (plan is not None and plan.hash in approved) or has_consent(state)
