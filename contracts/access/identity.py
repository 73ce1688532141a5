"""The accepted identity provider, and the mapping of its tokens' claims."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import Field

from contracts.access.principal import KeyScope
from contracts.base import Contract, Name


class OidcTerms(Contract):
    """Which tokens are accepted, and the claims that hold user, tenant, role and scope."""

    issuer: str
    audience: str
    user_claim: str
    tenant_claim: str
    role_claim: str
    scope_claim: str
    scopes: Mapping[str, KeyScope]
    """Maps the provider's scopes to ours; unmapped scopes grant nothing."""


class TokenHolder(Contract):
    """The user, the tenant and the role that a token names."""

    user_id: Name
    tenant_id: Name = "default"
    role: str = Field(default="", pattern=r"^[^\p{C}\p{Zl}\p{Zp}]{0,128}$")


def is_safe_address(url: str) -> bool:
    """Return whether an address is https, or http on this machine: its answers cannot be changed on the way."""
    at = urlsplit(url)
    host = at.hostname or ""
    try:
        is_own = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_own = False
    return bool(host) and (at.scheme == "https" or (at.scheme == "http" and is_own))
