"""Access to the outputs of a run's phases by name: plan, brief, report, startup."""

from typing import TypeVar

from pydantic import BaseModel

from contracts.base import Json
from contracts.runs.state import RunState

Model = TypeVar("Model", bound=BaseModel)


def find_output(state: RunState, name: str) -> Json | None:
    """Return the latest value of that name that a settled phase gave, e.g. the run's `plan`."""
    for phase in reversed(state.phases):
        given = (phase.output or {}).get(name)
        if given is not None:
            return given  # type: ignore[return-value]
    return None


def find_output_as(state: RunState, name: str, model: type[Model]) -> Model | None:
    """Return the named output as a model, or None if no phase produced it."""
    found = find_output(state, name)
    return model.model_validate(found) if found else None
