"""A run's `inputs`: the union of what the phases of its definition read."""

from pydantic import ValidationError, create_model

from contracts.base import Contract, Json, complaint
from contracts.definitions import Definition
from contracts.errors import Problem
from workflows.phases import PHASES


def inputs_of(definition: Definition) -> type[Contract]:
    """Return the model that a start's `inputs` are held against."""
    found = (PHASES[phase.kind].inputs(phase) for phase in definition.phases)
    models = tuple(dict.fromkeys(model for model in found if model))
    return create_model("Inputs", __base__=models or (Contract,))


def input_problems(definition: Definition, given: Json) -> list[Problem]:
    """Return what is wrong with a start's `inputs`: unknown, missing, or not as they must be."""
    model = inputs_of(definition)
    unread = f"not read by this definition; it takes {sorted(model.model_fields)}"
    try:
        model.model_validate(given)
    except ValidationError as error:
        return [
            Problem(
                path=".".join(["inputs", *map(str, e["loc"])]),
                message=unread if e["type"] == "extra_forbidden" else complaint(e),
            )
            for e in error.errors()
        ]
    return []
