"""Definitions ("workflows" in paths): list, change, validate, export, import and run them.

A change is locked optimistically: `ETag` and `If-Match` carry the version.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field

from api.access.auth import Caller, Decider
from api.dependencies import Deps
from api.errors import PreconditionRequired, responses
from api.json_bodies import Router, StrictRoute
from api.runs.idempotency_key import NewRunId
from api.runs.start import RunEstimate, RunStarted, estimate_run, start_run
from api.validation_errors import explain
from contracts.base import Contract, Json, Name, Page
from contracts.definitions import (
    FORMAT,
    Definition,
    DefinitionBody,
    DefinitionChange,
    DefinitionFile,
    DefinitionId,
)
from contracts.errors import InvalidDefinition, InvalidInput, PreconditionFailed
from contracts.problems import Problem
from contracts.runs.request import RunRequest
from contracts.runs.run_terms import Terms
from store.definitions import VersionSummary
from workflows.start.inputs import build_inputs_model
from workflows.start.resolution import validate_definition

LATEST = 2**31 - 1

Id = Annotated[Name, Path(description="`default` is the tenant's default definition")]
OwnId = Annotated[DefinitionId, Path()]
Version = Annotated[int | None, Query(ge=1, le=LATEST, description="left out: the newest")]
NewId = Annotated[DefinitionId | None, Query(description="left out: the document's own")]
IncludeSystem = Annotated[bool, Query(description="also those that ship with Greenlight")]
Force = Annotated[bool, Query(description="also while runs of it go on; they keep their copy")]

IfMatch = Annotated[
    str | None,
    Header(description='the `ETag` of the version that was changed, e.g. `"3"`; 428 without it'),
]

SeenVersion = Annotated[str | None, Header(alias="If-Match", description="left out: any version")]

ETAG_RESPONSE: dict[str, Any] = {
    "headers": {"ETag": {"description": "the version, quoted", "schema": {"type": "string"}}}
}
"""OpenAPI of a response with an `ETag`."""

router = Router(prefix="/v1/workflows", tags=["workflows"], responses=responses(422, 503))


class DefinitionChoice(Contract):
    """Reference to a definition."""

    id: DefinitionId


class Validity(Contract):
    """Result of validating a definition."""

    valid: bool
    problems: list[Problem] = []
    bindings: dict[str, dict[str, list[str]]] = Field(
        default={}, description="phase id -> need -> the phases that provide it"
    )
    inputs_schema: Json = Field(default={}, description="JSON Schema of a start's `inputs`")


async def get_newest_own(
    definition_id: OwnId, deps: Deps, caller: Caller, if_match: IfMatch = None
) -> Definition:
    """Return the definition that the caller changes; refuse one that is stale or another user's."""
    newest = await deps.definitions.get_owned(caller, definition_id)
    if if_match is None:
        told = {"id": newest.id, "version": _format_etag(newest)}
        raise PreconditionRequired(Problem.at("If-Match", "if-match-needed", **told))
    _check_match(if_match, newest)
    return newest


Newest = Annotated[Definition, Depends(get_newest_own)]


@router.get("")
async def list_workflows(
    deps: Deps, caller: Caller, include_system: IncludeSystem = True
) -> Page[Definition]:
    """Return every definition in its newest version."""
    found = await deps.definitions.list(caller)
    return Page(items=[d for d in found if include_system or not d.is_preset])


@router.post("", status_code=201, responses={201: ETAG_RESPONSE, **responses(409)})
async def create_workflow(
    body: DefinitionBody, deps: Deps, caller: Caller, response: Response
) -> Definition:
    """Save a new definition, or say all that is wrong with it at once."""
    validate_definition(Definition(**dict(body)), deps.terms)
    return _set_etag(response, await deps.definitions.create(caller, body))


class ValidityRoute(StrictRoute):
    """A route that answers a definition of the wrong form as it answers one of the wrong meaning."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, which finds no body invalid."""
        handle = super().get_route_handler()

        async def tell(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                invalid = explain(error, request, request.app.openapi())
                if not isinstance(invalid, InvalidDefinition):
                    raise
                validity = Validity(valid=False, problems=invalid.problems)
                return JSONResponse(validity.model_dump(mode="json"))

        return tell


async def validate_body(body: DefinitionBody, deps: Deps) -> Validity:
    """Return the problems of a definition that is not saved, or the bindings of its needs."""
    return _check_validity(Definition(**dict(body)), deps.terms)


router.add_api_route(
    "/validate", validate_body, methods=["POST"], route_class_override=ValidityRoute
)


@router.post("/import", status_code=201, responses={201: ETAG_RESPONSE, **responses(409)})
async def import_workflow(
    file: DefinitionFile, deps: Deps, caller: Caller, response: Response, id: NewId = None
) -> Definition:
    """Save an exported definition as a new one, optionally under another id.

    It may name models of another installation: `validate` and a start report models without a price.
    """
    content = file.model_copy(update={"id": id}) if id else file
    body = DefinitionBody(**{name: getattr(content, name) for name in DefinitionBody.model_fields})
    validate_definition(Definition(**dict(body)))
    return _set_etag(response, await deps.definitions.create(caller, body))


@router.put("/default", responses={200: ETAG_RESPONSE, **responses(403, 404)})
async def set_default_workflow(
    choice: DefinitionChoice, deps: Deps, caller: Decider, response: Response
) -> Definition:
    """Set the definition that `default` refers to, for all users of the tenant, and return it."""
    return _set_etag(response, await deps.definitions.set_default(caller, choice.id))


@router.get("/{definition_id}", responses={200: ETAG_RESPONSE, **responses(404)})
async def get_workflow(
    definition_id: Id, deps: Deps, caller: Caller, response: Response, version: Version = None
) -> Definition:
    """Return a definition; `/estimate` has its price at each depth."""
    return _set_etag(response, await deps.definitions.get(caller, definition_id, version))


@router.put(
    "/{definition_id}", responses={200: ETAG_RESPONSE, **responses(403, 404, 409, 412, 428)}
)
async def replace_workflow(
    newest: Newest, change: DefinitionChange, deps: Deps, caller: Caller, response: Response
) -> Definition:
    """Save a new version of a definition; runs that were started keep theirs."""
    if change.id not in {None, newest.id}:
        raise InvalidInput(Problem.at("id", "id-not-of-path", id=newest.id))
    body = DefinitionBody(**{**dict(change), "id": newest.id})
    validate_definition(Definition(**dict(body)), deps.terms)
    return _set_etag(response, await deps.definitions.update(caller, body, newest.version))


@router.delete("/{definition_id}", status_code=204, responses=responses(403, 404, 409, 412))
async def delete_workflow(
    definition_id: OwnId,
    deps: Deps,
    caller: Caller,
    force: Force = False,
    if_match: SeenVersion = None,
) -> None:
    """Delete a definition in all its versions; runs that were started keep theirs."""
    newest = await deps.definitions.get_owned(caller, definition_id)
    if if_match is not None:
        _check_match(if_match, newest)
    await deps.definitions.delete(caller, newest, force=force)


@router.get("/{definition_id}/versions", responses=responses(404))
async def list_workflow_versions(
    definition_id: Id, deps: Deps, caller: Caller
) -> Page[VersionSummary]:
    """Return the versions of a definition, the newest first."""
    return Page(items=await deps.definitions.list_versions(caller, definition_id))


@router.get("/{definition_id}/export", responses=responses(404))
async def export_workflow(
    definition_id: Id, deps: Deps, caller: Caller, version: Version = None
) -> DefinitionFile:
    """Return a definition as a document that `import` takes, here or elsewhere."""
    found = await deps.definitions.get(caller, definition_id, version)
    content = {name: getattr(found, name) for name in DefinitionBody.model_fields}
    return DefinitionFile(format=FORMAT, **content)


@router.post("/{definition_id}/validate", responses=responses(404))
async def validate_workflow(definition_id: Id, deps: Deps, caller: Caller) -> Validity:
    """Return the problems of a saved definition, or the bindings of its needs."""
    found = await deps.definitions.get(caller, definition_id)
    return _check_validity(found, deps.terms)


@router.post("/{definition_id}/run", status_code=202, responses=responses(403, 404, 409, 429))
async def run_workflow(
    definition_id: Id,
    body: RunRequest,
    run_id: NewRunId,
    deps: Deps,
    caller: Caller,
) -> RunStarted:
    """Start a run; it asks before it spends."""
    return await start_run(deps, caller, run_id, definition_id, body)


@router.post("/{definition_id}/estimate", responses=responses(403, 404, 409))
async def estimate_workflow_run(
    definition_id: Id, body: RunRequest, deps: Deps, caller: Caller
) -> RunEstimate:
    """Return what a run would cost, or why it would be refused; nothing is started or called."""
    return await estimate_run(deps, caller, definition_id, body)


def _check_validity(definition: Definition, terms: Terms) -> Validity:
    try:
        bindings = validate_definition(definition, terms)
    except InvalidDefinition as invalid:
        return Validity(valid=False, problems=invalid.problems)
    schema = build_inputs_model(definition).model_json_schema()
    return Validity(valid=True, bindings=bindings, inputs_schema=schema)


def _set_etag(response: Response, definition: Definition) -> Definition:
    """Set the response's `ETag` to a definition's version; return the definition."""
    response.headers["ETag"] = _format_etag(definition)
    return definition


def _check_match(if_match: str, newest: Definition) -> None:
    """Check that `If-Match` names the newest version; else raise PreconditionFailed."""
    tag = _format_etag(newest)
    if tag not in map(str.strip, if_match.split(",")):
        told = {"id": newest.id, "version": tag, "given": if_match}
        raise PreconditionFailed(Problem.at("If-Match", "if-match-old", **told))


def _format_etag(definition: Definition) -> str:
    return f'"{definition.version}"'
