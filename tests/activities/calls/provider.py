"""A provider with scripted answers, over real HTTP in the Messages API's wire format."""

import asyncio
import contextlib
import json
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from offline import wire
from offline.messages import answer, count_input_tokens
from tests.support.http_server import serve_http

Body = dict[str, Any]
Answer = Callable[["Exchange"], Response]


@dataclass
class Exchange:
    """One request and how its answer went."""

    provider: "Provider"
    body: Body
    headers: dict[str, str]
    connection: Any = None
    """Address of the client's end of the connection."""
    finished: bool = False


@dataclass
class Provider:
    """Answers by script, in order; without one as `otherwise` says."""

    url: str
    script: deque[Answer] = field(default_factory=deque)
    exchanges: list[Exchange] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Condition = field(default_factory=asyncio.Condition)
    otherwise: Answer = field(default_factory=lambda: says("An answer."))
    listed: list[Body] = field(default_factory=list)
    """Its list of models; if empty, the endpoint does not exist."""
    describes: int = HTTPStatus.OK
    """Status of its answer on a single model."""
    window: int = 1_000_000
    most: int = 1_000_000
    """Tokens of an answer beyond which, or of a window, it refuses a request, like the providers do."""
    counts: bool = False
    refused: list[str] = field(default_factory=list)
    fate: str | None = None
    """Result of all batches: `succeeded` etc., or `in_progress`; None: batches do not exist."""
    batches: dict[str, Body] = field(default_factory=dict)
    """The batches, each with the one request that it holds."""
    looks: list[str] = field(default_factory=list)
    down: bool = False
    slow: asyncio.Event | None = None
    cancelled: list[str] = field(default_factory=list)

    def answers(self, *script: Answer) -> None:
        self.script.extend(script)

    def reset(self) -> None:
        self.gate.set()
        fresh = Provider(self.url)
        for name in set(vars(self)) - {"asked"}:
            setattr(self, name, getattr(fresh, name))

    async def until_asked(self, times: int) -> None:
        async with asyncio.timeout(60), self.asked:
            await self.asked.wait_for(lambda: len(self.exchanges) >= times)

    async def until_batched(self, times: int = 1) -> None:
        async with asyncio.timeout(60), self.asked:
            await self.asked.wait_for(lambda: len(self.batches) >= times)

    async def answer(self, request: Request) -> Response:
        body = json.loads(await request.body())
        exchange = Exchange(self, body, dict(request.headers), request.client)
        async with self.asked:
            self.exchanges.append(exchange)
            self.asked.notify_all()
        size = count_input_tokens(body)
        if body["max_tokens"] > self.most:
            return self._refuse(f"max_tokens: {body['max_tokens']} > {self.most}, the maximum")
        if size + body["max_tokens"] > self.window:
            return self._refuse(f"prompt is too long: {size} tokens > {self.window} maximum")
        return (self.script.popleft() if self.script else self.otherwise)(exchange)

    async def answer_chat(self, request: Request) -> Response:
        """Answer chat completions by script alone."""
        exchange = Exchange(self, await request.json(), dict(request.headers), request.client)
        async with self.asked:
            self.exchanges.append(exchange)
            self.asked.notify_all()
        return self.script.popleft()(exchange)

    def _refuse(self, why: str) -> Response:
        self.refused.append(why)
        return wire.build_error(400, why)

    async def open_batch(self, request: Request) -> Response:
        if self.fate is None:
            return wire.build_error(404, "Not Found")
        [asked] = (await request.json())["requests"]
        made = f"msgbatch_{len(self.batches) + 1}"
        async with self.asked:
            self.batches[made] = asked
            self.asked.notify_all()
        if self.slow:
            await self.slow.wait()
        return JSONResponse(self._describe(made))

    async def show_batch(self, request: Request) -> Response:
        self.looks.append(request.path_params["id"])
        if self.down:
            return wire.build_error(529, "down")
        return JSONResponse(self._describe(self.looks[-1]))

    async def cancel_batch(self, request: Request) -> Response:
        self.cancelled.append(request.path_params["id"])
        return JSONResponse(self._describe(self.cancelled[-1]))

    async def give_results(self, request: Request) -> Response:
        made = request.path_params["id"]
        asked = self.batches[made]
        result: Body = {"type": self._find_fate(made)}
        if result["type"] == "succeeded":
            result["message"] = answer(asked["params"], "")
        elif result["type"] == "errored":
            result["error"] = wire.build_error_body("invalid_request_error", "SECRET words")
        line = json.dumps({"custom_id": asked["custom_id"], "result": result})
        return Response(line + "\n", media_type="application/x-jsonl")

    def _find_fate(self, made: str) -> str | None:
        return "canceled" if made in self.cancelled and self.fate != "succeeded" else self.fate

    def _describe(self, made: str) -> Body:
        is_over = self._find_fate(made) != "in_progress"
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        return {
            "id": made,
            "type": "message_batch",
            "processing_status": "ended" if is_over else "in_progress",
            "request_counts": counts,
            "created_at": "2026-11-23T12:00:00Z",
            "expires_at": "2026-11-24T12:00:00Z",
            "results_url": f"{self.url}/v1/messages/batches/{made}/results" if is_over else None,
        }

    async def list_models(self, _: Request) -> Response:
        return JSONResponse({"data": self.listed}) if self.listed else Response(status_code=404)

    async def describe_model(self, request: Request) -> Response:
        """Describe a listed model, or answer 404."""
        found = [one for one in self.listed if one["id"] == request.path_params["model"]]
        if self.describes != HTTPStatus.OK or not found:
            status = self.describes if self.describes != HTTPStatus.OK else HTTPStatus.NOT_FOUND
            return wire.build_error(status, "no such model")
        return JSONResponse(found[0])

    async def count(self, request: Request) -> Response:
        if not self.counts:
            return Response(status_code=404)
        return JSONResponse({"input_tokens": count_input_tokens(await request.json())})


@dataclass(frozen=True)
class Says:
    """Streams content; `held` waits for the provider's gate after the first events."""

    content: list[Body]
    stop_reason: str = "end_turn"
    held: bool = False
    pace: float = 0.0
    usage: Body = field(default_factory=dict)

    def __call__(self, exchange: Exchange) -> Response:
        return StreamingResponse(self._stream(exchange), media_type="text/event-stream")

    async def _stream(self, exchange: Exchange) -> AsyncIterator[str]:
        whole = wire.build_message(exchange.body["model"], self.content, self.stop_reason, 1_000)
        whole["usage"] |= self.usage
        for n, (name, data) in enumerate(wire.list_events(whole)):
            if self.held and n == 4:
                await exchange.provider.gate.wait()
            yield wire.format_event(name, data)
            await asyncio.sleep(self.pace)
        exchange.finished = True


def says(text: str, stop_reason: str = "end_turn", **how: Any) -> Answer:
    """Say a text."""
    return Says([{"type": "text", "text": text}], stop_reason, **how)


def uses(tool: str, **arguments: Any) -> Answer:
    """Use a tool after a word about it."""
    use = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments}
    return Says([{"type": "text", "text": "Let me look."}, use], "tool_use")


def fails(
    status: int, code: str | None = None, message: str = "SECRET words of a prompt", **headers: str
) -> Answer:
    """Answer with an error; `retry_after="1"` is the header `retry-after`."""
    dashed = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: wire.build_error(status, message, dashed, code)


def breaks_off(kind: str, *, held: bool = False) -> Answer:
    """Start to stream, then send an error event of a kind, or drop the line if it is `drop`.

    `held` waits for the provider's gate in between.
    """

    async def stream(exchange: Exchange) -> AsyncIterator[str]:
        start, *_ = wire.list_events(wire.build_message("m", [], "end_turn", 9))
        yield wire.format_event(*start)
        if held:
            await exchange.provider.gate.wait()
        if kind == "drop":
            raise ConnectionResetError
        if kind != "end":
            yield wire.format_event(
                "error", wire.build_error_body(kind, "SECRET words of a prompt")
            )

    return lambda exchange: StreamingResponse(stream(exchange), media_type="text/event-stream")


class Silence(Response):
    """No answer, not even its head, until the gate opens."""

    def __init__(self, gate: asyncio.Event) -> None:
        super().__init__()
        self.gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.gate.wait()
        await super().__call__(scope, receive, send)


def hangs(exchange: Exchange) -> Response:
    """Do not answer at all."""
    return Silence(exchange.provider.gate)


def streams_nothing(text: str) -> Answer:
    """Answer with a complete message even if a stream was requested."""
    content = [{"type": "text", "text": text}]
    return lambda e: JSONResponse(wire.build_message(e.body["model"], content, "end_turn", 1_000))


def stands_in(exchange: Exchange) -> Response:
    """Answer as the offline model does."""
    whole = answer(exchange.body, "")
    stream = wire.stream_events(whole, 0, break_off=False)
    return StreamingResponse(stream, media_type="text/event-stream")


def page(_: Exchange) -> Response:
    """Answer like a proxy that knows nothing of the API."""
    return HTMLResponse("<html>Sign in</html>")


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[Provider]:
    """Serve a provider on the loopback."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    provider = Provider(f"http://127.0.0.1:{listener.getsockname()[1]}")
    routes = [
        Route("/v1/messages", provider.answer, methods=["POST"]),
        Route("/v1/chat/completions", provider.answer_chat, methods=["POST"]),
        Route("/v1/messages/batches", provider.open_batch, methods=["POST"]),
        Route("/v1/messages/batches/{id}", provider.show_batch),
        Route("/v1/messages/batches/{id}/cancel", provider.cancel_batch, methods=["POST"]),
        Route("/v1/messages/batches/{id}/results", provider.give_results),
        Route("/v1/messages/count_tokens", provider.count, methods=["POST"]),
        Route("/v1/models", provider.list_models),
        Route("/v1/models/{model}", provider.describe_model),
    ]
    app = Starlette(routes=routes)
    config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    async with serve_http(config, listener):
        yield provider
