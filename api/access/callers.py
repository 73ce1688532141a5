"""Remembers the owners of credentials, so that requests are limited before any key is looked up."""

import hashlib
from collections.abc import Hashable

from cachetools import TTLCache
from fastapi.security.utils import get_authorization_scheme_param
from starlette.requests import HTTPConnection

from api.access.sessions import name_cookie
from contracts.access.principal import Principal
from contracts.notices import Notice

KNOWN_SECONDS = 600.0
REFUSED_SECONDS = 10.0
MAX_REMEMBERED = 10_000

Owner = tuple[str, str | None, str | None]
"""A tenant, its user, and the run that a share link opens."""


def hash_credential(request: HTTPConnection) -> str:
    """Return the digest of a request's key, token or session cookie; empty without credentials.

    The header's spelling does not matter: equal keys have equal digests.
    """
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    session = "" if bearer else request.cookies.get(name_cookie(request))
    if not bearer and not session:
        return ""
    # A text that is refused as a cookie may be valid as a key, so the digest covers its kind.
    return hashlib.sha256(
        (f"key {bearer}" if bearer else f"session {session}").encode()
    ).hexdigest()


def read_address(request: HTTPConnection) -> str:
    """Return the client's address."""
    return request.client.host if request.client else ""


def name_refused(address: str) -> Hashable:
    """Return the name for counting an address's refused credentials, separate from its anonymous requests."""
    return "refused", address


class Callers:
    """Remembers which credentials were accepted and which refused.

    This orders requests and saves the database from recently refused credentials. It authenticates nobody:
    every request still is.
    """

    def __init__(self) -> None:
        self._known: TTLCache[str, Owner] = TTLCache(MAX_REMEMBERED, KNOWN_SECONDS)
        self._refused: TTLCache[str, Notice] = TTLCache(MAX_REMEMBERED, REFUSED_SECONDS)

    def find_owner(self, credential: str) -> Owner | None:
        """Return the user of a credential that was let in lately."""
        return self._known.get(credential)

    def remember(self, credential: str, principal: Principal) -> None:
        """Note that a credential was let in."""
        if credential:
            owner = principal.tenant_id, principal.user_id, principal.run_id
            self._known[credential] = owner

    def refuse(self, credential: str, reason: Notice) -> None:
        """Record that a credential is unknown, expired or revoked; it never becomes valid again."""
        if credential:
            self._refused[credential] = reason

    def find_refusal(self, credential: str) -> Notice | None:
        """Return why a credential was recently refused, or None."""
        return self._refused.get(credential)
