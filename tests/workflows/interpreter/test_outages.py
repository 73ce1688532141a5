"""Outages of the store, the workers and the humans: no run is lost."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.definitions import Definition, PhaseOverride
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Harness, harness

AWAY = ApplicationError("away", type="store-unavailable", non_retryable=True)
PLAN = Definition(id="plan", phases=[PlanningPhase(timeout_seconds=2, max_retries=2)])


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal, Fakes(PLAN)) as made:
        yield made


async def test_a_run_opens_once_the_store_is_back(runs: Harness) -> None:
    tries: list[str] = []

    def before(kind: str, _: Any) -> None:
        if kind == "open":
            tries.append(kind)
            if len(tries) < 3:
                raise AWAY

    runs.fakes.before = before
    handle = await runs.start(definition_id="plan")
    assert (await asyncio.wait_for(handle.result(), 20)).status == "completed"
    assert len(tries) == 3
    events = (await handle.fetch_history()).events
    timers = [e.timer_started_event_attributes.start_to_fire_timeout.seconds for e in events]
    assert [seconds for seconds in timers if seconds][:2] == [1, 2]  # longer, the longer it lasts


@pytest.mark.full
async def test_an_outage_uses_up_no_time_of_a_phase(runs: Harness) -> None:
    tries: list[str] = []

    def before(kind: str, _: Any) -> None:
        if kind == "model" and len(tries) < 3:
            tries.append(kind)
            raise AWAY

    runs.fakes.before = before
    handle = await runs.start(definition_id="plan")
    assert (await asyncio.wait_for(handle.result(), 20)).status == "completed"


@pytest.mark.parametrize(
    ("busy", "status"),
    [(1, "completed"), pytest.param(10, "failed", marks=pytest.mark.full)],
)
async def test_a_wait_that_the_provider_asks_for_uses_up_no_time_of_a_phase(
    temporal: Client, busy: int, status: str
) -> None:
    tries: list[int] = []

    def before(kind: str, _: Any) -> None:
        if kind == "model" and len(tries) < busy:
            tries.append(activity.info().retry_policy.maximum_attempts)  # type: ignore[union-attr]
            last = tries[-1] == 1
            wait = timedelta(seconds=3 if busy == 1 else 0.1)
            raise ApplicationError(
                "busy", type="model-busy", non_retryable=not last, next_retry_delay=wait
            )

    one = Definition(id="plan", phases=[PlanningPhase(timeout_seconds=2)])
    fakes = Fakes(one)
    fakes.before = before
    async with harness(temporal, fakes) as runs:
        handle = await runs.start(definition_id="plan")
        assert (await asyncio.wait_for(handle.result(), 20)).status == status
    assert tries == ([6] if busy == 1 else [6, 6, 6, 6, 6, 1])


async def test_a_cancel_does_not_keep_the_end_from_the_record(runs: Harness) -> None:
    back = asyncio.Event()

    def before(kind: str, request: Any) -> None:
        ends = kind == "record" and any(e.type == "workflow_complete" for e in request.events)
        if ends and not back.is_set():
            raise AWAY

    runs.fakes.before = before
    handle = await runs.start(definition_id="plan")
    await runs.until(handle, lambda s: s.status == "completed")
    await handle.cancel()
    await asyncio.sleep(0.3)
    back.set()
    assert (await asyncio.wait_for(handle.result(), 20)).status == "completed"
    assert runs.fakes.events[-1].type == "workflow_complete"


@pytest.mark.full
async def test_a_cancelled_call_is_no_failure_to_try_again(runs: Harness) -> None:
    tries: list[str] = []

    async def hang() -> None:
        tries.append("once")
        await asyncio.sleep(30)

    runs.fakes.before = lambda kind, _: hang() if kind == "model" else None
    handle = await runs.start(definition_id="plan")
    await runs.until(handle, lambda _: tries)
    await runs.update(handle, "cancel", {})
    assert (await asyncio.wait_for(handle.result(), 20)).status == "cancelled"
    assert (await runs.state(handle)).phases[0].status == "skipped"
    assert tries == ["once"]


@pytest.mark.full
async def test_time_that_ran_out_while_no_worker_was_up_begins_again(temporal: Client) -> None:
    fakes, queue, searching = Fakes(), f"test-{uuid.uuid4()}", asyncio.Event()

    async def hang() -> None:
        searching.set()
        await asyncio.sleep(30)

    def before(kind: str, _: Any) -> Any:
        return hang() if kind == "search" and not searching.is_set() else None

    fakes.before = before
    at_once = timedelta(0)
    async with harness(temporal, fakes, queue, graceful_shutdown_timeout=at_once) as first:
        limit = {"research": PhaseOverride(timeout_seconds=2)}
        handle = await first.start(config_overrides=limit)
        await first.answer(handle)
        await first.decide(handle, "approve")
        await searching.wait()
    await asyncio.sleep(8)
    async with harness(temporal, fakes, queue):
        assert (await asyncio.wait_for(handle.result(), 30)).status == "completed"


@pytest.mark.full
async def test_who_is_steered_while_paused_heeds_it_at_once(runs: Harness) -> None:
    handle = await runs.start()
    await runs.answer(handle)
    await runs.asked(handle, "checkpoint")
    await runs.update(handle, "set_paused", {"paused": True})
    await runs.decide(handle, "approve")
    await runs.until(handle, lambda s: s.phases[4].status == "running")
    await runs.update(handle, "steer", {"text": "mind the prices"})
    await runs.update(handle, "set_paused", {"paused": False})
    await handle.result()
    first = next(r for r in runs.fakes.requests if r.role == "researcher")
    heard = [i.text for m in first.messages for b in m.content for i in b.inputs]
    assert heard.count("mind the prices") == 1


@pytest.mark.full
async def test_a_failure_skips_hundreds_of_phases_at_once(runs: Harness) -> None:
    """More would exceed what Temporal takes at once: this harness keeps no payload as a blob."""

    def before(kind: str, _: Any) -> None:
        if kind == "model":
            raise ApplicationError("no", type="model-rejected", non_retryable=True)

    runs.fakes.before = before
    rest = [HitlCheckpointPhase(id=f"c{n}") for n in range(599)]
    runs.fakes.definitions["long"] = Definition(id="long", phases=[PlanningPhase(), *rest])
    handle = await runs.start(definition_id="long")
    assert (await asyncio.wait_for(handle.result(), 20)).status == "failed"
