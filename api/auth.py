"""Who asks: whom their key names; the one default tenant where there are no keys."""

from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

from api.dependencies import Deps
from api.errors import Unauthenticated
from contracts.errors import NotAllowed
from contracts.principal import Principal

NOBODY = "local"
"""Whose runs and startups are where there are no keys and nobody is named."""

KEY = HTTPBearer(
    auto_error=False, description="an API key; needed from the first `greenlight keys add` on"
)


async def principal(
    services: Deps, given: Annotated[HTTPAuthorizationCredentials | None, Depends(KEY)]
) -> Principal:
    """Return on whose behalf a request is served."""
    found = await services.keys.identify(given.credentials if given else None)
    if found.key:
        return found.key.principal
    if found.keys_exist or services.require_keys:
        why = "this key is unknown or revoked" if given else "a key is needed"
        raise Unauthenticated(
            f"{why}: send `Authorization: Bearer KEY`; the terminal reads GREENLIGHT_API_KEY"
        )
    return Principal()


Caller = Annotated[Principal, Depends(principal)]


def author(caller: Principal, by: str) -> str:
    """Return who says it: the key's user, and nobody else's name with it."""
    if caller.user_id is not None and by not in {"", caller.user_id}:
        raise NotAllowed(f"by: the key is {caller.user_id!r}'s; leave it out")
    return caller.user_id or by


def owner(caller: Principal, body: BaseModel | None = None) -> str:
    """Return whose a new or sought thing is: the key's user's, else who the body names."""
    named = getattr(body, "user_id", NOBODY)
    stated = body is not None and "user_id" in body.model_fields_set
    if caller.user_id is not None and stated and named != caller.user_id:
        raise NotAllowed(f"user_id: the key is {caller.user_id!r}'s; leave it out")
    return caller.user_id or named
