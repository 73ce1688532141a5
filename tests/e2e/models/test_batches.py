"""Runs that nobody waits for, in Message Batches: through kills, at half the price, cancelled."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.activities.calls.provider import Provider, serving, stands_in
from tests.chaos.fragile_stack import FragileStack
from tests.support.offline_services import eventually
from tests.support.stack import Whole

pytestmark = pytest.mark.full
QUESTION = "Is Kenya or Ghana better for solar pumps?"


@pytest.fixture(scope="module")
async def batching(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Whole, Provider]]:
    """A stack whose model's server supports batches."""
    with pytest.MonkeyPatch.context() as patch:
        async with serving() as server:
            server.otherwise = stands_in
            patch.setenv("ANTHROPIC_BASE_URL", server.url)
            patch.setenv("ANTHROPIC_API_KEY", "any")
            home: Path = tmp_path_factory.mktemp("batching") / "home"
            async with FragileStack(home, print) as stack, Whole.of(stack) as whole:
                yield whole, server


async def test_run_in_batches_survives_its_worker_and_pays_half_once(
    batching: tuple[Whole, Provider],
) -> None:
    """The run reports that it waits, and its plan's price and ledger are half of the ordinary ones."""
    whole, server = batching
    server.fate = "in_progress"
    run = await whole.start(QUESTION, definition="one_shot", batch=True)
    await eventually(lambda: looked_again(server, 0))
    looks = len(server.looks)
    whole.stack.kill("worker")
    await eventually(lambda: looked_again(server, looks))
    assert (await run.state()).status == "running"
    server.fate = "succeeded"
    state = await run.completed()
    paid = await whole.ledger(run)
    assert len(server.batches) == len(paid) == state.usage.calls
    assert not server.exchanges
    told = [str(e.payload["message"]) for e in await run.events("Status")]
    assert sum("waits for a batch since" in line for line in told) == len(paid)
    assert state.usage.reused_calls == 0
    ordinary = await whole.start(QUESTION, definition="one_shot")
    assert state.usage.usd < 0.6 * (await ordinary.completed()).usage.usd
    server.reset()
    server.otherwise = stands_in


async def looked_again(server: Provider, looks: int) -> bool:
    return len(server.looks) > looks


async def test_run_that_is_cancelled_at_any_moment_ends_and_leaves_no_batch(
    batching: tuple[Whole, Provider],
) -> None:
    """While it opens, makes its batch, looks for it, waits for it."""
    whole, server = batching
    server.fate = "in_progress"

    async def cancel(after_seconds: float) -> str:
        run = await whole.start(QUESTION, definition="one_shot", batch=True)
        await asyncio.sleep(after_seconds)
        assert (await run.post("/cancel")).status_code == 202
        return (await run.ended()).status

    assert set(await asyncio.gather(*(cancel(0.2 * n) for n in range(15)))) == {"cancelled"}
    assert sorted(server.cancelled) == sorted(server.batches)
    assert server.batches
    server.reset()
    server.otherwise = stands_in


async def test_estimate_expects_half_in_batches_and_caps_at_the_ordinary_price(
    batching: tuple[Whole, Provider],
) -> None:
    whole, _ = batching

    async def price(**more: object) -> dict[str, float]:
        path = "/v1/workflows/deep_research/estimate"
        answer = await whole.http.post(path, json={"query": QUESTION, **more})
        found: dict[str, float] = answer.raise_for_status().json()["price"]
        return found

    ordinary, batched = await price(), await price(batch=True)
    assert batched["expected_usd"] == pytest.approx(ordinary["expected_usd"] / 2, abs=1e-4)
    assert batched["top_usd"] == ordinary["top_usd"]
