"""The sandbox that tests run workflows in refuses what a workflow may not do."""

import uuid
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import RestrictedWorkflowAccessError

from tests.support.temporal.sandbox import workflow_runner


@workflow.defn(name="Reads")
class Reads:
    """A workflow that reads a file."""

    @workflow.run
    async def run(self, path: str) -> str:
        with open(path, encoding="utf-8") as file:  # noqa: ASYNC230 - as a mistake would
            return file.read()


async def test_workflow_that_opens_a_file_fails(quick_temporal: Client, tmp_path: Path) -> None:
    (tmp_path / "told").write_text("?", encoding="utf-8")
    queue = f"test-{uuid.uuid4()}"
    async with Worker(
        quick_temporal,
        task_queue=queue,
        workflows=[Reads],
        workflow_runner=workflow_runner(),
        workflow_failure_exception_types=[RestrictedWorkflowAccessError],
    ):
        with pytest.raises(WorkflowFailureError) as failed:
            await quick_temporal.execute_workflow(
                Reads.run, str(tmp_path / "told"), id=queue, task_queue=queue
            )
    assert "__builtins__.open" in str(failed.value.cause)
