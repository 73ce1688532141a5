"""The Messages API, spoken to by the provider's own client."""

import anthropic
import pytest

from tests.offline.conftest import Services
from tests.offline.model_requests import body, fence

INPUTS = {"question": "Is Peru or Chile better for olive oil?", "max_questions": "3"}
QUESTIONS = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
}
REQUEST = body(fence(INPUTS), schema=QUESTIONS)
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
LOOKUP = body(
    fence({"question": "What do Peru and Chile export?"}),
    tools=[{"name": "look", "description": "", "input_schema": QUERY}],
)


def client_of(services: Services, key: str = "any") -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key=key, base_url=services.base, max_retries=0)


async def test_a_stream_tells_the_same_as_a_whole_answer(services: Services) -> None:
    async with client_of(services) as client:
        whole = await client.messages.create(**REQUEST)
        async with client.messages.stream(**REQUEST) as stream:
            kinds = [event.type async for event in stream]
            streamed = await stream.get_final_message()
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"
    assert streamed.content[0].model_dump()["text"] == whole.content[0].model_dump()["text"]
    assert (streamed.stop_reason, streamed.usage) == (whole.stop_reason, whole.usage)


async def test_usage_is_about_four_characters_a_token(services: Services) -> None:
    response = (await services.http.post("/v1/messages", json=REQUEST)).json()
    text = response["content"][0]["text"]
    assert response["usage"]["output_tokens"] == pytest.approx(len(text) / 4, abs=1)


async def test_tool_calls_stream_as_json(services: Services) -> None:
    async with client_of(services) as client, client.messages.stream(**LOOKUP) as stream:
        message = await stream.get_final_message()
    assert message.stop_reason == "tool_use"
    assert all(block.type == "tool_use" and block.input for block in message.content)


async def test_a_forced_tool_is_called_with_valid_arguments(services: Services) -> None:
    tool = {"name": "structured_output", "description": "", "input_schema": QUESTIONS}
    choice = {"type": "tool", "name": "structured_output"}
    request = body(fence(INPUTS), tools=[tool], tool_choice=choice)
    content = (await services.http.post("/v1/messages", json=request)).json()["content"]
    assert [block["name"] for block in content] == ["structured_output"]
    assert content[0]["input"]["questions"]


async def test_an_answer_longer_than_allowed_is_cut(services: Services) -> None:
    response = await services.http.post("/v1/messages", json=REQUEST | {"max_tokens": 3})
    assert response.json()["stop_reason"] == "max_tokens"


async def test_a_tool_call_too_is_cut_off_within_its_arguments(services: Services) -> None:
    request = LOOKUP | {"max_tokens": 3}
    async with client_of(services) as client, client.messages.stream(**request) as stream:
        message = await stream.get_final_message()
    assert message.stop_reason == "max_tokens"
    [call] = message.content
    assert call.type == "tool_use"
    assert call.input == {}
    assert message.usage.output_tokens == 3


@pytest.mark.parametrize(
    ("change", "status", "kind"),
    [
        ({"temperature": 0}, 400, "invalid_request_error"),
        ({"messages": []}, 400, "invalid_request_error"),
        ({"messages": [{"role": "system", "content": "x"}]}, 400, "invalid_request_error"),
        ({"messages": [{"role": "user", "content": [7]}]}, 400, "invalid_request_error"),
        ({"model": None}, 400, "invalid_request_error"),
        ({"max_tokens": "many"}, 400, "invalid_request_error"),
        ({"tools": [{}]}, 400, "invalid_request_error"),
    ],
)
async def test_a_request_out_of_form_is_refused(
    services: Services, change: dict[str, object], status: int, kind: str
) -> None:
    response = await services.http.post("/v1/messages", json=REQUEST | change)
    assert (response.status_code, response.json()["error"]["type"]) == (status, kind)
    assert response.headers["request-id"]


async def test_a_body_that_is_no_json_is_refused(services: Services) -> None:
    response = await services.http.post("/v1/messages", content=b"\xff{")
    assert response.json()["error"]["type"] == "invalid_request_error"


async def test_a_key_is_needed(services: Services) -> None:
    response = await services.http.post("/v1/messages", json=REQUEST, headers={"x-api-key": ""})
    assert (response.status_code, response.json()["error"]["type"]) == (401, "authentication_error")
