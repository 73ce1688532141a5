"""Browsers that sign in by a key, and the keys of their user."""

from fastapi import Request, Response
from pydantic import Field

from api.access.auth import Caller, charge_stranger, require_decider
from api.access.sessions import HEADER, LIFETIME, describe_cookie, name_cookie
from api.dependencies import Deps
from api.errors import Unauthenticated, responses
from api.json_bodies import Router
from api.routers.schedules import pause_without_key
from contracts.access.principal import ApiKey, KeyScope, Principal
from contracts.base import Contract, Page
from contracts.errors import NotAllowed, NotFound
from contracts.notices import Notice
from contracts.problems import Problem

router = Router(prefix="/v1", tags=["sessions"], responses=responses(401, 422, 503))


TOKEN_KEY_DAYS = 30
"""Lifetime of a key or share link made with a token, since it has no parent key with which it could be revoked."""


class SignIn(Contract):
    """The key that a session is made from."""

    key: str = Field(max_length=200)


class Account(Contract):
    """The user of a request's session or key; None without keys."""

    user_id: str | None
    role: str


class KeyBody(Contract):
    """The rights of a new key."""

    scope: KeyScope | None = Field(
        default=None,
        description="`ask`, which decides nothing, or that of the key at hand; left out: the latter",
    )


class NewKey(ApiKey):
    """A key with its token, which is shown only now."""

    token: str


@router.post("/session", status_code=204, responses=responses(403))
async def sign_in(body: SignIn, request: Request, response: Response, deps: Deps) -> None:
    """Make a browser's session from a key."""
    charge_stranger(deps, request)
    key, _ = await deps.keys.authenticate(body.key)
    if key is None or key.run_id:
        raise Unauthenticated(Problem.at("key", "sign-in-unknown"))
    token = await deps.keys.create_session(key, LIFETIME.days)
    lifetime = int(LIFETIME.total_seconds())
    response.set_cookie(value=token, max_age=lifetime, **describe_cookie(request))


@router.delete("/session", status_code=204, responses=responses(403))
async def sign_out(request: Request, response: Response, deps: Deps) -> None:
    """End a browser's session and invalidate all copies of its cookie."""
    if token := request.cookies.get(name_cookie(request)):
        if HEADER not in request.headers:
            raise NotAllowed(Problem.at(HEADER, "session-header"))
        await deps.keys.end_session(token)
    response.delete_cookie(**describe_cookie(request))


@router.get("/session")
async def get_session(caller: Caller) -> Account:
    """Return the user of this session or key."""
    return Account(user_id=caller.user_id, role=caller.role)


@router.get("/keys")
async def list_keys(caller: Caller, deps: Deps) -> Page[ApiKey]:
    """Return the caller's keys, the oldest first, revoked ones too."""
    found = await deps.keys.list(caller)
    return Page(items=[key for key in found if key.user_id == caller.user_id])


@router.post("/keys", status_code=201, responses=responses(403))
async def create_key(caller: Caller, deps: Deps, body: KeyBody | None = None) -> NewKey:
    """Create a key with the caller's user and role, and at most the caller's scope; it ends with the caller's key."""
    if caller.user_id is None:
        raise NotAllowed(Notice.of("first-key"))
    scope = (body and body.scope) or caller.scope
    if scope not in {"ask", caller.scope}:
        raise NotAllowed(Problem.at("scope", "scope-not-yours", allowed=["ask", caller.scope]))
    days = limit_days(caller, None)
    key, token = await deps.keys.create(caller.model_copy(update={"scope": scope}), days=days)
    return NewKey(**dict(key), token=token)


def limit_days(caller: Principal, days: int | None) -> int | None:
    """Return the lifetime in days of a key or link: as asked, or at most `TOKEN_KEY_DAYS` if the caller came by a token."""
    return min(days or TOKEN_KEY_DAYS, TOKEN_KEY_DAYS) if caller.came_by_token else days


@router.delete("/keys/{key_id}", status_code=204, responses=responses(403, 404))
async def revoke_key(key_id: str, caller: Caller, deps: Deps) -> None:
    """Revoke one of the caller's keys, and the keys, sessions and share links made with it; its schedules pause.

    Raises:
        NotAllowed: The caller's key may not decide, and is not the key to revoke.
        NotFound: The key is not the caller's.
    """
    if key_id != caller.key_id:
        await require_decider(caller)
    own = {key.id for key in await deps.keys.list(caller) if key.user_id == caller.user_id}
    if key_id not in own:
        raise NotFound(Problem.at("key_id", "key-not-yours", key=key_id))
    await deps.keys.revoke(caller, key_id)
    await pause_without_key(deps, caller)
