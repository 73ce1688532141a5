"""What a provider can answer a crew's agent instead of an answer, and what each costs."""

import asyncio
import itertools
from typing import Any

import pytest

from tests.chaos.crews import ANSWERS, match, nothing_more, same_as_undisturbed
from tests.support.stack import CREW, Undisturbed, Whole


@pytest.mark.full
async def test_a_turn_that_is_busy_is_asked_once_more(whole: Whole, market: Undisturbed) -> None:
    busy = {"status": 529, "retry_after": 1, "match": match("competitors", 2)}
    await whole.providers.told(busy, {"mode": "cut", "match": match("sizes", 1)})
    run = await whole.planned(CREW)
    await run.approve()
    await run.completed()
    await same_as_undisturbed(whole, market, run)
    assert len(await whole.providers.asked("model")) == market.models + 2


PASSES: list[dict[str, Any]] = [
    {"status": 429, "retry_after": 1},
    {"status": 529},
    {"mode": "cut"},
    {"mode": "stream_error"},
]
ENDS: dict[str, dict[str, Any]] = {
    "key-rejected": {"status": 401},
    "model-refused": {"mode": "refuse"},
    "model-truncated": {"mode": "truncate"},
}
STRUCK = list(itertools.product(ENDS, ANSWERS, ["first", "last"]))
"""A researcher's first turn is a tool call, and its last turn is the answer."""


@pytest.mark.full
@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("failure", PASSES, ids=["429", "529", "cut off", "error in the stream"])
async def test_what_passes_costs_one_request_more(
    whole: Whole, market: Undisturbed, answers: str, failure: dict[str, Any]
) -> None:
    await whole.providers.told({**failure, "match": match(answers, 1)})
    run = await whole.planned(CREW)
    await run.approve()
    await run.completed()
    assert await run.report() == market.report
    assert len(await whole.providers.asked("model")) == market.models + 1


@pytest.mark.full
@pytest.mark.timeout(300)
async def test_a_turn_that_is_never_answered_is_asked_once_more(
    whole: Whole, market: Undisturbed
) -> None:
    """One hangs in each task, of whichever run: it is given up after a minute of silence."""
    await whole.providers.told(*({"mode": "hang", "match": match(a, 1)} for a in ANSWERS))
    runs = [await whole.planned(CREW) for _ in ANSWERS]
    await asyncio.gather(*(run.approve() for run in runs))
    await asyncio.gather(*(run.completed(280) for run in runs))
    assert {await run.report() for run in runs} == {market.report}
    asked = await nothing_more(whole)
    hung = [entry for entry in asked if entry["failure"]]
    assert len(hung) == len(ANSWERS)
    assert all(entry["disconnected"] and 58 < entry["seconds"] < 70 for entry in hung)
    assert len(asked) == len(runs) * market.models + len(hung)
    assert [len(await whole.ledger(run)) for run in runs] == [market.models] * len(runs)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "answers", "turn"), STRUCK)
async def test_what_does_not_pass_costs_little(
    whole: Whole, market: Undisturbed, kind: str, answers: str, turn: str
) -> None:
    """An answer of no use, or a key that is refused, ends its task; the others go on."""
    nth = 1 if turn == "first" else market.turns(ANSWERS[answers])
    await whole.providers.told({**ENDS[kind], "times": 9, "match": match(answers, nth)})
    run = await whole.planned(CREW)
    await run.approve()
    state = await run.ended()
    asked = 2 if kind == "model-truncated" else 1  # the retry has more room
    assert len([entry for entry in await nothing_more(whole) if entry["failure"]]) == asked
    ended = {e.payload["agent"]: e.payload["result"] for e in await run.events("StopEvent")}
    assert state.status == "partial"
    assert ended == dict.fromkeys(ANSWERS.values(), "completed") | {ANSWERS[answers]: kind}


@pytest.mark.full
async def test_a_key_that_is_refused_to_every_task_is_asked_for_once_each(whole: Whole) -> None:
    refused = [{"status": 401, "times": 9, "match": match(answers, 1)} for answers in ANSWERS]
    await whole.providers.told(*refused)
    run = await whole.planned(CREW)
    await run.approve()
    state = await run.ended()
    assert state.status == "failed"
    [error] = [phase.error for phase in state.phases if phase.error]
    assert error.type == "key-rejected"
    log = await nothing_more(whole)
    assert [entry["status"] for entry in log].count(401) == len(ANSWERS)
