"""Access control: programs on this machine may ask, web pages may not, and some paths need a key."""

import secrets
from urllib.parse import parse_qs

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
KEYED = ("/control", "/requests")
KEY = "key"
KEY_VARIABLE = "GREENLIGHT_OFFLINE_KEY"


class AccessControl:
    """ASGI middleware that refuses a foreign Host, any Origin, and keyed paths without the key."""

    def __init__(self, app: ASGIApp, key: str, linked_port: int | None = None) -> None:
        self._app = app
        self._key = key.encode()
        self._linked_port = linked_port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403."""
        problem = self._problem(scope) if scope["type"] == "http" else ""
        answer = PlainTextResponse(problem, 403) if problem else self._app
        await answer(scope, receive, send)

    def _problem(self, scope: Scope) -> str:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        port = scope["server"][1]
        known = {f"{name}:{each}" for name in NAMES for each in (port, self._linked_port) if each}
        if len(hosts) != 1 or hosts[0].lower() not in known:
            return f"the Host header must be one of {', '.join(NAMES)} with port {port}\n"
        if any(name == b"origin" for name, _ in scope["headers"]):
            return "requests of web pages are refused: the Origin header must be absent\n"
        given = parse_qs(scope["query_string"].decode("latin-1")).get(KEY, [""])[0].encode()
        if scope["path"].startswith(KEYED) and not secrets.compare_digest(given, self._key):
            return f"this path needs the query parameter {KEY!r} of the start's address\n"
        return ""
