"""Client of servers of tools (MCP), by the official SDK, over a transport of ours: guarded, and bounded in bytes and time."""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import anyio
import httpcore2
import httpx2
from mcp import types
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from activities.integrations.http.http_statuses import may_pass, parse_retry_after
from activities.integrations.http.ssrf_guard import GuardedNetwork
from contracts.agents.server_tools import CalledTool, CallToolRequest, ListedTools
from contracts.errors import (
    FetchFailed,
    FetchRefused,
    GreenlightError,
    ToolServerFailed,
    ToolServerRefused,
)
from contracts.notices import Notice, NoticeParam
from contracts.tool_servers import InstalledServer, PlannedTool, ToolServer
from domain.agents.tool_servers import hash_tool, quote_error

SECONDS = 60.0
MAX_BYTES = 2_000_000
"""Limit of all that a server sends in one connection; a longer answer is refused."""
MAX_PAGES, MAX_LISTED = 20, 1_000
"""Maximum number of pages of a list of tools, and of tools on them; a longer list is refused."""
_IDEMPOTENCY_KEY = "greenlight/idempotency-key"
T = TypeVar("T")

logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs what servers send, with tracebacks


class GuardedBackend(httpcore2.AnyIOBackend):
    """Connects to addresses that a guard has checked."""

    def __init__(self, guard: GuardedNetwork) -> None:
        self._guard = guard

    async def connect_tcp(
        self, host: str, port: int, *args: Any, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first address of the host that answers, if all of them are allowed."""
        failure: Exception | None = None
        for address in await self._guard.resolve_checked(host, port):
            try:
                return await super().connect_tcp(address, port, *args, **options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise FetchFailed(Notice.of("host-mute", host=host, port=str(port))) from failure


class BoundedBody(httpx2.AsyncByteStream):
    """A response body that reports its bytes to a counter, which may abort it with an exception."""

    def __init__(self, body: httpx2.AsyncByteStream, count: Callable[[int], None]) -> None:
        self._body, self._count = body, count

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self._count(len(piece))
            yield piece

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Speaks HTTP over a guarded network, unpacked and up to `most` bytes in all answers; notes what went wrong.

    The SDK wraps errors, and loses `Retry-After` and the status.
    """

    def __init__(self, server: str, guard: GuardedNetwork, most: int) -> None:
        tls = httpx2.create_ssl_context()
        super().__init__(verify=tls)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls, network_backend=GuardedBackend(guard)
        )
        self._server, self._most, self._left = server, most, most
        self.failure: GreenlightError | None = None
        self.status = 0
        """HTTP status of the newest answer to a message."""
        self.retry_after: float | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its response, whose body counts towards the connection's byte limit.

        Raises:
            httpx2.ConnectError: The address guard refused the address, or it did not answer.
            httpx2.ReadError: The response is compressed, so that its size cannot be limited.
        """
        request.headers["Accept-Encoding"] = "identity"
        try:
            response = await super().handle_async_request(request)
        except (FetchFailed, FetchRefused) as error:
            self.failure = error
            raise httpx2.ConnectError(str(error)) from error
        if request.method == "POST":
            self.status = response.status_code
            self.retry_after = parse_retry_after(response.headers.get("retry-after", ""))
        if response.headers.get("content-encoding", "identity") != "identity":
            self.failure = ToolServerRefused(Notice.of("tool-server-odd", server=self._server))
            raise httpx2.ReadError("a packed answer")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = BoundedBody(response.stream, self._count)
        return response

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            mb = self._most / 1e6
            told = Notice.of("tool-server-large", server=self._server, mb=mb)
            self.failure = ToolServerRefused(told)
            raise httpx2.ReadError("the answers are too large")


class McpClient:
    """Client of tool servers, with a new connection for each request.

    `installed` are the operator's servers by name; only these may have private addresses, keys and commands.
    """

    def __init__(
        self,
        installed: Mapping[str, InstalledServer],
        seconds: float = SECONDS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._installed = installed
        self._seconds = seconds
        self._max_bytes = max_bytes

    async def list_tools(self, server: ToolServer) -> ListedTools:
        """Return all tools of a server, with its descriptions.

        Raises:
            ToolServerFailed: It did not answer; a retry may help.
            ToolServerRefused: It is unknown here, refuses, or its answer is not a list of tools.
        """
        place = self._find(server)

        async def read(client: Client) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = []
            async for page in _list_pages(server.name, client.session):
                found += await asyncio.to_thread(_dump, page)
            return found

        tools = await self._talk(server, place, read)
        return ListedTools(address=_name_address(place), tools=tools)

    async def call(self, request: CallToolRequest, key: str) -> CalledTool:
        """Return what a tool answers, if its server still is where and what was approved.

        `key` is the same for each try of the same call. Raises as `list_tools` does.
        """
        server, tool = request.server, request.tool
        place = self._find(server)
        if _name_address(place) != request.address:
            raise ToolServerRefused(Notice.of("tool-server-moved", server=server.name))

        async def call(client: Client) -> CalledTool:
            async for page in _list_pages(server.name, client.session):
                if await asyncio.to_thread(_has, page, tool):
                    break
            else:
                names: list[str | Notice] = [Notice.of("quoted", text=tool.name)]
                told = Notice.of("tools-changed", server=server.name, n=1, names=names)
                raise ToolServerRefused(told)
            params = types.CallToolRequestParams.model_validate(
                {
                    "name": tool.name,
                    "arguments": request.arguments,
                    "_meta": {_IDEMPOTENCY_KEY: key},
                }
            )
            # `client.call_tool` would validate the answer by the server's own schema, without a
            # time limit.
            answer = await client.session.send_request(
                types.CallToolRequest(params=params), types.CallToolResult
            )
            return _read_answer(answer)

        return await self._talk(server, place, call)

    def _find(self, server: ToolServer) -> InstalledServer:
        if server.url:
            return InstalledServer(url=server.url)
        if place := self._installed.get(server.name):
            return place
        raise ToolServerRefused(Notice.of("tool-server-unset", server=server.name))

    async def _talk(
        self, server: ToolServer, place: InstalledServer, work: Callable[[Client], Awaitable[T]]
    ) -> T:
        """Return the result of `work` on a connection; errors on closing are ignored."""
        guard = GuardedNetwork(frozenset() if server.url else frozenset([_name_socket(place.url)]))
        wire = BoundedTransport(server.name, guard, self._max_bytes)
        made: list[T] = []
        try:
            # The only timeout, because HTTP and the SDK have none here. Unlike `asyncio.timeout` it
            # cancels every later await too: the SDK ends a session with a request that the server
            # may never answer.
            with anyio.fail_after(self._seconds):
                async with self._connect(place, wire) as client:
                    made.append(await work(client))
        except GreenlightError:
            raise
        except TimeoutError as error:
            if not made:
                raise self._fail(server, "tool-server-late", seconds=self._seconds) from error
        except Exception as error:
            if not made:
                raise self._explain(server, wire, error) from error
        return made[0]

    @asynccontextmanager
    async def _connect(
        self, place: InstalledServer, wire: BoundedTransport
    ) -> AsyncIterator[Client]:
        about = types.Implementation(name="greenlight", version="0.1.0")
        if place.command:
            command, *args = place.command
            stdio = StdioServerParameters(command=command, args=args, env=place.env)
            # By default the SDK keeps `sys.stderr` from its import, which may be closed by now.
            transport = stdio_client(stdio, errlog=sys.__stderr__ or sys.stderr)
            async with Client(transport, client_info=about, cache=None) as client:
                yield client
            return
        headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
        async with (
            httpx2.AsyncClient(
                transport=wire, headers=headers, timeout=None, trust_env=False
            ) as http,
            Client(
                streamable_http_client(place.url, http_client=http), client_info=about, cache=None
            ) as client,
        ):
            yield client

    def _fail(self, server: ToolServer, code: str, **params: NoticeParam) -> ToolServerFailed:
        return ToolServerFailed(Notice.of(code, server=server.name, **params))

    def _explain(
        self, server: ToolServer, wire: BoundedTransport, error: Exception
    ) -> GreenlightError:
        """Return why a server gave no answer, preferring what was seen on the wire to the SDK's exception."""
        leaves = [*_find_leaves(error)]
        ours = next((leaf for leaf in leaves if isinstance(leaf, GreenlightError)), None)
        if known := ours or wire.failure:
            is_ours = isinstance(known, ToolServerRefused | ToolServerFailed)
            return known if is_ours else _translate(server.name, known)
        if wire.status >= 300:
            told = Notice.of("tool-server-status", server=server.name, status=wire.status)
            if may_pass(wire.status):
                return ToolServerFailed(told, wire.retry_after, wire.status)
            return ToolServerRefused(told, wire.status)
        if any(isinstance(leaf, httpx2.TransportError | OSError) for leaf in leaves):
            return self._fail(server, "tool-server-broken")
        detail = next((leaf.error.message for leaf in leaves if isinstance(leaf, MCPError)), "")
        if detail:
            return ToolServerRefused(quote_error(server.name, detail))
        return ToolServerRefused(Notice.of("tool-server-odd", server=server.name))


def _translate(server: str, error: GreenlightError) -> GreenlightError:
    told = Notice.of("tool-server-unreached", server=server, why=error.words)
    return ToolServerFailed(told) if error.passing else ToolServerRefused(told)


async def _list_pages(server: str, session: ClientSession) -> AsyncIterator[list[types.Tool]]:
    """Yield the pages of a server's tool list, requesting each on demand."""
    listed = 0
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        page = await session.list_tools(params=params)
        listed += len(page.tools)
        if listed > MAX_LISTED:
            break
        yield page.tools
        cursor = page.next_cursor
        if not cursor:
            return
    raise ToolServerRefused(Notice.of("tool-server-many", server=server, n=MAX_LISTED))


def _has(page: Sequence[types.Tool], planned: PlannedTool) -> bool:
    """Return whether a page has the tool that was approved."""
    named = [tool for tool in page if tool.name == planned.name]
    return any(hash_tool(raw) == planned.hash for raw in _dump(named))


def _dump(page: Sequence[types.Tool]) -> list[dict[str, Any]]:
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page]


def _read_answer(answer: types.CallToolResult) -> CalledTool:
    texts: list[str] = []
    images = others = 0
    for block in answer.content:
        match block:
            case types.TextContent():
                texts.append(block.text)
            case types.ResourceLink():
                texts.append(f"{block.title or block.name}: {block.uri}")
            case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
                texts.append(resource.text)
            case types.ImageContent():
                images += 1
            case _:
                others += 1
    text = "\n\n".join(filter(None, texts))
    if not text and answer.structured_content is not None:
        text = json.dumps(answer.structured_content, ensure_ascii=False, indent=1)
    return CalledTool(text=text, is_error=bool(answer.is_error), images=images, others=others)


def _find_leaves(error: BaseException) -> Iterable[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _find_leaves(each)
    else:
        yield error
        if error.__cause__:
            yield from _find_leaves(error.__cause__)


def _name_address(place: InstalledServer) -> str:
    """Return where a server is, as a plan says it: without what may be a key."""
    if place.command:
        return f"stdio:{Path(place.command[0]).name}"
    parts = urlsplit(place.url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _name_socket(url: str) -> str:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.hostname}:{port}"
