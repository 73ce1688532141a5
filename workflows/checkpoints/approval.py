"""The approval of a plan, and what a run may therefore do."""

from typing import TypeVar

from pydantic import BaseModel

from contracts.base import Json
from contracts.planning.plan import Plan
from contracts.runs.state import Decision, RunState

Model = TypeVar("Model", bound=BaseModel)


def is_approval(decision: Decision) -> bool:
    """Tell whether a human approved with this decision; a deadline's default never does."""
    return decision.action in ("approve", "modify") and not decision.default


def find_output(state: RunState, name: str) -> Json | None:
    """Return the latest value of that name that a settled phase gave, e.g. the run's `plan`."""
    for phase in reversed(state.phases):
        given = (phase.output or {}).get(name)
        if given is not None:
            return given  # type: ignore[return-value]
    return None


def find_output_as(state: RunState, name: str, model: type[Model]) -> Model | None:
    """Return that value as a model; None where no phase gave it."""
    found = find_output(state, name)
    return model.model_validate(found) if found else None


def has_consent(state: RunState) -> bool:
    """Tell whether starting the run allowed what it reaches, as its definition says."""
    return any(decision.scope for decision in state.decisions)


def is_unlocked(state: RunState, plan: Plan | None) -> bool:
    """Tell whether the web may be reached for a plan, or without one: a human approved it, here or in a parent run."""
    approved = {decision.plan_hash for decision in state.decisions if is_approval(decision)}
    return (plan is not None and plan.hash in approved) or has_consent(state)
