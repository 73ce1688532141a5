"""Hosts the MCP server, loaded on its first request, because it would slow each gateway start by 0.4 s."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from api.dependencies import Dependencies
from api.errors import TooManyRequests
from contracts.access.principal import Principal
from contracts.notices import Notice

if TYPE_CHECKING:
    from mcp.server import MCPServer

MAX_SESSIONS = 200
"""Maximum number of sessions per user in the older protocol; the newer one has no sessions."""
SESSION_SECONDS = 30 * 60
"""How long the SDK keeps an idle session."""
ALL_SESSIONS = 10_000
SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"


class OpenSessions:
    """Counts each user's open sessions, so that no user takes up those of everybody."""

    def __init__(self) -> None:
        self._owners: TTLCache[str, Hashable] = TTLCache(ALL_SESSIONS, SESSION_SECONDS)

    def admit(self, owner: Hashable) -> None:
        """Let a user open another session.

        Raises:
            TooManyRequests: The user has reached the limit.
        """
        if sum(each == owner for each in self._owners.values()) >= MAX_SESSIONS:
            raise TooManyRequests(Notice.of("limit-mcp-sessions", most=MAX_SESSIONS))

    def note(self, session: str, owner: Hashable) -> None:
        """Note that a session is in use."""
        self._owners[session] = owner

    def forget(self, session: str) -> None:
        """Note that a session was ended."""
        self._owners.pop(session, None)


class McpHost:
    """Runs the MCP server for the gateway's lifetime."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._dependencies = dependencies
        self._sessions = OpenSessions()
        self._wanted, self._over = asyncio.Event(), asyncio.Event()
        self._loaded: asyncio.Future[MCPServer[Any]] | None = None

    @asynccontextmanager
    async def live(self, _: object) -> AsyncIterator[None]:
        """Be ready to load the server, and end it with the block."""
        self._loaded = asyncio.get_running_loop().create_future()
        hosting = asyncio.create_task(self._host(self._loaded))
        yield
        self._over.set()
        self._wanted.set()
        await hosting

    async def _host(self, loaded: "asyncio.Future[MCPServer[Any]]") -> None:
        await self._wanted.wait()
        if self._over.is_set():
            return
        try:
            module = await asyncio.to_thread(import_module, "api.mcp.server")
            server: MCPServer[Any] = module.build_server(self._dependencies.signing_key)
        except Exception as error:  # noqa: BLE001 - each request to it fails, the gateway goes on
            loaded.set_exception(error)
            return
        async with server.session_manager.run():
            loaded.set_result(server)
            await self._over.wait()

    async def load(self) -> "MCPServer[Any]":
        """Return the server once it is loaded."""
        assert self._loaded is not None  # the app is alive
        self._wanted.set()
        return await asyncio.shield(self._loaded)

    async def handle(self, scope: Scope, receive: Receive, send: Send, caller: Principal) -> None:
        """Pass a caller's request to the server.

        Raises:
            TooManyRequests: It would open one session too many.
        """
        from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

        from api.mcp.server import name_caller

        server = await self.load()
        headers, owner = Headers(scope=scope), (caller.tenant_id, caller.user_id)
        session = headers.get(SESSION)
        if session:
            self._sessions.note(session, owner)
        elif headers.get(VERSION, HANDSHAKE_PROTOCOL_VERSIONS[0]) in HANDSHAKE_PROTOCOL_VERSIONS:
            self._sessions.admit(owner)

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(message, scope["method"], session, owner)
            await send(message)

        name_caller(scope, caller)
        await server.session_manager.handle_request(scope, receive, send_and_note)

    def _note(self, start: Message, method: str, session: str | None, owner: Hashable) -> None:
        opened = Headers(raw=start["headers"]).get(SESSION)
        if session and (method == "DELETE" or start["status"] == 404):
            self._sessions.forget(session)
        elif opened:
            self._sessions.note(opened, owner)
