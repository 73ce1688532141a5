"""The same gateway over the offline model and its failure switches."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.base import Json
from contracts.errors import (
    ModelBusy,
    ModelRefused,
    ModelUnreachable,
    OutputInvalid,
)
from tests.activities.calls.conftest import House, opened, tool
from tests.activities.calls.provider import Provider
from tests.conftest import Offline

SUMMARY: Json = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "points": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
    "required": ["summary", "points"],
}


@pytest.fixture
async def house(database: str, offline: Offline, tmp_path: Path) -> AsyncIterator[House]:
    async with opened(database, Provider(offline.model), tmp_path) as made:
        await warm(made)
        yield made


async def warm(house: House) -> None:
    """Have the services load what they load for their first answer, which may take its time."""
    while True:
        try:
            await house.call(house.request("Which solar pumps sell in Kenya?"))
        except ModelUnreachable:
            continue
        return


@pytest.fixture
async def control(offline: Offline) -> AsyncIterator[httpx.AsyncClient]:
    """The switches; set back afterwards."""
    params = httpx.URL(offline.requests).params
    async with httpx.AsyncClient(base_url=offline.model, params=params) as client:
        await client.delete("/requests")
        yield client
        await client.delete("/control")


async def fail(control: httpx.AsyncClient, **failure: Any) -> None:
    (await control.post("/control", json={"failures": [failure]})).raise_for_status()


async def requests(control: httpx.AsyncClient) -> int:
    return len((await control.get("/requests", params={"service": "model"})).json())


async def test_typed_answer_matches_its_schema(house: House) -> None:
    result = await house.call(house.request(output_schema=SUMMARY))
    assert result.output
    assert result.output["points"]
    assert result.usage.usd > 0


async def test_turn_with_tools_calls_one(house: House) -> None:
    search = tool("web_search").model_copy(
        update={
            "input_schema": {
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            }
        }
    )
    result = await house.call(house.request("Which solar pumps sell in Kenya?", tools=[search]))
    assert result.content[-1].type == "tool_use"
    assert result.content[-1].input["query"]


async def test_broken_json_is_repaired_once(house: House, control: httpx.AsyncClient) -> None:
    for question in ("What?", "And now?"):
        await fail(control, mode="bad_json")
        result = await house.call(house.request(question, output_schema=SUMMARY))
        assert result.usage.calls == 2
    await fail(control, mode="bad_json", times=2)
    with pytest.raises(OutputInvalid):
        await house.call(house.request("Again?", output_schema=SUMMARY))
    assert await requests(control) == 6


async def test_a_cut_off_answer_is_asked_for_once_more(
    house: House, control: httpx.AsyncClient
) -> None:
    await fail(control, mode="truncate")
    result = await house.call(house.request("Where do solar pumps sell?"))
    assert (result.usage.calls, await requests(control)) == (2, 2)


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        ({"mode": "refuse"}, ModelRefused),
        ({"status": 529, "retry_after": 2}, ModelBusy),
        ({"mode": "stream_error"}, ModelBusy),
    ],
)
async def test_failure_switch_is_one_request_and_one_error(
    house: House, control: httpx.AsyncClient, failure: dict[str, Any], error: type[Exception]
) -> None:
    await fail(control, **failure)
    with pytest.raises(error):
        await house.call(house.request("Where do solar pumps sell, and for how much?"))
    assert await requests(control) == 1
