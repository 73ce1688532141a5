"""The MCP server at `/mcp`, behind the checks of every route."""

from fastapi import APIRouter, Request, Response
from starlette.types import Receive, Scope, Send

from api.auth import Caller
from api.mcp.host import McpHost
from contracts.principal import Principal

router = APIRouter(include_in_schema=False)


class McpResponse(Response):
    """A response that the MCP server writes itself."""

    def __init__(self, host: McpHost, caller: Principal) -> None:
        super().__init__()
        self._host = host
        self._caller = caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request over."""
        await self._host.handle(scope, receive, send, self._caller)


@router.api_route("/mcp", methods=["GET", "POST", "DELETE"])
async def speak_mcp(request: Request, caller: Caller) -> Response:
    """Speak the Model Context Protocol."""
    request.state.principal = caller
    return McpResponse(request.app.state.mcp, caller)
