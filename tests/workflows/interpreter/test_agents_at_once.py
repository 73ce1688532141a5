"""What befalls a run while several research agents have calls in flight: nothing is lost, nothing is asked twice."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from tests.workflows.support.run_harness import Handle, Harness, harness

PARTS = ("Kenya", "Ghana", "Togo")
TURN = 2
"""The turn of each agent that is in flight."""


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


async def begin(runs: Harness, **options: Any) -> tuple[Handle, asyncio.Event]:
    """Start a run whose agents all have a call in flight; return it and the event that releases the answers."""
    steps = [{"name": name, "independent": True} for name in PARTS]
    plan: Any = runs.fakes.answers["PlanDraft"]
    runs.fakes.answers = {**runs.fakes.answers, "PlanDraft": {**plan, "steps": steps}}
    reached, answer = asyncio.Barrier(len(PARTS) + 1), asyncio.Event()

    async def wait() -> None:
        await reached.wait()
        await answer.wait()

    def before(kind: str, request: Any) -> Any:
        in_wave = kind == "model" and request.scope.name.endswith(f"-turn-{TURN}")
        return wait() if in_wave else None

    runs.fakes.before = before
    handle = await runs.start(**options)
    await runs.answer(handle)
    await runs.decide(handle, "approve")
    async with asyncio.timeout(60):
        await reached.wait()
    return handle, answer


async def end(runs: Harness, handle: Handle) -> str:
    """Return how a run ends; each of its calls was made once, and billed once."""
    status = (await asyncio.wait_for(handle.result(), 20)).status
    state = await runs.state(handle)
    assert len(runs.fakes.calls) == len({*runs.fakes.calls})
    assert sum(phase.usage.calls for phase in state.phases) == len(runs.fakes.calls)
    return status


async def test_a_pause_holds_all_agents_after_their_calls_in_flight(runs: Harness) -> None:
    handle, answer = await begin(runs)
    await runs.update(handle, "set_paused", {"paused": True})
    answer.set()
    await runs.until(handle, lambda _: count_wave(runs) == len(PARTS))
    await runs.quiet(handle)
    turns = [call.rpartition("-")[2] for call in runs.fakes.calls if "part-" in call]
    assert {*turns} == {"1", str(TURN)}
    await runs.update(handle, "set_paused", {"paused": False})
    assert await end(runs, handle) == "completed"


def count_wave(runs: Harness) -> int:
    return sum(call.endswith(f"-turn-{TURN}") for call in runs.fakes.calls)


async def test_a_cancel_ends_all_agents_and_their_calls(runs: Harness) -> None:
    handle, answer = await begin(runs)
    await runs.update(handle, "cancel", {"mode": "now"})
    assert await end(runs, handle) == "cancelled"
    answer.set()
    assert not any(call.endswith(f"-turn-{TURN + 1}") for call in runs.fakes.calls)
