"""A crew continues by itself after every fault, and nothing is paid twice."""

import asyncio
import signal
import time
from typing import Any

import pytest

from tests.chaos.crews import (
    ANSWERS,
    in_slow_task,
    in_task,
    nothing_more,
    same_as_undisturbed,
)
from tests.chaos.fragile_stack import stopped
from tests.chaos.test_worker import SLOW, in_tool_call
from tests.support.stack import CREW, Undisturbed, Whole

THINKER = {
    "id": "thinker",
    "works_as": "strategist",
    "role": "Thinker",
    "goal": "Say what the question leaves open",
}
SMALL: dict[str, Any] = {
    "id": "thinking",
    "phases": [
        {
            "kind": "crew",
            "config": {
                "agents": [THINKER],
                "tasks": [
                    {
                        "id": "think",
                        "agent": "thinker",
                        "title": "Thoughts",
                        "description": "Weigh the question.",
                        "expected_output": "What is open.",
                    }
                ],
            },
        }
    ],
}
"""A crew as a user writes it: one agent, who reaches nothing."""


@pytest.fixture
async def own(whole: Whole) -> Whole:
    """The whole with the small crew among the definitions."""
    kept = await whole.http.post("/v1/workflows", json=SMALL)
    assert kept.status_code in {201, 409}, kept.text
    return whole


KILLED = [
    pytest.param("sizes", 2, marks=pytest.mark.full),
    *(pytest.param(name, 1, marks=pytest.mark.full) for name in ANSWERS),
]


@pytest.mark.parametrize(("answers", "turn"), KILLED)
async def test_killed_in_a_task(whole: Whole, market: Undisturbed, answers: str, turn: int) -> None:
    run = await in_task(whole, answers, turn)
    whole.stack.kill("crew-worker")
    await same_as_undisturbed(whole, market, run)
    asked = await whole.providers.asked("model")
    broken = [entry["disconnected"] for entry in asked if not entry["finished"]]
    assert broken
    assert all(broken)
    assert len(asked) == market.models + len(broken)


@pytest.mark.full
@pytest.mark.parametrize("service", ["search", "pages"])
async def test_killed_in_a_tool_call(whole: Whole, market: Undisturbed, service: str) -> None:
    run = await in_tool_call(whole, await whole.planned(CREW), service)
    whole.stack.kill("crew-worker")
    await same_as_undisturbed(whole, market, run)


@pytest.mark.full
async def test_stopped_it_ends_its_call_and_another_goes_on(
    whole: Whole, market: Undisturbed
) -> None:
    """SIGTERM lets calls in flight finish and records them, so that none is repeated."""
    run = await in_slow_task(whole)
    whole.stack.kill("crew-worker", signal.SIGTERM)
    await same_as_undisturbed(whole, market, run)
    assert all(entry["finished"] for entry in await whole.providers.asked("model"))
    assert len(await whole.providers.asked("model")) == market.models


@pytest.mark.full
async def test_cancelled_in_a_task(whole: Whole) -> None:
    """The line to the model is closed within seconds, and nothing is asked after it."""
    run = await in_task(whole, "sizes", 2)
    await asyncio.sleep(2)  # heartbeats have begun: the next one brings the cancel
    begun = time.monotonic()
    await run.post("/cancel")
    state = await run.ended()
    assert time.monotonic() - begun < 5
    assert state.status == "cancelled"
    log = await nothing_more(whole)
    assert all(entry["disconnected"] != entry["finished"] for entry in log)
    assert len(await whole.ledger(run)) == sum(entry["finished"] for entry in log)


@pytest.mark.full
async def test_stood_still_beyond_its_heartbeat(whole: Whole, market: Undisturbed) -> None:
    """The next attempt waits for the turn that the first one has paid for."""
    run = await in_slow_task(whole)
    with stopped(whole.stack.addresses.pids["crew-worker"]):
        await asyncio.sleep(12)
    await same_as_undisturbed(whole, market, run)
    assert len(await whole.providers.asked("model")) == market.models


@pytest.mark.full
@pytest.mark.parametrize("answers", ANSWERS)
async def test_cancelled_in_each_task(whole: Whole, answers: str) -> None:
    run = await in_task(whole, answers)
    await run.post("/cancel")
    assert (await run.ended()).status == "cancelled"
    log = await nothing_more(whole)
    assert all(entry["disconnected"] != entry["finished"] for entry in log)


@pytest.mark.full
@pytest.mark.parametrize("how", ["rejected", "nobody answers"])
async def test_without_approval_nothing_is_searched(whole: Whole, how: str) -> None:
    wait = {"wait_seconds": 0.5} if how == "nobody answers" else {}
    run = await whole.start(definition=CREW, config_overrides={"checkpoint": {"config": wait}})
    await run.answer()
    if how == "rejected":
        shown = await run.asks("decision")
        await run.post("/decision", {"action": "reject", "plan_hash": shown.plan_hash})
    state = await run.ended()
    assert state.status == "rejected"
    asked = await nothing_more(whole)
    assert len(asked) == len(await whole.ledger(run))
    assert {entry["service"] for entry in await whole.providers.asked()} == {"model"}


@pytest.mark.full
async def test_every_researcher_searches_the_terms_that_a_human_wrote(whole: Whole) -> None:
    run = await whole.planned(CREW)
    shown = await run.asks("decision")
    change = {"search_terms": ["Kenya coffee"], "expanded_queries": []}
    said = await run.post(
        "/decision",
        {"action": "modify", "plan_hash": shown.plan_hash, "modifications": change},
    )
    assert said.status_code == 202, said.text
    await run.completed()
    queries = [entry["query"] for entry in await whole.providers.asked("search")]
    assert sum("q=Kenya+coffee&" in query for query in queries) == 3


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seconds", [5, 60])
async def test_postgres_away_in_a_task(whole: Whole, market: Undisturbed, seconds: float) -> None:
    run = await in_slow_task(whole)
    async with whole.stack.without("postgres", signal.SIGINT):
        await asyncio.sleep(seconds)
    await same_as_undisturbed(whole, market, run)
    assert len(await whole.providers.asked("model")) == market.models


@pytest.mark.full
async def test_a_crew_of_one_s_own_is_data(own: Whole) -> None:
    """It needs no approval, for it reaches nothing."""
    run = await own.start(definition=SMALL["id"])
    await run.completed()
    outputs = (await run.get(include="outputs")).json()["outputs"]
    sections = outputs["crew"]["report"]["sections"]
    assert [section["heading"] for section in sections] == ["Thoughts"]
    assert {entry["service"] for entry in await own.providers.asked()} == {"model"}
    assert len(await own.providers.asked()) == len(await own.ledger(run)) == 1


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.parametrize("count", [20, 50])
async def test_many_crews_at_once(own: Whole, count: int) -> None:
    """Eight work at once, the others wait their turn; each is paid for once."""
    await own.providers.told(latency=SLOW)
    runs = await asyncio.gather(*(own.start(definition=SMALL["id"]) for _ in range(count)))
    await asyncio.gather(*(run.completed(300) for run in runs))
    assert len({await run.report() for run in runs}) == 1
    assert len(await own.providers.asked("model")) == count
    assert sum([len(await own.ledger(run)) for run in runs]) == count
