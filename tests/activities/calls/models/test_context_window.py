"""A model's context window: it is queried and respected, and truncation is reported."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ModelRejected, ModelTruncated
from contracts.models.call import BlobRef, Block, Input, Message
from contracts.models.prices import Limits
from contracts.runs.lost_inputs import LostInput
from tests.activities.calls.conftest import House, opened
from tests.activities.calls.provider import says
from tests.support.refusals import refused
from tests.support.words import en

PARAGRAPH = (
    "The yard in Ghent builds tugs, and sells the older ones to Ghana. It employs 340 people."
)
PAGE = "\n\n".join(f"{n}. {PARAGRAPH}" for n in range(200))
SMALL = {"id": "m", "max_input_tokens": 4_096, "max_tokens": 1_000}
CUT = [LostInput(kind="cut_pages", name="m", window_tokens=4_096)]


@pytest.fixture
def small(house: House) -> House:
    """A house whose model reports a window of 4,096 tokens."""
    house.provider.listed, house.provider.window, house.provider.most = [SMALL], 4_096, 1_000
    return house


async def page(house: House, number: int = 1, text: str = PAGE) -> Input:
    key = await house.blobs.put("default", house.run_id, text.encode())
    return Input(name=f"source-{number}", text="title: Tugs\n\n", blob=BlobRef(blob_key=key))


def user(*inputs: Input) -> Message:
    return Message(role="user", content=[Block(type="inputs", inputs=list(inputs))])


def turn(*inputs: Input) -> list[Message]:
    """Return a call for each input, and the turn in which the results come."""
    ids = [f"call-{item.name}" for item in inputs]
    calls = [Block(type="tool_use", id=id, name="fetch_url") for id in ids]
    results = [
        Block(type="tool_result", id=id, inputs=[item])
        for id, item in zip(ids, inputs, strict=True)
    ]
    return [Message(role="assistant", content=calls), Message(role="user", content=results)]


def shown(house: House) -> dict[str, str]:
    """Return the inputs of the newest request by name."""
    found: dict[str, str] = {}
    for message in house.provider.exchanges[-1].body["messages"]:
        for block in message["content"]:
            whole = block.get("text") or "".join(b["text"] for b in block.get("content", []))
            for part in whole.split('<input name="')[1:]:
                found[part.partition('"')[0]] = part.partition(">\n")[2].rpartition("\n</")[0]
    return found


@pytest.mark.parametrize("counts", [True, False])
async def test_pages_are_cut_to_whole_passages_and_the_result_says_so(
    small: House, counts: bool
) -> None:
    small.provider.counts = counts
    request = small.request(messages=[user(await page(small), await page(small, 2))])
    result = await small.call(request)
    assert (result.lost_inputs, small.provider.refused) == (CUT, [])
    for text in shown(small).values():
        assert len(text) > 1_500, "each has its share"
        assert text.startswith("title: Tugs\n(to fit the context window, the first ")
        assert text.rstrip().endswith("people."), "a passage is whole"


async def test_cut_pages_of_an_answer_are_told_beside_its_verified_claims(small: House) -> None:
    request = small.request(messages=[user(await page(small))], pages=[])
    assert (await small.call(request)).lost_inputs == CUT


async def test_a_server_that_counts_leaves_room_for_more(small: House) -> None:
    request = small.request(messages=[user(await page(small))])
    await small.call(request)
    estimated = len(shown(small)["source-1"])
    small.provider.counts = True
    await small.call(request.model_copy(update={"system": "You count well."}))
    assert len(shown(small)["source-1"]) > 1.15 * estimated


async def test_request_that_fits_is_sent_as_it_is(small: House) -> None:
    small.provider.counts = True
    few = PAGE[:9_000]
    result = await small.call(small.request(messages=[user(await page(small, text=few))]))
    assert (result.lost_inputs, shown(small)["source-1"]) == ([], f"title: Tugs\n\n{few}")


async def test_the_newest_turn_has_the_room(small: House) -> None:
    old, new = await page(small), await page(small, 2)
    question = user(Input(name="question", text="How many?"))
    await small.call(small.request(messages=[question, *turn(old), *turn(new)]))
    texts = shown(small)
    assert len(texts["source-2"]) > 5_000
    assert texts["source-1"].endswith(
        "(to fit the context window, the first 0 of 12000 characters)\n\n"
    )
    assert texts["question"] == "How many?"


async def test_hits_of_a_search_are_cut_as_wholes(small: House) -> None:
    hits = [{"url": f"https://a.test/{n}", "snippet": PARAGRAPH} for n in range(200)]
    results = Input(name="results", text=json.dumps(hits))
    question = user(Input(name="question", text="How many?"))
    result = await small.call(small.request(messages=[question, *turn(results)]))
    kept = json.loads(shown(small)["results"])
    assert kept == hits[: len(kept)]
    assert 10 < len(kept) < 100
    assert result.lost_inputs == CUT


async def test_what_was_cut_is_told_again_by_another_worker(small: House, tmp_path: Path) -> None:
    request = small.request(messages=[user(await page(small))])
    await small.call(request)
    async with opened(small.dsn, small.provider, tmp_path) as other:
        again = await other.call(request)
    assert (again.reused, again.lost_inputs) == (True, CUT)


async def test_request_that_cannot_fit_is_refused_before_it_is_sent(small: House) -> None:
    request = small.request(messages=[user(Input(name="findings", text=PAGE))])
    with refused(ModelRejected, "model-window", window=4_096) as found:
        await small.call(request)
    assert 6_000 < int(str(found.value.notice.params["size"])) < 7_000, (
        "PAGE, and what is said around it"
    )
    assert found.value.loss_cause.reason == "request-too-long"
    assert small.provider.exchanges == []
    assert await small.spent() == 0


async def test_answer_is_never_asked_to_be_longer_than_the_model_s(small: House) -> None:
    small.provider.answers(says("I am", "max_tokens"), says("I am", "max_tokens"))
    with pytest.raises(ModelTruncated, match=re.escape(en("model-cut", reason="max_tokens"))):
        await small.call(small.request(max_tokens=600))
    assert [e.body["max_tokens"] for e in small.provider.exchanges] == [600, 1_000]
    small.provider.answers(says("I am", "max_tokens"))
    with pytest.raises(ModelTruncated, match=en("model-cut-most", n=1_000, model="m")):
        await small.call(small.request("And now?", max_tokens=3_000))
    assert [e.body["max_tokens"] for e in small.provider.exchanges[2:]] == [1_000]


async def test_answer_has_what_a_long_request_leaves(small: House) -> None:
    small.provider.listed, small.provider.most = [{"id": "m", "max_input_tokens": 4_096}], 4_096
    findings = Input(name="findings", text=PAGE[:8_800])
    await small.call(small.request(messages=[user(findings)], max_tokens=3_000))
    assert 500 <= small.provider.exchanges[-1].body["max_tokens"] < 1_000
    await small.call(small.request(max_tokens=3_000))
    assert small.provider.exchanges[-1].body["max_tokens"] == 3_000


@pytest.mark.parametrize(
    ("listed", "limits"),
    [
        ([SMALL], Limits(window_tokens=4_096, answer_tokens=1_000)),
        (
            [{"id": "x", "max_model_len": 9}, {"id": "m", "max_model_len": 8}],
            Limits(window_tokens=8),
        ),
        ([{"id": "/model.gguf", "meta": {"n_ctx": 512}}], Limits(window_tokens=512)),
        ([{"id": "x", "max_model_len": 9}, {"id": "y", "max_model_len": 8}], Limits()),
        ([{"id": "m", "object": "model"}], Limits()),
        ([{"id": "m", "max_model_len": "many"}], Limits()),
        ([{"id": "m", "max_model_len": -4}], Limits()),
        ([{"id": "m", "meta": "long"}], Limits()),
        ([{"name": "m"}], Limits()),
        (["m"], Limits()),
        ([], Limits()),
    ],
)
async def test_server_says_what_its_model_takes(
    house: House, listed: list[Any], limits: Limits
) -> None:
    house.provider.listed = listed
    assert await house.client.find_limits("m") == limits


async def test_what_is_set_counts_more_than_what_the_server_says(small: House) -> None:
    small.client.limits["m"] = Limits(answer_tokens=50)
    small.provider.window = 1_000_000
    result = await small.call(small.request(messages=[user(await page(small))]))
    assert result.lost_inputs == []
    assert small.provider.exchanges[-1].body["max_tokens"] == 50


async def test_finished_call_is_found_whatever_its_model_takes_by_now(
    house: House, tmp_path: Path
) -> None:
    request = house.request(messages=[user(Input(name="question", text=PAGE))])
    await house.call(request)
    async with opened(house.dsn, house.provider, tmp_path) as lowered:
        lowered.client.limits["m"] = Limits(window_tokens=1_000, answer_tokens=100)
        again = await lowered.call(request)
        assert (again.reused, len(house.provider.exchanges)) == (True, 1)
        with refused(ModelRejected, "model-window", window=1_000):
            await lowered.call(request.model_copy(update={"system": "You count well."}))
