"""Open WebUI's requests, in the form that its code sends, complete runs on the whole stack."""

import json
import re
import uuid
from typing import Any

import pytest

from tests.support.stack import QUESTION, Whole

APPROVAL = re.compile(r"`(approve [0-9a-f]{12})`")
HEADERS = {"X-OpenWebUI-User-Id": "u1", "X-OpenWebUI-User-Role": "user"}
TITLE = "### Task:\nGenerate a concise, 3-5 word title.\n<chat_history>\nUSER: {}\n</chat_history>"


async def send(whole: Whole, chat: str, model: str, messages: list[Any]) -> tuple[str, str]:
    """Return the text and the reasoning of an answer, read as Open WebUI reads a stream."""
    body = {"model": model, "messages": messages, "stream": True, "temperature": 0.7}
    headers = {**HEADERS, "X-OpenWebUI-Chat-Id": chat}
    text, reasoning, done = "", "", False
    path = "/v1/chat/completions"
    async with whole.http.stream("POST", path, json=body, headers=headers) as answer:
        assert answer.status_code == 200, await answer.aread()
        async for line in answer.aiter_lines():
            if not line.startswith("data: "):
                continue
            if line == "data: [DONE]":
                done = True
                continue
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content", "")
                reasoning += choice["delta"].get("reasoning_content", "")
    assert done
    return text, reasoning


@pytest.mark.full
async def test_chat_leads_from_a_question_to_a_report(whole: Whole) -> None:
    """This includes the title that Open WebUI requests in parallel to the first answer."""
    chat, messages = str(uuid.uuid4()), [{"role": "user", "content": QUESTION}]
    titled = {"model": "deep_research", "stream": False, "max_tokens": 1000}
    titled["messages"] = [{"role": "user", "content": TITLE.format(QUESTION)}]
    said = (await whole.http.post("/v1/chat/completions", json=titled, headers=HEADERS)).json()
    assert json.loads(said["choices"][0]["message"]["content"])["title"]
    for reply in ("-", ""):
        text, _ = await send(whole, chat, "deep_research", messages)
        messages.append({"role": "assistant", "content": text})
        messages.append({"role": "user", "content": reply or APPROVAL.findall(text)[0]})
    report, reasoning = await send(whole, chat, "deep_research", messages)
    found = re.match(r"\[[^\]]*\]\(\S*/(run-[\w-]+)\)", report)
    assert found
    run = whole.run(found[1])
    state = await run.completed()
    assert [d.action for d in state.decisions] == ["approve"]
    assert "# " in report
    assert (await run.report()).strip() in report
    assert reasoning.count("\n\n") > 4, "what is searched and read is told as it happens"
    runs = (await whole.http.get("/v1/runs", params={"text": QUESTION, "limit": 200})).json()
    assert found[1] in {item["run_id"] for item in runs["items"]}


@pytest.mark.full
async def test_web_answer_is_one_turn(whole: Whole) -> None:
    """Starting it is the consent to search, here as everywhere; what it cannot ask, it leaves open."""
    question = [{"role": "user", "content": f"{QUESTION} Answer for {uuid.uuid4().hex[:6]}."}]
    text, _ = await send(whole, str(uuid.uuid4()), "web_answer", question)
    if "1. **" in text:
        question += [{"role": "assistant", "content": text}, {"role": "user", "content": "-"}]
        text, _ = await send(whole, "", "web_answer", question)
    assert "# " in text
