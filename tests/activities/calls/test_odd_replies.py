"""Replies that cannot be kept, passed on or finished, and what they cost."""

import pytest

from contracts.base import Json
from contracts.errors import ModelBusy, ModelUnreachable
from tests.activities.calls.conftest import House, tool
from tests.activities.calls.provider import breaks_off, says, uses


async def test_answer_with_unstorable_characters_is_paid_once(
    house: House,
) -> None:
    house.provider.answers(uses("web_search", query="so\x00lar", limit=float("inf"), most=1e22))
    request = house.request(tools=[tool("web_search")])
    made, found = [await house.call(request, attempt=n) for n in (1, 2)]
    assert [b.model_dump_json() for b in made.content] == [
        b.model_dump_json() for b in found.content
    ]
    assert made.content[-1].input == {"query": "so\ufffdlar", "limit": None, "most": 10**22}
    assert len(house.provider.exchanges) == 1
    assert await house.spent() == pytest.approx(made.usage.usd) != 0


@pytest.mark.parametrize(
    "wrong", ['{"of": "\\ud83d", "many": 1}', '{"of": "trees", "many": 1e999}', "[" * 5_000]
)
async def test_unserializable_answer_is_repaired(house: House, wrong: str) -> None:
    house.provider.answers(says(wrong), says('{"of": "trees", "many": 2}'))
    fields: Json = {"of": {"type": "string"}, "many": {"type": "number"}}
    schema: Json = {"type": "object", "properties": fields, "additionalProperties": False}
    result = await house.call(house.request(output_schema=schema))
    assert result.output == {"of": "trees", "many": 2}


@pytest.mark.parametrize("how", ["drop", "overloaded_error"])
async def test_interrupted_answer_is_paid(house: House, how: str) -> None:
    house.provider.answers(breaks_off(how))
    with pytest.raises((ModelUnreachable, ModelBusy)):
        await house.call(house.request())
    lost = await house.spent()
    assert lost > 0
    answered = await house.call(house.request(), attempt=2)
    assert await house.spent() == pytest.approx(lost + answered.usage.usd)
    assert (await house.journal.sum_usage("default", house.run_id)).calls == 1
