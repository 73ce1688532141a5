"""The MCP client with a real server and hostile ones, for which it reports clear errors in time."""

import asyncio
import inspect
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from activities.integrations.mcp_client import McpClient
from contracts.agents.server_tools import CalledTool, CallToolRequest
from contracts.base import Json
from contracts.errors import GreenlightError, ToolServerFailed, ToolServerRefused
from contracts.models.call import Scope
from contracts.tool_servers import InstalledServer, PlannedTool, ToolServer
from domain.agents.tool_servers import hash_tool
from tests.activities.tool_servers.server import MODULE, Served, serving, speak
from tests.activities.tool_servers.server_process import PRICES
from tests.activities.web.site import Site
from tests.support.refusals import refused

SERVER = ToolServer(name="stock")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "calls") as server:
        yield server


def client(url: str, **bounds: Any) -> McpClient:
    return McpClient({"stock": InstalledServer(url=url, key="a-key")}, **bounds)


async def call(asked: McpClient, tool: str, **arguments: Any) -> CalledTool:
    """Call a tool by its current listing."""
    listed = await asked.list_tools(SERVER)
    raw = next(raw for raw in listed.tools if raw["name"] == tool)
    planned = PlannedTool(name=tool, changes=False, hash=hash_tool(raw))
    return await asked.call(build_request(listed.address, planned, arguments), "key")


def build_request(address: str, tool: PlannedTool, arguments: Json) -> CallToolRequest:
    scope = Scope(run_id="r", phase_id="research", attempt=1, name="turn-1-1")
    return CallToolRequest(
        scope=scope, server=SERVER, address=address, tool=tool, arguments=arguments
    )


async def test_tools_are_listed_and_called(served: Served) -> None:
    asked = client(served.url)
    listed = await asked.list_tools(SERVER)
    assert listed.address == served.url
    named = {tool["name"] for tool in listed.tools}
    assert named == {"look_up", "count", "fail", "order", "book", "wait"}
    assert await call(asked, "look_up", subject="tanks") == CalledTool(text=PRICES)
    assert json.loads((await call(asked, "count", subject="tanks")).text) == {"in_stock": 17}
    failed = await call(asked, "fail", subject="tanks")
    assert failed.is_error
    assert "no such thing: tanks" in failed.text


async def test_command_of_the_operator_is_started(tmp_path: Path) -> None:
    command = [sys.executable, "-m", MODULE, str(tmp_path / "calls"), "stdio"]
    env = {"PYTHONPATH": str(Path.cwd())}
    asked = McpClient({"stock": InstalledServer(command=command, env=env)})
    listed = await asked.list_tools(SERVER)
    assert listed.address.startswith("stdio:python")
    assert (await call(asked, "look_up", subject="tanks")).text == PRICES


async def test_hanging_tool_is_given_up(served: Served) -> None:
    with refused(ToolServerFailed, "tool-server-late", server="stock", seconds=1.5):
        await call(client(served.url, seconds=1.5), "wait", subject="tanks", seconds=60)


async def test_unknown_server_and_definitions_private_address_are_refused(served: Served) -> None:
    with refused(ToolServerRefused, "tool-server-unset", server="stock"):
        await McpClient({}).list_tools(SERVER)
    own = ToolServer(name="stock", url=served.url)
    with pytest.raises(ToolServerRefused) as error:
        await client(served.url).list_tools(own)
    assert error.value.words.code == "tool-server-unreached"
    assert error.value.words.params["why"].code == "host-private"  # type: ignore[union-attr]


async def test_server_that_moved_since_the_approval_is_not_called(served: Served) -> None:
    planned = PlannedTool(name="look_up", changes=False, hash="0")
    with refused(ToolServerRefused, "tool-server-moved", server="stock"):
        await client(served.url).call(build_request("http://other/mcp", planned, {}), "key")


async def test_tool_that_changed_since_the_approval_is_not_called(served: Served) -> None:
    before = len(served.calls)
    planned = PlannedTool(name="look_up", changes=False, hash="0")
    with pytest.raises(ToolServerRefused) as error:
        await client(served.url).call(build_request(served.url, planned, {"subject": "x"}), "key")
    assert error.value.words.code == "tools-changed"
    assert len(served.calls) == before


def tools(*listed: Json) -> Json:
    return {"tools": [*listed]}


TOOL: Json = {"name": "look_up", "inputSchema": {"type": "object", "properties": {}}}


async def _drip() -> AsyncIterator[bytes]:
    while True:
        yield b": still here\n\n"
        await asyncio.sleep(0.05)


async def _flood() -> AsyncIterator[bytes]:
    for _ in range(1_000):
        yield b'{"x": "' + b"y" * 100_000
        await asyncio.sleep(0)


def endless() -> Response:
    return StreamingResponse(_drip(), media_type="text/event-stream")


HOSTILE: dict[str, tuple[Any, type[GreenlightError], str]] = {
    "html": (lambda: HTMLResponse("<h1>Hi</h1>"), ToolServerRefused, "tool-server-error"),
    "busy": (
        lambda: Response(status_code=429, headers={"Retry-After": "7"}),
        ToolServerFailed,
        "tool-server-status",
    ),
    "forbidden": (lambda: Response(status_code=403), ToolServerRefused, "tool-server-status"),
    "endless events": (endless, ToolServerFailed, "tool-server-late"),
    "100 MB": (
        lambda: StreamingResponse(_flood(), media_type="application/json"),
        ToolServerRefused,
        "tool-server-large",
    ),
    "not UTF-8": (
        lambda: Response(b'{"jsonrpc": "\xff\xfe', media_type="application/json"),
        ToolServerRefused,
        "tool-server-error",
    ),
    "packed": (
        lambda: Response(b"x", headers={"Content-Encoding": "gzip"}, media_type="application/json"),
        ToolServerRefused,
        "tool-server-odd",
    ),
    "redirect": (
        lambda: RedirectResponse("http://127.0.0.1:1/secret"),
        ToolServerRefused,
        "tool-server-status",
    ),
    "10,000 tools": (
        lambda: tools(*({**TOOL, "name": f"t{n}"} for n in range(10_000))),
        ToolServerRefused,
        "tool-server-many",
    ),
    "5 MB schema": (
        lambda: tools({**TOOL, "description": "x" * 5_000_000}),
        ToolServerRefused,
        "tool-server-large",
    ),
    "no list": (lambda: {"tools": "many"}, ToolServerRefused, "tool-server-odd"),
    "endless pages": (
        lambda: {**tools(TOOL), "nextCursor": "again"},
        ToolServerRefused,
        "tool-server-many",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_hostile_list_is_refused_with_a_clear_word(site: Site, kind: str) -> None:
    answer, error, code = HOSTILE[kind]
    asked = client(speak(site, {"tools/list": answer()}), seconds=2)
    async with asyncio.timeout(20):
        with pytest.raises(error) as raised:
            await asked.list_tools(SERVER)
    assert raised.value.words.code == code, raised.value.words
    if kind == "busy":
        assert raised.value.retry_after == 7


@pytest.mark.parametrize("kind", ["html", "endless events", "100 MB", "busy", "redirect"])
async def test_hostile_answer_is_refused_with_a_clear_word(site: Site, kind: str) -> None:
    answer, error, code = HOSTILE[kind]
    asked = client(speak(site, {"tools/list": tools(TOOL), "tools/call": answer()}), seconds=2)
    async with asyncio.timeout(20):
        with pytest.raises(error) as raised:
            await call(asked, "look_up")
    assert raised.value.words.code == code, raised.value.words


async def test_server_that_refuses_the_connection_or_hangs_at_once(site: Site) -> None:
    with refused(ToolServerFailed, "tool-server-unreached"):
        await client("http://127.0.0.1:9/mcp").list_tools(SERVER)

    async def hang(_: Request) -> Response:
        await asyncio.sleep(30)
        return Response()

    with refused(ToolServerFailed, "tool-server-late", server="stock", seconds=0.5):
        await client(site.does("/mcp", hang), seconds=0.5).list_tools(SERVER)


def page(said: Json, asked: list[int], size: int = 0) -> Json:
    """Return a page of a list of four, each with a tool of its own; `asked` notes its number."""
    params: Any = said.get("params") or {}
    number = int(params.get("cursor") or 0)
    asked.append(number)
    made = tools({**TOOL, "name": f"t{number}", "description": "x" * size})
    return made | ({"nextCursor": str(number + 1)} if number < 3 else {})


async def test_bytes_of_all_pages_of_a_list_count_together(site: Site) -> None:
    asked: list[int] = []
    url = speak(site, {"tools/list": lambda said: page(said, asked, 40_000)})
    assert len((await client(url, max_bytes=200_000).list_tools(SERVER)).tools) == 4
    asked.clear()
    with refused(ToolServerRefused, "tool-server-large", server="stock", mb=0.1):
        await client(url, max_bytes=100_000).list_tools(SERVER)
    assert asked == [0, 1, 2]


async def test_list_is_read_up_to_the_page_that_has_the_called_tool(site: Site) -> None:
    asked: list[int] = []
    answers = {"tools/list": lambda said: page(said, asked), "tools/call": {"content": []}}
    await call(client(speak(site, answers)), "t1")
    assert asked == [0, 1, 2, 3, 0, 1]


async def test_session_that_a_server_does_not_let_end_is_given_up_in_time(site: Site) -> None:
    url = speak(site, {"tools/list": endless()})
    answer = site.answers["/mcp"]

    async def stall(request: Request) -> Response:
        if request.method == "DELETE":
            await asyncio.sleep(30)
        response = answer(request)
        made = await response if inspect.isawaitable(response) else response
        made.headers["mcp-session-id"] = "a-session"
        return made

    site.does("/mcp", stall)
    listing = asyncio.ensure_future(client(url, seconds=0.5).list_tools(SERVER))
    done, _ = await asyncio.wait([listing], timeout=20)
    listing.cancel()
    assert done, "it still waits"
    with refused(ToolServerFailed, "tool-server-late", server="stock", seconds=0.5):
        await listing


async def test_parts_without_text_are_counted(site: Site) -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    sound = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
    link = {"type": "resource_link", "name": "more", "uri": "https://example.org/more"}
    page = {"type": "resource", "resource": {"uri": "a://b", "text": "A page of it."}}
    content = [{"type": "text", "text": "Words."}, picture, picture, sound, link, page]
    asked = client(speak(site, {"tools/list": tools(TOOL), "tools/call": {"content": content}}))
    text = "Words.\n\nmore: https://example.org/more\n\nA page of it."
    assert await call(asked, "look_up") == CalledTool(text=text, images=2, others=1)
