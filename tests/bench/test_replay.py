"""Recorded answers: kept by a relay, found again by form and place, verdicts by their sentence."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from activities.integrations.models.claude import ClaudeClient
from bench.replay import Relay, Replay, serve
from contracts.errors import ModelRejected
from offline.recordings.answers import fit_fields
from offline.recordings.recording import Body, Recording, RequestForm

TOOLS = [{"name": "fetch_url", "input_schema": {"type": "object"}}]


def ask(text: str, *, tools: list[Body] = TOOLS, fields: tuple[str, ...] = ()) -> Body:
    schema = {"type": "object", "properties": {name: {} for name in fields}}
    content = [{"type": "text", "text": text}]
    body: Body = {"model": "m", "max_tokens": 99, "system": [], "tools": tools}
    body |= {"messages": [{"role": "user", "content": content}], "stream": True}
    return body | ({"output_config": {"format": {"schema": schema}}} if fields else {})


def says(text: str) -> Body:
    return {"content": [{"type": "text", "text": text}]}


def about(*sentences: str, field: str = "verdicts") -> Body:
    claims = [{"claim": n, "sentence": text} for n, text in enumerate(sentences, start=1)]
    text = f'<input name="claims">\n{json.dumps(claims)}\n</input>'
    return ask(text, tools=[], fields=(field,))


async def send(url: str, body: Body) -> str:
    """Return the text of an answer."""
    client = ClaudeClient(url, "any")
    sent = {key: value for key, value in body.items() if key not in ("stream", "output_config")}
    reply = await client.stream(sent, lambda _: None)
    await client.close()
    return "".join(block.text or json.dumps(block.input) for block in reply.content)


async def post(url: str, body: Body) -> str:
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{url}/v1/messages", json=body)
    return answer.text


async def test_what_a_relay_keeps_is_answered_again(tmp_path: Path) -> None:
    call: Body = {"type": "tool_use", "name": "fetch_url", "input": {"url": "http://127.0.0.1:1/a"}}
    first = RequestForm.of(ask("?"))
    provider = Replay(Recording([(first, {"content": [call]}), (first, says("read"))]))
    async with serve(provider) as url, serve(Relay(url, tmp_path)) as relay:
        heard = [await send(relay, ask("Here: http://127.0.0.1:2/")) for _ in range(2)]
    assert heard == ['{"url": "http://127.0.0.1:2/a"}', "read"]
    again = Recording.load(tmp_path)
    (tmp_path / "kept.json").write_text(again.dump(), "utf-8")
    assert Recording.load(tmp_path / "kept.json") == again
    async with serve(Replay(again)) as url:
        assert [await send(url, ask("Other words: http://127.0.0.1:2/")) for _ in "12"] == heard


async def test_an_answer_that_was_not_recorded_is_refused_and_named() -> None:
    model = Replay(Recording([(RequestForm.of(ask("?")), says("once"))]))
    async with serve(model) as url:
        assert await send(url, ask("?")) == "once"
        with pytest.raises(ModelRejected, match="400"):
            await send(url, ask("?"))
    assert model.missing == ["turn 1 of ('fetch_url',), to answer ()"]


async def test_a_turn_that_was_not_recorded_is_answered_by_what_comes_next() -> None:
    """A conversation that is cut counts its turns from one again."""
    first = RequestForm.of(ask("?"))
    turns = [(first._replace(turn=n), says(f"turn {n}")) for n in (1, 2, 3)]
    async with serve(Replay(Recording(turns))) as url:
        told = [await post(url, ask("?")) for _ in turns]
    assert [f"turn {n}" in text for n, text in enumerate(told, start=1)] == [True] * 3


async def test_a_form_that_gained_a_field_is_known_by_the_others() -> None:
    old = RequestForm.of(ask("?", fields=("a", "b")))
    async with serve(Replay(Recording([(old, says("kept"))]))) as url:
        assert "kept" in await post(url, ask("?", fields=("a", "b", "c")))
        assert "no recorded answer" in await post(url, ask("?", fields=("d", "e")))


@pytest.mark.parametrize(
    ("field", "said"),
    [("verdicts", {"verdict": "partly", "reason": "by whom?"}), ("mends", {"mended": None})],
)
async def test_what_is_said_of_sentences_is_found_by_them(
    tmp_path: Path, field: str, said: Body
) -> None:
    given: Any = {field: [{"sentence": "It rose.", **said}]}
    kept = Recording(**given)
    async with serve(Replay(kept)) as url, serve(Relay(url, tmp_path)) as relay:
        told = await post(relay, about("It fell.", "It rose.", field=field))
    again = Recording.load(tmp_path)
    [told_again] = getattr(again, field)
    assert again.places == {told_again.pop("place")}
    assert again == kept
    text = "".join(
        event["delta"].get("text", "")
        for event in (json.loads(line[6:]) for line in told.splitlines() if line[:5] == "data:")
        if event["type"] == "content_block_delta"
    )
    held: Body = {"supported": []} if field == "verdicts" else {}
    assert json.loads(text) == {field: [{**said, "claim": 2}], **held}


def test_a_recorded_answer_gets_the_fields_that_its_schema_has_today() -> None:
    decided = {"type": "object", "properties": {"q1": {"type": "string"}}, "required": ["q1"]}
    step = {"properties": {"name": {}, "alone": {"type": "boolean"}}, "required": ["alone"]}
    steps = {"type": "array", "items": {"$ref": "#/$defs/Step"}}
    fields = {"title": {}, "steps": steps, "decided": decided, "age": {"type": ["integer", "null"]}}
    schema: Body = {"properties": fields, "required": [*fields], "$defs": {"Step": step}}
    kept: Body = {"title": "Olives", "outdated": True}
    fitted: Body = {"title": "Olives", "steps": [], "decided": {"q1": ""}, "age": None}
    assert fit_fields(kept, schema) == fitted
    kept["steps"] = [{"name": "look", "outdated": 1}]
    assert fit_fields(kept, schema) == fitted | {"steps": [{"name": "look", "alone": False}]}
    assert fit_fields(kept, {}) == kept
