"""A start that brings what only a human or Temporal's own continuation may: it reaches no web."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.common import RetryPolicy

from contracts.base import Json
from contracts.phases.research import ResearchPhase
from contracts.runs.start import Opened
from tests.workflows.support.phase_harness import NOW, PLAN, opened
from tests.workflows.support.run_harness import Harness, harness


def approved_state() -> Json:
    """Return a run past its approval, as continue-as-new carries it."""
    state = opened(ResearchPhase(id="again"))
    state.phase("synthesis").output = None
    return state.model_dump(mode="json")


def has_consent() -> Json:
    """Return a resolved definition in which starting is the consent."""
    state = opened(ResearchPhase(id="again"))
    definition = state.resolved.definition.model_copy(update={"consent": "I say so"})
    resolved = state.resolved.model_copy(update={"definition": definition, "seeds": {}})
    return Opened(resolved=resolved, terms=state.terms).model_dump(mode="json")


APPROVAL: Json = {
    "checkpoint_id": "checkpoint-1",
    "phase_id": "checkpoint",
    "action": "approve",
    "plan_hash": PLAN.hash,
    "at": NOW,
}
FORGED: dict[str, Any] = {
    "opened": has_consent(),
    "state": approved_state(),
    "decisions": [APPROVAL],
    "answers": {"checkpoint-1": {"q1": "yes"}},
    "consent": "I say so",
}


@pytest.fixture
async def runs(temporal: Client) -> AsyncIterator[Harness]:
    async with harness(temporal) as made:
        yield made


async def start(runs: Harness, forged: Json, **options: Any) -> Any:
    return await runs.client.start_workflow(
        "Research",
        {"query": "Where to sell pumps?", **forged},
        id=f"forged-{uuid.uuid4()}",
        task_queue=runs.queue,
        **options,
    )


def require_no_call(runs: Harness) -> None:
    assert [*runs.fakes.searches, *runs.fakes.fetches, *runs.fakes.requests] == []


@pytest.mark.parametrize("field", FORGED)
async def test_a_forged_start_is_refused_by_the_name_of_its_field(
    runs: Harness, field: str
) -> None:
    handle = await start(runs, {field: FORGED[field]})
    with pytest.raises(WorkflowFailureError) as failed:
        await asyncio.wait_for(handle.result(), 10)
    assert field in str(failed.value.cause)
    require_no_call(runs)


async def test_a_state_is_refused_in_each_run_of_a_cron_schedule(runs: Harness) -> None:
    """Temporal says of each but the first that it continues the one before."""
    handle = await start(runs, {"state": approved_state()}, cron_schedule="@every 1s")
    executions = {(await handle.describe()).run_id}
    async with asyncio.timeout(60):
        while len(executions) < 3:
            await asyncio.sleep(0.2)
            executions.add((await handle.describe()).run_id)
    await handle.terminate()
    require_no_call(runs)


async def test_a_state_is_refused_in_each_attempt_of_a_retry_policy(temporal: Client) -> None:
    """Temporal says of each but the first that it continues the one before."""
    async with harness(temporal) as runs:
        pass
    handle = await start(
        runs,
        {"state": approved_state()},
        retry_policy=RetryPolicy(initial_interval=timedelta(milliseconds=100)),
        run_timeout=timedelta(seconds=1),
    )
    await asyncio.sleep(1.2)
    async with harness(temporal, runs.fakes, queue=runs.queue):
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), 10)
    assert (await handle.describe()).status == WorkflowExecutionStatus.FAILED
    require_no_call(runs)
