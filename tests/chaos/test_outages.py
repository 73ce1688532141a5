"""What a run needs goes away for a while: it waits, takes messages, and goes on by itself."""

import asyncio
import signal

import pytest

from tests.chaos.test_worker import SLOW, in_research, same_as
from tests.support.stack import Undisturbed, Whole

LENGTHS = [5, pytest.param(60, marks=[pytest.mark.full, pytest.mark.timeout(300)])]


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seconds", [5, 60])
async def test_postgres_away_at_a_checkpoint(
    whole: Whole, undisturbed: Undisturbed, seconds: float
) -> None:
    """What a human says meanwhile is taken by the run itself."""
    run = await whole.start()
    asked = await run.asks("questions")
    it = ("--workflow-id", run.id)
    async with whole.stack.without("postgres", signal.SIGINT):
        given = {"answers": {asked.questions[0].id: None}, "rest": None}
        update = ("workflow", "update", "execute", *it, "--name", "answer_questions")
        await whole.temporal(*update, given=given)
        await whole.temporal("workflow", "signal", *it, "--name", "approve_plan")
        await asyncio.sleep(seconds)
        assert len(await whole.providers.asked("model")) == 1
    await run.approve()
    await same_as(whole, undisturbed, run)
    told = [event.payload.get("message", "") for event in await run.events()]
    assert any("approve_plan" in str(message) for message in told)


@pytest.mark.full
@pytest.mark.parametrize("seconds", LENGTHS)
async def test_postgres_away_during_research(
    whole: Whole, undisturbed: Undisturbed, seconds: float
) -> None:
    """The turn that is with the model is paid for once; its answer is kept until it can be."""
    run = await in_research(whole, undisturbed, SLOW)
    async with whole.stack.without("postgres", signal.SIGINT):
        await asyncio.sleep(seconds)
    await same_as(whole, undisturbed, run)


@pytest.mark.full
async def test_temporal_killed_during_research(whole: Whole, undisturbed: Undisturbed) -> None:
    run = await in_research(whole, undisturbed, SLOW)
    whole.stack.kill("temporal")
    await same_as(whole, undisturbed, run)


@pytest.mark.full
async def test_providers_killed_during_research(whole: Whole, undisturbed: Undisturbed) -> None:
    """The providers' log is lost, so the ledger proves that each call was paid once."""
    run = await in_research(whole, undisturbed, SLOW)
    whole.stack.kill("offline")
    await run.completed(90)
    assert await run.report() == undisturbed.report
    assert len(await whole.ledger(run)) == undisturbed.models


@pytest.mark.full
@pytest.mark.parametrize("name", ["temporal", "offline"])
async def test_away_for_longer(whole: Whole, undisturbed: Undisturbed, name: str) -> None:
    run = await in_research(whole, undisturbed, SLOW)
    async with whole.stack.without(name):
        await asyncio.sleep(10)
    await run.completed(90)
    assert await run.report() == undisturbed.report
    assert len(await whole.ledger(run)) == undisturbed.models


async def test_gateway_killed_while_it_streams(whole: Whole, undisturbed: Undisturbed) -> None:
    """The run does not notice; a client goes on after the last event it has seen."""
    run = await in_research(whole, undisturbed, SLOW)
    seen = []
    async for event in run.stream():
        seen.append(event)
        if len(seen) == 20:
            break
    whole.stack.kill("gateway")
    await same_as(whole, undisturbed, run)
    seen += [event async for event in run.stream(after=seen[-1].seq)]
    assert seen == await run.events()
