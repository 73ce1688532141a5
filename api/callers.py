"""Whom a request belongs to: remembered from earlier requests, before any key is looked up."""

import hashlib

from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.types import Scope

from contracts.notices import Notice
from contracts.principal import Principal

KNOWN_SECONDS = 600.0
REFUSED_SECONDS = 10.0
MAX_REMEMBERED = 10_000

Owner = tuple[str, str | None, str | None]
"""A tenant, its user, and the run that a share link opens."""


def hash_credential(headers: Headers) -> str:
    """Return the digest of what a request shows as its key or session; empty: nothing."""
    credential = headers.get("authorization") or headers.get("cookie")
    return hashlib.sha256(credential.encode()).hexdigest() if credential else ""


def read_address(scope: Scope) -> str:
    """Return the client's address."""
    return str((scope.get("client") or ("",))[0])


class Callers:
    """Remembers by credential who was let in and what was refused.

    It decides the order in which requests are served, and spares the database a credential that was
    refused a moment ago. It lets nobody in: each request is authenticated.
    """

    def __init__(self) -> None:
        self._known: TTLCache[str, Owner] = TTLCache(MAX_REMEMBERED, KNOWN_SECONDS)
        self._refused: TTLCache[str, Notice] = TTLCache(MAX_REMEMBERED, REFUSED_SECONDS)

    def identify(self, headers: Headers, scope: Scope) -> Owner | str:
        """Return the user of a credential that was let in lately, else the address."""
        return self._known.get(hash_credential(headers)) or read_address(scope)

    def remember(self, headers: Headers, principal: Principal) -> None:
        """Note that a credential was let in."""
        if credential := hash_credential(headers):
            owner = principal.tenant_id, principal.user_id, principal.run_id
            self._known[credential] = owner

    def refuse(self, headers: Headers, reason: Notice) -> None:
        """Note that a credential is unknown, expired or revoked: it never becomes valid again."""
        if credential := hash_credential(headers):
            self._refused[credential] = reason

    def find_refusal(self, headers: Headers) -> Notice | None:
        """Return why a credential was refused a moment ago."""
        return self._refused.get(hash_credential(headers))
