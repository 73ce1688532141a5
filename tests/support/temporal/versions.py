"""Versions of workers on a real server: which one is current, and which ones a run was on."""

from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client, WorkflowHistory
from temporalio.service import RPCError, RPCStatusCode

from temporal.task_queues.worker_versioning import name_deployment
from tests.support.offline_services import eventually

NOT_POLLED = {RPCStatusCode.NOT_FOUND, RPCStatusCode.FAILED_PRECONDITION}
"""What Temporal says of a version until all its workers have polled: unknown, or without a task queue of the current."""
COMPLETED = 2
"""State of a deployment whose routing has reached all partitions of its task queues."""


async def make_current(client: Client, queue: str, build_id: str) -> None:
    """Make a version the current one, and wait until all of the queue knows."""
    name, service = name_deployment(queue), client.workflow_service

    async def is_made() -> bool:
        try:
            await service.set_worker_deployment_current_version(
                SetWorkerDeploymentCurrentVersionRequest(
                    namespace="default", deployment_name=name, build_id=build_id, identity="tests"
                )
            )
        except RPCError as error:
            if error.status not in NOT_POLLED:
                raise
            return False
        return True

    async def is_routed() -> bool:
        found = await service.describe_worker_deployment(
            DescribeWorkerDeploymentRequest(namespace="default", deployment_name=name)
        )
        return found.worker_deployment_info.routing_config_update_state == COMPLETED

    assert await eventually(is_made)
    assert await eventually(is_routed)


def list_builds(history: WorkflowHistory) -> list[str]:
    """Return which versions completed the workflow tasks, in order, each once."""
    tasks = (event.workflow_task_completed_event_attributes for event in history.events)
    return list(
        dict.fromkeys(task.deployment_version.build_id for task in tasks if task.started_event_id)
    )
