"""Whatever happens to a crew at work: it goes on by itself, and nothing is paid for twice."""

import asyncio
import signal
import time
from typing import Any

import pytest

from tests.chaos.breaking import FragileStack, stopped
from tests.chaos.test_worker import SLOW, same_as
from tests.whole import Run, Undisturbed, Whole, eventually

CREW = "market_analysis"
ANSWERS = ("sizes", "competitors", "segments", "opportunities")
"""A property of what each task answers: it tells their turns apart."""

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


@pytest.fixture(scope="session")
async def market(stack: FragileStack) -> Undisturbed:
    """A market analysis that nothing happened to."""
    async with Whole.of(stack) as whole:
        return await whole.undisturbed(definition=CREW)


@pytest.fixture
async def own(whole: Whole) -> Whole:
    """The whole with the small crew among the definitions."""
    kept = await whole.http.post("/v1/workflows", json=SMALL)
    assert kept.status_code in {201, 409}, kept.text
    return whole


async def planned(whole: Whole) -> Run:
    """Return a run whose plan waits for a decision."""
    run = await whole.start(definition=CREW)
    await run.answer()
    await run.asks("decision")
    return run


async def in_task(whole: Whole, answers: str, turn: int = 1) -> Run:
    """Return a run in which a turn hangs, of the agent whose answer has that property."""
    await whole.providers.told({"mode": "hang", "match": match(answers, turn)})
    run = await planned(whole)
    await whole.stack.ready("crew-worker")
    await run.approve()

    async def hangs() -> bool:
        return any(entry["failure"] for entry in await whole.providers.asked("model"))

    await eventually(hangs)
    return run


async def in_slow_task(whole: Whole) -> Run:
    """Return a run whose crew's first turn is with the model, which takes its time."""
    run = await planned(whole)
    await whole.stack.ready("crew-worker")
    asked = len(await whole.providers.asked("model"))
    await whole.providers.told(latency=SLOW)
    await run.approve()
    await whole.providers.until("model", asked + 1)
    return run


def match(answers: str, turn: int) -> dict[str, Any]:
    return {"schema_property": answers, "nth": turn}


async def nothing_more(whole: Whole) -> list[dict[str, Any]]:
    """Return the model's log once it is clear that it stays as it is."""
    before = await whole.providers.asked()
    await asyncio.sleep(0.7)
    assert len(await whole.providers.asked()) == len(before)
    return await whole.providers.asked("model")


KILLED = [
    ("sizes", 2),
    *(pytest.param(name, 1, marks=pytest.mark.full) for name in ANSWERS),
]


@pytest.mark.parametrize(("answers", "turn"), KILLED)
async def test_killed_in_a_task(whole: Whole, market: Undisturbed, answers: str, turn: int) -> None:
    run = await in_task(whole, answers, turn)
    whole.stack.kill("crew-worker")
    await same_as(whole, market, run)
    asked = await whole.providers.asked("model")
    assert [entry["disconnected"] for entry in asked if not entry["finished"]] == [True]
    assert len(asked) == market.models + 1


@pytest.mark.full
@pytest.mark.parametrize("service", ["search", "pages"])
async def test_killed_in_a_tool_call(whole: Whole, market: Undisturbed, service: str) -> None:
    run = await planned(whole)
    await whole.providers.told(latency=SLOW)
    await run.approve()
    await whole.providers.until(service, 3)
    whole.stack.kill("crew-worker")
    await same_as(whole, market, run)


@pytest.mark.full
async def test_stopped_it_ends_its_call_and_another_goes_on(
    whole: Whole, market: Undisturbed
) -> None:
    """SIGTERM: what is in flight is answered and kept, so that nothing at all is asked twice."""
    run = await in_slow_task(whole)
    whole.stack.kill("crew-worker", signal.SIGTERM)
    await same_as(whole, market, run)
    assert all(entry["finished"] for entry in await whole.providers.asked("model"))
    assert len(await whole.providers.asked("model")) == market.models


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
    assert [entry["disconnected"] for entry in log] == [False] * (len(log) - 1) + [True]
    assert len(await whole.ledger(run)) == len(log) - 1


@pytest.mark.full
async def test_stood_still_beyond_its_heartbeat(whole: Whole, market: Undisturbed) -> None:
    """The next attempt waits for the turn that the first one has paid for."""
    run = await in_slow_task(whole)
    with stopped(whole.stack.addresses.pids["crew-worker"]):
        await asyncio.sleep(12)
    await same_as(whole, market, run)
    assert len(await whole.providers.asked("model")) == market.models


@pytest.mark.full
async def test_a_turn_that_is_busy_is_asked_once_more(whole: Whole, market: Undisturbed) -> None:
    busy = {"status": 529, "retry_after": 1, "match": match("competitors", 2)}
    await whole.providers.told(busy, {"mode": "cut", "match": match("sizes", 1)})
    run = await planned(whole)
    await run.approve()
    await run.completed()
    await same_as(whole, market, run)
    assert len(await whole.providers.asked("model")) == market.models + 2


PASSES: list[dict[str, Any]] = [
    {"status": 429, "retry_after": 1},
    {"status": 529},
    {"mode": "cut"},
    {"mode": "stream_error"},
]
ENDS = [
    *(({"status": 401}, "model-rejected", answers) for answers in ANSWERS),
    *(({"mode": "refuse"}, "model-refused", answers) for answers in ANSWERS),
    # Only text can be cut off here, and the strategist alone begins with it.
    ({"mode": "truncate"}, "model-truncated", "opportunities"),
]


@pytest.mark.full
@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("failure", PASSES, ids=["429", "529", "cut off", "error in the stream"])
async def test_what_passes_costs_one_request_more(
    whole: Whole, market: Undisturbed, answers: str, failure: dict[str, Any]
) -> None:
    await whole.providers.told({**failure, "match": match(answers, 1)})
    run = await planned(whole)
    await run.approve()
    await run.completed()
    assert await run.report() == market.report
    assert len(await whole.providers.asked("model")) == market.models + 1


@pytest.mark.full
@pytest.mark.parametrize(("failure", "kind", "answers"), ENDS)
async def test_what_does_not_pass_costs_one_request(
    whole: Whole, failure: dict[str, Any], kind: str, answers: str
) -> None:
    """A refused key ends the crew; an answer of no use ends its task, and the others go on."""
    await whole.providers.told({**failure, "times": 9, "match": match(answers, 1)})
    run = await planned(whole)
    await run.approve()
    state = await run.ended()
    struck = [e for e in await nothing_more(whole) if e["failure"]]
    assert len(struck) == 1
    assert state.status == ("failed" if kind == "model-rejected" else "partial")
    ended = [e.payload["result"] for e in await run.events() if e.type == "StopEvent"]
    assert ended.count(kind) == (kind != "model-rejected")


@pytest.mark.full
@pytest.mark.parametrize("answers", ANSWERS)
async def test_cancelled_in_each_task(whole: Whole, answers: str) -> None:
    run = await in_task(whole, answers)
    await run.post("/cancel")
    assert (await run.ended()).status == "cancelled"
    log = await nothing_more(whole)
    assert [entry["disconnected"] for entry in log] == [False] * (len(log) - 1) + [True]


async def test_a_key_that_is_refused_ends_the_crew_at_once(whole: Whole) -> None:
    await whole.providers.told({"status": 401, "times": 9, "match": match("sizes", 2)})
    run = await planned(whole)
    await run.approve()
    state = await run.ended()
    assert state.status == "failed"
    [error] = [phase.error for phase in state.phases if phase.error]
    assert error.type == "model-rejected"
    log = await nothing_more(whole)
    assert [entry["status"] for entry in log].count(401) == 1
    assert log[-1]["status"] == 401


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


async def test_the_terms_a_human_writes_are_the_ones_searched(whole: Whole) -> None:
    run = await planned(whole)
    shown = await run.asks("decision")
    change = {"search_terms": ["Kenya coffee"], "expanded_queries": []}
    said = await run.post(
        "/decision",
        {"action": "modify", "plan_hash": shown.plan_hash, "modifications": change},
    )
    assert said.status_code == 202, said.text
    await run.completed()
    queries = [entry["query"] for entry in await whole.providers.asked("search")]
    assert any("q=Kenya+coffee&" in query for query in queries)
    assert not any("solar+irrigation+pumps" in query for query in queries)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seconds", [5, 60])
async def test_postgres_away_in_a_task(whole: Whole, market: Undisturbed, seconds: float) -> None:
    run = await in_slow_task(whole)
    async with whole.stack.without("postgres", signal.SIGINT):
        await asyncio.sleep(seconds)
    await same_as(whole, market, run)
    assert len(await whole.providers.asked("model")) == market.models


async def test_a_crew_of_one_s_own_is_data(own: Whole) -> None:
    """It needs no approval, for it reaches nothing."""
    run = await own.start(definition=SMALL["id"])
    await run.completed()
    assert "## Thoughts" in await run.report()
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
