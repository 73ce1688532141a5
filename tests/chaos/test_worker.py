"""The worker is killed or paused: the run completes by itself and pays nothing twice."""

import asyncio
from pathlib import Path

import pytest

from tests.chaos.collection import amid_reading
from tests.chaos.fragile_stack import stopped
from tests.support.offline_services import eventually
from tests.support.stack import Run, Undisturbed, Whole

SLOW = 1.0
"""Seconds that every provider takes to answer, so that there is a middle to strike in."""


async def in_research(whole: Whole, undisturbed: Undisturbed, latency: float) -> Run:
    """Return a run that waits for the model in its second research turn."""
    run = await whole.planned()
    before = len(await whole.providers.asked("model"))
    assert before + 3 < undisturbed.models
    await whole.providers.told(latency=latency)
    await run.approve()
    await whole.providers.until("model", before + 2)
    return run


async def in_tool_call(whole: Whole, run: Run, service: str) -> Run:
    """Approve a plan and return the run once a service is being asked."""
    await whole.providers.told(latency=SLOW)
    await run.approve()
    await whole.providers.until(service, 3)
    return run


async def same_as(whole: Whole, undisturbed: Undisturbed, run: Run) -> None:
    """Check that the run gave what an undisturbed one gives, and paid for nothing twice."""
    await whole.providers.told()
    await run.completed(90)
    assert await run.report() == undisturbed.report
    await whole.paid_once(run, undisturbed)
    seqs = [event.seq for event in await run.events()]
    assert seqs == list(range(1, len(seqs) + 1))


async def test_killed_in_the_middle_of_a_turn_and_of_a_collection(
    whole: Whole, undisturbed: Undisturbed
) -> None:
    """The struck turn's answer is held until its provider saw the worker go, however slow the machine is."""
    run = await whole.planned()
    before = len(await whole.providers.asked("model"))
    assert before + 3 < undisturbed.models
    await whole.providers.told({"mode": "hold", "match": {"nth": 2}})
    await run.approve()

    async def held(sign: str) -> bool:
        asked = await whole.providers.asked("model")
        return any(entry["failure"] == "hold" and entry[sign] for entry in asked)

    assert await eventually(lambda: held("n"))
    async with amid_reading(whole):
        assert not await held("disconnected")
        whole.stack.kill("worker")
        assert await eventually(lambda: held("disconnected"))
    await same_as(whole, undisturbed, run)


@pytest.mark.full
@pytest.mark.parametrize("nth", range(1, 10))
async def test_killed_in_each_turn(whole: Whole, undisturbed: Undisturbed, nth: int) -> None:
    nth = min(nth, undisturbed.models)
    await whole.providers.told(latency=SLOW)
    run = await whole.start()
    human = asyncio.create_task(run.finish(110))
    await whole.providers.until("model", nth)
    whole.stack.kill("worker")
    await human
    await same_as(whole, undisturbed, run)


@pytest.mark.full
@pytest.mark.parametrize("service", ["search", "pages"])
async def test_killed_in_a_tool_call(whole: Whole, undisturbed: Undisturbed, service: str) -> None:
    run = await in_tool_call(whole, await whole.planned(), service)
    whole.stack.kill("worker")
    await same_as(whole, undisturbed, run)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["questions", "decision"])
async def test_killed_while_a_human_thinks(
    whole: Whole, undisturbed: Undisturbed, kind: str
) -> None:
    run = await whole.start()
    if kind == "decision":
        await run.answer()
    await run.asks(kind)
    whole.stack.kill("worker")
    if kind == "questions":
        await run.answer()
    await run.approve()
    await same_as(whole, undisturbed, run)


@pytest.mark.full
async def test_stopped_beyond_its_heartbeat(
    whole: Whole, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Its attempt is given up and another worker is at the next: the one answer is waited for."""
    async with whole.stack.second_worker(tmp_path / "second.log"):
        run = await in_research(whole, undisturbed, 2.0)
        with stopped(await whole.at_work(run)) as zombie:
            await whole.at_work(run, but=zombie)
            asked = len(await whole.providers.asked("model"))
            await asyncio.sleep(2)
            assert len(await whole.providers.asked("model")) == asked
        await same_as(whole, undisturbed, run)


@pytest.mark.full
async def test_stopped_and_continued_alone(whole: Whole, undisturbed: Undisturbed) -> None:
    run = await in_research(whole, undisturbed, 2.0)
    with stopped(await whole.at_work(run)):
        await asyncio.sleep(6)
    await same_as(whole, undisturbed, run)
