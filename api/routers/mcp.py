"""The MCP server at `/mcp`, after the same checks as every route."""

import json

from fastapi import APIRouter, Request, Response
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from api.access.auth import Caller
from api.body_limits import replay_body
from api.json_bodies import parse_json
from api.mcp.errors import McpRoute, refuse_json, to_json_rpc_error
from api.mcp.host import McpHost
from contracts.access.principal import Principal
from contracts.errors import GreenlightError

router = APIRouter(route_class=McpRoute, include_in_schema=False)


class McpResponse(Response):
    """A response that the MCP server writes itself."""

    def __init__(self, host: McpHost, caller: Principal, body: bytes) -> None:
        super().__init__()
        self._host = host
        self._caller = caller
        self._read = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request over with its body, which was read before."""
        receive = replay_body(self._read, receive)
        try:
            await self._host.handle(scope, receive, send, self._caller)
        except GreenlightError as error:  # raised before the server wrote anything
            await to_json_rpc_error(error, Headers(scope=scope))(scope, receive, send)


@router.api_route("/mcp", methods=["GET", "POST", "DELETE"])
async def speak_mcp(request: Request, caller: Caller) -> Response:
    """Speak the Model Context Protocol; its JSON is as strict as that of other routes."""
    body = await request.body()
    try:
        if body:
            parse_json(body)
    except json.JSONDecodeError:
        return refuse_json()
    request.state.principal = caller
    return McpResponse(request.app.state.mcp, caller, body)
