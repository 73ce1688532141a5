"""A user of the SDK's own client: the displayed content, and the user's actions."""

import json
import os
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    Implementation,
    TextContent,
)

from tests.api.conftest import Site

CLIENT = "Prober"
Era = Literal["legacy", "auto"]
ERAS: dict[Era, str] = {"legacy": "2025-11-25", "auto": "2026-07-28"}
IN_EACH_ERA = pytest.mark.parametrize(
    "era", ["auto", pytest.param("legacy", marks=pytest.mark.full)]
)
"""For tests of our tools: what differs between the eras, forms and links, is tested in both by
`test_user_answers_approves_by_link_and_reads_the_report` and the conformance suite."""
"""The SDK's name of each way to connect, and the protocol that it leads to."""


@dataclass
class User:
    """Answers forms, and opens links in a browser of their own."""

    site: Site
    says: dict[str, str] | None = field(default_factory=dict)
    """Answers by field; None: decline."""
    presses: str | None = "approve"
    """The button to press on a link's page; None: do not open the link."""
    forms: list[ElicitRequestFormParams] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    progress: list[tuple[float, str | None]] = field(default_factory=list)

    async def elicit(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        if isinstance(params, ElicitRequestURLParams):
            self.links.append(params.url)
            if self.presses is None:
                return ElicitResult(action="decline")
            await press(self.site, params.url, self.presses)
            return ElicitResult(action="accept")
        self.forms.append(params)
        if self.says is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=dict(self.says))

    async def follow(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, message))


async def press(site: Site, url: str, button: str) -> httpx2.Response:
    """Look at the page of a link, then press one of its buttons."""
    path = httpx2.URL(url).path
    async with open_http(site) as http:
        shown = await http.get(path)
        assert shown.status_code == 200, shown.text
        return await http.post(f"{path}/{button}")


def open_http(site: Site, token: str = "") -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    base = str(site.http.base_url)
    return httpx2.AsyncClient(
        base_url=base, headers=headers, timeout=40, trust_env=False, verify=False
    )


@asynccontextmanager
async def connect(
    site: Site, era: Era = "auto", user: User | None = None, token: str = ""
) -> AsyncIterator[Client]:
    """Connect the SDK's client over HTTP; without a user, it can show nothing."""
    async with open_http(site, token) as http:
        transport = streamable_http_client(f"{site.http.base_url}/mcp", http_client=http)
        async with make_client(transport, era, user) as client:
            yield client


@asynccontextmanager
async def connect_by_stdio(site: Site, era: Era, user: User, token: str) -> AsyncIterator[Client]:
    """Connect the SDK's client to `greenlight mcp`, which it starts."""
    program = "from greenlight import cli; cli.main()"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", program, "mcp", "--url", str(site.http.base_url)],
        env={**os.environ, "GREENLIGHT_API_KEY": token},
        cwd=Path(__file__).parents[3],
    )
    transport = stdio_client(server, errlog=sys.__stderr__ or sys.stderr)
    with pytest.MonkeyPatch.context() as patch:  # on a busy machine the program starts for longer
        patch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 60)
        async with make_client(transport, era, user) as client:
            yield client


@asynccontextmanager
async def make_client(server: Any, era: Era, user: User | None) -> AsyncIterator[Client]:
    async with Client(
        server,
        mode=era,
        client_info=Implementation(name=CLIENT, version="1"),
        elicitation_callback=user.elicit if user else None,
        read_timeout_seconds=40,
    ) as client:
        assert client.session.protocol_version == ERAS[era]
        yield client


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Return the structured result of a tool, which its text repeats."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content
    [text] = result.content
    assert isinstance(text, TextContent)
    found: dict[str, Any] = result.structured_content or {}
    assert json.loads(text.text) == found
    return found


async def refuse(client: Client, tool: str, /, **arguments: Any) -> str:
    """Return the words of a tool's refusal."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error, result.structured_content
    [text] = result.content
    assert isinstance(text, TextContent)
    return text.text


async def plan(client: Client, **more: Any) -> dict[str, Any]:
    """Return the plan of a new run whose questions are left to it."""
    run = await call(client, "start", question=f"Where to sell pumps? {uuid.uuid4()}", **more)
    left = dict.fromkeys(each["id"] for each in run["questions"])
    await call(client, "answer", run_id=run["run_id"], answers=left)
    return await call(client, "plan", run_id=run["run_id"])
