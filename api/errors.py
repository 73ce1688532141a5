"""Every failure as `application/problem+json` (RFC 9457), with a stable `type`."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from api.validation_errors import problems_of
from contracts.base import Contract
from contracts.errors import (
    Conflict,
    EngineUnavailable,
    GreenlightError,
    InvalidDefinition,
    InvalidInput,
    NotAllowed,
    NotFound,
    NotOwner,
    Permanent,
    PreconditionFailed,
    Problem,
    StoreUnavailable,
)

RETRY_AFTER_SECONDS = 2
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": str(RETRY_AFTER_SECONDS)}}
SCHEMAS = "#/components/schemas"
FAILURE: dict[str, Any] = {
    "description": "Why the request did not succeed.",
    "content": {"application/problem+json": {"schema": {"$ref": f"{SCHEMAS}/ProblemDetails"}}},
}


class HostNotAllowed(Permanent):
    """The request was meant for another host (DNS rebinding)."""


class OriginNotAllowed(Permanent):
    """Another site's page asks for a change."""


class BodyTooLarge(Permanent):
    """The body is over the limit."""


class BodyTooSlow(Permanent):
    """The body did not arrive in time."""


class Unauthenticated(Permanent):
    """No key, or none that is known and live."""


class UnsupportedMediaType(Permanent):
    """The body is not JSON."""


class PreconditionRequired(Permanent):
    """The change does not say which version it was made from."""


STATUS: dict[type[GreenlightError], int] = {
    HostNotAllowed: 400,
    Unauthenticated: 401,
    NotAllowed: 403,
    NotOwner: 403,
    OriginNotAllowed: 403,
    NotFound: 404,
    BodyTooSlow: 408,
    Conflict: 409,
    PreconditionFailed: 412,
    BodyTooLarge: 413,
    UnsupportedMediaType: 415,
    InvalidDefinition: 422,
    InvalidInput: 422,
    PreconditionRequired: 428,
    EngineUnavailable: 503,
    StoreUnavailable: 503,
}
"""The HTTP status of each error; a subclass has its parent's."""


class ProblemDetails(Contract):
    """Why a request did not succeed."""

    type: str = Field(description="stable name of the error, e.g. `stale-plan`")
    title: str
    status: int
    detail: str
    problems: list[Problem] = Field(default=[], description="what to change, and where")


def problem(
    status: int,
    type_: str,
    detail: str,
    *,
    problems: list[Problem] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Return a problem+json response."""
    details = ProblemDetails(
        type=type_,
        title=type_.replace("-", " ").capitalize(),
        status=status,
        detail=detail,
        problems=problems or [],
    )
    return JSONResponse(
        details.model_dump(), status, headers, media_type="application/problem+json"
    )


def problem_for(error: GreenlightError) -> JSONResponse:
    """Return the response to an error of ours; one that has no status is an internal one."""
    status = next((STATUS[c] for c in type(error).mro() if c in STATUS), 500)
    return problem(
        status, error.type(), str(error), problems=_problems(error), headers=HEADERS.get(status)
    )


def _problems(error: GreenlightError) -> list[Problem]:
    """Return what to change; a refused message names its field before the first colon."""
    if isinstance(error, InvalidDefinition):
        return error.problems
    path, _, message = str(error).partition(": ")
    named = isinstance(error, InvalidInput) and message and " " not in path
    return [Problem(path=path, message=message)] if named else []


def install(app: FastAPI) -> None:
    """Answer every failure of the app, unknown paths and our own bugs included, by a problem."""

    @app.exception_handler(GreenlightError)
    async def ours(_: Request, error: GreenlightError) -> JSONResponse:
        return problem_for(error)

    @app.exception_handler(RequestValidationError)
    async def form(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = problems_of(error, request, app.openapi())
        detail = "; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in problems)
        return problem(422, InvalidInput.type(), detail, problems=problems)

    @app.exception_handler(HTTPException)
    async def framework(_: Request, error: HTTPException) -> JSONResponse:
        name = HTTPStatus(error.status_code).name.lower().replace("_", "-")
        headers = dict(error.headers) if error.headers else None
        return problem(error.status_code, name, str(error.detail), headers=headers)

    @app.exception_handler(Exception)
    async def bug(_: Request, __: Exception) -> JSONResponse:
        return problem(500, "internal", "Something went wrong here; the gateway's log says what.")


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` of an operation that may fail in these ways."""
    return {status: {**FAILURE, "description": HTTPStatus(status).phrase} for status in statuses}


def schemas() -> dict[str, Any]:
    """Return the OpenAPI schemas that `responses` refers to."""
    schema = ProblemDetails.model_json_schema(ref_template=f"{SCHEMAS}/{{model}}")
    return {**schema.pop("$defs"), "ProblemDetails": schema}
