"""The offline model by chat completions: the same answers as by the Messages API, read by our own client."""

import json
from typing import Any

import httpx
import openai
import pytest

from activities.integrations.models.chat_completions import ChatClient
from activities.integrations.models.chat_wire import Dialect, to_chat
from activities.integrations.models.claude import ClaudeClient
from contracts.errors import KeyRejected, ModelBusy, ModelRejected
from contracts.models.call import Reply
from tests.offline.conftest import Services
from tests.offline.model_requests import body, fence
from tests.offline.test_messages_api import INPUTS, LOOKUP, QUESTIONS, REQUEST

FORCED = body(
    fence(INPUTS),
    tools=[{"name": "give_answer", "description": "", "input_schema": QUESTIONS}],
    tool_choice={"type": "tool", "name": "give_answer"},
)


async def ask(client: ChatClient | ClaudeClient, request: dict[str, Any]) -> Reply:
    try:
        return await client.stream(request, lambda _: None)
    finally:
        await client.close()


@pytest.mark.parametrize("request_body", [REQUEST, LOOKUP, FORCED, REQUEST | {"max_tokens": 3}])
async def test_both_apis_give_the_same_reply(
    services: Services, request_body: dict[str, Any]
) -> None:
    by_chat = await ask(ChatClient(services.base, "any"), request_body)
    by_messages = await ask(ClaudeClient(services.base, "any"), request_body)
    same = {"content", "stop_reason", "output_tokens"}
    assert by_chat.model_dump(include=same) == by_messages.model_dump(include=same)
    assert not by_chat.is_estimated


async def test_openai_s_own_client_reads_both_forms(services: Services) -> None:
    asked = to_chat(REQUEST, Dialect())
    async with openai.AsyncOpenAI(
        base_url=f"{services.base}/v1", api_key="any", max_retries=0
    ) as client:
        chunks = [chunk async for chunk in await client.chat.completions.create(**asked)]
        whole = await client.chat.completions.create(**{**asked, "stream": False})
    streamed = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert streamed == whole.choices[0].message.content
    assert json.loads(streamed)["questions"]
    assert chunks[-1].usage == whole.usage


async def test_agent_that_must_call_a_tool_gives_its_answer_by_one(services: Services) -> None:
    """It searches first; with what it found it answers, in the schema of the tool for it."""
    asked = LOOKUP | {"output_config": REQUEST["output_config"]}
    first = await ask(ChatClient(services.base, "any"), asked)
    assert {block.name for block in first.content} == {"look"}
    free = REQUEST | {"tools": [{"name": "idle", "description": "", "input_schema": {}}]}
    answered = await ask(ChatClient(services.base, "any"), free)
    assert [block.name for block in answered.content] == ["give_answer"]
    assert answered.content[0].input["questions"]


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        ({"status": 529}, ModelBusy),
        ({"status": 401}, KeyRejected),
        ({"status": 400}, ModelRejected),
        ({"mode": "stream_error"}, ModelBusy),
    ],
)
async def test_faults_strike_it_too(
    services: Services, failure: dict[str, Any], error: type[Exception]
) -> None:
    (await services.http.post("/control", json={"failures": [failure]})).raise_for_status()
    with pytest.raises(error):
        await ask(ChatClient(services.base, "any"), REQUEST)
    (await services.http.delete("/control")).raise_for_status()


@pytest.mark.parametrize("change", [{"messages": []}, {"max_tokens": 0}, {"model": None}])
async def test_request_out_of_form_is_refused(services: Services, change: dict[str, Any]) -> None:
    async with httpx.AsyncClient(
        base_url=services.base, headers={"Authorization": "Bearer any"}
    ) as http:
        answer = await http.post("/v1/chat/completions", json=to_chat(REQUEST, Dialect()) | change)
        unkeyed = await http.post("/v1/chat/completions", json={}, headers={"Authorization": ""})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
    assert unkeyed.status_code == 401
