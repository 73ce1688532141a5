"""A client of MCP leads a run on the whole stack; nothing is searched before its user has approved on our page."""

from typing import Any

import pytest
from mcp import Client

from tests.support.stack import QUESTION, Whole


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content or {}


@pytest.mark.full
async def test_tools_lead_from_a_question_to_a_report(whole: Whole) -> None:
    async with Client(f"{whole.http.base_url}/mcp") as client:
        started = await call(client, "start", question=QUESTION)
        run = whole.run(started["run_id"])
        left = dict.fromkeys(each["id"] for each in started["questions"])
        asked = await call(client, "answer", run_id=run.id, answers=left, wait_seconds=50)
        shown = await call(client, "plan", run_id=run.id)
        named = {"run_id": run.id, "plan_hash": shown["plan_hash"]}
        link = (await call(client, "approve", **named))["approve_url"]
        looked = await whole.http.get(link)
        assert looked.status_code == 200, looked.text
        assert asked["waits_for"] == "approval"
        assert await whole.providers.asked("search") == []
        (await whole.http.post(f"{link}/approve")).raise_for_status()
        state = await run.completed()
        report = await call(client, "report", run_id=run.id)
        assert report["text"].strip() in (await run.get("/report", appendix=False)).text
    assert await whole.providers.asked("search") != []
    [decision] = state.decisions
    assert (decision.action, decision.by_link, decision.client) == ("approve", True, "mcp")
