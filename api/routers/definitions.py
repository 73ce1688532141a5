"""Definitions ("workflows" in paths): what there is, whether it holds together, and starting it."""

from typing import Annotated

from fastapi import APIRouter, Query

from api import starts
from api.dependencies import Caller, Deps
from api.errors import responses
from api.runs import links
from api.starts import NewRunId
from api.views import Page, RunStarted, Validity
from contracts.definitions import Definition, DefinitionBody
from contracts.errors import InvalidDefinition
from contracts.request import RunRequest
from workflows.resolve import validate

IncludeSystem = Annotated[bool, Query(description="also those that ship with Greenlight")]
router = APIRouter(prefix="/v1/workflows", tags=["workflows"], responses=responses(422, 503))


@router.get("")
async def list_workflows(
    deps: Deps, caller: Caller, include_system: IncludeSystem = True
) -> Page[Definition]:
    """Return every definition in its newest version."""
    found = await deps.definitions.list(caller)
    return Page(items=[d for d in found if include_system or not d.is_preset])


@router.post("", status_code=201, responses=responses(409))
async def create_workflow(body: DefinitionBody, deps: Deps, caller: Caller) -> Definition:
    """Keep a new definition, once it holds together; all that is wrong with it is told at once."""
    validate(Definition(**dict(body)))
    return await deps.definitions.create(caller, body)


@router.get("/{definition_id}", responses=responses(404))
async def get_workflow(
    definition_id: str, deps: Deps, caller: Caller, version: int | None = None
) -> Definition:
    """Return a definition."""
    return await deps.definitions.get(caller, definition_id, version)


@router.post("/validate")
async def validate_body(body: DefinitionBody) -> Validity:
    """Say what is wrong with a definition that is not saved, or what its needs are bound to."""
    return _validity(Definition(**dict(body)))


@router.post("/{definition_id}/validate", responses=responses(404))
async def validate_workflow(definition_id: str, deps: Deps, caller: Caller) -> Validity:
    """Say what is wrong with a saved definition, or what its needs are bound to."""
    return _validity(await deps.definitions.get(caller, definition_id))


@router.post("/{definition_id}/run", status_code=202, responses=responses(404, 409))
async def run_workflow(
    definition_id: str,
    body: RunRequest,
    run_id: NewRunId,
    deps: Deps,
    caller: Caller,
) -> RunStarted:
    """Start a run; it goes on by itself, and asks before it spends."""
    earlier = await starts.find(deps, caller, run_id)
    if earlier is None:
        await starts.start(deps, caller, run_id, definition_id, body)
    status = earlier.status if earlier else "running"
    return RunStarted(run_id=run_id, status=status, links=links(run_id))


def _validity(definition: Definition) -> Validity:
    try:
        return Validity(valid=True, bindings=validate(definition))
    except InvalidDefinition as invalid:
        return Validity(valid=False, problems=invalid.problems)
