"""What a stopped worker leaves of its runs, which Python closes in the midst of another run."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.worker import (
    ExecuteWorkflowInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from tests.workflows.support.run_harness import Handle, Harness, harness

collected: list[int] = []


class _Collect(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        collected.append(gc.collect())
        return await super().execute_workflow(input)


class Collecting(Interceptor):
    """Has garbage collected as a run begins, on the thread that carries it out."""

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,
    ) -> type[WorkflowInboundInterceptor]:
        return _Collect


@pytest.fixture
def collected_when_asked() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def test_it_sets_no_timer_there(temporal: Client, collected_when_asked: None) -> None:
    """A timer's number is its place among all of its run's; one more, and the run fails to replay."""
    numbers = []
    for interceptors in ([], [Collecting()]):
        async with harness(temporal, interceptors=interceptors) as runs:
            numbers.append(await timers(runs, await runs.start()))
    assert collected[-1] > 0
    assert numbers[0] == numbers[1] != []


async def timers(runs: Harness, handle: Handle) -> list[str]:
    await runs.asked(handle, "clarification")
    events = (await handle.fetch_history()).events
    started = [e for e in events if e.HasField("timer_started_event_attributes")]
    return [e.timer_started_event_attributes.timer_id for e in started]
