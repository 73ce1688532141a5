"""Inputs of a run: the union of those that the phases of its definition read."""

from pydantic import ValidationError, create_model

from contracts.base import Contract, Json, describe_error
from contracts.definitions import Definition
from contracts.errors import Problem
from workflows.phases import PHASES


def build_inputs_model(definition: Definition) -> type[Contract]:
    """Return the model that validates a start's `inputs`."""
    found = (PHASES[phase.kind].inputs(phase) for phase in definition.phases)
    models = tuple(dict.fromkeys(model for model in found if model))
    return create_model("Inputs", __base__=models or (Contract,))


def find_input_problems(definition: Definition, given: Json) -> list[Problem]:
    """Return the problems of a start's `inputs`: those unknown, missing or of a wrong value."""
    model = build_inputs_model(definition)
    unread = f"not read by this definition; it takes {sorted(model.model_fields)}"
    try:
        model.model_validate(given)
    except ValidationError as error:
        return [
            Problem(
                path=".".join(["inputs", *map(str, e["loc"])]),
                message=unread if e["type"] == "extra_forbidden" else describe_error(e),
            )
            for e in error.errors()
        ]
    return []
