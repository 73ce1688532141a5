"""The MCP server at `/mcp`, behind the checks of every route."""

import json

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from api.auth import Caller
from api.bodies import parse_json
from api.guard import replay_body
from api.mcp.host import McpHost
from contracts.principal import Principal

router = APIRouter(include_in_schema=False)
NOT_JSON = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}


class McpResponse(Response):
    """A response that the MCP server writes itself."""

    def __init__(self, host: McpHost, caller: Principal, body: bytes) -> None:
        super().__init__()
        self._host = host
        self._caller = caller
        self._read = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request over with its body, which was read before."""
        await self._host.handle(scope, replay_body(self._read, receive), send, self._caller)


@router.api_route("/mcp", methods=["GET", "POST", "DELETE"])
async def speak_mcp(request: Request, caller: Caller) -> Response:
    """Speak the Model Context Protocol; its JSON is as strict as that of other routes."""
    body = await request.body()
    try:
        if body:
            parse_json(body)
    except json.JSONDecodeError:
        return JSONResponse(NOT_JSON, 400)
    request.state.principal = caller
    return McpResponse(request.app.state.mcp, caller, body)
