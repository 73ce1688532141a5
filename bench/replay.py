"""A model's answers, kept and served again over the Messages API, tokens counted as the provider does.

A recording is a folder of `requests/NNNN.json` and `replies/NNNN.json`, or a file that `python -m bench.replay
FOLDER` makes of one (`offline.recordings`).
"""

import asyncio
import json
import math
import socket
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from offline import wire
from offline.messages import build_recorded
from offline.recordings.answers import CALL_HEADER, Answers
from offline.recordings.prompt_cache import PromptCache
from offline.recordings.recording import Body, Recording

_HOP_HEADERS = {"host", "content-length", "accept-encoding", "connection"}


@dataclass
class Exchange:
    """A request and the message that answered it, with the seconds since the epoch of both."""

    request: Body
    message: Body
    began: float = 0.0
    ended: float = 0.0


class Model(Protocol):
    """A model that answers Messages API requests and keeps the exchanges."""

    exchanges: list[Exchange]

    async def respond(self, request: Request) -> Response:
        """Answer a request."""


class Pace(NamedTuple):
    """Speed of a model: seconds to the first token, then tokens per second."""

    first_seconds: float = 0.0
    tokens_per_second: float = math.inf


AT_ONCE = Pace()


class Scripted:
    """Streams the answers of `reply` at a set pace, with tokens counted as the provider counts them."""

    def __init__(self, pace: Pace = AT_ONCE) -> None:
        self.exchanges: list[Exchange] = []
        self.pace = pace
        self.forget()

    def forget(self) -> None:
        """Forget the exchanges, and what the prompt cache holds."""
        self.exchanges.clear()
        self.cache = PromptCache(self.pace.first_seconds)

    async def reply(self, body: Body, call: str = "") -> Body:
        """Return the content of an answer and, optionally, its `stop_reason`; or an `error`.

        `call` names the call of a run that replays a sample.
        """
        raise NotImplementedError

    async def respond(self, request: Request) -> Response:
        """Answer a request."""
        body, began = await request.json(), time.time()
        cached = self.cache.count(body)
        reply = await self.reply(body, request.headers.get(CALL_HEADER, ""))
        if "error" in reply:
            return JSONResponse({"type": "error", **reply}, reply.get("status", 400))
        message = build_recorded(body, reply, cached)
        exchange = Exchange(body, message, began)
        self.exchanges.append(exchange)
        await asyncio.sleep(began + self.pace.first_seconds - time.time())
        return StreamingResponse(self._stream(exchange), media_type="text/event-stream")

    async def _stream(self, exchange: Exchange) -> AsyncIterator[str]:
        """Yield the events of an answer, each piece when it is due."""
        began, chars = time.time(), 0
        for name, data in wire.list_events(exchange.message):
            yield wire.format_event(name, data)
            chars += wire.count_piece(data) if name == "content_block_delta" else 0
            due = began + chars / wire.CHARS_PER_TOKEN / self.pace.tokens_per_second
            await asyncio.sleep(max(0.0, due - time.time()))
        exchange.ended = time.time()


class Replay(Scripted):
    """Answers from a recording; requests without an answer fail and are listed in `missing`."""

    def __init__(self, recording: Recording, pace: Pace = AT_ONCE) -> None:
        super().__init__(pace)
        self.load(recording)

    def load(self, recording: Recording) -> None:
        """Answer from a recording from now on."""
        self._answers = Answers(recording)

    @property
    def missing(self) -> list[str]:
        """The requests that the recording has no answer to."""
        return self._answers.missing

    async def reply(self, body: Body, call: str = "") -> Body:
        """Return what was recorded."""
        return self._answers.reply(body)


class Relay:
    """Passes requests on to a provider, and keeps them with their answers in a folder, if one is named."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        self.exchanges: list[Exchange] = []
        self._folder = folder
        self._client = httpx.AsyncClient(base_url=url, timeout=httpx.Timeout(None, connect=5))

    async def respond(self, request: Request) -> Response:
        """Stream the provider's answer through."""
        body = await request.body()
        headers = {k: v for k, v in request.headers.items() if k not in _HOP_HEADERS}
        asked = self._client.build_request("POST", "/v1/messages", content=body, headers=headers)
        answer = await self._client.send(asked, stream=True)
        passed = {k: v for k, v in answer.headers.items() if k in ("content-type", "retry-after")}
        return StreamingResponse(
            self._pass_on(json.loads(body), answer), answer.status_code, headers=passed
        )

    async def _pass_on(self, body: Body, answer: httpx.Response) -> AsyncIterator[bytes]:
        pieces = []
        async for piece in answer.aiter_bytes():
            pieces.append(piece)
            yield piece
        await answer.aclose()
        text = b"".join(pieces).decode()
        if answer.is_success:
            self.exchanges.append(Exchange(body, join_stream(text)))
        if self._folder and answer.is_success:
            name = f"{len(self.exchanges):04d}.json"
            for part, value in zip(
                ("requests", "replies"), (body, self.exchanges[-1].message), strict=True
            ):
                (self._folder / part).mkdir(parents=True, exist_ok=True)
                kept = json.dumps(value, indent=1, ensure_ascii=False)
                (self._folder / part / name).write_text(kept, "utf-8")


def join_stream(text: str) -> Body:
    """Return the message that the events of a stream make up."""
    message: Body = {}
    for line in text.splitlines():
        if not line.startswith("data:"):
            continue
        event = json.loads(line[5:])
        match event["type"]:
            case "message_start":
                message = event["message"]
            case "content_block_start":
                message["content"].append(event["content_block"] | {"json": ""})
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                block["text"] = block.get("text", "") + delta.get("text", "")
                block["json"] += delta.get("partial_json", "")
            case "message_delta":
                message |= event["delta"]
                message["usage"] |= event["usage"]
            case _:
                pass
    for block in message["content"]:
        written = block.pop("json")
        if block["type"] == "tool_use":
            del block["text"]
            block["input"] = json.loads(written or "{}")
    return message


def serve(model: Model, services: Sequence[BaseRoute] = ()) -> AbstractAsyncContextManager[str]:
    """Serve a model and other services at one loopback address."""
    return serve_routes([Route("/v1/messages", model.respond, methods=["POST"]), *services])


@asynccontextmanager
async def serve_routes(routes: Sequence[BaseRoute]) -> AsyncIterator[str]:
    """Serve routes on the loopback; yield their address."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=routes)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    running = asyncio.create_task(server.serve([listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await running


if __name__ == "__main__":
    print(Recording.load(Path(sys.argv[1])).dump(), end="")
