"""The MCP server with its tools and resources, and the sealing of their state between requests."""

import hashlib
import hmac
import os
from typing import Any

from mcp.server import MCPServer
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import RequestStateSecurity
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Scope

from api.mcp import resources, tools
from contracts.access.principal import Principal
from contracts.base import DAY

INSTRUCTIONS = """Greenlight researches questions and asks before it spends. Order of calls:
1. `start` with the question. 2. `answer` what it asks, in the user's words. 3. `plan`: show it to the user with its
price; `revise` it if they want another. 4. `approve` with its plan_hash: the user decides on Greenlight's own page.
5. `status` with wait_seconds until it has ended; `steer` passes on what the user says meanwhile. 6. `report` and
`sources`. Each result's `next` says what to do. Never answer, or decide, for the user."""
SEALED_FOR_SECONDS = 7 * DAY
"""How long a client's user may take to answer; checkpoints wait as long."""
_PURPOSE = b"greenlight-mcp-request-state"


def build_server(secret: str) -> MCPServer[Any]:
    """Build the server, whose state between requests is sealed with the installation's secret."""
    key = hmac.digest(secret.encode(), _PURPOSE, hashlib.sha256) if secret else os.urandom(32)
    security = RequestStateSecurity(
        keys=[key], ttl=SEALED_FOR_SECONDS, bind_principal=_name_principal
    )
    server = MCPServer[Any](
        "greenlight",
        title="Greenlight",
        instructions=INSTRUCTIONS,
        request_state_security=security,
        log_level="WARNING",
    )
    for tool, annotations in tools.TOOLS.items():
        server.add_tool(tool, annotations=annotations)
    server.resource(resources.REPORT, name="report", mime_type="text/markdown")(
        resources.read_report
    )
    server.resource(resources.SOURCES, name="sources", mime_type="application/json")(
        resources.read_sources
    )
    # The guard checks host, origin and size of every request, also of those to here.
    server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False)
    )
    return server


def name_caller(scope: Scope, principal: Principal) -> None:
    """Bind a session of the older protocol to the user who opens it."""
    if principal.user_id:
        token = AccessToken(token="-", client_id=_join(principal), scopes=[])  # noqa: S106 - none
        scope["user"] = AuthenticatedUser(token)


def _name_principal(ctx: ServerRequestContext[Any, Any]) -> str:
    assert ctx.request is not None
    principal: Principal = ctx.request.state.principal
    return _join(principal)


def _join(principal: Principal) -> str:
    return "/".join((principal.tenant_id, principal.user_id or "", principal.key_id or ""))
