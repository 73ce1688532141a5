"""Errors as `application/problem+json` (RFC 9457), each with a stable `type`."""

from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from http import HTTPStatus
from math import ceil
from operator import itemgetter
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.datastructures import Headers
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
    StoreUnavailable,
    TooCostly,
    Transient,
)
from contracts.notices import Notice, NoticeParam
from contracts.problems import MAX_CHARS, Problem, limit_notice
from contracts.words import LANGUAGES, Language

RETRY_AFTER_SECONDS = 2
MAX_DETAIL_CHARS = 2_000
_RETRY = {"Retry-After": str(RETRY_AFTER_SECONDS)}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 429: _RETRY, 503: _RETRY}
SCHEMAS = "#/components/schemas"
FAILURE: dict[str, Any] = {
    "description": "The request failed.",
    "content": {"application/problem+json": {"schema": {"$ref": f"{SCHEMAS}/ProblemDetails"}}},
}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
"""A route's handler, as FastAPI makes it."""


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


class IdentityProviderUnavailable(Transient):
    """The identity provider does not answer, and none of its keys is cached."""


class UnsupportedMediaType(Permanent):
    """The body is not of the one type that the path takes."""


class TooManyRequests(Permanent):
    """The caller does too much at once; `retry_after` seconds later it may."""

    def __init__(self, told: Notice, retry_after: float | None = None) -> None:
        super().__init__(told)
        self.retry_after = retry_after


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
    IdentityProviderUnavailable: 503,
    StoreUnavailable: 503,
}
"""HTTP status of each error; a subclass inherits it."""


class ProblemDetails(Contract):
    """Body of an error response."""

    type: str = Field(description="stable name of the error, e.g. `stale-plan`")
    title: str
    status: int
    code: str = Field(description="what is wrong: a key of the catalogues in contracts/words")
    params: Mapping[str, NoticeParam] = Field(default={}, description="what the words of it name")
    detail: str = Field(description="in words, in the language that `Accept-Language` prefers")
    problems: list[Problem] = Field(
        default=[], description="each invalid field and what is allowed"
    )


def make_problem_response(
    status: int,
    type_: str,
    error: GreenlightError,
    language: Language,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Build a problem+json response."""
    notice = limit_notice(error.notice)
    details = ProblemDetails(
        type=type_,
        title=type_.replace("-", " ").capitalize(),
        status=status,
        code=notice.code,
        params=notice.params,
        detail=error.words.say(language)[:MAX_DETAIL_CHARS],
        problems=[
            problem.model_copy(update={"message": problem.say(language)[:MAX_CHARS]})
            for problem in error.problems
        ],
    )
    return JSONResponse(
        details.model_dump(mode="json"),
        status,
        headers,
        media_type="application/problem+json",
    )


def find_status(error: GreenlightError) -> int:
    """Return an error's HTTP status; 500 by default."""
    return next((STATUS[c] for c in type(error).mro() if c in STATUS), 500)


def to_response(error: GreenlightError, headers: Headers) -> JSONResponse:
    """Build the response to an error."""
    status = find_status(error)
    language = choose_language(headers.get("accept-language", ""))
    known = HEADERS.get(status, {})
    if error.retry_after is not None and status in {401, 429, 503}:
        known = {**known, "Retry-After": str(ceil(error.retry_after))}
    return make_problem_response(status, error.type(), error, language, known)


def choose_language(accepted: str) -> Language:
    """Return the catalogue language preferred by an `Accept-Language` header; English by default."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.split(","):
        name, _, weight = part.partition(";q=")
        with suppress(ValueError):
            weighted.append((-float(weight or 1), name.strip().lower().partition("-")[0]))
    for _, name in sorted(weighted, key=itemgetter(0)):
        for language in LANGUAGES:
            if name == language:
                return language
    return "en"


def install_handlers(app: FastAPI) -> None:
    """Make every error response of the app, unknown paths and bugs included, a problem."""

    @app.exception_handler(GreenlightError)
    async def handle_greenlight_error(request: Request, error: GreenlightError) -> JSONResponse:
        return to_response(error, request.headers)

    @app.exception_handler(RequestValidationError)
    async def handle_validation_error(
        request: Request, error: RequestValidationError
    ) -> JSONResponse:
        return to_response(explain(error, request, app.openapi()), request.headers)

    @app.exception_handler(HTTPException)
    async def handle_http_exception(request: Request, error: HTTPException) -> Response:
        if error.status_code == HTTPStatus.NOT_FOUND and page.is_looked_at(request):
            return page.show_view(HTTPStatus.NOT_FOUND)
        name = HTTPStatus(error.status_code).name.lower().replace("_", "-")
        told = GreenlightError(Notice.of("text", text=str(error.detail)))
        return make_problem_response(error.status_code, name, told, "en", error.headers)

    @app.exception_handler(Exception)
    async def handle_bug(request: Request, _: Exception) -> JSONResponse:
        language = choose_language(request.headers.get("accept-language", ""))
        told = GreenlightError(Notice.of("internal"))
        return make_problem_response(500, "internal", told, language)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI `responses` of an operation that may fail with these statuses."""
    return {status: {**FAILURE, "description": HTTPStatus(status).phrase} for status in statuses}


def build_schemas() -> dict[str, Any]:
    """Build the OpenAPI schemas that `responses` refers to."""
    schema = ProblemDetails.model_json_schema(ref_template=f"{SCHEMAS}/{{model}}")
    return {**schema.pop("$defs"), "ProblemDetails": schema}


def render_errors(
    handle: Handler, render: Callable[[GreenlightError, Headers], Response]
) -> Handler:
    """Return a route's handler that answers our errors in another form than problem details."""

    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except GreenlightError as error:
            return render(error, request.headers)

    return answer
