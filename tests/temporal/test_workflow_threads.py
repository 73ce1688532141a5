"""Workflow tasks that the SDK interrupts because they take too long."""

import asyncio
import time
import uuid
from concurrent.futures import wait
from threading import Event

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from temporal.workflow_threads import WorkflowThreads

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
