"""Tools of a real server in a crew's task: called by names of its own, within their number, and cited like pages."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from activities.calls.tool_calls import ToolCalls
from activities.integrations.mcp_client import McpClient
from activities.parsing.page_parser import PageParser
from activities.temporal_failures import settles
from activities.tool_servers import ToolServerActivities
from contracts.agents.crews import CrewTaskRequest
from contracts.agents.server_tools import GrantedTool
from contracts.base import Json
from contracts.tool_servers import InstalledServer, ToolServer
from domain.agents.tool_servers import offer_tools
from tests.activities.collections.run_documents import open_run_documents
from tests.activities.crew.conftest import DONE, STRATEGIST, Bureau, uses
from tests.activities.crew.test_turns import told
from tests.activities.tool_servers.server import Served, serving

pytestmark = pytest.mark.full
"""Loading CrewAI takes seconds."""
LOOK_UP, COUNT, FAIL = "mcp__stock__look_up", "mcp__stock__count", "mcp__stock__fail"
TANKS: Json = {"subject": "tanks"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "calls") as server:
        yield server


@pytest.fixture
async def asked(bureau: Bureau, served: Served, parser: PageParser) -> CrewTaskRequest:
    """A task whose agent has only a server's three tools."""
    house, client = bureau.house, McpClient({"stock": InstalledServer(url=served.url)})
    tools = ToolCalls(house.calls, house.events, settles)
    own = open_run_documents(house.pool)
    servers = ToolServerActivities(
        client, house.calls, tools, bureau.crews._web._blobs, parser, own
    )
    bureau.crews = dataclasses.replace(bureau.crews, _servers=servers)
    server = ToolServer(name="stock", tools=["look_up", "count", "fail"])
    listed = await client.list_tools(server)
    offered = offer_tools(server, listed.address, listed.tools).tools
    granted = [GrantedTool(server=server, address=listed.address, offered=t) for t in offered]
    return bureau.task(STRATEGIST, server_tools=granted, server_calls={"stock": 2})


async def test_a_task_calls_tools_of_servers_and_each_result_is_a_source(
    bureau: Bureau, asked: CrewTaskRequest, served: Served
) -> None:
    served.log.unlink(missing_ok=True)
    bureau.house.provider.answers(
        uses(1, (LOOK_UP, TANKS), (COUNT, TANKS)), uses(2, (LOOK_UP, {"subject": "more"})), DONE
    )
    result = await bureau.work(asked)
    assert (result.output, result.server_calls) == ({"number": 12}, {"stock": 2})
    assert sorted(served.calls) == ["count tanks", "look_up tanks 3"]
    assert [source.tool and source.tool.tool for source in result.sources] == ["look_up", "count"]
    [first, second, third] = bureau.asked
    assert [tool["name"] for tool in first["tools"]] == [LOOK_UP, COUNT, FAIL]
    assert [text.splitlines()[0] for _, text in told(second)] == [
        '<input name="source-1">',
        '<input name="source-2">',
    ]
    [(failed, _)] = told(third)
    assert failed
    [notice] = [lost.told for lost in result.lost_inputs if lost.told]
    share = {"server": "stock", "n": 2, "of": 20}
    assert (notice.code, notice.params) == ("lost-tool-share", share)
    again = await bureau.work(asked, attempt=2)
    assert again.output == result.output
    assert len(served.calls) == 2, "a retry finds its calls in the journal"


async def test_error_that_a_tool_reports_reaches_the_model_and_the_reader(
    bureau: Bureau, asked: CrewTaskRequest
) -> None:
    bureau.house.provider.answers(uses(1, (FAIL, TANKS)), DONE)
    result = await bureau.work(asked)
    [(failed, text)] = told(bureau.asked[1])
    assert failed
    assert "no such thing: tanks" in text
    [notice] = [lost.told for lost in result.lost_inputs if lost.told]
    assert (notice.code, notice.params["tool"]) == ("lost-tool-call", "fail")
    why: Any = notice.params["why"]
    assert [each.code for each in why] == ["tool-server-error"]
