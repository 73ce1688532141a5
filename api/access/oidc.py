"""Callers who show a token of an identity provider (OpenID Connect): a JWT that it has signed for this installation."""

import asyncio
import http.client
import time
import urllib.request
from collections.abc import Mapping
from typing import Any, Self
from urllib.error import HTTPError

import jwt
from jwt import PyJWK, PyJWKClient, PyJWKClientConnectionError, PyJWKClientError, PyJWKSet
from pydantic import BaseModel, TypeAdapter, ValidationError

from api.errors import IdentityProviderUnavailable, Unauthenticated
from contracts.access.identity import OidcTerms, TokenHolder, is_safe_address
from contracts.access.principal import KeyScope, Principal
from contracts.errors import NotAllowed
from contracts.notices import Notice

_JSON = TypeAdapter(dict[str, Any])
ALGORITHMS = ["RS256", "ES256"]
REQUIRED = ["exp", "iat", "sub", "iss", "aud"]
LEEWAY_SECONDS = 30
"""Tolerated difference between the provider's clock and ours."""
MAX_TOKEN_CHARS = 16_000
MAX_DOCUMENT_BYTES = 1_000_000
FETCH_SECONDS = 3
KEYS_KEPT_SECONDS = 300
"""How long a key is trusted without asking the provider again, even while it is down."""
COOLDOWN_SECONDS = 30
"""Least time between two requests to the provider that unknown key ids cause: anybody can invent one."""
FAILURE_SECONDS = 5
"""Pause after a request to the provider that failed."""
PRECEDENCE: tuple[KeyScope, ...] = ("admin", "approve", "decide", "budgets", "ask", "payloads")
"""A principal has one scope: of several that a token grants, the first of these."""


class SigningKeyUnknown(Unauthenticated):
    """The provider has no such key, or a new one that may not be fetched yet."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which could lead to an address that nobody configured."""

    def redirect_request(self, *_: object) -> None:
        return None


class Discovery(BaseModel):
    """The fields used of a provider's discovery document."""

    issuer: str
    jwks_uri: str


class ProviderKeys(PyJWKClient):
    """The provider's public keys, found by its discovery document; blocking."""

    def __init__(self, issuer: str) -> None:
        super().__init__(issuer, lifespan=KEYS_KEPT_SECONDS, cooldown_duration=COOLDOWN_SECONDS)
        self._rests_until = 0.0

    def find_cached(self, kid: str) -> PyJWK | None:
        """Return a cached key without a request to the provider; None if it is unknown or expired."""
        kept: PyJWKSet | None = self.jwk_set_cache.get() if self.jwk_set_cache else None
        return next((key for key in kept.keys if key.key_id == kid), None) if kept else None

    def fetch_data(self) -> Any:
        """Fetch the provider's keys.

        Raises:
            PyJWKClientConnectionError: The provider does not answer, or not with keys.
        """
        if time.monotonic() < self._rests_until:
            raise PyJWKClientConnectionError("it failed a moment ago")
        try:
            keys = PyJWKSet.from_dict(_JSON.validate_json(_read(_find_keys_address(self.uri))))
        except (OSError, http.client.HTTPException, ValueError, jwt.PyJWTError) as error:
            self._rests_until = time.monotonic() + FAILURE_SECONDS
            raise PyJWKClientConnectionError(str(error)) from error
        self._last_successful_fetch = time.monotonic()
        return keys


class TokenVerifier:
    """Verifies tokens of one provider, and maps them to principals."""

    def __init__(self, terms: OidcTerms) -> None:
        self._terms = terms
        self._keys = ProviderKeys(terms.issuer)
        self._asking = asyncio.Lock()

    @classmethod
    def of(cls, terms: OidcTerms | None) -> Self | None:
        """Return a verifier, or None if no provider is configured."""
        return cls(terms) if terms else None

    async def authenticate(self, token: str) -> Principal:
        """Return a token's principal.

        Raises:
            Unauthenticated: The token is malformed, expired, signed with another key, or for another
                audience.
            NotAllowed: It grants none of our scopes, or names no user or tenant.
            IdentityProviderUnavailable: The provider's keys are not available; retried.
        """
        try:
            key = await self._find_key(_read_key_id(token))
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self._terms.audience,
                issuer=self._terms.issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": REQUIRED},
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(Notice.of("token-refused", reason=str(error)[:200])) from None
        return self._identify(claims)

    async def _find_key(self, kid: str) -> PyJWK:
        if key := self._keys.find_cached(kid):
            return key
        try:
            async with self._asking:
                return await asyncio.to_thread(self._keys.get_signing_key, kid)
        except PyJWKClientConnectionError as error:
            away = Notice.of("identity-provider-away", issuer=self._terms.issuer)
            raise IdentityProviderUnavailable(away) from error
        except PyJWKClientError:
            refused = SigningKeyUnknown(Notice.of("token-key-unknown", key=kid, n=COOLDOWN_SECONDS))
            refused.retry_after = COOLDOWN_SECONDS
            raise refused from None

    def _identify(self, claims: Mapping[str, Any]) -> Principal:
        terms = self._terms
        names = {"user_id": terms.user_claim, "tenant_id": terms.tenant_claim}
        values = {field: claims.get(claim) for field, claim in names.items() if claim}
        names |= {"role": terms.role_claim}
        values |= {"role": claims.get(terms.role_claim, "")}
        try:
            holder = TokenHolder.model_validate(values)
        except ValidationError as error:
            claim = names[str(error.errors()[0]["loc"][0])]
            raise NotAllowed(Notice.of("token-claim", claim=claim)) from None
        granted = {terms.scopes.get(word) for word in _list_words(claims.get(terms.scope_claim))}
        scope = next((scope for scope in PRECEDENCE if scope in granted), None)
        if scope is None:
            known = sorted(terms.scopes)
            raise NotAllowed(
                Notice.of("token-grants-nothing", claim=terms.scope_claim, known=known)
            )
        return Principal(**dict(holder), scope=scope)


def _read_key_id(token: str) -> str:
    """Return the id of the key in a token's header.

    Raises:
        PyJWTError: The token is too long, malformed, names no key, or uses an unsupported algorithm.
    """
    if len(token) > MAX_TOKEN_CHARS:
        raise jwt.DecodeError(f"more than {MAX_TOKEN_CHARS} characters")
    header = jwt.get_unverified_header(token)
    kid = header.get("kid")
    if header.get("alg") not in ALGORITHMS:
        raise jwt.InvalidAlgorithmError(f"the algorithm is none of {', '.join(ALGORITHMS)}")
    if not isinstance(kid, str) or not 0 < len(kid) <= 200:
        raise jwt.DecodeError("it names no key")
    return kid


def _list_words(claim: object) -> list[str]:
    """Return the scopes of a claim: words of one text, or a list of texts."""
    if isinstance(claim, str):
        return claim.split()
    return [word for word in claim if isinstance(word, str)] if isinstance(claim, list) else []


def _find_keys_address(issuer: str) -> str:
    """Return where an issuer publishes its keys, by its discovery document.

    Raises:
        OSError, ValueError: As `_read`; or the document is another issuer's, or names no safe address.
    """
    document = _read(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    found = Discovery.model_validate_json(document)
    if found.issuer != issuer:
        raise ValueError("its discovery document names another issuer")
    if not is_safe_address(found.jwks_uri):
        raise ValueError("its discovery document names no https address")
    return found.jwks_uri


def _read(url: str) -> bytes:
    """Read one of the provider's documents, within limits of size and time.

    Raises:
        OSError: The provider is unreachable, too slow, or answers with an error or a redirect.
        ValueError: The document is too large.
    """
    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))
    ends, body = time.monotonic() + FETCH_SECONDS, b""
    try:
        with opener.open(url, timeout=FETCH_SECONDS) as response:
            while part := response.read1(65_536):
                body += part
                if len(body) > MAX_DOCUMENT_BYTES:
                    raise ValueError(f"more than {MAX_DOCUMENT_BYTES} bytes")
                if time.monotonic() > ends:
                    raise TimeoutError("it took too long")
    except HTTPError as error:
        error.close()
        raise
    return body
