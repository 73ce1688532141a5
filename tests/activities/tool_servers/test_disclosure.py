"""Arguments of a call carry no words of the user's own documents to a server, however they are written."""

from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.integrations.mcp_client import McpClient
from activities.tool_servers import ToolServerActivities
from contracts.agents.server_tools import CallToolRequest, ToolAnswer
from contracts.base import Json
from contracts.errors import ToolServerRefused
from contracts.evidence.sources import TOOL_RESULT
from contracts.tool_servers import InstalledServer, PlannedTool, ToolServer
from domain.agents.tool_servers import hash_tool
from tests.activities.tool_servers.server import speak
from tests.activities.web.conftest import blobs as blobs
from tests.activities.web.conftest import fetcher as fetcher
from tests.activities.web.test_web import Desk
from tests.activities.web.test_web import desk as desk
from tests.support.refusals import refused

SECRET = "The board decided to sell its turbine subsidiary to Orsted before the end of June."
TOOL: Json = {"name": "look__up", "inputSchema": {"type": "object", "properties": {}}}
SAYING: dict[str, Json] = {
    "lines": {"q": SECRET.replace(" ", "\n")},
    "tabs": {"q": SECRET.replace(" ", "\t")},
    "quotes": {"q": SECRET.replace(" ", '"')},
    "a list": {"q": [{"a": word} for word in SECRET.split()]},
    "keys": {"q": {SECRET: 1}},
}


async def call(desk: Desk, arguments: Json, called: list[Any]) -> ToolAnswer:
    """Call a tool of a server that notes what it is called with."""

    def answer(said: Json) -> Json:
        called.append(said["params"])
        return {"content": [{"type": "text", "text": "There is one."}]}

    url = speak(desk.site, {"tools/list": {"tools": [TOOL]}, "tools/call": answer})
    web = desk.web
    servers = ToolServerActivities(
        McpClient({"stock": InstalledServer(url=url)}),
        web._tool_calls._calls,
        web._tool_calls,
        web._blobs,
        web._parser,
        web._own,
    )
    request = CallToolRequest(
        scope=desk.scope,
        server=ToolServer(name="stock"),
        address=url,
        tool=PlannedTool(name="look__up", changes=False, hash=hash_tool(TOOL)),
        arguments=arguments,
        plan_hash="abc",
    )
    return await ActivityEnvironment().run(servers.call, request)


@pytest.mark.parametrize("form", SAYING)
async def test_words_of_own_documents_are_refused_in_each_form(desk: Desk, form: str) -> None:
    await desk.give(SECRET.encode())
    called: list[Any] = []
    with refused(ToolServerRefused, "tool-discloses"):
        await call(desk, SAYING[form], called)
    assert called == []


async def test_other_words_are_sent(desk: Desk) -> None:
    await desk.give(SECRET.encode())
    called: list[Any] = []
    answer = await call(desk, {"q": "turbines\nof Denmark", "n": 3}, called)
    assert answer.source
    assert answer.source.url.startswith(f"{TOOL_RESULT}stock/look__up/")
    assert [params["arguments"] for params in called] == [{"q": "turbines\nof Denmark", "n": 3}]
