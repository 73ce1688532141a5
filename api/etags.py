"""Optimistic locking of definitions: `ETag` and `If-Match` carry the version."""

from typing import Annotated, Any

from fastapi import Header, Response

from api.errors import PreconditionRequired
from contracts.definitions import Definition
from contracts.errors import PreconditionFailed

IfMatch = Annotated[
    str | None,
    Header(description='the `ETag` of the version that was changed, e.g. `"3"`; 428 without it'),
]

SeenVersion = Annotated[str | None, Header(alias="If-Match", description="left out: any version")]

ETAG_RESPONSE: dict[str, Any] = {
    "headers": {"ETag": {"description": "the version, quoted", "schema": {"type": "string"}}}
}
"""OpenAPI of a response with an `ETag`."""


def set_etag(response: Response, definition: Definition) -> Definition:
    """Set the response's `ETag` to a definition's version; return the definition."""
    response.headers["ETag"] = _format_etag(definition)
    return definition


def require_match(if_match: str | None, newest: Definition) -> None:
    """Check that `If-Match` is present and names the newest version.

    Raises:
        PreconditionRequired, PreconditionFailed
    """
    if if_match is None:
        raise PreconditionRequired(
            f"If-Match: required; the newest version of {newest.id!r} is {_format_etag(newest)}"
        )
    check_match(if_match, newest)


def check_match(if_match: str, newest: Definition) -> None:
    """Check that `If-Match` names the newest version; else raise PreconditionFailed."""
    tag = _format_etag(newest)
    if tag not in map(str.strip, if_match.split(",")):
        raise PreconditionFailed(
            f"If-Match: the newest version of {newest.id!r} is {tag}, not {if_match}: read it again"
        )


def _format_etag(definition: Definition) -> str:
    return f'"{definition.version}"'
