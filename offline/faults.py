"""Faults on request: each request is logged, delayed, and failed as the switches say."""

import asyncio
import hashlib
import json
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from offline import wire
from offline.control import Control, Failure, Service

PREFIXES: dict[str, Service] = {"/v1/": "model", "/res/": "search", "/pages/": "pages"}
MODELS = "/v1/models"
"""Model metadata is free: requests are neither logged nor failed, except for a refused key."""
EDGAR = ("/Archives/", "/files/", "/submissions/", "/api/xbrl/")


@dataclass
class LoggedRequest:
    """One request, filled in while it is answered."""

    n: int
    at: str
    service: Service
    method: str
    path: str
    query: str
    body_sha256: str
    status: int = 0
    finished: bool = False
    disconnected: bool = False
    failure: str = ""
    seconds: float = 0.0


RequestLog = list[LoggedRequest]
"""The requests in the order in which they came."""


def find_service(path: str) -> Service | None:
    """Return the service that serves a path, or None, as for the log and the switches."""
    if path.startswith(EDGAR):
        return "edgar"
    return next((service for prefix, service in PREFIXES.items() if path.startswith(prefix)), None)


def routes(log: RequestLog) -> list[Route]:
    """Return the endpoint that shows and empties the log."""

    async def requests(request: Request) -> JSONResponse:
        if request.method == "DELETE":
            log.clear()
        service = request.query_params.get("service")
        return JSONResponse([asdict(entry) for entry in log if service in (None, entry.service)])

    return [Route("/requests", requests, methods=["GET", "DELETE"])]


class CutOff(Exception):
    """Closes the connection in the middle of a response."""


class Faults:
    """ASGI middleware that logs, delays and fails requests; a disconnect cancels the request's work."""

    def __init__(self, app: ASGIApp, log: RequestLog, control: Control) -> None:
        self._app = app
        self._log = log
        self._control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of the four services; pass everything else on."""
        service = find_service(scope["path"]) if scope["type"] == "http" else None
        if service is None or scope["path"].startswith(MODELS):
            refused = self._control.find_refused_key() if service else None
            app = build_error(scope["path"], refused) if refused else self._app
            await app(scope, receive, send)
            return
        try:
            body = await Request(scope, receive).body()
        except ClientDisconnect:
            return
        entry = self._log_request(scope, service, body)
        failure = self._control.strike(service, scope["path"], parse_object(body))
        entry.failure = failure.mode if failure else ""
        scope.setdefault("state", {})["fault"] = failure
        started = time.monotonic()
        noting = note_status(entry, send)
        work = asyncio.create_task(self._answer(scope, replay(body), noting, failure))
        watch = asyncio.create_task(wait_for_disconnect(receive))
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            entry.disconnected = not work.done() and not entry.finished
            if not entry.disconnected:
                await work
        finally:
            entry.seconds = round(time.monotonic() - started, 4)
            watch.cancel()
            work.cancel()

    def _log_request(self, scope: Scope, service: Service, body: bytes) -> LoggedRequest:
        number, now = len(self._log) + 1, datetime.now(UTC).isoformat()
        method, path, query = scope["method"], scope["path"], scope["query_string"].decode()
        digest = hashlib.sha256(body).hexdigest()
        self._log.append(LoggedRequest(number, now, service, method, path, query, digest))
        return self._log[-1]

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, failure: Failure | None
    ) -> None:
        await asyncio.sleep(self._control.latency)
        if failure and failure.mode == "hang":
            await asyncio.Event().wait()
        if failure and failure.mode == "hold":
            await self._control.replaced.wait()
        if failure and failure.mode == "status":
            await build_error(scope["path"], failure)(scope, receive, send)
        elif failure and failure.mode == "html":
            await HTMLResponse("<html><body>Gateway</body></html>")(scope, receive, send)
        else:
            sending = cut_body(send) if failure and failure.mode == "cut" else send
            await self._app(scope, receive, sending)


def build_error(path: str, failure: Failure) -> Response:
    """Return an error response in the service's format; EDGAR answers with HTML."""
    after = {} if failure.retry_after is None else {"retry-after": f"{failure.retry_after:g}"}
    if find_service(path) == "model":
        return wire.build_error(failure.status, "told to fail", after, failure.error_code)
    if find_service(path) == "edgar":
        return HTMLResponse("<html><body>told to fail</body></html>", failure.status, after)
    body = {"type": "ErrorResponse", "error": {"status": failure.status, "detail": "told to fail"}}
    return JSONResponse(body, failure.status, after)


def replay(body: bytes) -> Receive:
    """Return a `receive` that yields a body that was already read, then never returns."""
    given = asyncio.Event()

    async def receive() -> Message:
        if given.is_set():
            await asyncio.Event().wait()
        given.set()
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def wait_for_disconnect(receive: Receive) -> None:
    """Return once the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


def note_status(entry: LoggedRequest, send: Send) -> Send:
    """Return a `send` that notes status and end in the log."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            entry.status = message["status"]
        await send(message)
        entry.finished = message["type"] == "http.response.body" and not message.get("more_body")

    return sending


def cut_body(send: Send) -> Send:
    """Return a `send` that breaks the connection within the body, of a stream a few events in."""
    whole_events, sent = 3, 0

    async def sending(message: Message) -> None:
        nonlocal sent
        sent += message["type"] == "http.response.body"
        if sent > whole_events or (sent and not message.get("more_body")):
            body = message["body"]
            await send(dict(message) | {"body": body[: len(body) // 2], "more_body": True})
            raise CutOff
        await send(message)

    return sending


def parse_object(body: bytes) -> dict[str, Any]:
    """Return a body's JSON object, or an empty one."""
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
