"""Executions of a run, listed and deleted."""

import uuid

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from contracts.errors import EngineUnavailable
from greenlight.stack.ports import reserve_ports
from temporal.run_client import RunClient
from tests.support.offline_services import eventually


@workflow.defn(sandboxed=False)
class Countdown:
    """Goes on as another execution until there is nothing left to count."""

    @workflow.run
    async def run(self, left: int) -> None:
        if left:
            workflow.continue_as_new(left - 1)


async def executions(temporal: Client, name: str) -> list[str]:
    """Return the ids of a workflow's executions, the newest first."""
    found = []
    run_id = (await temporal.get_workflow_handle(name).describe()).run_id
    while run_id:
        found.append(run_id)
        history = temporal.get_workflow_handle(name, run_id=run_id).fetch_history_events()
        first = await anext(aiter(history))
        run_id = first.workflow_execution_started_event_attributes.continued_execution_run_id
    return found


@pytest.mark.full
async def test_deletion_covers_the_executions_a_run_continued_from(
    temporal: Client, task_queue: str
) -> None:
    name, other = f"gone-{uuid.uuid4()}", f"stays-{uuid.uuid4()}"
    runner = UnsandboxedWorkflowRunner()
    async with Worker(
        temporal, task_queue=task_queue, workflows=[Countdown], workflow_runner=runner
    ):
        for workflow_id in (name, other):
            await temporal.execute_workflow(Countdown.run, 3, id=workflow_id, task_queue=task_queue)
    chain = await executions(temporal, name)
    assert len(chain) == 4
    finder = RunClient(temporal, "any")
    assert await eventually(lambda: finder.delete(name))
    for run_id in chain:
        with pytest.raises(RPCError, match="not found"):
            await temporal.get_workflow_handle(name, run_id=run_id).describe()
    assert not await finder.has(name)
    assert await finder.delete(name), "again makes no difference"
    assert len(await executions(temporal, other)) == 4


async def test_unreachable_server_is_engine_unavailable() -> None:
    nowhere = reserve_ports({"temporal": 0})["temporal"]
    away = RunClient(await Client.connect(f"127.0.0.1:{nowhere}", lazy=True), "any")
    with pytest.raises(EngineUnavailable):
        await away.delete("run")
