"""A web site on this machine that serves what a test puts there, over real HTTP."""

import contextlib
import inspect
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.support.http_server import serve_http

Answer = Callable[[Request], Response | Awaitable[Response]]

ARTICLE = """<!doctype html><html lang="en"><head><title>Pumps in Kenya</title>
<meta property="og:site_name" content="Water Today"><meta name="author" content="Ann Otieno">
<meta property="article:published_time" content="2024-05-02T08:00:00Z"></head><body>
<nav><a href="/">Home</a> <a href="/shop">Buy our mugs</a></nav>
<article><h1>Pumps in Kenya</h1>
<p>Kenya has about 54 million people, and two thirds of them live from farming.</p>
<p>Solar pumps now cost $1,030 on average, which is 42&nbsp;% less than in 2015.</p>
<table><tr><th>Country</th><th>Irrigated</th></tr><tr><td>Kenya</td><td>1,500 sq km</td></tr></table>
<p>Farmers are told to write &lt;/input&gt; at the end of each letter to the ministry.</p>
</article><footer>All rights reserved, cookie policy</footer></body></html>"""


@dataclass
class Site:
    """Answers by path, and remembers what it was asked."""

    host: str
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [request.url.path for request in self.requests]

    def reset(self) -> "Site":
        self.answers, self.requests = {}, []
        return self

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def puts(self, path: str, body: str | bytes = ARTICLE, **given: object) -> str:
        """Serve a page and return its URL."""
        options = {"media_type": "text/html"} | given
        return self.does(path, lambda _: Response(body, **options))  # type: ignore[arg-type]

    def does(self, path: str, answer: Answer) -> str:
        self.answers[path] = answer
        return self.url(path)

    async def _answer(self, request: Request) -> Response:
        self.requests.append(request)
        answer = self.answers.get(request.url.path)
        made = answer(request) if answer else HTMLResponse("nothing here", 404)
        return await made if inspect.isawaitable(made) else made

    @contextlib.asynccontextmanager
    async def serve(self, listener: socket.socket) -> AsyncIterator[None]:
        app = Starlette(
            routes=[Route("/{path:path}", self._answer, methods=["GET", "POST", "DELETE"])]
        )
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        async with serve_http(config, listener, force=True):
            yield


@contextlib.asynccontextmanager
async def site() -> AsyncIterator[Site]:
    """A site on a free port of 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        made = Site(f"127.0.0.1:{listener.getsockname()[1]}")
        async with made.serve(listener):
            yield made
