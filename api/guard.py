"""What every request passes first: host, origin, media type, size and time of its body."""

import asyncio
import json
from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import (
    BodyTooLarge,
    BodyTooSlow,
    HostNotAllowed,
    OriginNotAllowed,
    UnsupportedMediaType,
    problem_for,
)
from contracts.errors import GreenlightError, InvalidInput

MAX_BODY_BYTES = 1_000_000
BODY_SECONDS = 10
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
    """Middleware that refuses what no route should see, and hardens every response."""

    def __init__(self, app: ASGIApp, allowed_hosts: Collection[str]) -> None:
        self.app = app
        self.allowed_hosts = frozenset(allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _hardened(send)
        try:
            headers = Headers(scope=scope)
            self._check_host(headers)
            if scope["method"] not in SAFE_METHODS:
                _check_origin(headers)
            body = await _read(receive)
            if body:
                _check_media_type(headers)
                _check_json(body)
        except GreenlightError as error:
            await problem_for(error)(scope, receive, send)
        else:
            await self.app(scope, _replayed(body, receive), send)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        if _split(f"//{host}").hostname not in self.allowed_hosts:
            raise HostNotAllowed(f"{host!r} is none of {', '.join(sorted(self.allowed_hosts))}")


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _check_origin(headers: Headers) -> None:
    """Let a change come from our own pages, or from a client that is no browser."""
    origin = headers.get("origin")
    if origin is not None and _split(origin).netloc != headers.get("host"):
        raise OriginNotAllowed(f"a page of {origin!r} may change nothing here")


def _check_media_type(headers: Headers) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise UnsupportedMediaType(f"a body must be application/json, not {media_type!r}")


def _check_json(body: bytes) -> None:
    """Refuse what could not be written as JSON again: half a character, a number without end."""
    try:
        json.dumps(json.loads(body), ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError:
        return  # the route says where
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the body is no plain JSON: {error}") from None


async def _read(receive: Receive) -> bytes:
    """Return the whole body, or raise once it is too long or takes too long."""
    body, more = bytearray(), True
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > MAX_BODY_BYTES:
                    raise BodyTooLarge(f"a body may have {MAX_BODY_BYTES:,} bytes")
    except TimeoutError:
        raise BodyTooSlow(f"the body did not arrive within {BODY_SECONDS} s") from None
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the body that was read, then whatever comes after it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _hardened(send: Send) -> Send:
    async def hardened(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return hardened
