"""Errors as `application/problem+json` (RFC 9457), each with a stable `type`."""

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from api import page
from api.validation_errors import explain
from contracts.base import Contract
from contracts.errors import (
    Conflict,
    EngineUnavailable,
    GreenlightError,
    InvalidInput,
    NotAllowed,
    NotFound,
    NotOwner,
    Permanent,
    PreconditionFailed,
    Problem,
    StoreUnavailable,
    TooCostly,
)

RETRY_AFTER_SECONDS = 2
MAX_DETAIL_CHARS = 2_000
_RETRY = {"Retry-After": str(RETRY_AFTER_SECONDS)}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 429: _RETRY, 503: _RETRY}
SCHEMAS = "#/components/schemas"
FAILURE: dict[str, Any] = {
    "description": "The request failed.",
    "content": {"application/problem+json": {"schema": {"$ref": f"{SCHEMAS}/ProblemDetails"}}},
}


class HostNotAllowed(Permanent):
    """The Host header names a foreign host (DNS rebinding)."""


class OriginNotAllowed(Permanent):
    """A page of a foreign origin requests a change."""


class BodyTooLarge(Permanent):
    """The body exceeds the size limit."""


class BodyTooSlow(Permanent):
    """The body did not arrive in time."""


class Unauthenticated(Permanent):
    """The key is missing, unknown or revoked."""


class UnsupportedMediaType(Permanent):
    """The body is not of the one type that the path takes."""


class TooManyRequests(Permanent):
    """The caller does too much at once."""


class PreconditionRequired(Permanent):
    """The request lacks `If-Match`."""


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
    InvalidInput: 422,
    TooCostly: 422,
    PreconditionRequired: 428,
    TooManyRequests: 429,
    EngineUnavailable: 503,
    StoreUnavailable: 503,
}
"""HTTP status of each error; a subclass inherits it."""


class ProblemDetails(Contract):
    """Body of an error response."""

    type: str = Field(description="stable name of the error, e.g. `stale-plan`")
    title: str
    status: int
    detail: str
    problems: list[Problem] = Field(
        default=[], description="each invalid field and what is allowed"
    )


def make_problem_response(
    status: int,
    type_: str,
    detail: str,
    *,
    problems: list[Problem] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Build a problem+json response."""
    details = ProblemDetails(
        type=type_,
        title=type_.replace("-", " ").capitalize(),
        status=status,
        detail=detail[:MAX_DETAIL_CHARS],
        problems=problems or [],
    )
    return JSONResponse(
        details.model_dump(),
        status,
        headers,
        media_type="application/problem+json",
    )


def to_response(error: GreenlightError) -> JSONResponse:
    """Build the response to an error; without a status of its own, it is 500."""
    status = next((STATUS[c] for c in type(error).mro() if c in STATUS), 500)
    named = InvalidInput(str(error)) if isinstance(error, NotFound) else error
    problems = named.problems if isinstance(named, InvalidInput) else []
    return make_problem_response(
        status, error.type(), str(error), problems=problems, headers=HEADERS.get(status)
    )


def install_handlers(app: FastAPI) -> None:
    """Make every error response of the app, unknown paths and bugs included, a problem."""

    @app.exception_handler(GreenlightError)
    async def handle_greenlight_error(_: Request, error: GreenlightError) -> JSONResponse:
        return to_response(error)

    @app.exception_handler(RequestValidationError)
    async def handle_validation_error(
        request: Request, error: RequestValidationError
    ) -> JSONResponse:
        return to_response(explain(error, request, app.openapi()))

    @app.exception_handler(HTTPException)
    async def handle_http_exception(request: Request, error: HTTPException) -> Response:
        if error.status_code == HTTPStatus.NOT_FOUND and page.is_looked_at(request):
            return page.show_view(HTTPStatus.NOT_FOUND)
        name = HTTPStatus(error.status_code).name.lower().replace("_", "-")
        headers = dict(error.headers) if error.headers else None
        return make_problem_response(error.status_code, name, str(error.detail), headers=headers)

    @app.exception_handler(Exception)
    async def handle_bug(_: Request, __: Exception) -> JSONResponse:
        return make_problem_response(500, "internal", "internal error; see the gateway's log")


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` of an operation that may fail with these statuses."""
    return {status: {**FAILURE, "description": HTTPStatus(status).phrase} for status in statuses}


def build_schemas() -> dict[str, Any]:
    """Build the OpenAPI schemas that `responses` refers to."""
    schema = ProblemDetails.model_json_schema(ref_template=f"{SCHEMAS}/{{model}}")
    return {**schema.pop("$defs"), "ProblemDetails": schema}
