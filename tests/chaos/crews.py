"""A crew at work, and where in its work to strike."""

import asyncio
from typing import Any

from tests.chaos.test_worker import SLOW
from tests.support.offline_services import eventually
from tests.support.stack import CREW, Run, Undisturbed, Whole

ANSWERS = {
    "sizes": "market_sizing",
    "competitors": "competition",
    "segments": "customers",
    "sections": "strategy",
}
"""Property of a task's answer, by which its turns are recognized -> task."""


async def in_task(whole: Whole, answers: str, turn: int = 1) -> Run:
    """Return a run with a hanging turn of the agent whose answer has that property."""
    await whole.providers.told({"mode": "hang", "match": match(answers, turn)})
    run = await whole.planned(CREW)
    await whole.stack.ready("crew-worker")
    await run.approve()

    async def hangs() -> bool:
        return any(entry["failure"] for entry in await whole.providers.asked("model"))

    await eventually(hangs)
    return run


async def in_slow_task(whole: Whole) -> Run:
    """Return a run whose crew waits for a slow model in its first turn."""
    run = await whole.planned(CREW)
    await whole.stack.ready("crew-worker")
    asked = len(await whole.providers.asked("model"))
    await whole.providers.told(latency=SLOW)
    await run.approve()
    await whole.providers.until("model", asked + 1)
    return run


def match(answers: str, turn: int) -> dict[str, Any]:
    return {"schema_property": answers, "nth": turn}


async def same_as_undisturbed(whole: Whole, undisturbed: Undisturbed, run: Run) -> None:
    """Check that the run gave what an undisturbed one gives, and paid for nothing twice."""
    await whole.providers.told()
    await run.completed(90)
    assert await run.report() == undisturbed.report
    await whole.paid_once(run, undisturbed, of_crew=True)
    assert len(await whole.ledger(run)) == undisturbed.models


async def nothing_more(whole: Whole) -> list[dict[str, Any]]:
    """Return the model's log after checking that it no longer grows."""
    before = await whole.providers.asked()
    await asyncio.sleep(0.7)
    assert len(await whole.providers.asked()) == len(before)
    return await whole.providers.asked("model")
