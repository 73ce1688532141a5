"""The approval gate before the web: a human approved the current plan by its hash, or starting the run allowed it."""

from typing import TypeVar

from pydantic import BaseModel

from contracts.errors import ApprovalRequired
from contracts.human.checkpoints import Decision
from contracts.models.call import WebRequest
from contracts.notices import Notice
from contracts.planning.plan import Plan
from contracts.runs.state import RunState

Request = TypeVar("Request", bound=BaseModel)


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


def approve(request: Request, state: RunState, plan: Plan | None, phase_id: str) -> Request:
    """Return a phase's request; if it reaches the web, add the hash of the approved plan.

    There is no hash if nothing was planned and starting the run is the consent.

    Raises:
        ApprovalRequired: No human approved the current plan.
    """
    if not (isinstance(request, WebRequest) and request.reaches_web):
        return request
    if not is_unlocked(state, plan):
        raise refuse(phase_id)
    return request.model_copy(update={"plan_hash": plan.hash if plan else ""})


def refuse(phase_id: str) -> ApprovalRequired:
    """Return the failure of a phase that no human's approval lets reach the web."""
    return ApprovalRequired(Notice.of("approval-required", phase=phase_id))
