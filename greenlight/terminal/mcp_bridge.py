"""`mcp`: the gateway's MCP server on standard input and output, for clients that start programs.

Messages pass as they are, in both directions: the gateway alone knows tools and rules. Over HTTP a message also needs
headers, which repeat what it says of itself.
"""

import asyncio
from argparse import Namespace

import anyio
import httpx2
from mcp.client._transport import ReadStream, WriteStream
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from greenlight.client import GatewayClient, build_key_headers
from greenlight.errors import Unreachable
from greenlight.terminal.console import open_console
from greenlight.terminal.stack_connection import open_stack

TIMEOUT = httpx2.Timeout(30, read=60)
"""The gateway says something at least every 15 s while it works."""


def mcp(args: Namespace) -> int:
    """Serve until the client closes standard input."""
    url = args.url
    if url is None:
        url = args.entered.enter_context(open_stack(open_console(stderr=True))).addresses.gateway
    with GatewayClient(url.rstrip("/")) as gateway:
        gateway.get("/v1/session")  # report a wrong address or key immediately
        try:
            asyncio.run(_serve(gateway.url))
        except* httpx2.TransportError as lost:
            reason = str(lost.exceptions[0])
        else:
            return 0
    raise Unreachable.of("cli-gateway-away", url=url, reason=reason)


async def _serve(url: str) -> None:
    async with (
        httpx2.AsyncClient(headers=build_key_headers(), timeout=TIMEOUT, trust_env=False) as http,
        streamable_http_client(f"{url}/mcp", http_client=http) as (answers, requests),
        stdio_server() as (typed, shown),
        anyio.create_task_group() as group,
    ):
        bridge = _Bridge()
        group.start_soon(bridge.pass_back, answers, shown)
        await bridge.pass_on(typed, requests, shown)
        group.cancel_scope.cancel()


class _Bridge:
    """Forwards messages, each with the headers that HTTP requires."""

    def __init__(self) -> None:
        self._version = ""
        """The version negotiated by the older protocol's handshake; the newer one states it in each message."""
        self._opening: RequestId | None = None

    async def pass_on(
        self,
        typed: ReadStream[SessionMessage | Exception],
        requests: WriteStream[SessionMessage],
        shown: WriteStream[SessionMessage],
    ) -> None:
        """Send the gateway what the client writes."""
        async for given in typed:
            if isinstance(given, Exception):
                fault = ErrorData(code=PARSE_ERROR, message="not a JSON-RPC message")
                await shown.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=fault)))
                continue
            metadata = ClientMessageMetadata(headers=self._build_headers(given.message))
            await requests.send(SessionMessage(given.message, metadata))

    async def pass_back(
        self,
        answers: ReadStream[SessionMessage | Exception],
        shown: WriteStream[SessionMessage],
    ) -> None:
        """Write to the client what the gateway sends."""
        async for given in answers:
            if isinstance(given, Exception):
                continue  # an invalid line gets no answer
            message = given.message
            if isinstance(message, JSONRPCResponse) and message.id == self._opening:
                self._version = str(message.result.get("protocolVersion", ""))
            await shown.send(given)

    def _build_headers(self, message: JSONRPCMessage) -> dict[str, str]:
        if not isinstance(message, JSONRPCRequest | JSONRPCNotification):
            return self._name_version(self._version)
        params = message.params or {}
        named = params.get("_meta", {}).get(PROTOCOL_VERSION_META_KEY)
        if named is None:
            if isinstance(message, JSONRPCRequest) and message.method == "initialize":
                self._version, self._opening = "", message.id
            return self._name_version(self._version)
        headers = self._name_version(named) | {MCP_METHOD_HEADER: message.method}
        key = NAME_BEARING_METHODS.get(message.method)
        if key and isinstance(name := params.get(key), str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        return headers

    @staticmethod
    def _name_version(version: object) -> dict[str, str]:
        return (
            {MCP_PROTOCOL_VERSION_HEADER: version} if version and isinstance(version, str) else {}
        )
