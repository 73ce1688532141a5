"""Authentication by API key; without keys, one default tenant. Which rows a caller may read: `store/access/row_visibility.py`."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from api.access.callers import hash_credential, name_refused, read_address
from api.access.oidc import SigningKeyUnknown, TokenVerifier
from api.access.sessions import HEADER, name_cookie
from api.dependencies import Dependencies, Deps
from api.errors import Unauthenticated
from api.request_guard import SAFE_METHODS
from contracts.access.principal import Principal
from contracts.errors import NotAllowed, NotFound
from contracts.notices import Notice
from contracts.planning.startup_company import StartupBody
from contracts.problems import Problem
from contracts.runs.request import RunRequest
from store.access.access_keys import MARK

DEFAULT_USER = "local"
"""Owner of runs and startups if there are no keys and no user is named."""

KEY = HTTPBearer(
    auto_error=False,
    description="an API key, required once `greenlight keys add` has made one, or a token of the identity provider in OIDC_ISSUER",
)


SHARED = frozenset(
    f"/v1/runs/{{run_id}}/{part}"
    for part in (
        "report",
        "report/head",
        "sources",
        "sources/{n}/snapshot",
        "artifacts",
        "artifacts/{aid}",
    )
)
"""Paths that a share link opens: a report, and what it rests on."""


async def authenticate(
    deps: Deps,
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(KEY)],
) -> Principal:
    """Authenticate a request by its key, token or session cookie.

    Raises:
        Unauthenticated: A key is required, or the key or link is unknown or revoked.
        NotAllowed: A session's change does not come from the page, or the link does not open this.
        NotFound: The link opens another run.
    """
    shown = hash_credential(request)
    if reason := deps.limits.callers.find_refusal(shown):
        raise Unauthenticated(reason)
    cookie = None if credentials else request.cookies.get(name_cookie(request))
    if cookie:
        session, _ = await deps.keys.authenticate(cookie, by_cookie=True)
        if session and request.method not in SAFE_METHODS and HEADER not in request.headers:
            raise NotAllowed(Problem.at(HEADER, "session-header"))
        if session:
            _check_scope(session.principal)
            deps.limits.callers.remember(shown, session.principal)
            return session.principal
    token = credentials.credentials if credentials else None
    if deps.tokens and token and not token.startswith(MARK):
        return await _authenticate_token(deps, deps.tokens, request, token)
    key, keys_exist = await deps.keys.authenticate(token)
    if key:
        deps.limits.callers.remember(shown, key.principal)
        _check_scope(key.principal)
        _check_link(key.principal, request)
        return key.principal
    is_ours = token is not None and token.startswith(MARK)  # a key of another stack, or truncated
    if keys_exist or deps.require_keys or deps.tokens or is_ours:
        reason = Notice.of("key-unknown" if credentials else "key-needed")
        _note_refusal(deps, request, reason)
        raise Unauthenticated(reason)
    return Principal()


async def _authenticate_token(
    deps: Dependencies, tokens: TokenVerifier, request: Request, token: str
) -> Principal:
    """Return the principal of an identity provider's token."""
    try:
        holder = await tokens.authenticate(token)
    except SigningKeyUnknown:  # it may be known in a moment
        charge_stranger(deps, request)
        raise
    except (Unauthenticated, NotAllowed) as error:
        _note_refusal(deps, request, error.words)
        raise
    deps.limits.callers.remember(hash_credential(request), holder)
    _check_scope(holder)
    return holder


def _note_refusal(deps: Dependencies, request: Request, reason: Notice) -> None:
    """Note that a credential was refused, and charge it to its address.

    Raises:
        TooManyRequests: The address has shown too many.
    """
    deps.limits.callers.refuse(hash_credential(request), reason)
    charge_stranger(deps, request)


def charge_stranger(deps: Dependencies, request: Request) -> None:
    """Charge a request with an unknown credential to its address; `Guard` has charged all other requests.

    Raises:
        TooManyRequests: The address has shown too many.
    """
    shown = hash_credential(request)
    if shown and not deps.limits.callers.find_owner(shown):
        deps.limits.request_rate.take(name_refused(read_address(request)), None)


def _check_scope(holder: Principal) -> None:
    """Refuse the holder of a key for the codec server everything here."""
    if holder.scope == "payloads":
        raise NotAllowed(Notice.of("key-opens-payloads-alone"))


def _check_link(holder: Principal, request: Request) -> None:
    """Refuse the holder of a share link all but the one report."""
    if holder.run_id is None:
        return
    if request.scope["route"].path not in SHARED:
        raise NotAllowed(Notice.of("link-opens-one-report"))
    if (asked := request.path_params["run_id"]) != holder.run_id:
        raise NotFound(Notice.of("run-unknown", run=asked))


Caller = Annotated[Principal, Depends(authenticate)]


async def require_decider(caller: Caller) -> Principal:
    """Return the caller if they may decide.

    Raises:
        NotAllowed: The key may not decide.
    """
    if not caller.may_decide:
        raise NotAllowed(Notice.of("key-decides-nothing"))
    return caller


Decider = Annotated[Principal, Depends(require_decider)]


def resolve_owner(caller: Principal, body: RunRequest | StartupBody) -> str:
    """Return the owner of a new object: the key's user, or the body's if there are no keys.

    Raises:
        NotAllowed: The body names another user than the key's.
    """
    if caller.user_id not in {None, body.user_id} and "user_id" in body.model_fields_set:
        raise NotAllowed(Problem.at("user_id", "user-not-of-key", user=str(caller.user_id)))
    return caller.user_id or body.user_id


def require_key(caller: Principal, code: str) -> None:
    """Refuse a caller with a token, because work that outlives the token needs its owner's key.

    Raises:
        NotAllowed: The caller has a token; `code` is the notice's code.
    """
    if caller.came_by_token:
        raise NotAllowed(Notice.of(code))
