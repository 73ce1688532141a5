"""Workflow tasks that the SDK interrupts because they take too long."""

import asyncio
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event
from typing import Any

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from temporal.workflow_threads import WorkflowThreads
from tests.support.offline_services import eventually

LONGER_THAN_THE_SDK_ALLOWS = 2.6
"""Seconds; the SDK interrupts a workflow task after two."""

_blocked: set[str] = set()


def block() -> None:
    time.sleep(LONGER_THAN_THE_SDK_ALLOWS)


@workflow.defn(sandboxed=False)
class BlockedOnce:
    """Blocks in a C call, which no interruption ends, in its first attempt alone, while another task waits."""

    @workflow.run
    async def run(self) -> str:
        waiting = asyncio.create_task(workflow.sleep(600))
        try:
            return await asyncio.create_task(self._work())
        finally:
            waiting.cancel()

    async def _work(self) -> str:
        await workflow.sleep(0.01)
        if (name := workflow.info().workflow_id) not in _blocked:
            _blocked.add(name)
            block()
        return "moved on"


async def test_run_goes_on_after_a_workflow_task_that_took_too_long(
    temporal: Client, task_queue: str
) -> None:
    name = f"slow-{uuid.uuid4()}"
    async with Worker(
        temporal,
        task_queue=task_queue,
        workflows=[BlockedOnce],
        workflow_runner=UnsandboxedWorkflowRunner(),
        workflow_task_executor=WorkflowThreads(),
    ):
        async with asyncio.timeout(60):
            told = await temporal.execute_workflow(BlockedOnce.run, id=name, task_queue=task_queue)
    assert told == "moved on"
    assert name in _blocked


@workflow.defn(sandboxed=False)
class WaitsForWord:
    """Waits for a signal."""

    def __init__(self) -> None:
        self._is_told = False

    @workflow.run
    async def run(self) -> str:
        await workflow.wait_condition(lambda: self._is_told)
        return "told"

    @workflow.signal
    def tell(self) -> None:
        self._is_told = True


class SeenThreads(WorkflowThreads):
    """Keeps the SDK's object of each run."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, Any] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        instance = getattr(getattr(fn, "__self__", None), "instance", None)
        if instance is not None:
            self.runs[instance.workflow_info().workflow_id] = instance
        return super().submit(fn, *args, **kwargs)


async def test_run_whose_finished_task_was_not_forgotten_is_evicted_and_goes_on(
    temporal: Client, task_queue: str
) -> None:
    """An interrupt that hits the callback of a finished task leaves it behind; the SDK evicts no run that has tasks."""
    threads = SeenThreads()
    async with Worker(
        temporal,
        task_queue=task_queue,
        workflows=[WaitsForWord],
        workflow_runner=UnsandboxedWorkflowRunner(),
        workflow_task_executor=threads,
        max_cached_workflows=1,
        max_concurrent_workflow_tasks=1,
    ):
        first, other = [
            await temporal.start_workflow(
                WaitsForWord.run, id=f"waits-{uuid.uuid4()}", task_queue=task_queue
            )
            for _ in range(2)
        ]

        async def has_run_both() -> bool:
            return {first.id, other.id} <= threads.runs.keys()

        async with asyncio.timeout(60):
            await eventually(has_run_both)
            left = asyncio.create_task(asyncio.sleep(0))
            await left
            for run in threads.runs.values():
                run._tasks.add(left)
            for handle in (first, other):
                await handle.signal(WaitsForWord.tell)
            assert [await handle.result() for handle in (first, other)] == ["told"] * 2


def test_calls_on_one_object_wait_for_each_other_and_others_do_not() -> None:
    class Run:
        def __init__(self) -> None:
            self.active, self.most = 0, 0

        def activate(self, until: Event) -> None:
            self.active += 1
            self.most = max(self.most, self.active)
            until.wait(20)
            self.active -= 1

    held, free = Event(), Event()
    free.set()
    one, other = Run(), Run()
    with WorkflowThreads() as threads:
        first = [threads.submit(one.activate, held), threads.submit(one.activate, free)]
        assert threads.submit(other.activate, free).result(20) is None
        assert not any(call.done() for call in first)
        held.set()
        wait(first, 20)
    assert one.most == 1
    assert all(call.done() for call in first)
