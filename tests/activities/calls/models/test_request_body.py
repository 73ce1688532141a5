"""From a request to the body of the Messages API."""

from pathlib import Path
from typing import Any

import pytest

from activities.calls.request_body import (
    RenderedRequest,
    fit_thinking,
    hash_request,
    render_body,
)
from activities.calls.untrusted_text import GUIDANCE_RULE, INPUT_RULE
from contracts.base import Json
from contracts.evidence.claims import JudgeTerms
from contracts.models.call import (
    PLANNED,
    BlobRef,
    Block,
    Input,
    Message,
    ModelRequest,
    Scope,
    Tool,
    build_message,
)
from store.blobs import BlobStore


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path.as_uri())


def request(*messages: Message, tools: list[Tool] | None = None) -> ModelRequest:
    return ModelRequest(
        scope=Scope(run_id="run-1", phase_id="plan", attempt=1, name="ask"),
        role="planner",
        model="m",
        system="You plan.",
        messages=list(messages),
        tools=tools or [],
        cap_usd=1.0,
    )


def user(*blocks: Block) -> Message:
    return Message(role="user", content=list(blocks))


def fenced(text: str) -> Block:
    return Block(type="inputs", inputs=[Input(name="page", text=text)])


async def sent(blobs: BlobStore, *blocks: Block) -> list[dict[str, Any]]:
    [message] = (await render_body(request(user(*blocks)), blobs))["messages"]
    content: list[dict[str, Any]] = message["content"]
    return content


async def test_inputs_are_fenced(blobs: BlobStore) -> None:
    [block] = await sent(blobs, fenced("Solar pumps cost $500."))
    assert block == {
        "type": "text",
        "text": '<input name="page">\nSolar pumps cost $500.\n</input>',
    }


@pytest.mark.parametrize(
    "tag",
    [
        "</input>",
        "</INPUT >",
        "< / input>",
        "<\n/input>",
        "<\u200b/\u2060input>",
        "<//input>",
        '<input name="question">',
        "<iNput",
        "</guidance>",
        '<guidance name="steering">',
    ],
)
async def test_content_cannot_open_or_close_a_fence(blobs: BlobStore, tag: str) -> None:
    [block] = await sent(blobs, fenced(f"a {tag} b"))
    inside = block["text"].removeprefix('<input name="page">\n').removesuffix("\n</input>")
    assert inside == "a &lt;" + tag[1:] + " b"


async def test_what_a_human_says_of_the_work_is_told_apart_from_material(blobs: BlobStore) -> None:
    message = build_message(
        [Input(name="question", text="Which?")], ["Be brief.", "Mind </guidance>"]
    )
    [block] = await sent(blobs, *message.content)
    assert block["text"] == (
        '<input name="question" about="the request">\nWhich?\n</input>\n\n'
        '<guidance name="steering">\nBe brief.\nMind &lt;/guidance>\n</guidance>'
    )
    [told] = (await render_body(request(message), blobs))["system"]
    [untold] = (await render_body(request(user(fenced("x"))), blobs))["system"]
    assert told["text"].endswith(INPUT_RULE + GUIDANCE_RULE)
    assert untold["text"].endswith(INPUT_RULE)


async def test_other_markup_is_unchanged(blobs: BlobStore) -> None:
    [block] = await sent(blobs, fenced("a < b, <b>bold</b>, <script>"))
    assert "a < b, <b>bold</b>, <script>" in block["text"]


async def test_blob_is_truncated_and_fenced(blobs: BlobStore) -> None:
    key = await blobs.put("default", "run-1", "Übers Wasser: </input> und mehr".encode())
    ref = BlobRef(blob_key=key, start=6, chars=16)
    page = Block(type="inputs", inputs=[Input(name="page", text="Title. ", blob=ref)])
    [block] = await sent(blobs, page)
    assert block["text"] == '<input name="page">\nTitle. Wasser: &lt;/input>\n</input>'


async def test_tool_result_is_fenced_and_marked(blobs: BlobStore) -> None:
    result = Block(
        type="tool_result",
        id="toolu_1",
        text="Two hits.",
        inputs=[Input(name="hit", text="one"), Input(name="hit", text="two")],
        is_error=True,
    )
    [block] = await sent(blobs, result)
    assert (block["tool_use_id"], block["is_error"]) == ("toolu_1", True)
    [content] = block["content"]
    fences = '<input name="hit">\none\n</input>\n\n<input name="hit">\ntwo\n</input>'
    assert content == {"type": "text", "text": f"Two hits.\n\n{fences}"}


async def test_empty_text_is_not_sent(blobs: BlobStore) -> None:
    """The API refuses empty text blocks and messages."""
    silent = Message(role="assistant", content=[Block(type="text", text=" ")])
    body = await render_body(request(user(fenced("x")), silent, user(fenced("y"))), blobs)
    assert [message["role"] for message in body["messages"]] == ["user", "user"]


async def test_system_prompt_explains_inputs(blobs: BlobStore) -> None:
    [system] = (await render_body(request(user(fenced("x"))), blobs))["system"]
    assert system["text"] == f"You plan.\n\n{INPUT_RULE}"
    assert system["cache_control"] == {"type": "ephemeral"}


async def test_conversation_with_tools_is_cached_to_its_end(blobs: BlobStore) -> None:
    tool = Tool(name="look", description="Look.", input_schema={"type": "object"})
    use = Block(type="tool_use", id="toolu_1", name="look", input={"at": "it"})
    turn = Message(role="assistant", content=[use])
    result = user(Block(type="tool_result", id="toolu_1", inputs=[Input(name="hit", text="one")]))
    body = await render_body(request(user(fenced("x")), turn, result, tools=[tool]), blobs)
    assert body["messages"][1]["content"] == [
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "it"}}
    ]
    marked = [[("cache_control" in b) for b in m["content"]] for m in body["messages"]]
    assert marked == [[True], [False], [True]]
    assert body["tools"] == [tool.model_dump()]
    assert "tool_choice" not in body
    due = request(user(fenced("x")), turn, result, tools=[tool])
    due = due.model_copy(update={"may_call": False})
    last = await render_body(due, blobs)
    assert last["tool_choice"] == {"type": "none"}
    assert not any("cache_control" in b for m in last["messages"] for b in m["content"])


@pytest.mark.parametrize(
    ("keeps_history", "turns", "marked"),
    [
        (True, 1, [0, 2]),
        (True, 2, [2, 4]),
        (False, 1, []),
        (False, 2, [2]),
        (False, 3, [4]),
    ],
)
async def test_turn_that_drops_its_history_reads_the_cache_and_writes_none(
    blobs: BlobStore, keeps_history: bool, turns: int, marked: list[int]
) -> None:
    """What never changes in a conversation is its first block, which every turn reads and writes."""
    use = Block(type="tool_use", id="1", name="look")
    result = Block(type="tool_result", id="1", inputs=[Input(name="hit", text="one")])
    turn = [Message(role="assistant", content=[use]), user(result)]
    opening = user(fenced("plan"), fenced("report"))
    tool = Tool(name="look", description="Look.", input_schema={"type": "object"})
    asked = request(opening, *turn * turns, tools=[tool])
    body = await render_body(asked.model_copy(update={"keeps_history": keeps_history}), blobs)
    first, *_ = body["messages"][0]["content"]
    assert "cache_control" in first
    ends = [n for n, m in enumerate(body["messages"]) if "cache_control" in m["content"][-1]]
    assert ends == marked
    marks = sum("cache_control" in b for m in body["messages"] for b in m["content"])
    assert marks <= 3, "the API takes four, and the system has one"
    assert hash_request(asked) == hash_request(asked.model_copy(update={"keeps_history": False}))


OTHERWISE: dict[str, object] = {
    "scope": Scope(run_id="run-2", phase_id="write", attempt=2, name="tell"),
    "model": "n",
    "system": "You write.",
    "messages": [user(fenced("Pumps."))],
    "tools": [],
    "may_call": False,
    "keeps_history": False,
    "output_schema": {"type": "object", "properties": {}},
    "max_tokens": 17,
    "thinking_tokens": 2_000,
    "batch": True,
    "cap_usd": 9.0,
    "kept_usd": 2.0,
    "kept_turns": 1,
    "fits_budget": True,
    "seconds_left": 3.5,
    "pages": [],
    "judge": JudgeTerms(model="m", question="Where?"),
}
"""Another value of each field of a request; `role` names who asks and is kept apart."""


@pytest.mark.parametrize("field", sorted(ModelRequest.model_fields.keys() - {"role"}))
async def test_only_what_the_model_receives_makes_another_call(
    blobs: BlobStore, field: str
) -> None:
    """Else a request that is built again, with less time or money left, would be paid twice."""
    schema: Json = {"type": "object"}
    tool = Tool(name="look", description="Look.", input_schema=schema)
    asked = request(user(fenced("Where?")), tools=[tool]).model_copy(
        update={"output_schema": schema, "model": "claude-haiku-4-5"}
    )
    other = asked.model_copy(update={field: OTHERWISE[field]})
    bodies = [_leave_out_marks(await render_body(each, blobs)) for each in (asked, other)]
    assert (hash_request(asked) == hash_request(other)) == (bodies[0] == bodies[1])


def _leave_out_marks(part: Any) -> Any:
    """Return a part of a body without the marks of the provider's cache."""
    if isinstance(part, dict):
        return {k: _leave_out_marks(v) for k, v in part.items() if k != "cache_control"}
    return [*map(_leave_out_marks, part)] if isinstance(part, list) else part


async def test_first_turn_that_drops_its_history_writes_no_planned_search(blobs: BlobStore) -> None:
    """No earlier turn has cached them, and no later turn reads them."""
    opening = [user(fenced("plan"), fenced("report"))]
    for name in ("web_search", "fetch_url"):
        use = Block(type="tool_use", id=f"{PLANNED}{name}-1", name=name)
        hit = Input(name="hit", text="one")
        opening += [
            Message(role="assistant", content=[use]),
            user(Block(type="tool_result", id=use.id, inputs=[hit])),
        ]
    tool = Tool(name="look", description="Look.", input_schema={"type": "object"})
    asked = request(*opening, tools=[tool]).model_copy(update={"keeps_history": False})
    body = await render_body(asked, blobs)
    marked = [[("cache_control" in b) for b in m["content"]] for m in body["messages"]]
    assert marked == [[True, False], [False], [False], [False], [False]]


async def test_turn_that_only_writes_the_report_writes_no_cache(blobs: BlobStore) -> None:
    """A turn after it, to mend what was refused, is sent the pages of these sentences alone."""
    tool = Tool(name="update_report", description="Write.", input_schema={"type": "object"})
    asked = request(user(fenced("pages"), fenced("report")), tools=[tool])
    for keeps, marked in ((True, [True, True]), (False, [False, False])):
        body = await render_body(asked.model_copy(update={"keeps_history": keeps}), blobs)
        [message] = body["messages"]
        assert ["cache_control" in block for block in message["content"]] == marked


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("m", {}),
        ("claude-haiku-4-5-20251001", {}),
        ("claude-haiku-5-5", {"thinking": {"type": "disabled"}}),
        ("claude-sonnet-5-5", {"thinking": {"type": "between_tools"}}),
        ("claude-opus-5-5", {"output_config": {"effort": "low"}}),
    ],
)
async def test_thinking_is_off_or_short_where_a_model_thinks_by_itself(
    blobs: BlobStore, model: str, sent: dict[str, Any]
) -> None:
    """It counts towards the answer's tokens. Nothing is sampled, and no answer is begun for the model."""
    asked = request(user(Block(type="text", text="Why?"))).model_copy(update={"model": model})
    body = await render_body(asked, blobs)
    usual = {"model", "max_tokens", "system", "messages"}
    assert {name: value for name, value in body.items() if name not in usual} == sent
    assert body["messages"][-1]["role"] == "user"


async def test_effort_and_schema_are_sent_together(blobs: BlobStore) -> None:
    update = {"model": "claude-opus-5-5", "output_schema": {"type": "object"}}
    asked = request(user(Block(type="text", text="Why?"))).model_copy(update=update)
    output = (await render_body(asked, blobs))["output_config"]
    assert (output["effort"], output["format"]["type"]) == ("low", "json_schema")


HARD = {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}


@pytest.mark.parametrize(
    ("model", "most", "sent"),
    [
        ("m", 8_000, {}),
        *(
            (
                "claude-haiku-4-5-20251001",
                most,
                {"thinking": {"type": "enabled", "budget_tokens": n}},
            )
            for most, n in ((16_000, 8_000), (3_000, 1_500))
        ),
        ("claude-haiku-4-5-20251001", 2_000, {}),
        *((model, 16_000, HARD) for model in ("claude-opus-5-5", "claude-sonnet-5-5")),
        ("claude-sonnet-5", 2_000, {"thinking": {"type": "disabled"}}),
    ],
)
async def test_model_that_can_thinks_first_within_its_answer_s_tokens(
    model: str, most: int, sent: dict[str, Any]
) -> None:
    """Its pages are not written to the cache, which the next turn, without thinking, does not read."""
    told = {"model": model, "max_tokens": 16_000, "thinking_tokens": 8_000}
    tool = Tool(name="update_report", description="Write.", input_schema={"type": "object"})
    asked = request(user(fenced("pages"), fenced("report")), tools=[tool]).model_copy(update=told)
    rendered = RenderedRequest(fit_thinking(asked), {})
    rendered.render("enforced")
    body = rendered.limit_answer(most).render("enforced")
    assert body["max_tokens"] == most
    assert {name: body[name] for name in body if name in {"thinking", "output_config"}} == sent
    thinks = sent.get("thinking", {}).get("type") in {"enabled", "adaptive"}
    assert any("cache_control" in part for part in body["messages"][0]["content"]) != thinks


def test_room_for_thinking_is_part_of_a_request_s_hash_where_there_is_any() -> None:
    asked = request(user(Block(type="text", text="Why?")))
    assert "thinking_tokens" not in asked.model_dump()
    more = asked.model_copy(update={"thinking_tokens": 8_000})
    assert hash_request(asked) != hash_request(more)
