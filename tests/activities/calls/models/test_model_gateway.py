"""Calls through the gateway are paid once, priced, reported and validated, for any reply."""

import asyncio
import gc
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from temporalio.activity import ActivityCancellationDetails

from activities.calls.model_gateway import CALL_HEADER
from activities.calls.request_body import Body, RenderedRequest, Texts, hash_request, render
from contracts.base import Json
from contracts.errors import (
    BudgetExceeded,
    ModelBusy,
    ModelRefused,
    ModelRejected,
    ModelTruncated,
    ModelUnreachable,
    OutputInvalid,
)
from contracts.models.batch import Form
from contracts.models.call import BlobRef, Block, Input, Message, ModelRequest, Scope
from contracts.notices import Notice
from contracts.runs.events import AgentOutput
from domain.lost_inputs import explain_loss
from tests.activities.calls.conftest import NUMBER, House, environment, tool
from tests.activities.calls.provider import Says, breaks_off, fails, says, uses
from tests.support.words import en, opening, pattern


async def test_answer_is_settled_at_its_price(house: House) -> None:
    """1000 tokens in at $1 and 3 out at $5 a million."""
    house.provider.answers(says("Twelve, oh"))
    result = await house.call(house.request())
    assert [block.text for block in result.content] == ["Twelve, oh"]
    assert (result.usage.calls, result.usage.input_tokens, result.usage.output_tokens) == (
        1,
        1000,
        3,
    )
    assert result.usage.usd == pytest.approx(1000e-6 + 3 * 5e-6)
    assert await house.spent() == pytest.approx(result.usage.usd)
    assert not result.reused


async def test_retry_returns_the_paid_answer(house: House) -> None:
    first = await house.call(house.request())
    again = await house.call(house.request(), attempt=2)
    assert again.content == first.content
    assert (again.reused, again.usage.usd) == (True, first.usage.usd)
    assert len(house.provider.exchanges) == 1
    assert await house.told() == ["AgentInput", "AgentStream", "AgentOutput"]


async def test_a_call_without_a_recorded_answer_is_the_stand_ins_and_says_so(house: House) -> None:
    request = house.request()
    request = request.model_copy(
        update={"scope": request.scope.model_copy(update={"sample": "pumps"})}
    )
    house.provider.answers(fails(400), says("By rule."))
    told = [await house.call(request, attempt=n) for n in (1, 2)]
    assert [block.text for block in told[1].content] == ["By rule."]
    assert [result.usage.off_record_calls for result in told] == [1, 1]
    asked = [exchange.headers.get(CALL_HEADER) for exchange in house.provider.exchanges]
    assert asked == [
        f"pumps {request.scope.run_id} {request.scope.phase_id}/{request.scope.name}",
        None,
    ]


async def test_new_phase_attempt_or_step_makes_a_new_call(house: House) -> None:
    request = house.request()
    scopes: list[dict[str, object]] = [
        {"attempt": 2},
        {"plan_step": "two"},
        {"phase_id": "research"},
    ]
    for update in ({}, *scopes):
        scope = request.scope.model_copy(update=update)
        await house.call(request.model_copy(update={"scope": scope}))
    assert len(house.provider.exchanges) == 1 + len(scopes)


def test_request_hash_ignores_scope_and_cap(house: House) -> None:
    request = house.request()
    scope = Scope(run_id="other", phase_id="other", attempt=7, name="other")
    same = request.model_copy(update={"scope": scope, "cap_usd": 9.0})
    assert hash_request(request) == hash_request(same)
    assert hash_request(request) != hash_request(request.model_copy(update={"max_tokens": 17}))


async def test_events_have_llamaindex_field_names(house: House) -> None:
    house.provider.answers(uses("web_search", query="pumps"))
    await house.call(house.request(tools=[tool("web_search")]))
    asked, streamed, answered = await house.log()
    assert (
        asked.payload["current_agent_name"] == streamed.payload["current_agent_name"] == "planner"
    )
    assert streamed.payload["delta"] == "Let me look."
    call = {"tool_id": "toolu_1", "tool_name": "web_search", "tool_kwargs": {"query": "pumps"}}
    assert answered.payload["tool_calls"] == [call]
    assert (answered.payload["model"], answered.payload["stop_reason"]) == ("m", "tool_use")
    assert answered.payload["usd"] == pytest.approx(await house.spent())


async def test_deltas_are_written_in_ordered_batches(house: House) -> None:
    """20 pieces over half a second make at most six events, one per 100 ms."""
    text = "".join(f"{n:023d} " for n in range(20))
    house.provider.answers(says(text, pace=0.02))
    await house.call(house.request())
    deltas = [e.payload["delta"] for e in await house.log() if e.type == "AgentStream"]
    assert "".join(map(str, deltas)) == text
    assert 2 <= len(deltas) <= 6


async def test_deltas_of_concurrent_calls_are_distinguished(house: House) -> None:
    house.provider.answers(*[says(" ".join(["and so on"] * 20), pace=0.02)] * 2)
    await asyncio.gather(*(house.call(house.request(name, name)) for name in ("one", "two")))
    log = [event for event in await house.log() if event.type != "AgentInput"]
    for name in ("one", "two"):
        *deltas, output = [event for event in log if event.payload["call"] == name]
        answered = AgentOutput.model_validate(output.payload).response.blocks[0].text
        assert "".join(str(delta.payload["delta"]) for delta in deltas) == answered
    assert [event.payload["call"] for event in log] != sorted(
        str(event.payload["call"]) for event in log
    )


async def test_typed_answer_is_validated_and_returned(house: House) -> None:
    house.provider.answers(says('{"number": 12}'))
    result = await house.call(house.request(output_schema=NUMBER))
    assert result.output == {"number": 12}
    sent = house.provider.exchanges[0].body["output_config"]["format"]
    assert sent["type"] == "json_schema"
    assert sent["schema"]["properties"]["number"]["description"] == "{minimum: 1}"


async def test_journaled_call_equals_the_original(house: House) -> None:
    """The next turn repeats it: in another order of keys it would be another request."""
    given = {"rows": [{"year": 2024, "at": 1}], "query": "pumps", "kind": {"b": 1, "a": 2}}
    house.provider.answers(uses("web_search", **given))
    request = house.request(tools=[tool("web_search")])
    made, found = [await house.call(request) for _ in range(2)]
    assert (made.reused, found.reused) == (False, True)
    assert made.content[-1].input == given
    assert [block.model_dump_json() for block in made.content] == [
        block.model_dump_json() for block in found.content
    ]


async def test_turn_with_tool_calls_is_returned_unchanged(house: House) -> None:
    house.provider.answers(uses("web_search", query="pumps"))
    request = house.request(tools=[tool("web_search")], output_schema=NUMBER)
    result = await house.call(request)
    assert result.output is None
    assert result.content[-1].input == {"query": "pumps"}


async def test_repair_turn_lists_the_problems(house: House) -> None:
    house.provider.answers(says('{"number": 0}'), says('{"number": 12}'))
    result = await house.call(house.request(output_schema=NUMBER))
    assert result.output == {"number": 12}
    assert result.usage.calls == 2
    assert await house.spent() == pytest.approx(result.usage.usd)
    repair = house.provider.exchanges[1].body["messages"]
    assert repair[-1]["content"][1]["text"].startswith('<input name="problems">')
    assert repair[-2]["content"][0]["text"] == '{"number": 0}'


async def test_second_mismatch_fails_and_is_paid(house: House) -> None:
    house.provider.answers(says('{"number": 0, "number": -7}'), says('{"number": -1}'))
    with pytest.raises(
        OutputInvalid, match=opening("output-breaks", "rule", place="number", rule="minimum")
    ) as failed:
        await house.call(house.request(output_schema=NUMBER))
    assert "-1" not in str(failed.value)
    assert (await house.journal.sum_usage("default", house.run_id)).calls == 2
    with pytest.raises(OutputInvalid):
        await house.call(house.request(output_schema=NUMBER), attempt=2)
    assert len(house.provider.exchanges) == 2


async def test_ref_in_a_schema_is_never_fetched(house: House) -> None:
    remote: Json = {"$ref": f"{house.provider.url}/v1/messages"}
    schema: Json = {**NUMBER, "properties": {"number": remote}}
    house.provider.answers(says('{"number": 12}'))
    with pytest.raises(OutputInvalid, match=pattern("output-schema-lacks")):
        await house.call(house.request(output_schema=schema))
    assert len(house.provider.exchanges) == 1


async def test_a_schema_that_would_take_too_long_fails_the_call(house: House) -> None:
    twice: Json = {
        f"d{n}": {"type": "object", "allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)
    }
    definitions: Json = twice | {"d60": {"type": "object"}}
    doubling: Json = {"type": "object", "$defs": definitions, "allOf": [{"$ref": "#/$defs/d0"}]}
    circle: Json = {"type": "object", "$ref": "#"}
    for schema in (doubling, circle):
        house.provider.answers(says("{}"))
        with pytest.raises(OutputInvalid, match=pattern("output-schema-slow")):
            await house.call(house.request(output_schema=schema))
    assert len(house.provider.exchanges) == 2


@pytest.mark.parametrize(
    ("stop_reason", "error"),
    [("refusal", ModelRefused), ("model_context_window_exceeded", ModelTruncated)],
)
async def test_a_useless_answer_is_paid_once(
    house: House, stop_reason: str, error: type[Exception]
) -> None:
    house.provider.answers(says("I", stop_reason))
    for attempt in (1, 2):
        with pytest.raises(error):
            await house.call(house.request(), attempt)
    assert len(house.provider.exchanges) == 1
    assert await house.spent() == pytest.approx(1000e-6 + 5e-6)


async def test_an_answer_that_was_cut_off_is_asked_for_once_more_with_more_room(
    house: House,
) -> None:
    house.provider.answers(says("I", "max_tokens"), says("I am whole."))
    result = await house.call(house.request(max_tokens=700))
    assert result.content[0].text == "I am whole."
    assert [e.body["max_tokens"] for e in house.provider.exchanges] == [700, 1400]
    assert result.usage.calls == 2


async def test_an_answer_that_is_cut_off_twice_is_given_up(house: House) -> None:
    house.provider.answers(says("I", "max_tokens"), says("I am", "max_tokens"))
    for attempt in (1, 2):
        with pytest.raises(ModelTruncated):
            await house.call(house.request(), attempt)
    assert len(house.provider.exchanges) == 2


async def test_the_complete_calls_of_a_turn_that_was_cut_off_are_made(house: House) -> None:
    calls = [
        {"type": "tool_use", "id": n, "name": "web_search", "input": {"query": n}} for n in "ab"
    ]
    house.provider.answers(Says(calls, stop_reason="max_tokens"))
    result = await house.call(house.request(tools=[tool("web_search")]))
    assert [block.id for block in result.content] == ["a"]
    assert len(house.provider.exchanges) == 1


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"n": 1}\n```',
        'Here it is:\n\n```\n{"n": 1}\n```\nI hope it helps.',
        '<think>Is it {1}? Or {"n": 2}?</think>\n{"n": 1}',
        'With {braces} before it: {"n": 1} and more.',
        ' {"n": 1}',
    ],
)
async def test_json_in_a_wrapping_is_read_and_not_paid_for_again(house: House, text: str) -> None:
    house.provider.answers(says(text))
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    result = await house.call(house.request(output_schema=schema))
    assert (result.output, len(house.provider.exchanges)) == ({"n": 1}, 1)


async def test_call_over_the_cap_is_not_made(house: House) -> None:
    """Reserved is the estimated input and every token that may come out."""
    request = house.request(max_tokens=10_000)
    with pytest.raises(BudgetExceeded):
        await house.call(request.model_copy(update={"cap_usd": 0.0501}))
    assert not house.provider.exchanges
    await house.call(request.model_copy(update={"cap_usd": 0.0515}))


async def test_call_with_a_long_prompt_is_reserved_and_billed_at_its_own_price(
    house: House,
) -> None:
    """About 2,000 tokens, for a model whose price rises fivefold above 500."""
    house.provider.answers(says("Twelve.", usage={"input_tokens": 2_000, "output_tokens": 100}))
    request = house.request("pump " * 1_200, max_tokens=100, model="long")
    with pytest.raises(BudgetExceeded):
        await house.call(request.model_copy(update={"cap_usd": 0.005}))
    assert not house.provider.exchanges
    made = await house.call(request.model_copy(update={"cap_usd": 0.05}))
    assert made.usage.usd == pytest.approx((2_000 * 5 + 100 * 25) / 1e6)


async def test_turn_is_made_only_while_the_cap_also_pays_for_a_last_one(house: House) -> None:
    """A turn costs at most its request and 10,000 tokens; the next turn also includes the pages read between them."""
    request = house.request(max_tokens=10_000)
    with pytest.raises(BudgetExceeded):
        await house.call(request.model_copy(update={"cap_usd": 0.1, "kept_turns": 1}))
    made = await house.call(request.model_copy(update={"cap_usd": 0.12, "kept_turns": 1}))
    assert 0.06 < made.turn_usd < 0.07
    await house.call(house.request("The last?", max_tokens=10_000, cap_usd=0.06))


async def test_answer_whose_repair_the_cap_refused_is_not_paid_again_later(house: House) -> None:
    """The workflow may build the request again meanwhile, with less of the phase's time left."""
    house.provider.answers(says('{"number": 0}'), says('{"number": 12}'))
    request = house.request(output_schema=NUMBER, seconds_left=600.0)
    with pytest.raises(BudgetExceeded):
        await house.call(request.model_copy(update={"cap_usd": 0.0215}))
    later = request.model_copy(update={"cap_usd": 1.0, "seconds_left": 599.5})
    assert (await house.call(later)).output == {"number": 12}
    assert await house.list_paid() == ["ask", "ask-repair"]


async def test_pages_of_a_last_turn_are_cut_to_what_is_left_of_the_cap(house: House) -> None:
    key = await house.blobs.put("default", "pages", b"A pump. " * 10_000)
    page = Block(
        type="inputs", inputs=[Input(name="source-1", blob=BlobRef(blob_key=key, chars=80_000))]
    )
    told: dict[str, Any] = {
        "messages": [Message(role="user", content=[page])],
        "max_tokens": 1_000,
        "cap_usd": 0.02,
    }
    with pytest.raises(BudgetExceeded):
        await house.call(house.request(**told))
    result = await house.call(house.request(**told, fits_budget=True))
    [sent] = house.provider.exchanges
    assert 10_000 < len(json.dumps(sent.body["messages"])) < 45_000
    [cut] = result.lost_inputs
    assert explain_loss(cut) == Notice.of("pages-cut-for-money", tokens=cut.window_tokens)
    with pytest.raises(BudgetExceeded):
        await house.call(house.request(**told | {"cap_usd": 0.001}, fits_budget=True, system="?"))


async def test_a_model_without_a_price_is_never_called(house: House) -> None:
    with pytest.raises(ModelRejected, match=re.escape(en("model-unpriced", model="unheard-of"))):
        await house.call(house.request(model="unheard-of"))
    assert not house.provider.exchanges


@pytest.mark.parametrize(("text", "tokens"), [("x" * 300, 100), ("水" * 300, 300)])
def test_token_estimate_is_an_upper_bound(house: House, text: str, tokens: int) -> None:
    asked = house.request().model_copy(update={"system": text})
    assert RenderedRequest(asked, {}).estimate_tokens("enforced") >= tokens


async def test_request_is_rendered_once_in_a_call(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []

    def count(request: ModelRequest, texts: Texts, form: Form) -> Body:
        rendered.append(form)
        return render(request, texts, form)

    monkeypatch.setattr("activities.calls.request_body.render", count)
    house.provider.answers(says("Twelve."))
    await house.call(house.request())
    assert rendered == ["enforced"]


def test_body_with_another_limit_of_its_answer_shares_the_rest(house: House) -> None:
    whole = RenderedRequest(house.request(), {})
    body = whole.render("enforced")
    limited = whole.limit_answer(7).render("enforced")
    assert limited["messages"] is body["messages"]
    assert (limited["max_tokens"], body["max_tokens"]) == (7, whole.request.max_tokens)


async def test_retried_call_logs_its_events_again(house: House) -> None:
    house.provider.answers(fails(529), says("Twelve."))
    with pytest.raises(ModelBusy):
        await house.call(house.request())
    await house.call(house.request(), attempt=2)
    assert await house.told() == [
        "AgentInput",
        "RetryEvent",
        "AgentInput",
        "AgentStream",
        "AgentOutput",
    ]


async def test_retry_of_a_settled_call_logs_nothing(house: House) -> None:
    house.provider.answers(says("Twelve."))
    await house.call(house.request())
    told = await house.log()
    assert (await house.call(house.request(), attempt=2)).reused
    assert await house.log() == told


async def test_second_attempt_waits_for_the_first(house: House) -> None:
    house.provider.answers(says("Twelve.", held=True))
    first = asyncio.create_task(house.call(house.request()))
    await house.provider.until_asked(1)
    second = asyncio.create_task(house.call(house.request(), attempt=2))
    await asyncio.sleep(0.3)
    assert not second.done()
    house.provider.gate.set()
    assert (await first).content == (await second).content
    assert len(house.provider.exchanges) == 1
    assert await house.told() == ["AgentInput", "AgentStream", "AgentOutput"]


@pytest.mark.parametrize("why", ["cancel_requested", "worker_shutdown"])
async def test_cancel_closes_the_connection_and_releases_the_call(house: House, why: str) -> None:
    house.provider.answers(says("Never.", held=True), says("Twelve."))
    attempt = environment()
    call = asyncio.create_task(attempt.run(house.gateway.call, house.request()))
    await house.provider.until_asked(1)
    attempt.cancel(ActivityCancellationDetails(**{why: True}))
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await house.spent() == 0
    assert (await house.call(house.request(), attempt=2)).content[0].text == "Twelve."
    house.provider.gate.set()
    assert [exchange.finished for exchange in house.provider.exchanges] == [False, True]


@pytest.mark.parametrize("why", ["timed_out", "not_found"])
async def test_call_of_an_abandoned_attempt_serves_the_next(house: House, why: str) -> None:
    """The server timed the attempt out without a cancellation, so the call in flight is used."""
    house.provider.answers(says("Twelve.", held=True))
    zombie = environment()
    call = asyncio.create_task(zombie.run(house.gateway.call, house.request()))
    await house.provider.until_asked(1)
    zombie.cancel(ActivityCancellationDetails(**{why: True}))
    with pytest.raises(asyncio.CancelledError):
        await call
    second = asyncio.create_task(house.call(house.request(), attempt=2))
    await asyncio.sleep(0.2)
    house.provider.gate.set()
    result = await second
    assert (result.reused, result.content[0].text) == (True, "Twelve.")
    assert len(house.provider.exchanges) == 1


async def test_abandoned_call_that_fails_is_no_unheard_error(house: House) -> None:
    """Nobody waits for it any more, and what it cost is in the journal."""
    unheard: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: unheard.append(context))
    house.provider.answers(breaks_off("api_error", held=True), says("Twelve."))
    zombie = environment()
    call = asyncio.create_task(zombie.run(house.gateway.call, house.request()))
    await house.provider.until_asked(1)
    zombie.cancel(ActivityCancellationDetails(timed_out=True))
    with pytest.raises(asyncio.CancelledError):
        await call
    house.provider.gate.set()
    await house.calls.drain()
    assert (await house.call(house.request(), attempt=2)).content[0].text == "Twelve."
    gc.collect()
    await asyncio.sleep(0)
    loop.set_exception_handler(None)
    assert unheard == []


async def test_activity_that_was_started_anew_says_what_is_void(house: House) -> None:
    """The attempts of a restarted activity are counted from 1, but its events belong to it."""
    house.provider.answers(breaks_off("drop"), says("Twelve."))
    with pytest.raises(ModelUnreachable):
        await house.call(house.request())
    first = house.request()
    request = first.model_copy(update={"scope": first.scope.model_copy(update={"starts": 2})})
    anew = environment()
    anew.info = replace(anew.info, activity_id=f"{anew.info.activity_id}~2")
    await anew.run(house.gateway.call, request)
    again = (await house.told()).index("RetryEvent")
    assert (await house.told())[again:] == [
        *("RetryEvent", "AgentInput", "AgentStream", "AgentOutput")
    ]


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
