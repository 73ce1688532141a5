"""Messages about an answer that violates its schema, for its model and for people."""

import json

import pytest

from activities.calls.structured_output import Mismatch, build_repair, read_typed
from contracts.agents.market_crew import Competition
from contracts.base import Json
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.call import Block, Message, ModelRequest, Reply, Scope
from contracts.notices import Notice

SCHEMA = get_answer_schema(Competition)
CLAIM: Json = {"text": "Acme sells pumps.", "citations": []}
ASKED = ModelRequest(
    scope=Scope(run_id="r", phase_id="p", attempt=1, name="n"),
    role="competition",
    model="m",
    system="",
    messages=[Message(role="user", content=[])],
    output_schema=SCHEMA,
    cap_usd=1,
)


def complain(answer: Json) -> Mismatch:
    content = [Block(type="text", text=json.dumps(answer))]
    reply = Reply(
        content=content,
        stop_reason="end_turn",
        input_tokens=1,
        output_tokens=1,
    )
    with pytest.raises(Mismatch) as broken:
        read_typed(ASKED, reply).unwrap()
    return broken.value


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            {"competitors": [{"price": None}, {"price": None}]},
            [Notice.of("output-lacks", place="competitors", names=["name", "claim"])],
        ),
        (
            {"competitors": [{"name": "A", "claim": CLAIM, "price": {"text": "It is 5."}}]},
            [Notice.of("output-lacks", place="competitors.price", names=["citations"])],
        ),
        ({"competitors": "A"}, [Notice.of("output-type", place="competitors", wanted=["array"])]),
        ({}, [Notice.of("output-lacks", place=None, names=["competitors"])]),
    ],
)
def test_what_an_answer_lacks_is_told_by_the_schemas_fields(
    answer: Json, told: list[Notice]
) -> None:
    assert [*complain(answer).why] == told


def test_the_repair_names_each_place_and_what_it_needs() -> None:
    broken = complain({"competitors": [{"price": None}]})
    reply = Reply(content=[], stop_reason="end_turn", input_tokens=1, output_tokens=1)
    repair = build_repair(ASKED, reply, broken.problems)
    [listed] = repair.messages[-1].content[1].inputs
    assert listed.text.splitlines()[0].startswith("$.competitors[0]: ")
    assert "name, claim" in listed.text
