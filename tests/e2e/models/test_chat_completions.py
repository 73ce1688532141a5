"""Whole runs whose model is asked by chat completions, without a key of the provider."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.chaos.fragile_stack import FragileStack
from tests.offline.conftest import Services, serving
from tests.stack import Whole

MODEL = "chatty"
PATH = "/v1/chat/completions"


@pytest.fixture(scope="module")
async def chatting(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Whole, Services]]:
    """A stack that knows one model, which the offline services give by chat completions."""
    with pytest.MonkeyPatch.context() as patch:
        async with serving() as services:
            server = {"url": services.base, "key": "any", "api": "chat"}
            patch.setenv("GREENLIGHT_MODEL", MODEL)
            patch.setenv("GREENLIGHT_SERVERS", json.dumps({MODEL: server}))
            patch.setenv("GREENLIGHT_PRICES", '{"chatty": {"input_usd": 0.2, "output_usd": 1}}')
            patch.setenv("GREENLIGHT_OFFLINE", "true")  # a stand-in judges nothing
            patch.setenv("GREENLIGHT_LIMITS", '{"chatty": {"window_tokens": 100000}}')
            home: Path = tmp_path_factory.mktemp("chatting") / "home"
            async with (
                FragileStack(home, print, has_crews=False) as stack,
                Whole.of(stack) as whole,
            ):
                yield whole, services


async def test_web_answer_and_deep_research_run_by_chat_completions(
    chatting: tuple[Whole, Services],
) -> None:
    """Both end with sources, each call is journaled and paid, and the other API is asked nothing."""
    whole, services = chatting
    quick = await whole.start(definition="web_answer")
    deep = await whole.start()
    _, ended = await asyncio.gather(deep.finish(), quick.ended())
    assert ended.status in {"completed", "partial"}, ended.phases  # its small budget may end it
    asked = await services.log("model")
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
