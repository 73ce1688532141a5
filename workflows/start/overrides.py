"""Overrides: the changes that a start makes to its definition's phases and their models."""

from pydantic import ValidationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidDefinition, Problem
from contracts.phases import Phase
from contracts.runs.request import RunRequest
from workflows.phases import PHASES


def find_model_override_problems(definition: Definition, request: RunRequest) -> list[Problem]:
    """Return the problems of model overrides whose role no phase has."""
    roles = sorted({r for phase in definition.phases for r in PHASES[phase.kind].agents(phase)})
    message = f"no such role in this definition; it has {roles}"
    return [
        Problem(path=f"model_overrides.{name}", message=message)
        for name in request.model_overrides
        if name not in roles
    ]


def apply_overrides(definition: Definition, request: RunRequest) -> Definition:
    """Return a definition with the start's overrides.

    Raises:
        InvalidDefinition: each override that names no phase or holds a wrong value, with its path.
    """
    phases: list[Phase] = []
    known = {phase.id for phase in definition.phases}
    message = f"no such phase; there are {', '.join(sorted(known))}"
    problems = [
        Problem(path=f"config_overrides.{name}", message=message)
        for name in request.config_overrides
        if name not in known
    ]
    for phase in definition.phases:
        override = request.config_overrides.get(phase.id)
        if override is None:
            phases.append(phase)
            continue
        changes: Json = override.model_dump(exclude_none=True, exclude={"config"})
        config = {**phase.config.model_dump(), **override.config}
        try:
            phases.append(type(phase)(**{**dict(phase), **changes, "config": config}))
        except ValidationError as error:
            problems += [
                Problem(
                    path=".".join(["config_overrides", phase.id, *map(str, e["loc"])]),
                    message=e["msg"],
                )
                for e in error.errors()
            ]
    if problems:
        raise InvalidDefinition(problems)
    return definition.model_copy(update={"phases": phases})
