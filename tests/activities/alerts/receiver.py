"""A receiver of webhooks on a real port, with configurable answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from standardwebhooks import Webhook, WebhookVerificationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.support.http_server import serve_http


@dataclass
class Received:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Keeps what comes to `path`; `answers` are given in their order, then 204."""

    port: int = 0
    resets: int = 0
    answers: list[Response] = field(default_factory=list)
    got: list[Received] = field(default_factory=list)
    accepted: list[Received] = field(default_factory=list)
    seconds: float = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def reset(self) -> None:
        """Forget what came, answer at once, and accept nothing more that is on its way to the previous path."""
        self.resets += 1
        self.answers, self.got, self.accepted, self.seconds = [], [], [], 0

    async def until(self, accepted: int, got: int = 0) -> None:
        """Wait until this many requests were accepted or received."""
        async with asyncio.timeout(20):
            while len(self.accepted) < accepted or len(self.got) < got:
                self.changed.clear()
                await self.changed.wait()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def path(self) -> str:
        return f"/hook-{self.resets}"

    @property
    def url(self) -> str:
        return f"http://{self.address}{self.path}"

    def is_of_an_earlier_test(self, received: Received) -> bool:
        """Return whether a request went to a path of before the newest reset."""
        return not f"{received.path}/".startswith(f"{self.path}/")

    async def take(self, request: Request) -> Response:
        received = Received(request.url.path, dict(request.headers), await request.body())
        if self.is_of_an_earlier_test(received):
            return Response(status_code=410)
        self.got.append(received)
        self.changed.set()
        await asyncio.sleep(self.seconds)
        if self.is_of_an_earlier_test(received):
            return Response(status_code=410)
        answer = self.answers.pop(0) if self.answers else Response(status_code=204)
        if answer.status_code < 300:
            self.accepted.append(received)
            self.changed.set()
        return answer

    def verify(self, secret: str) -> list[dict[str, Any]]:
        """Return the bodies of all that was accepted, by the standard's own library.

        Raises:
            AssertionError: One was not signed with this secret; the message shows what came.
        """
        try:
            return [Webhook(secret).verify(each.body, each.headers) for each in self.accepted]
        except WebhookVerificationError as failure:
            raise AssertionError(
                f"{failure}: {secret} did not sign all of {self.accepted}"
            ) from failure

    @property
    def ids(self) -> list[str]:
        """The ids of accepted alerts."""
        return [each.headers["webhook-id"] for each in self.accepted]


@asynccontextmanager
async def receiving(port: int = 0) -> AsyncIterator[Receiver]:
    """Serve a receiver for as long as the block lasts, on a free port unless one is given."""
    receiver = Receiver()
    app = Starlette(routes=[Route("/{path:path}", receiver.take, methods=["GET", "POST"])])
    config = uvicorn.Config(app, port=port, log_level="error", timeout_graceful_shutdown=1)
    async with serve_http(config) as receiver.port:
        yield receiver
