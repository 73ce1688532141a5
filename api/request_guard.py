"""Checks of every request before routing: host and origin, caller's rate, media type; security headers on every response."""

from collections.abc import Callable, Collection
from contextlib import nullcontext
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access.callers import Owner, hash_credential, name_refused, read_address
from api.access.rate_limits import CallerLimits
from api.body_limits import (
    BYTES,
    MAX_UPLOAD_BYTES,
    UPLOAD_SECONDS,
    bound_body,
    is_upload,
    read_body,
    replay_body,
)
from api.chat.wire import to_openai_error
from api.errors import (
    HostNotAllowed,
    OriginNotAllowed,
    UnsupportedMediaType,
    to_response,
)
from api.mcp.errors import to_json_rpc_error
from contracts.errors import GreenlightError
from contracts.problems import Problem

CHAT = "/v1/chat/completions"
MCP = "/mcp"
LIVENESS = "/healthz"
"""Not limited: it is cheap, and orchestrators kill gateways that do not answer it."""
STREAMS = ("/stream", CHAT, MCP)
"""Path suffixes of event streams, which stay open for minutes."""
FACE = (CHAT, "/v1/models")
"""Paths whose errors have OpenAI's format."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class Guard:
    """ASGI middleware that refuses unsafe requests and adds security headers to every response.

    Limits apply before keys are looked up, so that callers who exceed them cost the database nothing. An
    unknown credential is looked up in its address's turn, and charged to the address only if it is refused:
    invalid keys do not lock out other callers behind the same proxy.
    """

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str], limits: CallerLimits) -> None:
        self.app = app
        self.allowed_hosts = frozenset(allowed_hosts)
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or respond with the error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _add_security_headers(send)
        headers = Headers(scope=scope)
        try:
            changes = scope["method"] not in SAFE_METHODS or scope["path"] == MCP
            self._check_host_and_origin(headers, changes=changes)
            if scope["path"] == LIVENESS:
                await self._forward(scope, receive, send, headers)
                return
            is_stream = scope["path"].endswith(STREAMS)
            ceiling = self._limits.streams if is_stream else self._limits.requests
            request = HTTPConnection(scope)
            credential, address = hash_credential(request), read_address(request)
            owner = self._limits.callers.find_owner(credential)
            self._take_rate(owner, credential, address)
            reading = None if owner or not credential else address
            with ceiling.hold(credential or address):
                async with self._limits.turns.take(owner or address) as end_turn:
                    send = _call_at_start(send, end_turn)
                    await self._forward(scope, receive, send, headers, reading)
        except GreenlightError as error:
            await _choose_form(scope["path"])(error, headers)(scope, receive, send)

    def _take_rate(self, owner: Owner | None, credential: str, address: str) -> None:
        """Charge a request to its user and key, or to its address if it has no credential or one that was refused.

        A credential that is not known yet is charged by `charge_stranger`, once it is refused.
        """
        rate, callers = self._limits.request_rate, self._limits.callers
        if owner:
            rate.take(owner, credential)
        elif not credential:
            rate.take(address, None)
        elif callers.find_refusal(credential):
            rate.take(name_refused(address), None)

    async def _forward(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        headers: Headers,
        address: str | None = None,
    ) -> None:
        """Forward a request after checking its media type and limiting its body.

        `address` is given for an unknown credential, whose body counts as a request of the address while
        it is read.
        """
        if is_upload(scope["method"], scope["path"]):  # read by its route, once the caller is known
            _check_media_type(headers, BYTES)
            receive = bound_body(receive, MAX_UPLOAD_BYTES, UPLOAD_SECONDS)
        else:
            with self._limits.requests.hold(address) if address else nullcontext():
                body = await read_body(receive)
            if body:
                _check_media_type(headers, "application/json")
            receive = replay_body(body, receive)
        await self.app(scope, receive, send)

    def _check_host_and_origin(self, headers: Headers, *, changes: bool) -> None:
        """Allow changes only from the gateway's own pages and from clients other than browsers."""
        host = headers.get("host", "")
        if _split_url(f"//{host}").hostname not in self.allowed_hosts:
            known = sorted(self.allowed_hosts)
            raise HostNotAllowed(Problem.at("Host", "host-not-allowed", host=host, allowed=known))
        origin = headers.get("origin")
        if changes and origin is not None and _split_url(origin).netloc != host:
            raise OriginNotAllowed(Problem.at("Origin", "origin-not-allowed", origin=origin))


def _choose_form(path: str) -> Callable[[GreenlightError, Headers], Response]:
    """Return what writes the errors of a path."""
    if path == MCP:
        return to_json_rpc_error
    return to_openai_error if path.startswith(FACE) else to_response


def _split_url(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _check_media_type(headers: Headers, allowed: str) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != allowed:
        told = {"allowed": allowed, "given": media_type}
        raise UnsupportedMediaType(Problem.at("Content-Type", "media-type-wrong", **told))


def _call_at_start(send: Send, function: Callable[[], None]) -> Send:
    """Return a `send` that calls a function when the response starts."""

    async def send_and_call(message: Message) -> None:
        await send(message)
        function()

    return send_and_call


def _add_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
