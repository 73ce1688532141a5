"""Tool calls are made once, and have two events."""

import json
from collections.abc import Awaitable, Callable

import pytest
from pydantic import BaseModel

from activities.calls.tool_calls import ToolCalls
from contracts.errors import FetchRefused, GreenlightError, SearchFailed
from contracts.evidence.sources import SearchHit, SearchRequest, SearchResult
from contracts.models.call import Scope
from contracts.notices import Notice
from tests.activities.calls.conftest import House, environment

FOUND = SearchResult(query="pumps", hits=[SearchHit(url="http://a.example/", title="A")])


class Arguments(BaseModel):
    query: str


class Tool:
    """Raises the given errors, one per call, and then succeeds."""

    def __init__(self, *errors: GreenlightError) -> None:
        self.errors = list(errors)
        self.runs = 0

    async def search(self) -> SearchResult:
        self.runs += 1
        if self.errors:
            raise self.errors.pop(0)
        return FOUND


def scope(house: House) -> Scope:
    return Scope(run_id=house.run_id, phase_id="research", attempt=1, name="toolu_1")


async def run(
    house: House, fn: Callable[[], Awaitable[SearchResult]], attempt: int = 1, query: str = "pumps"
) -> SearchResult:
    async def call() -> SearchResult:
        calls = ToolCalls(house.calls, house.events)
        return await calls.run(scope(house), "web_search", Arguments(query=query), fn, SearchResult)

    return await environment(attempt).run(call)


async def test_retry_returns_the_journaled_result(house: House) -> None:
    tool = Tool()
    assert await run(house, tool.search) == FOUND
    assert await run(house, tool.search, attempt=2) == FOUND
    assert tool.runs == 1
    assert await house.told() == ["ToolCall", "ToolCallResult"]
    await run(house, tool.search, query="dams")
    assert tool.runs == 2


async def test_events_have_llamaindex_field_names(house: House) -> None:
    await run(house, Tool().search)
    call, result = await house.log()
    assert call.type == "ToolCall"
    named = {"tool_id": "toolu_1", "tool_name": "web_search", "tool_kwargs": {"query": "pumps"}}
    assert call.payload == named
    assert result.type == "ToolCallResult"
    assert named.items() <= result.payload.items()
    output = result.payload["tool_output"]
    assert isinstance(output, dict)
    assert (output["raw_output"], output["is_error"]) == (FOUND.model_dump(mode="json"), False)


async def test_events_of_a_search_have_its_hits_once_and_no_plan(house: House) -> None:
    url = "https://example.org/pumps"
    found = SearchResult(query="pumps", hits=[SearchHit(url=url, title="Pumps")])
    request = SearchRequest(
        scope=scope(house), query="pumps", approved=["Plan of pumps"] * 3, plan_hash="4711"
    )

    async def find() -> SearchResult:
        return found

    async def call() -> SearchResult:
        calls = ToolCalls(house.calls, house.events)
        return await calls.run(scope(house), "web_search", request, find, SearchResult)

    assert await environment().run(call) == found
    told = json.dumps([event.payload for event in await house.log()])
    assert (told.count(url), told.count("Plan of pumps")) == (1, 0)
    assert "4711" in told


@pytest.mark.parametrize(
    "error",
    [
        SearchFailed(Notice.of("search-late", service="Brave Search")),
        FetchRefused(Notice.of("host-private", host="h.test")),
    ],
)
async def test_failed_tool_is_logged_and_may_be_retried(
    house: House, error: GreenlightError
) -> None:
    tool = Tool(error)
    with pytest.raises(type(error)):
        await run(house, tool.search)
    assert await run(house, tool.search, attempt=2) == FOUND
    assert await house.told() == ["ToolCall", "ToolCallResult"] * 2
    outputs = [event.payload.get("tool_output") for event in await house.log()]
    failed, found = (o for o in outputs if isinstance(o, dict))
    assert (failed["is_error"], found["is_error"]) == (True, False)
    assert Notice.model_validate(failed["notice"]) == error.words
    assert "notice" not in found


async def test_tool_call_costs_nothing(house: House) -> None:
    await run(house, Tool().search)
    assert await house.spent() == 0
