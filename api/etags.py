"""Changing what somebody else may be changing too: `ETag` and `If-Match` are the version."""

from typing import Annotated, Any

from fastapi import Header, Response

from api.errors import PreconditionRequired
from contracts.definitions import Definition
from contracts.errors import PreconditionFailed

IfMatch = Annotated[
    str | None,
    Header(description='the `ETag` of the version that was changed, e.g. `"3"`; 428 without it'),
]

SeenVersion = Annotated[
    str | None, Header(alias="If-Match", description="left out: whatever version is there")
]

TAGGED: dict[str, Any] = {
    "headers": {"ETag": {"description": "the version, quoted", "schema": {"type": "string"}}}
}
"""The OpenAPI of a response that `tagged` made."""


def tagged(response: Response, definition: Definition) -> Definition:
    """Return a definition, and tell its version in the response's `ETag`."""
    response.headers["ETag"] = _tag(definition)
    return definition


def require_match(if_match: str | None, newest: Definition) -> None:
    """Refuse a change that names no version, or another than the newest."""
    if if_match is None:
        raise PreconditionRequired(
            f"say in If-Match which version was changed; {newest.id!r} is at {_tag(newest)}"
        )
    check_match(if_match, newest)


def check_match(if_match: str, newest: Definition) -> None:
    """Refuse a change of another version than the newest."""
    tag = _tag(newest)
    if tag not in map(str.strip, if_match.split(",")):
        raise PreconditionFailed(
            f"{newest.id!r} is at version {tag} by now, and If-Match says {if_match}: read it again"
        )


def _tag(definition: Definition) -> str:
    return f'"{definition.version}"'
