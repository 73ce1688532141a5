"""Sessions of browsers: a signed cookie made from a key, good for as long as the key is."""

import hashlib
import hmac
from datetime import timedelta

from contracts.errors import NotAllowed
from contracts.principal import ApiKey

COOKIE = "greenlight_session"
HEADER = "X-Greenlight-Page"
"""Sent by the page with every request: no form and no other site can send it."""
LIFETIME = timedelta(days=30)


class SessionSigner:
    """Signs and reads cookies with the gateway's secret; nothing about a session is stored."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def issue(self, key: ApiKey, now: float) -> str:
        """Return the cookie of a session of a key's holder.

        Raises:
            NotAllowed: no secret is set.
        """
        if not self._secret:
            raise NotAllowed("GREENLIGHT_SIGNING_KEY is not set, so no browser can sign in")
        content = f"{key.id}.{int(now + LIFETIME.total_seconds())}"
        return f"{content}.{self._compute_mac(content)}"

    def read(self, cookie: str, now: float) -> str:
        """Return the id of the key that a cookie was made from; empty if it is not valid now."""
        content, _, mac = cookie.rpartition(".")
        expected = self._compute_mac(content).encode()
        if not self._secret or not hmac.compare_digest(expected, mac.encode()):
            return ""
        key_id, _, expires = content.rpartition(".")
        return key_id if now < int(expires) else ""

    def _compute_mac(self, content: str) -> str:
        return hmac.new(self._secret, f"session {content}".encode(), hashlib.sha256).hexdigest()
