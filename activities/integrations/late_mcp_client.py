"""Client of servers of tools that loads the MCP SDK when the first server is asked, half a second of processor time."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from contracts.agents.server_tools import CalledTool, CallToolRequest, ListedTools
from contracts.tool_servers import InstalledServer, ToolServer

if TYPE_CHECKING:
    from activities.integrations.mcp_client import McpClient


class LateMcpClient:
    """Asks servers of tools as `McpClient` does."""

    def __init__(self, installed: Mapping[str, InstalledServer]) -> None:
        self._installed = installed

    async def list_tools(self, server: ToolServer) -> ListedTools:
        """Return all tools of a server."""
        return await (await self._load()).list_tools(server)

    async def call(self, request: CallToolRequest, key: str) -> CalledTool:
        """Return what a tool answers, if its server still is where and what was approved."""
        return await (await self._load()).call(request, key)

    async def _load(self) -> "McpClient":
        return (await asyncio.to_thread(_load_class))(self._installed)


@cache
def _load_class() -> "type[McpClient]":
    from activities.integrations.mcp_client import McpClient

    return McpClient
