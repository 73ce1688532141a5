"""A real server's tools on the whole stack: after a worker's death, finished or changing calls are not repeated."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest

from contracts.base import Json
from tests.activities.tool_servers.server import Served, serving
from tests.support.offline_services import eventually
from tests.support.stack import Whole


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "calls") as server:
        yield server


async def _restart_worker(whole: Whole, servers: Json) -> None:
    async with whole.stack.without("worker") as child:
        child.env = {**child.env, "GREENLIGHT_MCP_SERVERS": json.dumps(servers)}


@pytest.fixture
async def definition(whole: Whole, served: Served) -> AsyncIterator[str]:
    """A definition whose research may look up, and book, which may make changes."""
    await _restart_worker(whole, {"stock": {"url": served.url}})
    server: Json = {"name": "stock", "tools": ["look_up"], "effects": ["book"]}
    phases = [
        {"kind": "planning"},
        {"kind": "hitl_checkpoint"},
        {"kind": "research", "config": {"servers": ["stock"], "max_agents": 1}},
        {"kind": "synthesis"},
    ]
    body = {"id": "with_tools", "phases": phases, "mcp": {"servers": [server]}}
    assert (await whole.http.post("/v1/workflows", json=body)).status_code == 201
    yield "with_tools"
    await whole.http.delete("/v1/workflows/with_tools", params={"force": True})
    await _restart_worker(whole, {})


@pytest.mark.full
async def test_no_call_is_repeated_that_is_finished_or_may_make_changes(
    whole: Whole, served: Served, definition: str
) -> None:
    run = await whole.start(definition=definition)
    shown = await run.asks("decision")
    assert shown.plan
    tools = [(tool.name, tool.changes) for tool in shown.plan.servers[0].tools]
    assert tools == [("look_up", False), ("book", True)]
    assert served.calls == []
    await run.approve()

    async def booking() -> bool:
        looked_up = any(call["model"] == "mcp:stock" for call in await whole.ledger(run, "search"))
        return looked_up and any(line.startswith("book") for line in served.calls)

    await eventually(booking)
    whole.stack.kill("worker")
    state = await run.completed()
    assert Counter(line.split()[0] for line in served.calls) == {"look_up": 1, "book": 1}
    assert "lost-tool-call" in [notice.code for notice in state.notices]
    assert "412 dollars" in await run.report()
