"""Typed answers of servers that know no structured output, or no tools either."""

from pathlib import Path

import pytest

from contracts.base import Json
from contracts.errors import ModelRejected, OutputInvalid
from tests.activities.calls.conftest import NUMBER, House, opened, tool
from tests.activities.calls.provider import Body, fails, says, uses
from tests.support.words import pattern

PROSE = says("Namaste! I would say twelve.")
NUMBERED = says('{"number": 12}')


def forms(house: House) -> list[str]:
    """Return how each request asked for its answer."""
    return [_name_form(exchange.body) for exchange in house.provider.exchanges]


def _name_form(body: Body) -> str:
    if "output_config" in body:
        return "enforced"
    if body.get("tool_choice", {}).get("name") == "give_answer":
        return "tool"
    return "text" if "JSON Schema" in body["messages"][-1]["content"][-1]["text"] else "none"


async def test_server_that_heeds_nothing_is_asked_in_words_from_then_on(house: House) -> None:
    house.provider.answers(PROSE, PROSE, NUMBERED, NUMBERED)
    for question in ("How many?", "And now?"):
        result = await house.call(house.request(question, output_schema=NUMBER))
        assert result.output == {"number": 12}
    assert forms(house) == ["enforced", "tool", "text", "text"]
    assert "Namaste" not in str(house.provider.exchanges[2].body)


async def test_prose_that_was_cut_off_gets_no_more_room(house: House) -> None:
    house.provider.answers(says("Namaste! I would", "max_tokens"), uses("give_answer", number=12))
    result = await house.call(house.request(output_schema=NUMBER))
    assert (result.output, forms(house)) == ({"number": 12}, ["enforced", "tool"])


async def test_answer_found_in_a_form_is_not_paid_again_by_another_worker(
    house: House, tmp_path: Path
) -> None:
    house.provider.answers(PROSE, PROSE, NUMBERED)
    request = house.request(output_schema=NUMBER)
    made = await house.call(request)
    async with opened(house.dsn, house.provider, tmp_path) as other:
        assert await other.call(request) == made.model_copy(
            update={"reused": True, "usage": made.usage.model_copy(update={"reused_calls": 3})}
        )
    assert len(house.provider.exchanges) == 3


async def test_forced_tool_gives_a_typed_answer(house: House) -> None:
    house.provider.answers(PROSE, uses("give_answer", number=12), uses("give_answer", number=13))
    for number in (12, 13):
        result = await house.call(house.request(f"Is it {number}?", output_schema=NUMBER))
        assert result.output == {"number": number}
        assert all(block.type == "text" for block in result.content)
    assert forms(house) == ["enforced", "tool", "tool"]
    sent = house.provider.exchanges[1].body["tools"]
    assert [(given["name"], given["input_schema"]) for given in sent] == [("give_answer", NUMBER)]


async def test_agent_that_may_call_is_free_to_choose_a_tool(house: House) -> None:
    house.provider.answers(PROSE, uses("web_search", query="pumps"), uses("give_answer", number=1))
    request = house.request(tools=[tool("web_search")], output_schema=NUMBER)
    assert (await house.call(request)).content[-1].name == "web_search"
    due = await house.call(request.model_copy(update={"may_call": False}))
    assert due.output == {"number": 1}
    chosen = [exchange.body.get("tool_choice") for exchange in house.provider.exchanges]
    assert chosen == [None, {"type": "any"}, {"type": "none"}], "what it does without is not known"


async def test_server_that_rejects_structured_output_is_asked_otherwise_once(house: House) -> None:
    house.provider.answers(fails(400), uses("give_answer", number=12), fails(400))
    result = await house.call(house.request(output_schema=NUMBER))
    assert (result.output, result.usage.calls) == ({"number": 12}, 1)
    with pytest.raises(ModelRejected):  # what it takes is known: the fault is another
        await house.call(house.request("And now?", output_schema=NUMBER))
    assert forms(house) == ["enforced", "tool", "tool"]


@pytest.mark.parametrize(("status", "asked"), [(400, 3), (401, 1), (404, 1)])
async def test_rejection_of_every_form_is_told_as_the_first(
    house: House, status: int, asked: int
) -> None:
    house.provider.answers(*[fails(status)] * asked)
    with pytest.raises(ModelRejected, match=str(status)):
        await house.call(house.request(output_schema=NUMBER))
    assert len(house.provider.exchanges) == asked


async def test_model_that_keeps_to_no_schema_ends_clearly(house: House) -> None:
    house.provider.answers(*[PROSE] * 8)
    for question, asked in (("How many?", 4), ("And now?", 8)):
        with pytest.raises(OutputInvalid, match=pattern("model-hint-schema")):
            await house.call(house.request(question, output_schema=NUMBER))
        assert len(house.provider.exchanges) == asked


async def test_form_that_a_storm_spoiled_is_tried_again_by_the_next_request(house: House) -> None:
    """Else a worker whose first answers were spoiled would ask in words until it ends."""
    house.provider.answers(*[PROSE] * 4, NUMBERED)
    with pytest.raises(OutputInvalid):
        await house.call(house.request(output_schema=NUMBER))
    result = await house.call(house.request("And now?", output_schema=NUMBER))
    assert result.output == {"number": 12}
    assert forms(house) == ["enforced", "tool", "text", "text", "enforced"]


async def test_form_spoiled_without_tools_is_tried_again_beside_them(house: House) -> None:
    house.provider.answers(PROSE, uses("give_answer", number=1), *[PROSE] * 3, NUMBERED)
    tools = [tool("web_search")]
    await house.call(house.request(output_schema=NUMBER))
    with pytest.raises(OutputInvalid):
        await house.call(house.request("How many?", output_schema=NUMBER, tools=tools))
    result = await house.call(house.request("And now?", output_schema=NUMBER, tools=tools))
    assert (result.output, forms(house)[-1]) == ({"number": 12}, "enforced")


async def test_form_that_gave_an_answer_is_left_for_no_single_mistake(house: House) -> None:
    house.provider.answers(NUMBERED, PROSE, NUMBERED)
    for question in ("How many?", "And now?"):
        await house.call(house.request(question, output_schema=NUMBER))
    assert forms(house) == ["enforced", "enforced", "enforced"]


async def test_fields_that_a_model_invents_are_left_out_and_not_paid_again(house: House) -> None:
    listed: Json = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": NUMBER}},
        "required": ["items"],
        "additionalProperties": False,
    }
    house.provider.answers(says('{"items": [{"number": 12, "mood": "fair"}], "sure": true}'))
    result = await house.call(house.request(output_schema=listed))
    assert result.output == {"items": [{"number": 12}]}


async def test_a_field_that_is_called_otherwise_is_missing_all_the_same(house: House) -> None:
    house.provider.answers(says('{"count": 12}'), uses("give_answer", number=12))
    result = await house.call(house.request(output_schema=NUMBER))
    assert (result.output, forms(house)) == ({"number": 12}, ["enforced", "tool"])


async def test_model_that_refuses_forced_tools_is_never_sent_one(house: House) -> None:
    """What it gives as prose is asked for in words next, not by a tool that it must call."""
    house.provider.answers(PROSE, NUMBERED)
    request = house.request(output_schema=NUMBER).model_copy(update={"model": "claude-opus-5-5"})
    assert (await house.call(request)).output == {"number": 12}
    assert not [e for e in house.provider.exchanges if "tool_choice" in e.body]
    assert "format" in house.provider.exchanges[0].body["output_config"]
    assert "format" not in house.provider.exchanges[1].body["output_config"]
