"""Sessions of browsers: a cookie made from a key, good until sign-out, and as long as the key is."""

from datetime import timedelta
from typing import Any

from starlette.requests import HTTPConnection

HEADER = "X-Greenlight-Page"
"""Sent by the page with every request: no form and no other site can send it."""
LIFETIME = timedelta(days=30)


def name_cookie(request: HTTPConnection) -> str:
    """Return the session cookie's name.

    Cookies are shared between ports, so gateways on one host need different names. Under TLS the prefix keeps
    other hosts of the domain from setting it.
    """
    if request.url.scheme == "https":
        return "__Host-greenlight_session"
    return f"greenlight_session_{request.url.port or 80}"


def describe_cookie(request: HTTPConnection) -> dict[str, Any]:
    """Return the attributes of the session's cookie."""
    secure = request.url.scheme == "https"
    return {"key": name_cookie(request), "httponly": True, "samesite": "strict", "secure": secure}
