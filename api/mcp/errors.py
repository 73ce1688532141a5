"""Errors of the MCP route as JSON-RPC, whose messages clients show; the HTTP status is the usual one."""

from typing import Any

from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.datastructures import Headers

from api.errors import (
    HEADERS,
    MAX_DETAIL_CHARS,
    Handler,
    choose_language,
    find_status,
    render_errors,
)
from contracts.errors import GreenlightError
from contracts.problems import limit_notice

PARSE_ERROR, REFUSED = -32700, -32000
"""Codes of JSON-RPC; the latter is the first of those that servers define."""


def to_json_rpc_error(error: GreenlightError, headers: Headers) -> JSONResponse:
    """Convert an error outside any JSON-RPC request; its data has the problem's code and parameters."""
    status, notice = find_status(error), limit_notice(error.notice)
    words = error.words.say(choose_language(headers.get("accept-language", "")))
    told = {"type": error.type(), "code": notice.code, "params": notice.model_dump()["params"]}
    fault = {"code": REFUSED, "message": words[:MAX_DETAIL_CHARS], "data": told}
    return _respond(fault, status)


def refuse_json() -> JSONResponse:
    """Return the error for a body that is not JSON."""
    return _respond({"code": PARSE_ERROR, "message": "Parse error"}, 400)


def _respond(error: dict[str, Any], status: int) -> JSONResponse:
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status, HEADERS.get(status))


class McpRoute(APIRoute):
    """Route class for `/mcp` that renders every error as a JSON-RPC error response."""

    def get_route_handler(self) -> Handler:
        """Return the handler, which raises no error of ours."""
        return render_errors(super().get_route_handler(), to_json_rpc_error)
