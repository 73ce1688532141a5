"""Worker Versioning: Temporal routes runs to the current version of the workers' code."""

from datetime import UTC, datetime, timedelta
from typing import TypedDict

from temporalio.api.enums.v1 import WorkerVersioningMode
from temporalio.api.workflowservice.v1 import DescribeTaskQueueResponse
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.worker import WorkerDeploymentConfig

from contracts.notices import Notice

UNVERSIONED = "greenlight"
"""Build id of unversioned workers. The SDK's default would hash all modules, which takes 0.6 s at each start."""
MAX_POLL = timedelta(seconds=75)
"""An idle worker asks Temporal for work at least this often: a poll ends after a minute."""


class VersionOptions(TypedDict, total=False):
    """The arguments of a worker that say which version of the code it runs."""

    build_id: str
    deployment_config: WorkerDeploymentConfig


def name_deployment(task_queue: str) -> str:
    """Return the name of the Temporal deployment that all workers of an installation belong to, without dots."""
    return f"greenlight-{task_queue}".replace(".", "-")


def build_version_options(task_queue: str, build_id: str) -> VersionOptions:
    """Return a worker's options by the version of its code; an empty one leaves Worker Versioning off.

    A run that waits moves to the current version with its next task: its definition is frozen in its input.
    """
    if not build_id:
        return {"build_id": UNVERSIONED}
    version = WorkerDeploymentVersion(name_deployment(task_queue), build_id)
    return {
        "deployment_config": WorkerDeploymentConfig(
            version=version,
            use_worker_versioning=True,
            default_versioning_behavior=VersioningBehavior.AUTO_UPGRADE,
        )
    }


def find_worker_lack(queue: DescribeTaskQueueResponse) -> Notice | None:
    """Return a notice if a task queue has no worker of the current deployment version, or no worker at all; None if it has one."""
    since, versioned = (
        datetime.now(UTC) - MAX_POLL,
        WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED,
    )
    polling = set[tuple[str, str]]()
    for poller in queue.pollers:
        if poller.last_access_time.ToDatetime(UTC) > since:
            told = poller.deployment_options
            is_versioned = told.worker_versioning_mode == versioned
            polling.add((told.deployment_name, told.build_id) if is_versioned else ("", ""))
    if not polling:
        return Notice.of("worker-away")
    current = queue.versioning_info.current_deployment_version
    if (current.deployment_name, current.build_id) in polling:
        return None
    deployment, build = max(polling)
    return Notice.of(
        "worker-not-current",
        current=current.build_id or None,
        builds=sorted(build or "-" for _, build in polling),
        command=f"temporal worker deployment set-current-version --deployment-name {deployment}"
        f" --build-id {build}",
    )
