"""Whole runs with a chat-completions model, without a key of the provider."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from tests.support.stack import Whole

MODEL = "chatty"
PATH = "/v1/chat/completions"


@pytest.fixture
async def chatting(whole: Whole) -> AsyncIterator[Whole]:
    """The stack with a worker that knows one model, which the offline services give by chat completions."""
    offline = whole.stack.addresses.offline
    assert offline
    settings = {
        "GREENLIGHT_MODEL": MODEL,
        "GREENLIGHT_SERVERS": json.dumps(
            {MODEL: {"url": offline["model"], "key": "any", "api": "chat"}}
        ),
        "GREENLIGHT_PRICES": '{"chatty": {"input_usd": 0.2, "output_usd": 1}}',
        "GREENLIGHT_OFFLINE": "true",  # stand-ins do not judge
        "GREENLIGHT_LIMITS": '{"chatty": {"window_tokens": 100000}}',
    }
    async with whole.stack.worker_with(settings):
        yield whole


async def test_web_answer_and_deep_research_run_by_chat_completions(chatting: Whole) -> None:
    """Both end with sources, each call is journaled and paid, and the other API is asked nothing."""
    whole = chatting
    quick = await whole.start(definition="web_answer")
    deep = await whole.start()
    _, ended = await asyncio.gather(deep.finish(), quick.ended())
    assert ended.status in {"completed", "partial"}, ended.phases  # its small budget may end it
    asked = await whole.providers.asked("model")
    assert {entry["path"] for entry in asked} == {PATH}
    assert {entry["status"] for entry in asked} == {200}
    paid = [call for run in (quick, deep) for call in await whole.ledger(run)]
    assert len(paid) == len(asked) < 16
    for run in (quick, deep):
        state = await run.state()
        assert state.usage.usd > 0
        assert state.usage.calls == len(await whole.ledger(run))
        assert (await run.get("/sources")).json()["items"]
        assert await run.events("AgentStream")
        assert not [e for e in await run.events("Status") if "token" in str(e.payload)]
