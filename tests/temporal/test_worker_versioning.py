"""A deployment over a run that waits for an approval, on a real server with Worker Versioning."""

from typing import Any

import pytest
from pydantic import ValidationError
from temporalio import workflow
from temporalio.api.deployment.v1 import WorkerDeploymentVersion
from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentVersionRequest,
)
from temporalio.client import Client, WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer, Worker
from temporalio.workflow import NondeterminismError

import worker
from activities.heartbeat_interceptor import ActivityInterceptor
from contracts.errors import EngineUnavailable
from contracts.notices import Notice
from contracts.runs.start import RunInput, RunResult
from settings import Settings
from temporal.run_client import RunClient
from temporal.task_queues.worker_versioning import build_version_options, name_deployment
from tests.support.offline_services import eventually
from tests.support.temporal.sandbox import UNTIMED
from tests.support.temporal.versions import list_builds, make_current
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.run_harness import Harness, pydantic_client
from workflows.message_parser import SafeMessages
from workflows.research import Research


@workflow.defn(name="Research", failure_exception_types=[ValueError])
class NextResearch(Research):
    """The workflow of the next release, which issues another command first."""

    @workflow.run
    async def run(self, given: RunInput = None) -> RunResult:  # type: ignore[assignment]
        if workflow.patched("sleeps-first"):
            await workflow.sleep(0.01)
        return await super().run(given)


def build_next(client: Client, queue: str, fakes: Fakes) -> Worker:
    return Worker(
        client,
        task_queue=queue,
        workflows=[NextResearch],
        activities=fakes.all(),
        workflow_runner=worker.WORKFLOW_RUNNER,
        interceptors=[SafeMessages(), ActivityInterceptor()],
        debug_mode=UNTIMED,
        **build_version_options(queue, "2"),
    )


async def find_replay_failure(history: WorkflowHistory, research: type[Research]) -> Any:
    replayer = Replayer(
        workflows=[research],
        workflow_runner=worker.WORKFLOW_RUNNER,
        data_converter=pydantic_data_converter,
        interceptors=[SafeMessages()],
        debug_mode=True,
    )
    return (await replayer.replay_workflow(history, raise_on_replay_failure=False)).replay_failure


async def test_run_that_waits_for_approval_is_finished_by_the_next_version(
    temporal: Client, task_queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew_queue = f"{task_queue}-crew"
    monkeypatch.setattr("worker.CREW_QUEUE", crew_queue)
    client, before, after = pydantic_client(temporal), Fakes(), Fakes()
    runs = Harness(client, before, task_queue)
    settings = Settings(greenlight_task_queue=task_queue, greenlight_build_id="1")
    async with (
        worker.build_worker(client, settings, before.all()),
        worker.build_crew_worker(client, settings, [before.work]),
    ):
        await make_current(client, task_queue, "1")
        waiting = await runs.start()
        await runs.answer(waiting)
        await runs.asked(waiting, "checkpoint")
        settings = settings.model_copy(update={"greenlight_build_id": "2"})
        async with (
            build_next(client, task_queue, after),
            worker.build_crew_worker(client, settings, [after.work]),
        ):
            await make_current(client, task_queue, "2")
            await runs.decide(waiting, "approve")
            assert (await waiting.result()).status == "completed"
            assert await list_queues(client, task_queue, "2") == {task_queue, crew_queue}
            later = await runs.start()
            await runs.asked(later, "clarification")
            await later.terminate()
    upgraded, new = await waiting.fetch_history(), await later.fetch_history()
    assert list_builds(upgraded) == ["1", "2"]
    assert before.requests
    assert before.requests[-1].scope.phase_id == "planning"
    assert after.requests
    assert after.requests[0].scope.phase_id == "research"
    assert await find_replay_failure(upgraded, NextResearch) is None
    assert await find_replay_failure(new, NextResearch) is None
    assert isinstance(await find_replay_failure(new, Research), NondeterminismError)


async def test_readiness_names_the_version_that_nobody_made_current(
    temporal: Client, task_queue: str
) -> None:
    gateway = RunClient(temporal, task_queue)
    settings = Settings(greenlight_task_queue=task_queue, greenlight_build_id="2026.11")

    async def find_lack(code: str) -> Notice | None:
        try:
            await gateway.check_worker()
        except EngineUnavailable as error:
            return error.notice if error.notice.code == code else None
        return None

    async with worker.build_worker(temporal, settings, Fakes().all()):
        lack = await eventually(lambda: find_lack("worker-not-current"))
        assert lack.params["builds"] == ["2026.11"]
        command = lack.params["command"].split()
        assert command[-4:] == [
            "--deployment-name",
            name_deployment(task_queue),
            "--build-id",
            "2026.11",
        ]
        await make_current(temporal, task_queue, "2026.11")
        await gateway.check_worker()


async def list_queues(client: Client, queue: str, build_id: str) -> set[str]:
    """Return the task queues of a version's workers."""
    version = WorkerDeploymentVersion(build_id=build_id, deployment_name=name_deployment(queue))
    found = await client.workflow_service.describe_worker_deployment_version(
        DescribeWorkerDeploymentVersionRequest(namespace="default", deployment_version=version)
    )
    return {each.name for each in found.version_task_queues}


@pytest.mark.parametrize("build_id", ["2026 11", "2026:11", "2026.11\n", "b" * 129])
def test_build_id_that_names_no_version_is_refused(build_id: str) -> None:
    with pytest.raises(ValidationError):
        Settings(greenlight_build_id=build_id)
